"""`pitwatch run`: the service."""

import asyncio
import fcntl
import gc
import signal
import socket
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput

if TYPE_CHECKING:
    from firmware_bridge.scale import Calibration
    from service.settings import CameraTable, RunSettings, ScaleTable
    from service.table import Film, Live, Pictures, Scales, Setup


def run(
    config: Annotated[
        Path | None, typer.Option(help="A TOML file of settings (docs/configuration.md).")
    ] = None,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="The embedded simulated board, whatever the file says.")
    ] = False,
    game: Annotated[str | None, typer.Option(help="One of the games of 'pitwatch games'.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("-o", "--option", metavar="NAME=VALUE", help="An option of the game.")
    ] = None,
    rounds: Annotated[
        str | None, typer.Option(help="Of a game with rounds: match, or single for one round.")
    ] = None,
    board: Annotated[str | None, typer.Option(help="A shipped board or a board file.")] = None,
    port: Annotated[
        str | None, typer.Option(help="The serial port of a weighing board, or a pattern.")
    ] = None,
    calibration: Annotated[Path | None, typer.Option(help="Its calibration, a JSON file.")] = None,
    pictures: Annotated[
        Path | None, typer.Option(help="A folder of pictures, or one, in place of a camera.")
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Of each player, such as 5:00+3 (docs/configuration.md)."),
    ] = None,
    log: Annotated[Path | None, typer.Option(help="The log, an SQLite file.")] = None,
    web_port: Annotated[int | None, typer.Option(help="The page's port; 0 for any free one.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the simulated board.")] = None,
    speed: Annotated[float | None, typer.Option(help="Of the simulated hand, times a person's.")] = None,
    sensors: Annotated[
        str | None, typer.Option(help="What watches the simulated board: scale, camera or both.")
    ] = None,
    auto: Annotated[
        bool | None, typer.Option("--auto/--no-auto", help="Whether the simulated hand plays by itself.")
    ] = None,
) -> None:
    """Watch a board, referee the game on it, log it, and show it on a page.

    Without a configuration the board is simulated and plays by itself; the log is pitwatch.db in this folder,
    the page is at http://127.0.0.1:8080/. A game left unfinished is taken up where it stopped.
    """
    from service.commands.perft import read_options
    from service.settings import RunSettings, checked, read_settings

    settings = read_settings(config) if config else RunSettings()
    plain = settings.model_dump()
    if simulate and (port is not None or pictures is not None):
        raise BadInput("--simulate is of a board that is not there: leave out --port and --pictures, or it")
    if simulate:
        plain["scale"], plain["camera"] = None, None
    if port:
        plain["scale"] = {**(settings.scale.model_dump() if settings.scale else {}), "port": port}
    if pictures:
        looks = settings.camera.model_dump(include={"looks", "every", "corners"}) if settings.camera else {}
        plain["camera"] = {**looks, "folder": pictures}
    if calibration:
        if plain["scale"] is None:
            raise BadInput("--calibration is of a weighing board: name its port with --port")
        plain["scale"]["calibration"] = calibration
    if game:
        plain["game"], plain["options"] = game, {}
    if option:
        plain["options"] = {**plain["options"], **read_options(option)}
    given: list[tuple[dict[str, Any], str, Any]] = [
        (plain, "rounds", rounds), (plain, "board", board), (plain, "log", log),
        (plain["web"], "port", web_port), (plain["clock"], "time", clock),
        (plain["simulation"], "seed", seed), (plain["simulation"], "speed", speed),
        (plain["simulation"], "auto", auto), (plain["simulation"], "sensors", sensors),
    ]  # fmt: skip
    for table, key, value in given:
        if value is not None:
            table[key] = value
    if asyncio.run(_serve(checked(plain, "the command line"))) == signal.SIGINT:
        raise KeyboardInterrupt


async def _serve(settings: "RunSettings") -> signal.Signals:
    """Referee until a signal comes; which one."""
    from engine import games
    from hardware.lights import open_lights
    from referee.referee import Settings
    from service.boardfile import board as find_board
    from service.boards import board_for, used
    from service.log import Log
    from service.table import LiveTable
    from service.web.app import create_app
    from service.web.guard import check_exposure
    from service.web.serving import listen, server
    from vision.markers import ENOUGH

    stopped = _Stopped()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.by, number)
    check_exposure(settings.web.host, settings.web.token)
    game = games.load(settings.game, settings.options)
    setup = _setup(settings)
    layout = find_board(settings.board) if settings.board else None
    lit = layout or board_for(game)
    used(lit, game)
    listening = listen(settings.web.host, settings.web.port)
    with listening, _alone(settings.log), Log(settings.log) as log, open_lights(lit) as lights:
        table = LiveTable(
            log, lights, lit, setup, layout, Settings(**settings.referee.model_dump()), settings.rounds,
            settings.clock,
        )  # fmt: skip
        web = settings.web
        app = create_app(table, host=web.host, token=web.token, arbiter=web.arbiter)
        page = server(app)
        serving: asyncio.Task[None] | None = None
        try:
            await table.open(game, settings.players)
            # What is there now stays: to look through it for garbage would hold a reading up by 30 ms.
            gc.collect()
            gc.freeze()
            print(f"Pitwatch referees {game.name}, log {settings.log}")
            if lit.lights_kind == "board" and settings.camera and not settings.scale:
                print(
                    'The lamps stay dark: [lights] kind is "board", and no weighing board is read that could '
                    "light them; name its port in [scale], or the kind of lamps that there are"
                )
            if settings.camera and not settings.camera.corners and len(lit.markers) < ENOUGH:
                print(
                    f"The camera waits: board {lit.name!r} has {len(lit.markers)} markers; set its corners "
                    f'on the page, under "What the camera sees", or name them as corners in [camera]'
                )
            print(f"Page: {_address(listening, settings.web.token)}", flush=True)
            serving = asyncio.create_task(page.serve(sockets=[listening]))
            await _until_first(
                table.watch(), table.light(), table.keep_time(), asyncio.wait([serving]), stopped.wait()
            )
        finally:
            await table.close()
            page.should_exit = True
            if serving:
                await serving
    return stopped.number


