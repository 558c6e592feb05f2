"""`pitwatch calibrate`: guided set-up of what watches a board."""

import asyncio
import json
import os
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput

if TYPE_CHECKING:
    from engine.game import Game
    from engine.layout import Layout
    from firmware_bridge.calibration import Calibrated, Plan
    from service.calibrating import Calibrating

calibrate = typer.Typer(no_args_is_help=True, help="Set up what watches a board, step by step.")


@calibrate.callback()
def _group() -> None:
    """Set up what watches a board, step by step."""


@calibrate.command()
def scale(
    board: Annotated[
        str | None,
        typer.Option(help="The board file that is written into; a shipped board is copied here first."),
    ] = None,
    game: Annotated[str, typer.Option(help="Whose stones are used: it says how many there are.")] = "kalah",
    option: Annotated[
        list[str] | None, typer.Option("-o", "--option", metavar="NAME=VALUE", help="An option of the game.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(help="In the whole set, if not as many as the game has.", min=1)
    ] = None,
    weight: Annotated[
        float | None, typer.Option(help="A known weight, grams; without one a mean stone is called 1 g.")
    ] = None,
    port: Annotated[
        str | None, typer.Option(help="The serial port, or a pattern; any on USB if it is left out.")
    ] = None,
    rate: Annotated[int | None, typer.Option(help="Readings a second to ask for, 10 or 80.")] = None,
    web_port: Annotated[
        int | None,
        typer.Option(
            help="Guide on a page on this machine, too, at this port; 0 for any.", min=0, max=65_535
        ),
    ] = None,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="A simulated board, whose hand does what is asked.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the simulated board.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Find what the cells and the stones are like, and write it into the board file.

    What is to be done is said on the terminal, by the lights and, if asked for, on a page. Answer with Enter;
    'right' says that stones lie where they should, 'stop' ends it. Exit status 1 if not all was found.
    """
    from engine import games
    from firmware_bridge.calibration import Plan
    from service.boardfile import board as find_board
    from service.boards import board_for, used
    from service.calibrating import names_of, write
    from service.commands.perft import read_options

    if simulate and port is not None:
        raise BadInput("--simulate is of a board that is not there: leave out --port, or it")
    if board is None and not simulate:
        raise BadInput("--board is wanted: the board file to write into, or a shipped board")
    rules = games.load(game, read_options(option or ()))
    target, text = _target(board) if board else (None, None)
    layout = board_for(rules) if board is None else find_board(board if text is not None else str(target))
    used(layout, rules)  # refuses a board that is not of this game
    counts = rules.start().counts
    labels = [rules.hole_name(hole) for hole in range(len(counts))]
    plan = Plan(names_of(layout, labels), len(layout.pits), seeds or sum(counts), weight)
    wanted = _Wanted(plan, layout, rules, port, rate, web_port, seed if simulate else None)
    found = asyncio.run(_calibrate(wanted))
    if found is None:
        _say("Ended before all was found: nothing is written.")
        raise typer.Exit(1)
    of = found.calibration
    _say(
        f"A mean stone is {of.seed_mass_g:.3f} g, {of.seed_mass_sd_g:.3f} from stone to stone; "
        f"noise of the cells {min(of.cell_noise_g):.3f} to {max(of.cell_noise_g):.3f} g."
    )
    if target is None:
        _say("Nothing is written: name a board file with --board.")
    else:
        write(target, found, text)
        where = f" --port {port}" if port else ""
        strange = "These are the numbers of a simulated board. " if simulate else ""
        _say(f"{strange}Written into {target}. Play on it with pitwatch run --board {target}{where}.")
    if as_json:
        print(json.dumps(found.as_json()))


def _target(board: str) -> tuple[Path, str | None]:
    """The file to write into, and what it shall hold before that, where it is a copy not yet made."""
    from service.boardfile import board_text, shipped_names

    if board not in shipped_names():
        return Path(board), None
    copy = Path(f"{board}.toml")
    return copy, None if copy.exists() else board_text(board)[0]


@dataclass(frozen=True, slots=True)
class _Wanted:
    plan: "Plan"
    layout: "Layout"
    game: "Game"
    port: str | None
    rate: int | None
    web_port: int | None
    seed: int | None
    """Of the simulated board; None for a real one."""


async def _calibrate(wanted: _Wanted) -> "Calibrated | None":
    """Guide until all is found; None if it was ended before."""
    from engine.match import first
    from firmware_bridge.calibration import ScaleCalibration
    from firmware_bridge.search import Search
    from hardware.lights import open_lights
    from service.calibrating import Calibrating
    from service.simulated import Pretence, SimulatedBoard

    async with AsyncExitStack() as stack:
        board = None
        if wanted.seed is not None:
            pretence = Pretence(seed=wanted.seed, speed=0.0, auto=False)
            board = await SimulatedBoard.start(first(wanted.game), (), pretence)
            stack.push_async_callback(board.close)
        search = Search(board.port if board else wanted.port)
        calibrating = Calibrating(ScaleCalibration(wanted.plan), search, wanted.rate)
        lights = stack.enter_context(open_lights(wanted.layout))
        if wanted.web_port is not None:
            address = await stack.enter_async_context(_page(calibrating, wanted.layout, wanted.web_port))
            _say(f"Page: {address}")
        reading: asyncio.Task[Any] = asyncio.create_task(calibrating.read())
        answering = calibrating.be_handed(board) if board else _listen(calibrating)
        answers = asyncio.create_task(answering)
        beside = [asyncio.create_task(each) for each in (_tell(calibrating), calibrating.light(lights))]
        try:
            # It is over when all is found, or when whoever answers has had enough.
            await asyncio.wait((reading, answers), return_when=asyncio.FIRST_COMPLETED)
            for task in (reading, answers):
                if task.done():
                    task.result()
            calibrating.changed.set()
            await asyncio.sleep(0)
            return calibrating.calibration.found
        finally:
            tasks = (reading, answers, *beside)
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _tell(calibrating: "Calibrating") -> None:
    """Say each prompt once, and how the board is."""
    told: Any = None
    while True:
        prompt = calibrating.calibration.prompt
        if prompt != told:
            _say(f"{prompt.step}/{prompt.steps}  {prompt.text}{_how(prompt.answers)}")
        told = prompt
        calibrating.changed.clear()
        await calibrating.changed.wait()
        if not calibrating.sensor.startswith("reads"):
            _say(calibrating.sensor)


def _how(answers: tuple[str, ...]) -> str:
    """How to answer."""
    match answers:
        case ("done",):
            return "  [Enter]"
        case ("again", "right"):
            return "  [Enter to try again, or right]"
        case ("again",):
            return "  [Enter to try again]"
    return ""


async def _listen(calibrating: "Calibrating") -> None:
    """Take answers from standard input, until it ends or somebody says stop."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    kind = os.fstat(sys.stdin.fileno()).st_mode
    if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or sys.stdin.isatty():
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    else:  # a file, which is never waited for
        reader.feed_data(sys.stdin.buffer.read())
        reader.feed_eof()
    while line := await reader.readline():
        word = line.decode(errors="replace").strip().lower()
        if word == "stop":
            return
        answers = calibrating.calibration.prompt.answers
        try:
            calibrating.answer(word or (answers[0] if answers else "done"))
        except BadInput as error:
            _say(str(error))


@asynccontextmanager
async def _page(calibrating: "Calibrating", layout: "Layout", port: int) -> AsyncIterator[str]:
    """The page of a calibration, for as long as the context lasts; its address."""
    from service.web.calibration import create_calibration_app
    from service.web.serving import listen, server

    with listen("127.0.0.1", port) as listening:
        page = server(create_calibration_app(calibrating, layout))
        serving = asyncio.create_task(page.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            page.should_exit = True
            await serving


def _say(text: str) -> None:
    """To people: standard output is for the result."""
    print(text, file=sys.stderr, flush=True)
