"""The firmware's own binary, on a simulated chip with simulated converters, read by bridge and referee.

Time is the chip's, so that nothing here hangs on the speed of the machine. The converters count what a
program must not do to them by their datasheet; at the end these counts are zero.
"""

from binascii import crc_hqx
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from engine import games
from firmware_bridge.frames import (
    COUNT_MAX,
    COUNT_MIN,
    Ack,
    AckStatus,
    CellFlag,
    Deframer,
    Frame,
    Hello,
    HelloRequest,
    Identify,
    LinkFault,
    ResetCause,
    Sample,
    SetLights,
    SetRate,
    encode_frame,
)
from firmware_bridge.protocol import BadFrame, BoardFound, BoardReset, CellFrame, FrameLost, Link
from firmware_bridge.scale import Calibration, Scale
from referee.events import Event, GameOver, MoveMade, Question, SensorBack, SensorLost, Takeback, Violation
from referee.referee import Referee
from service.commands.flash import Identity
from service.simulation.hand import TEMPI
from service.simulation.player import Habits
from service.simulation.simulation import Setting, Simulation
from service.simulation.truth import Truth
from service.watch import Watch
from tests.emulator.chip import FRESH, Chip, samples

Built = tuple[Path, Path]
SATURATED, MISSING = int(CellFlag.SATURATED), int(CellFlag.MISSING)


@contextmanager
def plugged(built: Built, folder: Path, cells: int = 14) -> Iterator[Chip]:
    """A chip with its port open, at whose converters nothing has been done wrong in the end."""
    with Chip(built, cells, folder / "ttyACM0") as chip:
        chip.open_port()
        yield chip
        stats = chip.stats
        assert (stats["early"], stats["torn"], stats["high"]) == (0, 0, 0)
        assert stats["longest_ns"] < 5000
        assert stats["reads"] > 0


def heard(chip: Chip, deframer: Deframer, ms: int) -> list[Frame | LinkFault]:
    return deframer.feed(chip.run(ms))


# -- what the board says


def test_it_says_who_it_is_and_what_the_cells_show(built: Built, tmp_path: Path) -> None:
    counts = (*(1000 * (cell - 5) for cell in range(12)), COUNT_MIN + 1, COUNT_MAX - 1)
    with plugged(built, tmp_path) as chip:
        chip.show([counts])
        frames = heard(chip, Deframer(), 1400)
        assert frames[0] == Hello(
            "pitwatch 1.1",
            b"emulated",
            14,
            10,
            0,
            capabilities=7,
            reset_cause=ResetCause.POWER,
            protocol=(1, 1),
        )
        told = samples(frames)
        assert [sample.seq for sample in told] == list(range(len(told)))
        # Four periods of 0.1 s until the converters have settled.
        assert 0.4e6 < told[0].micros < 0.42e6
        assert {(sample.counts, sample.flags) for sample in told} == {(counts, (FRESH,) * 14)}
        assert len(told) in (10, 11)
        assert {sample.boot for sample in told} == {0}


@pytest.mark.parametrize("cells", [14, 34])
def test_at_80_a_second_every_reading_is_fresh_and_none_is_torn(
    built: Built, tmp_path: Path, cells: int
) -> None:
    """Bits of the two rows differ everywhere: a torn value would be neither."""
    rows = [[0x2AAAAA] * cells, [-0x2AAAAB] * cells]
    with plugged(built, tmp_path, cells) as chip:
        deframer = Deframer()
        chip.show(rows)
        heard(chip, deframer, 20)
        chip.write(encode_frame(SetRate(7, 80)))
        assert Ack(7, AckStatus.OK) in heard(chip, deframer, 80)
        told = []
        for _ in range(8):
            chip.show(rows * 10)
            told += samples(heard(chip, deframer, 250))
        # Oscillators differ by 1 %; the slowest one sets the pace.
        assert 154 <= len(told) <= 160
        assert [b.seq - a.seq for a, b in pairwise(told)] == [1] * (len(told) - 1)
        assert {flag for sample in told for flag in sample.flags} == {FRESH}
        assert {count for sample in told for count in sample.counts} == {0x2AAAAA, -0x2AAAAB}
        # Bytes on the wire, of 25 a millisecond: less than 80 %.
        assert len(encode_frame(told[-1])) / 12.5 < 0.8 * 25


