"""`pitwatch run`: the service."""

import asyncio
import socket
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.errors import BadInput


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
    board: Annotated[str | None, typer.Option(help="A shipped board or a board file.")] = None,
    port: Annotated[str | None, typer.Option(help="The serial port of a weighing board.")] = None,
    calibration: Annotated[Path | None, typer.Option(help="Its calibration, a JSON file.")] = None,
    pictures: Annotated[Path | None, typer.Option(help="A folder of pictures, in place of a camera.")] = None,
    log: Annotated[Path | None, typer.Option(help="The log, an SQLite file.")] = None,
    web_port: Annotated[int | None, typer.Option(help="The page's port; 0 for any free one.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the simulated board.")] = None,
    speed: Annotated[float | None, typer.Option(help="Of the simulated hand, times a person's.")] = None,
    auto: Annotated[
        bool | None, typer.Option("--auto/--no-auto", help="Whether the simulated hand plays by itself.")
    ] = None,
) -> None:
    """Watch a board, referee the game on it, log it, and show it on a page.

    Without a configuration the board is simulated and plays by itself; the log is pitwatch.db in this folder,
    the page is at http://127.0.0.1:8080/. A game left unfinished is taken up where it stopped.
    """
    from service.commands.perft import read_options
    from service.settings import checked, read_settings

    settings = read_settings(config) if config else checked({}, "the command line")
    plain = settings.model_dump()
    if simulate:
        plain["scale"] = plain["camera"] = None
    if game:
        plain["game"], plain["options"] = game, {}
    if option:
        plain["options"] = {**plain["options"], **read_options(option)}
    if port:
        if calibration is None:
            raise BadInput("--port wants --calibration: the JSON file that says what the cells weigh")
        plain["scale"] = {"port": port, "calibration": calibration}
    if pictures:
        plain["camera"] = {"folder": pictures}
    given: list[tuple[dict[str, Any], str, Any]] = [
        (plain, "board", board), (plain, "log", log), (plain["web"], "port", web_port),
        (plain["simulation"], "seed", seed), (plain["simulation"], "speed", speed),
        (plain["simulation"], "auto", auto),
    ]  # fmt: skip
    for table, key, value in given:
        if value is not None:
            table[key] = value
    asyncio.run(_serve(checked(plain, "the command line")))


async def _serve(settings: Any) -> None:
    import uvicorn

    from engine import games
    from hardware.lights import open_lights
    from referee.referee import Settings
    from service.boardfile import board as find_board
    from service.boards import board_for
    from service.log import Log
    from service.table import LiveTable
    from service.web.app import create_app

    game = games.load(settings.game, settings.options)
    patience = settings.referee
    rules = Settings(
        touch=patience.touch,
        mistake_s=patience.mistake_s,
        capture_s=patience.capture_s,
        hand_s=patience.hand_s,
    )
    setup = _setup(settings)
    layout = find_board(settings.board) if settings.board else None
    listening = _listen(settings.web.host, settings.web.port)
    with listening, Log(settings.log) as log, open_lights(layout or board_for(game)) as lights:
        table = LiveTable(log, lights, setup, layout, rules)
        app = create_app(table, host=settings.web.host, token=settings.web.token)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        await table.open(game, settings.players)
        print(f"Pitwatch referees {game.name}, log {settings.log}")
        print(f"Page: {_address(listening, settings.web.token)}", flush=True)
        working = [asyncio.create_task(table.watch()), asyncio.create_task(table.light())]
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            await asyncio.wait([*working, serving], return_when=asyncio.FIRST_COMPLETED)
        finally:
            server.should_exit = True
            await table.close()
            await serving
            for task in working:
                task.cancel()
            for task in working:
                with suppress(asyncio.CancelledError):
                    await task


def _setup(settings: Any) -> Any:
    """What watches the board.

    Raises:
        BadInput: the port, the calibration or the folder is not there.
    """
    import json

    from firmware_bridge.scale import Calibration
    from service.simulated import Pretence
    from service.table import Pictures, Scales, Simulated

    if settings.camera:
        return Pictures(settings.camera.folder, settings.camera.looks, settings.camera.every)
    if settings.scale is None:
        return Simulated(Pretence(**settings.simulation.model_dump()))
    path = settings.scale.calibration
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"the calibration {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"the calibration {path} is not JSON: {error}") from error
    calibration = Calibration.from_json(plain.get("calibration", plain) if isinstance(plain, dict) else {})
    return Scales(settings.scale.port, calibration, settings.scale.rate)


def _listen(host: str, port: int) -> socket.socket:
    """The page's socket, bound before anything else is begun.

    Raises:
        BadInput: the port is taken, or the host is not ours.
    """
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise BadInput(
            f"the page cannot be at {host}:{port} ({error.strerror}): name another port with --web-port, or "
            f"stop the program that has it"
        ) from error
    return listening


def _address(listening: socket.socket, token: str | None) -> str:
    host, port = listening.getsockname()[:2]
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")