async def _until_first(*work: Coroutine[Any, Any, object]) -> None:
    """Return when the first of them does, or raise what it raises; the others are cancelled."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in ended:
        task.result()


class _Stopped:
    """Whether the service has been told to end, and by which signal."""

    def __init__(self) -> None:
        self.number = signal.SIGTERM
        self._event = asyncio.Event()

    def by(self, number: signal.Signals) -> None:
        self.number = number
        self._event.set()

    async def wait(self) -> None:
        await self._event.wait()


@contextmanager
def _alone(log: Path) -> Iterator[None]:
    """Keep a second Pitwatch from the log: two games in one would make neither.

    Raises:
        BadInput: another one has it, or it cannot be opened.
    """
    try:
        file = log.open("ab")
    except OSError as error:
        raise BadInput(
            f"the log {log} cannot be opened for writing ({error.strerror}): name another with --log, in a "
            f"folder that is there and writable"
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BadInput(
                f"the log {log} is in use by another Pitwatch: end that one, or name another log with --log"
            ) from error
        except OSError:
            # A file system that knows no locks: the log is as safe as it can be there.
            pass
        yield


def _setup(settings: "RunSettings") -> "Setup":
    """What watches the board.

    Raises:
        BadInput: the port, the calibration or the folder is not there.
    """
    from service.simulated import Pretence
    from service.table import Film, Live, Pictures, Scales, Simulated

    sensors: list[Scales | Pictures | Film | Live] = []
    if settings.scale:
        sensors.append(_scales(settings.scale, settings.board))
    if settings.camera:
        sensors.append(camera_of(settings.camera))
    if sensors:
        return tuple(sensors)
    plain = {**settings.simulation.model_dump(), "speed": settings.simulation.pace, "board": settings.board}
    return Simulated(Pretence(**plain))


def camera_of(settings: "CameraTable") -> "Pictures | Film | Live":
    """The camera, or what stands for it."""
    from service.table import Film, Live, Pictures
    from vision.capture import PiCamera, StreamCamera, UsbCamera

    size, corners = (settings.width, settings.height), settings.corners
    pictures = settings.folder or settings.file
    if pictures:
        return Pictures(pictures, settings.looks, settings.every or 0.5, corners)
    every = settings.every or 0.1
    if settings.video:
        return Film(settings.video, every, corners)
    if settings.url is not None:
        return Live(StreamCamera(settings.url), every, corners)
    if settings.pi is not None:
        return Live(PiCamera(settings.pi, size, settings.lock), every, corners)
    assert settings.device is not None
    return Live(UsbCamera(settings.device, size, settings.lock), every, corners)


def _scales(settings: "ScaleTable", board: str | None) -> "Scales":
    """The weighing board.

    Raises:
        BadInput: its calibration is not there, or cannot be read.
    """
    from firmware_bridge.search import Search
    from service.boardfile import board_calibration
    from service.table import Scales

    calibration, file = None, None
    if settings.calibration is not None:
        calibration = _calibration(settings.calibration)
    elif board is not None:
        calibration, file = board_calibration(board), Path(board)
    if calibration is None:
        raise BadInput(
            f"the scale is not calibrated: run pitwatch calibrate scale --board {board or 'FILE'}, and name "
            f"that board file with --board"
        )
    search = Search(settings.port, bytes.fromhex(settings.board) if settings.board else None)
    return Scales(search, calibration, settings.rate, settings.buttons, file)


def _calibration(path: Path) -> "Calibration":
    """The calibration in a JSON file.

    Raises:
        BadInput: it cannot be read.
    """
    import json

    from firmware_bridge.scale import Calibration

    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"the calibration {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"the calibration {path} is not JSON: {error}") from error
    try:
        calibration = Calibration.from_json(
            plain.get("calibration", plain) if isinstance(plain, dict) else {}
        )
        if not calibration.zero_counts:
            raise BadInput("the calibration lacks zero_counts and counts_per_gram, which a port wants")
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error
    return calibration


def _address(listening: socket.socket, token: str | None) -> str:
    host, port = listening.getsockname()[:2]
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")