def test_a_dead_a_saturated_and_a_slow_cell_do_not_hold_up_the_others(built: Built, tmp_path: Path) -> None:
    with plugged(built, tmp_path) as chip:
        deframer = Deframer()
        chip.show([range(14)])
        chip.tell("absent", 7, 1)
        chip.tell("set", 8, COUNT_MAX)
        chip.tell("set", 9, COUNT_MIN)
        last = samples(heard(chip, deframer, 1500))[-1]
        assert last.flags[7:10] == (MISSING, FRESH | SATURATED, FRESH | SATURATED)
        assert set(last.flags[:7] + last.flags[10:]) == {FRESH}
        chip.tell("absent", 7, 0)
        chip.tell("set", 8)
        chip.tell("set", 9)
        last = samples(heard(chip, deframer, 800))[-1]
        assert (last.counts, set(last.flags)) == (tuple(range(14)), {FRESH})


def test_a_cell_whose_rate_pin_is_tied_to_ground_holds_nobody_up(built: Built, tmp_path: Path) -> None:
    """It gives 10 readings a second, where the others give 80, and is clocked with them when it has none."""
    with Chip(built, 14, tmp_path / "ttyACM0") as chip:
        chip.open_port()
        deframer = Deframer()
        chip.show([range(14)])
        chip.tell("slow", 9, 8)
        heard(chip, deframer, 20)
        chip.write(encode_frame(SetRate(7, 80)))
        heard(chip, deframer, 980)
        told = samples(heard(chip, deframer, 2000))
        slow = [sample.flags[9] for sample in told]
        assert {flag for sample in told for flag in sample.flags[:9] + sample.flags[10:]} == {FRESH}
        assert {sample.counts for sample in told} == {tuple(range(14))}
        assert set(slow) == {FRESH, MISSING}
        assert 18 <= slow.count(FRESH) <= 21
        # Each of its readings is waited for, for two periods: some 20 of 160 are given up for it.
        assert len(told) >= 130
        assert (chip.stats["torn"], chip.stats["high"]) == (0, 0)


def test_without_a_cell_it_goes_on_to_say_so(built: Built, tmp_path: Path) -> None:
    with Chip(built, 2, tmp_path / "ttyACM0") as chip:
        chip.open_port()
        for cell in range(2):
            chip.tell("absent", cell, 1)
        told = samples(heard(chip, Deframer(), 2000))
        assert len(told) == pytest.approx(14, abs=2)
        assert [sample.flags for sample in told] == [(MISSING, MISSING)] * len(told)


# -- what it does


def test_commands_are_done_and_answered_as_often_as_they_come(built: Built, tmp_path: Path) -> None:
    with plugged(built, tmp_path) as chip:
        deframer = Deframer()
        heard(chip, deframer, 700)
        unknown = b"\x05\xf0\x0a" + crc_hqx(b"\xf0\x0a", 0).to_bytes(2, "little") + b"\0"
        for _ in range(2):
            chip.write(encode_frame(SetRate(1, 10)) + encode_frame(SetRate(2, 40)) + unknown)
            chip.write(encode_frame(Identify(3, 1)) + encode_frame(HelloRequest(4)))
            frames = heard(chip, deframer, 60)
            assert [frame for frame in frames if isinstance(frame, Ack)] == [
                Ack(1, AckStatus.OK), Ack(2, AckStatus.BAD_ARGUMENT), Ack(10, AckStatus.UNKNOWN_COMMAND),
                Ack(3, AckStatus.OK),
            ]  # fmt: skip
            assert sum(isinstance(frame, Hello) for frame in frames) == 1
        lamp = []
        for _ in range(14):
            heard(chip, deframer, 100)
            lamp.append(chip.stats["lamp"])
        assert 3 <= sum(lamp) <= 7
        assert lamp[-3:] == [0, 0, 0]


