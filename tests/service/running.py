"""The service and a board as processes of their own, as people start them."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from engine import games
from engine.game import State, replay
from service.log import Log, LoggedGame, moves_of

PITWATCH = Path(sys.executable).with_name("pitwatch")
PATIENCE_S = 60.0
"""Real seconds after which a test is given up."""


class Service:
    """`pitwatch run` in a process, reached over its page's address."""

    def __init__(self, log: Path, *options: str) -> None:
        self.log = log
        self.process = subprocess.Popen(
            [PITWATCH, "run", "--web-port", "0", "--log", log, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.said = ""
        while not (found := re.search(r"^Page: (http://\S+/)", self.said, re.MULTILINE)):
            line = self.process.stdout.readline()
            assert line, f"it ended: {self.process.communicate()[1]}"
            self.said += line
        self.address = found[1]
        self._client = httpx.Client(base_url=self.address, timeout=PATIENCE_S)

    def get(self, path: str) -> Any:
        answer = self._client.get(f"api/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        answer = self._client.post(f"api/{path}", json=body)
        return answer.status_code, answer.json()

    def until(self, there: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """The first state of the table in which something is `there`."""
        end = time.monotonic() + PATIENCE_S
        while not there(state := self.get("state")):
            view = state["view"]
            assert time.monotonic() < end, f"it never came: {state['events'][-3:]}, {state['sensor']}, {view}"
            time.sleep(0.05)
        return dict(state)

    def kill(self) -> None:
        """As a pulled plug does."""
        self.process.kill()
        self._end()

    def stop(self, by: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Exit status, and what it complained of."""
        self.process.send_signal(by)
        return self._end()

    def _end(self) -> tuple[int, str]:
        self._client.close()
        _, complaints = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, complaints

    def children(self) -> list[int]:
        """The processes it has started, by their ids."""
        return _children(self.process.pid)


@contextmanager
def service(log: Path, *options: str) -> Iterator[Service]:
    """A service, which ends well and in silence if the test has not ended it."""
    running = Service(log, *options)
    try:
        yield running
    except BaseException:
        running.kill()
        raise
    if running.process.poll() is None:
        assert running.stop() == (0, "")


class Board:
    """`pitwatch simulate` in a process: a board with a port of its own, and its calibration in a file."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = folder / "port"
        self.calibration = folder / "calibration.json"
        self._process = subprocess.Popen(
            [PITWATCH, "simulate", "--link", self.port, *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.ready = self.told()
        self.calibration.write_text(json.dumps(self.ready["calibration"]))

    @property
    def options(self) -> tuple[str, ...]:
        """What the service is told of it."""
        return ("--port", str(self.port), "--calibration", str(self.calibration))

    def ask(self, **request: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def told(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line: dict[str, Any] = json.loads(self._process.stdout.readline())
        return line

    def close(self) -> list[dict[str, Any]]:
        """End it; what else it has told."""
        told, _ = self._process.communicate(timeout=PATIENCE_S)
        return [json.loads(line) for line in told.splitlines()]


@contextmanager
def board(folder: Path, *options: str) -> Iterator[Board]:
    running = Board(folder, *options)
    try:
        yield running
    finally:
        running.close()


def logged(log: Path) -> tuple[LoggedGame, list[str], State]:
    """The only game in a log, the moves that stand in it, and where the engine comes with them."""
    with Log(log) as reader:
        (only,) = reader.games()
        moves = moves_of(event.event for event in reader.events(only.id))
    game = games.load(only.game, only.options)
    *_, last = replay(game, game.start(), [game.parse(move) for move in moves])
    return only, moves, last.state


def gone(pid: int) -> bool:
    """Whether a process ends, soon if not yet."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            # A zombie has ended too, though nobody has asked how.
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
