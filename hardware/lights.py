"""The lamps of a board: LEDs on pins or a strip on SPI, through gpiozero, or a strip of the board's own chip.

A driver shows colours at one instant. What they mean, and how they blink, is decided elsewhere
(`referee.lamps`); which lamp lights which hole is in the board file (`engine.layout.Light`).
"""

import math
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Protocol, Self, TypeAlias

from gpiozero import LED, BadPinFactory, Device, GPIOZeroError, PinFactoryFallback, SPIDevice
from gpiozero.pins.mock import MockFactory

from engine.errors import BadInput
from engine.layout import Layout, Light

RGB: TypeAlias = tuple[int, int, int]
"""Red, green, blue, each 0 to 255."""

BLACK: RGB = (0, 0, 0)

MA_PER_CHANNEL = 20.0
"""mA that one channel of one APA102 draws at 255 and full brightness (data sheet)."""


class Lights(Protocol):
    """Whatever lights a board. A context manager; `close` darkens it and may be called twice."""

    @property
    def about(self) -> str:
        """One line for `pitwatch doctor`: what is lit, and by what."""
        ...

    def show(self, colours: Sequence[RGB]) -> None:
        """Shows one colour a hole, `(holes,)`, pits in ring order, then stores, until the next call.

        Raises:
            ValueError: there is not one colour for each hole.
        """
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class _Closing:
    """What all drivers share: leaving the block closes."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class NoLights(_Closing):
    """A board without lamps."""

    def __init__(self, holes: int) -> None:
        self._holes = holes
        self.about = "this board has no lights"

    def show(self, colours: Sequence[RGB]) -> None:
        _check(colours, self._holes)

    def close(self) -> None:
        """There is nothing to darken."""


class PinLights(_Closing):
    """One LED of one colour on a GPIO pin for each hole that has one: lit for any colour but black."""

    def __init__(self, holes: int, lights: Sequence[Light], factory: Any, where: str) -> None:
        """
        Args:
            holes: number of holes of the board.
            lights: which BCM pin lights which hole.
            factory: a gpiozero pin factory.
            where: what the pins are, for `about`.

        Raises:
            BadInput: a pin does not exist, or is in use.
        """
        self._holes = holes
        self._leds: list[tuple[int, LED]] = []
        with ExitStack() as undo:
            for light in lights:
                try:
                    led = LED(light.index, pin_factory=factory)
                except GPIOZeroError as error:
                    raise BadInput(
                        f"lights: GPIO {light.index} cannot light hole {light.hole}: {error}; "
                        f"give another pin in the board file"
                    ) from error
                undo.callback(led.close)
                self._leds.append((light.hole, led))
            undo.pop_all()
        self.about = f"{len(self._leds)} LEDs on {where}"

    def show(self, colours: Sequence[RGB]) -> None:
        _check(colours, self._holes)
        for hole, led in self._leds:
            led.value = any(colours[hole])

    def close(self) -> None:
        """Darkens the LEDs and frees their pins."""
        for _, led in self._leds:
            led.close()


class StripLights(_Closing):
    """A strip of APA102 or SK9822 lamps on SPI 0, any number of them for a hole.

    One transfer, most significant bit first, as the data sheet and, for the SK9822, cpldcpu's
    measurements have it (https://cpldcpu.com/2016/12/13/sk9822-a-clone-of-the-apa102/):

    | bytes             | what                                                                    |
    | ----------------- | ----------------------------------------------------------------------- |
    | 00 00 00 00       | start                                                                   |
    | E0\\|b, B, G, R    | one lamp, from the nearest on; b is the brightness, 1 to 31             |
    | 00 00 00 00       | the SK9822 lights up what it holds only at the next start               |
    | 00, n / 16 of it  | each lamp delays the clock by half a bit, so n lamps need n / 2 more    |
    """

    def __init__(
        self,
        holes: int,
        lights: Sequence[Light],
        factory: Any,
        where: str,
        *,
        brightness: int = 8,
        limit_ma: float = 500.0,
    ) -> None:
        """
        Args:
            holes: number of holes of the board.
            lights: which lamp of the strip, counted from 0, lights which hole.
            factory: a gpiozero pin factory.
            where: what the pins are, for `about`.
            brightness: of all lamps, 1 to 31.
            limit_ma: what the lamps together may draw; a brighter picture is dimmed as a whole.

        Raises:
            BadInput: a pin of SPI 0 is in use, or SPI cannot be opened.
        """
        if not 1 <= brightness <= 31:
            raise ValueError(f"brightness is 1 to 31, got {brightness}")
        self._holes = holes
        self._lights = tuple(lights)
        self._brightness = brightness
        self._limit_ma = limit_ma
        self._shown: tuple[RGB, ...] | None = None
        try:
            self._spi = _Spi(port=0, device=0, pin_factory=factory)
        except (GPIOZeroError, OSError) as error:
            raise BadInput(
                f"lights: SPI 0 cannot drive the strip: {error}; free GPIO 8 to 11, and enable SPI"
            ) from error
        self.about = f"{_count(lights)} APA102 lamps on SPI 0 of {where}"

    def show(self, colours: Sequence[RGB]) -> None:
        """As `Lights.show`. The strip holds what it shows: a picture like the last costs no transfer."""
        _check(colours, self._holes)
        picture = _dimmed(_laid(self._lights, colours), self._brightness, self._limit_ma)
        if picture != self._shown:
            self._spi.send(self._bytes(picture))
            self._shown = picture

    def close(self) -> None:
        """Darkens the strip and frees SPI."""
        if not self._spi.closed:
            self.show([BLACK] * self._holes)
            self._spi.close()

    def _bytes(self, lamps: Sequence[RGB]) -> list[int]:
        start, latch, clock = [0] * 4, [0] * 4, [0] * math.ceil(len(lamps) / 16)
        head = 0xE0 | self._brightness
        return start + [byte for r, g, b in lamps for byte in (head, b, g, r)] + latch + clock


class BoardLights(_Closing):
    """A strip of APA102 or SK9822 lamps that the weighing board drives. Whoever speaks to the board takes it
    `picture`."""

    def __init__(
        self, holes: int, lights: Sequence[Light], *, brightness: int = 8, limit_ma: float = 500.0
    ) -> None:
        """
        Args:
            holes: number of holes of the board.
            lights: which lamp of the strip, counted from 0, lights which hole.
            brightness: of all lamps, 1 to 31; the board itself drives them at 31, so colours are scaled.
            limit_ma: what the lamps together may draw; a brighter picture is dimmed as a whole.
        """
        self._holes = holes
        self._lights = tuple(lights)
        self._share = brightness / 31
        self._limit_ma = limit_ma
        self.picture: tuple[RGB, ...] = (BLACK,) * _count(lights)
        """What the strip is to show, by lamp."""
        self.about = f"{len(self.picture)} APA102 lamps on the weighing board"

    def show(self, colours: Sequence[RGB]) -> None:
        """As `Lights.show`."""
        _check(colours, self._holes)
        lamps = [_scaled(colour, self._share) for colour in _laid(self._lights, colours)]
        self.picture = _dimmed(lamps, 31, self._limit_ma)

    def close(self) -> None:
        """The board's strip goes dark when its port is closed."""


def open_lights(layout: Layout, factory: Any = None) -> Lights:
    """The lights that `layout` has, on the pins that this machine has; mock pins where it has none.

    Args:
        factory: the gpiozero pin factory to use; None finds one, as `GPIOZERO_PIN_FACTORY` says or
            else the best that works.

    Raises:
        BadInput: the board file names a lamp that cannot be driven, or a kind that is not known.
    """
    holes = len(layout.holes)
    if layout.lights_kind == "none":
        return NoLights(holes)
    if layout.lights_kind not in {"pins", "apa102", "board"}:
        raise BadInput(
            f'board {layout.name!r}: lights_kind is "none", "pins", "apa102" or "board", '
            f"got {layout.lights_kind!r}"
        )
    for light in layout.lights:
        if not 0 <= light.hole < holes or light.index < 0:
            raise BadInput(
                f"board {layout.name!r}: light {light.index} of hole {light.hole} cannot be: "
                f"holes are 0 to {holes - 1}, and lights count from 0"
            )

    if layout.lights_kind == "board":
        return BoardLights(holes, layout.lights)
    where = ""
    if factory is None:
        factory, where = _find_factory()
    where = where or f"{type(factory).__name__.removesuffix('Factory')} pins"
    if layout.lights_kind == "pins":
        return PinLights(holes, layout.lights, factory, where)
    return StripLights(holes, layout.lights, factory, where)


class _Spi(SPIDevice):  # type: ignore[misc]  # gpiozero is untyped
    """Bytes out, through the interface that gpiozero gives to its own SPI devices."""

    def send(self, data: list[int]) -> None:
        self._spi.transfer(data)


def _find_factory() -> tuple[Any, str]:
    """A pin factory, and what to say of it where it is not the one hoped for."""
    with warnings.catch_warnings(record=True) as fallbacks:
        warnings.simplefilter("always", PinFactoryFallback)
        try:
            Device.ensure_pin_factory()
        except (BadPinFactory, OSError, ImportError):
            reason = str(fallbacks[0].message) if fallbacks else "GPIOZERO_PIN_FACTORY names none that works"
            # gpiozero's software SPI takes its pins from here, whatever factory its device was given.
            Device.pin_factory = MockFactory()
            return Device.pin_factory, f"mock pins, as this machine has no GPIO ({reason})"
    return Device.pin_factory, ""


def _count(lights: Sequence[Light]) -> int:
    return max((light.index + 1 for light in lights), default=0)


def _laid(lights: Sequence[Light], colours: Sequence[RGB]) -> list[RGB]:
    """The colours of the holes, by lamp of the strip."""
    lamps = [BLACK] * _count(lights)
    for light in lights:
        lamps[light.index] = colours[light.hole]
    return lamps


def _dimmed(lamps: Sequence[RGB], brightness: int, limit_ma: float) -> tuple[RGB, ...]:
    full_ma = sum(sum(rgb) for rgb in lamps) / 255 * MA_PER_CHANNEL * brightness / 31
    share = min(1.0, limit_ma / full_ma) if full_ma else 1.0
    return tuple(_scaled(rgb, share) for rgb in lamps)


def _scaled(rgb: RGB, share: float) -> RGB:
    r, g, b = rgb
    return int(r * share), int(g * share), int(b * share)


def _check(colours: Sequence[RGB], holes: int) -> None:
    if len(colours) != holes:
        raise ValueError(f"one colour for each of {holes} holes is wanted, got {len(colours)}")