def test_a_broken_command_is_not_done(built: Built, tmp_path: Path) -> None:
    with plugged(built, tmp_path) as chip:
        deframer = Deframer()
        heard(chip, deframer, 700)
        whole = encode_frame(SetRate(1, 80))
        for spoilt in (whole[:3] + b"\0", bytes([whole[0], whole[1] ^ 1]) + whole[2:], b"x" * 600 + b"\0"):
            chip.write(spoilt)
        frames = heard(chip, deframer, 200)
        assert [frame for frame in frames if not isinstance(frame, Sample)] == []
        chip.write(whole)
        assert Ack(1, AckStatus.OK) in heard(chip, deframer, 100)


def test_lights_go_to_the_strip_and_presses_are_counted(built: Built, tmp_path: Path) -> None:
    with plugged(built, tmp_path) as chip:
        deframer = Deframer()
        heard(chip, deframer, 600)
        assert chip.stats["strip"] == ""
        chip.write(encode_frame(SetLights(5, 70, ((1, 2, 3), (4, 5, 6)))))
        assert Ack(5, AckStatus.OK) in heard(chip, deframer, 60)
        # APA102 datasheet: 32 zeros; for each lamp brightness, blue, green, red; then clock to spare.
        strip = bytes.fromhex(chip.stats["strip"])
        assert strip[:4] == bytes(4)
        assert strip[4 : 4 + 4 * 72] == b"\xff\0\0\0" * 70 + b"\xff\x03\x02\x01\xff\x06\x05\x04"
        assert set(strip[4 + 4 * 72 :]) == {0xFF}
        assert len(strip) * 8 >= 32 + 72 * 32 + 36
        chip.write(encode_frame(SetLights(6, 71, ((1, 2, 3), (4, 5, 6)))))
        assert Ack(6, AckStatus.BAD_ARGUMENT) in heard(chip, deframer, 60)

        for down in (0b000001, 0, 0b100001, 0b100000):
            chip.tell("buttons", down)
            told = samples(heard(chip, deframer, 200))[-1]
        assert told.presses == (2, 0, 0, 0, 0, 1)


def test_a_person_at_a_serial_monitor_reads_text_until_a_program_speaks(built: Built, tmp_path: Path) -> None:
    with plugged(built, tmp_path) as chip:
        chip.show([range(-7, 7)])
        chip.run(900)
        chip.tell("absent", 3, 1)
        chip.write(b"?\r\n")
        chip.run(400)
        chip.write(b"hello\n")
        lines = chip.run(400).decode("ascii").splitlines()
        assert any(line.startswith("$HELLO,1.1,656d756c61746564,14,10,0,1,pitwatch 1.1*") for line in lines)
        told = [line for line in lines if line.startswith("$W,")]
        for line in told:
            body, crc = line[1:].split("*")
            assert int(crc, 16) == crc_hqx(body.encode(), 0)
        assert told[-1].split("*")[0].split(",")[3:] == [
            "-7", "-6", "-5", "-4x", "-3", "-2", "-1", "0", "1", "2", "3", "4", "5", "6",
        ]  # fmt: skip
        chip.write(b"rate 80\n")
        assert b"OK rate 80\r\n" in chip.run(100)
        chip.write(b"\0" + encode_frame(HelloRequest(1)))
        frames = Deframer().feed(chip.run(200))
        assert next(frame.rate for frame in frames if isinstance(frame, Hello)) == 80
        assert isinstance(frames[-1], Sample)


def test_starts_are_counted_and_the_cause_is_told(built: Built, tmp_path: Path) -> None:
    causes = {1: ResetCause.POWER, 2: ResetCause.RESET_LINE, 4: ResetCause.BROWN_OUT, 8: ResetCause.WATCHDOG}
    with plugged(built, tmp_path) as chip:
        heard(chip, Deframer(), 600)
        for boot, (bits, cause) in enumerate({**causes, 0: ResetCause.UNKNOWN}.items(), 1):
            chip.tell("reset", bits)
            hello = next(frame for frame in heard(chip, Deframer(), 50) if isinstance(frame, Hello))
            assert (hello.boot_id, hello.reset_cause) == (boot, cause)


