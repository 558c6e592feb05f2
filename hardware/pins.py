"""Which pin of the board's ATmega2560 does what: the wiring that the firmware and the drawings share.

The data lines of the HX711 fill whole ports, so that a bit of all cells is read within the time that their
clock may be high (docs/hardware.md). Names of the pins are those of the chip, and as an Arduino Mega 2560
prints them (its `pins_arduino.h`).
"""

from dataclasses import dataclass

from engine.errors import BadInput


@dataclass(frozen=True, slots=True)
class Pin:
    """One pin."""

    port: str
    """A to L."""
    bit: int
    """0 to 7."""

    @property
    def chip(self) -> str:
        """Its name in the data sheet, such as PA0."""
        return f"P{self.port}{self.bit}"

    @property
    def mega(self) -> str:
        """Its name on an Arduino Mega 2560, such as D22 or A8."""
        return _MEGA[self.port][self.bit]


_MEGA = {
    "A": tuple(f"D{22 + bit}" for bit in range(8)),
    "B": ("D53", "D52", "D51", "D50", "D10", "D11", "D12", "D13"),
    "C": tuple(f"D{37 - bit}" for bit in range(8)),
    "F": tuple(f"A{bit}" for bit in range(8)),
    "K": tuple(f"A{8 + bit}" for bit in range(8)),
    "L": tuple(f"D{49 - bit}" for bit in range(8)),
}

DATA: tuple[Pin, ...] = tuple(
    Pin(port, bit) for port, bits in (("A", 8), ("C", 8), ("L", 8), ("K", 8), ("F", 2)) for bit in range(bits)
)
"""The data line of each cell, in the order of the holes."""
CLOCK = Pin("B", 4)
"""The clock of all HX711 together."""
RATE = Pin("B", 5)
"""The RATE pins of all HX711 together: high for 80 readings a second."""
STRIP_CLOCK, STRIP_DATA = Pin("B", 1), Pin("B", 2)
"""Of an APA102 strip, where the chip drives it: its SPI."""
BUTTONS: tuple[Pin, ...] = tuple(Pin("F", bit) for bit in range(2, 8))
"""Buttons, to ground."""


def data_pins(cells: int) -> tuple[Pin, ...]:
    """The data line of each of so many cells.

    Raises:
        BadInput: the chip has no pins for so many.
    """
    if cells > len(DATA):
        raise BadInput(
            f"{cells} cells are too many for one board: its chip has pins for {len(DATA)}; leave some holes "
            f"without a cell, or use a second board"
        )
    return DATA[:cells]
