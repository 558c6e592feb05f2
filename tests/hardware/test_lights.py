"""The lamps, seen from the wire: gpiozero's mock pins take the place of the Raspberry Pi.

`Strip` is the other end of the SPI wire. It reads bits off the pins and knows the frame from the data
sheet of the APA102, not from our code.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory, MockSPIDevice

from engine.errors import BadInput
from engine.layout import Hole, Layout, Light
from hardware.lights import RGB, BoardLights, NoLights, PinLights, StripLights, open_lights

BLACK: RGB = (0, 0, 0)


@pytest.fixture
def factory(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockFactory]:
    pins = MockFactory()
    monkeypatch.setattr(Device, "pin_factory", pins)
    yield pins
    pins.reset()


class Strip(MockSPIDevice):  # type: ignore[misc]  # gpiozero is untyped
    """Keeps the bytes of each transfer: select low to select high."""

    def __init__(self, factory: MockFactory) -> None:
        self.transfers: list[bytes] = []
        # Before the master, or the pins are not the kind that SPI listens to.
        super().__init__(11, mosi_pin=10, miso_pin=9, select_pin=8, pin_factory=factory)

    def on_select(self) -> None:
        if self.select_pin.state != self.select_high and self.rx_buf:
            bits = "".join(str(int(bit)) for bit in self.rx_buf)
            assert len(bits) % 8 == 0
            self.transfers.append(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)))
        super().on_select()

    def lamps(self, count: int) -> list[tuple[int, RGB]]:
        """Brightness and colour of each of `count` lamps in the last transfer, which must fit exactly."""
        sent = self.transfers[-1]
        start, body, end = sent[:4], sent[4 : 4 + 4 * count], sent[4 + 4 * count :]
        assert start == bytes(4)
        # n / 2 clock edges for n lamps, and 32 bits of zero before them for the SK9822
        assert len(end) == 4 + -(-count // 16)
        assert not any(end)
        assert len(body) == 4 * count
        assert all(body[i] >> 5 == 0b111 for i in range(0, len(body), 4))
        return [(body[i] & 31, (body[i + 3], body[i + 2], body[i + 1])) for i in range(0, len(body), 4)]


def board(kind: str, lights: tuple[Light, ...], pits: int = 3) -> Layout:
    return Layout(
        name="bench",
        length=200.0,
        width=100.0,
        pits=tuple(Hole(20.0 + 40 * i, 50.0, 15.0) for i in range(pits)),
        stores=(),
        lights_kind=kind,
        lights=lights,
    )


def test_a_strip_sends_the_data_sheets_bytes(factory: MockFactory) -> None:
    strip = Strip(factory)
    lights = tuple(Light(hole, hole) for hole in range(3))
    with StripLights(3, lights, factory, "here", brightness=31, limit_ma=1000) as lamps:
        lamps.show([(255, 0, 0), (0, 128, 0), (1, 2, 3)])
        assert strip.transfers == [
            bytes.fromhex("00000000" "ff0000ff" "ff008000" "ff030201" "00000000" "00"),
        ]  # fmt: skip


@pytest.mark.parametrize("count", [1, 16, 17, 34])
def test_every_lamp_of_a_strip_gets_its_own_colour(factory: MockFactory, count: int) -> None:
    strip = Strip(factory)
    colours = [(i, 255 - i, i * 7 % 256) for i in range(count)]
    lights = tuple(Light(hole, hole) for hole in range(count))
    with StripLights(count, lights, factory, "here", limit_ma=1e6) as lamps:
        lamps.show(colours)
        assert strip.lamps(count) == [(8, colour) for colour in colours]


def test_a_hole_may_have_several_lamps_and_a_lamp_no_hole(factory: MockFactory) -> None:
    strip = Strip(factory)
    with StripLights(2, (Light(0, 3), Light(1, 0), Light(1, 1)), factory, "here") as lamps:
        lamps.show([(9, 8, 7), (4, 5, 6)])
        assert [colour for _, colour in strip.lamps(4)] == [(4, 5, 6), (4, 5, 6), BLACK, (9, 8, 7)]


def test_the_current_stays_within_the_limit(factory: MockFactory) -> None:
    strip = Strip(factory)
    lights = tuple(Light(hole, hole) for hole in range(10))
    with StripLights(10, lights, factory, "here", brightness=31, limit_ma=300) as lamps:
        lamps.show([(255, 255, 255)] * 10)  # 10 lamps of 3 channels of 20 mA: 600 mA
        assert strip.lamps(10) == [(31, (127, 127, 127))] * 10
        lamps.show([(255, 255, 255)] * 5 + [BLACK] * 5)  # 300 mA: just within
        assert strip.lamps(10) == [(31, (255, 255, 255))] * 5 + [(31, BLACK)] * 5


def test_a_picture_that_has_not_changed_is_not_sent_again(factory: MockFactory) -> None:
    strip = Strip(factory)
    with StripLights(1, (Light(0, 0),), factory, "here") as lamps:
        for colour in [(1, 1, 1), (1, 1, 1), BLACK, (1, 1, 1)]:
            lamps.show([colour])
        assert len(strip.transfers) == 3


def test_closing_darkens_the_strip_and_may_be_done_twice(factory: MockFactory) -> None:
    strip = Strip(factory)
    lamps = StripLights(1, (Light(0, 0),), factory, "here")
    lamps.show([(200, 0, 0)])
    lamps.close()
    lamps.close()
    assert strip.lamps(1) == [(8, BLACK)]
    assert len(strip.transfers) == 2
    StripLights(1, (Light(0, 0),), factory, "here").close()  # the pins are free again


def test_a_strip_on_the_weighing_board_is_as_bright_as_one_on_the_pi() -> None:
    with BoardLights(2, (Light(0, 2), Light(1, 0))) as lamps:
        assert lamps.picture == (BLACK, BLACK, BLACK)
        lamps.show([(255, 31, 0), (180, 180, 160)])
        # The board drives lamps at 31 of 31: 8 / 31 of each colour.
        assert lamps.picture == ((46, 46, 41), BLACK, (65, 8, 0))
    lights = tuple(Light(hole, hole) for hole in range(10))
    with BoardLights(10, lights, brightness=31, limit_ma=300) as lamps:
        lamps.show([(255, 255, 255)] * 10)  # 600 mA
        assert lamps.picture == ((127, 127, 127),) * 10


def test_leds_on_pins_are_lit_for_any_colour(factory: MockFactory) -> None:
    lights = (Light(0, 17), Light(1, 27), Light(2, 22))
    with PinLights(3, lights, factory, "here") as lamps:
        lamps.show([(0, 1, 0), BLACK, (255, 255, 255)])
        assert [factory.pin(n).state for n in (17, 27, 22)] == [1, 0, 1]
        lamps.show([BLACK, (0, 0, 255), BLACK])
        assert [factory.pin(n).state for n in (17, 27, 22)] == [0, 1, 0]
        assert [[state.state for state in factory.pin(n).states] for n in (17, 27, 22)] == [
            [0, 1, 0],
            [0, 1],
            [0, 1, 0],
        ]


def test_closing_frees_the_pins_and_may_be_done_twice(factory: MockFactory) -> None:
    lamps = PinLights(1, (Light(0, 17),), factory, "here")
    lamps.show([(255, 0, 0)])
    lamps.close()
    lamps.close()
    assert factory.pin(17).function == "input"
    PinLights(1, (Light(0, 17),), factory, "here").close()


@pytest.mark.parametrize("kind", ["none", "pins", "apa102", "board"])
def test_colours_and_holes_must_agree(factory: MockFactory, kind: str) -> None:
    with (
        open_lights(board(kind, (Light(0, 4),)), factory) as lamps,
        pytest.raises(ValueError, match="one colour for each of 3 holes is wanted, got 2"),
    ):
        lamps.show([BLACK, BLACK])


@pytest.mark.parametrize(
    ("kind", "driver", "about"),
    [
        ("none", NoLights, "this board has no lights"),
        ("pins", PinLights, "1 LEDs on Mock pins"),
        ("apa102", StripLights, "5 APA102 lamps on SPI 0 of Mock pins"),
        ("board", BoardLights, "5 APA102 lamps on the weighing board"),
    ],
)
def test_the_board_file_chooses_the_driver(
    factory: MockFactory, kind: str, driver: type[Any], about: str
) -> None:
    with open_lights(board(kind, (Light(0, 4),)), factory) as lamps:
        assert isinstance(lamps, driver)
        assert lamps.about == about


def test_without_gpio_the_lights_run_on_mock_pins_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "pin_factory", None)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "no-such-pins")
    with open_lights(board("apa102", (Light(0, 0),))) as lamps:
        lamps.show([(1, 2, 3), BLACK, BLACK])
        assert lamps.about == (
            "1 APA102 lamps on SPI 0 of mock pins, as this machine has no GPIO "
            "(GPIOZERO_PIN_FACTORY names none that works)"
        )


@pytest.mark.parametrize(
    ("kind", "lights", "sentence"),
    [
        ("neon", (), 'lights_kind is "none", "pins", "apa102" or "board", got \'neon\''),
        ("apa102", (Light(3, 0),), "light 0 of hole 3 cannot be: holes are 0 to 2"),
        ("apa102", (Light(0, -1),), "light -1 of hole 0 cannot be"),
        ("pins", (Light(0, 99),), "GPIO 99 cannot light hole 0"),
        ("pins", (Light(0, 17), Light(1, 17)), "GPIO 17 cannot light hole 1"),
    ],
)
def test_a_board_file_that_cannot_be_lit(
    factory: MockFactory, kind: str, lights: tuple[Light, ...], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        open_lights(board(kind, lights), factory)
    PinLights(1, (Light(0, 17),), factory, "here").close()  # what was opened before is free again


def test_spi_pins_in_use_are_one_sentence(factory: MockFactory) -> None:
    with (
        PinLights(1, (Light(0, 10),), factory, "here"),
        pytest.raises(BadInput, match="SPI 0 cannot drive the strip"),
    ):
        StripLights(1, (Light(0, 0),), factory, "here")