def test_the_identity_is_where_flash_writes_it() -> None:
    """The emulator writes these bytes at 4; HELLO has shown that the firmware reads them there."""
    assert Identity.read(b"\0" * 4 + b"PWemulated\x0e") == Identity(b"emulated", 14)


# -- a whole game


class Played:
    """A simulated game whose cells are on the chip's pins, followed over the bridge by the referee."""

    def __init__(self, chip: Chip, simulation: Simulation) -> None:
        self.chip, self.simulation = chip, simulation
        game, table = simulation.game, simulation.board.table
        self._rate = table.rate
        self._calibration = Calibration.from_json(simulation.calibration())
        referee = Referee(game)
        seeds = sum(game.start().counts)
        scale = Scale(self._calibration, game.pits + game.players, seeds, referee.counts)
        self._watch = Watch(referee, {"scale": scale})
        self._link = Link(self._rate)
        self._away = False
        self._t = 0.0
        self.events: list[Event] = referee.start(0.0)
        self.truths: list[Truth] = []
        self.bad = self.lost = 0
        self.causes: list[ResetCause] = []

    def reopened(self) -> None:
        self._link.reopened(self.chip.ms / 1000)

    def gone(self, why: str) -> None:
        self._away = True
        self.events += self._watch.lost(self._t, "scale", why)

    def step(self) -> None:
        """A quarter of a second."""
        block = self.simulation.board.table.read(self._rate // 4)
        self.truths += block.truths
        self.chip.show(block.counts.tolist())
        now = self.chip.ms / 1000
        if due := self._link.due(now):
            self.chip.write(due)
        data = self.chip.run(250)
        now = self.chip.ms / 1000
        for event in self._link.receive(data, now) + self._link.tick(now):
            match event:
                case CellFrame(t, counts, flags):
                    self._t = t
                    if self._away:
                        self._away = False
                        self.events += self._watch.back(t, "scale", "it answers again")
                    self.events += self._watch.read(t, self._calibration.grams(counts, flags), "scale")
                case BoardReset(hello):
                    self.causes.append(hello.reset_cause)
                    self.gone("the board has started anew")
                case BadFrame():
                    self.bad += 1
                case FrameLost(count):
                    self.lost += count
                case BoardFound():
                    pass


@pytest.mark.parametrize(
    ("name", "options", "seed", "rate"), [("kalah", {"seeds": 3}, 16, 80), ("oware", {"seeds": 3}, 20, 10)]
)
def test_a_whole_game_with_a_reset_an_unplug_and_noise(
    built: Built, tmp_path: Path, name: str, options: dict[str, int], seed: int, rate: int
) -> None:
    setting = Setting(seed=seed, rate=rate, tempo=TEMPI["quick"], habits=Habits(auto=True, start_s=3.0))
    simulation = Simulation(games.load(name, options), setting)
    simulation.player.waiting = False
    with plugged(built, tmp_path) as chip:
        played = Played(chip, simulation)
        played.reopened()
        for step in range(4 * 150):
            match step:
                case 50:
                    chip.tell("reset", 2)
                case 80:
                    chip.tell("garble", 700)
                case 110:
                    played.gone("the board is unplugged")
                    chip.unplug()
                    chip.plug()
                    played.reopened()
            played.step()
            if isinstance(played.events[-1], GameOver):
                break
        assert chip.stats["restarts"] == (6 if rate == 80 else 3)

    events = played.events
    made = [(event.player, event.move) for event in events if isinstance(event, MoveMade)]
    assert made == [(truth.player, truth.move) for truth in played.truths if truth.truth == "move"]
    assert len(made) > 10
    assert isinstance(events[-1], GameOver)
    assert played.truths[-1].truth == "over"
    assert not [event for event in events if isinstance(event, Violation | Question | Takeback)]
    assert [type(event) for event in events if isinstance(event, SensorLost | SensorBack)] == [
        SensorLost, SensorBack, SensorLost, SensorBack,
    ]  # fmt: skip
    assert played.causes == [ResetCause.RESET_LINE, ResetCause.POWER]
    assert played.bad > 0
    assert played.lost > 0
