"""`pitwatch calibrate camera`: is the camera where it should be, and what of the board does it see?"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput

if TYPE_CHECKING:
    from engine.layout import Layout
    from service.settings import CameraTable
    from vision import Image
    from vision.markers import Registration

PICTURES = 10
"""Taken of a camera that runs."""
MOST_RMS_MM, MOST_TILT, MOST_JITTER = 0.7, 25.0, 0.5
"""Beyond these a camera is not yet well placed: millimetres, degrees, pixels."""
TOLD_BEND = 3.0
"""Pixels in the picture's corners from which the lens's bend is worth a word."""


def camera(
    board: Annotated[
        str, typer.Option("--board", help="Name of a shipped board, or a board file.")
    ] = "two-by-six",
    device: Annotated[str | None, typer.Option(help="A USB camera, by its number or path.")] = None,
    pi: Annotated[int | None, typer.Option(help="A camera of a Raspberry Pi, by its number.")] = None,
    url: Annotated[str | None, typer.Option(help="A stream on the network.")] = None,
    file: Annotated[Path | None, typer.Option(help="A picture that the camera has taken.")] = None,
    corners: Annotated[
        str | None,
        typer.Option(help="For a board without markers: its corners in pixels, clockwise from the top left, "
                          "as 'x,y x,y x,y x,y'."),
    ] = None,
    overlay: Annotated[
        Path, typer.Option(help="Where to draw what was found: a picture, to be looked at.")
    ] = Path("calibration.png"),
    pits: Annotated[
        Path | None, typer.Option(help="Propose the pits of a board whose holes are empty, in this new file.")
    ] = None,
    to: Annotated[Path | None, typer.Option(help="A new configuration for 'pitwatch run'.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:  # fmt: skip
    """Say how well a camera sees a board, draw what it sees, and write the configuration for it.

    Exit status 1 if something is to be mended first.
    """
    from service.boardfile import board as find_board
    from service.settings import checked
    from vision.ailments import ailments
    from vision.rectify import top_view

    named = {"device": _device(device), "pi": pi, "url": url, "file": file}
    chosen = {key: value for key, value in named.items() if value is not None}
    if len(chosen) != 1:
        raise BadInput("one camera is wanted: name it by one of --device, --pi, --url or --file")
    if file is not None and overlay.resolve() == file.resolve():
        raise BadInput(f"{overlay} is the picture itself: name another file with --overlay")
    points = None if corners is None else _points(corners)
    table = {**chosen, **({"corners": points} if points else {})}
    settings = checked({"board": board, "camera": table}, "the command line").camera
    assert settings is not None
    layout = find_board(board)
    images = _pictures(settings) if file is None else [_picture(file)]
    place, found, notes = _find(images, layout, points)
    view = top_view(images[-1], layout, place)
    names = _names(layout)
    notes += [ailment.sentence(names) for ailment in ailments(view)]
    _write(overlay, _encoded(_drawn(images[-1], layout, place, names)))
    proposed = None
    if pits is not None:
        proposed = _propose(images[-1], layout, place)
        _write(pits, proposed[1].encode(), new=True)
    if to is not None and not notes:
        _write(to, _configuration(board, table).encode(), new=True)
    if as_json:
        print(json.dumps({"fit": found, "notes": notes, "overlay": str(overlay)}))
    else:
        _say(found, notes)
        print(f"What was found is drawn in {overlay}: each ring should lie on its pit.")
        if proposed is not None:
            print(f"{pits} proposes {proposed[0]} pits: look at them, and add the stores.")
        if to is not None:
            print(
                f"{to} is not written: mend this first."
                if notes
                else f"Play with: pitwatch run --config {to}"
            )
    if notes:
        raise typer.Exit(1)


def _device(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.isdecimal() else text


def _points(text: str) -> list[tuple[float, float]]:
    from service.commands.count import points

    return points(text)


def _picture(path: Path) -> "Image":
    from vision.frames import read_image

    return read_image(path)


def _pictures(settings: "CameraTable") -> "list[Image]":
    """Some pictures of a camera that runs.

    Raises:
        CameraLost: it is not there, or gives none.
    """
    from service.commands.run import camera_of
    from service.table import Live

    live = camera_of(settings)
    assert isinstance(live, Live)
    device = live.camera.open()
    try:
        return [device.read() for _ in range(PICTURES)]
    finally:
        device.close()


def _find(
    images: "list[Image]", layout: "Layout", corners: list[tuple[float, float]] | None
) -> "tuple[Registration, dict[str, float], list[str]]":
    """Where the board lies, how well that fits, and what is to be mended.

    Raises:
        BadInput: it is not found.
    """
    from vision.fit import fit
    from vision.markers import ENOUGH, detect, from_board_corners, register

    if corners is not None:
        return from_board_corners(corners, layout), {}, []
    place = register(images[-1], layout)
    ids = {marker.id for marker in layout.markers}
    seen = [{number: at for number, at in detect(image).items() if number in ids} for image in images]
    good = [one for one in seen if len(one) >= ENOUGH]
    height, width = images[-1].shape[:2]
    found = fit(good, layout, width, height)
    notes = list(place.notes)
    if len(good) < len(seen):
        notes.append(
            f"The markers were found in {len(good)} of {len(seen)} pictures: light them evenly, and take "
            f"away what mirrors in them."
        )
    if found.rms_mm > MOST_RMS_MM:
        notes.append(
            f"The markers are off by {found.rms_mm:.1f} mm: measure where they are and put that into the "
            f"board file."
        )
    if found.tilt_degrees > MOST_TILT:
        notes.append(
            f"The camera looks {found.tilt_degrees:.0f} degrees from the side: put it above the board."
        )
    if found.jitter_pixels > MOST_JITTER:
        notes.append(f"The picture trembles by {found.jitter_pixels:.1f} pixels: fix the camera firmly.")
    return place, asdict(found), notes


def _say(found: dict[str, float], notes: list[str]) -> None:
    if found:
        print(
            f"The markers fit to {found['rms_mm']:.2f} mm ({found['rms_pixels']:.2f} pixels) rms, "
            f"{found['worst_mm']:.2f} mm at worst."
        )
        print(
            f"A stone is {found['stone_pixels']:.0f} pixels across. A camera that sees 60 degrees from "
            f"side to side is {found['height_mm'] / 10:.0f} cm away, tilted by "
            f"{found['tilt_degrees']:.0f} degrees."
        )
        if abs(found["bend_pixels"]) > TOLD_BEND:
            print(
                f"The lens bends straight lines, by {abs(found['bend_pixels']):.0f} pixels in the corners of "
                f"the picture: that is taken out."
            )
    for note in notes:
        print(note)
    print("To be mended first." if notes else "Good.")


def _names(layout: "Layout") -> tuple[str, ...]:
    from service.boards import hole_names

    return hole_names(layout)


def _drawn(image: "Image", layout: "Layout", place: "Registration", names: tuple[str, ...]) -> "Image":
    from service.overlay import drawn

    return drawn(image, layout, place, names)


def _encoded(image: "Image") -> bytes:
    import cv2

    return cv2.imencode(".png", image)[1].tobytes()


def _propose(image: "Image", layout: "Layout", place: "Registration") -> tuple[int, str]:
    """How many pits seem to be there, and a board file that says so."""
    from vision.pits import propose

    found = propose(image, layout, place)
    if len(found) < 2:
        raise BadInput("no pits are seen: take all stones out, and light the board from one side")
    lines = [f'name = "proposed"\nlength = {layout.length}\nwidth = {layout.width}\n']
    lines += [f"[[pit]]\nx = {hole.x}\ny = {hole.y}\nradius = {hole.radius}\n" for hole in found]
    for marker in layout.markers:
        lines.append(
            f"[[marker]]\nid = {marker.id}\ncorners = {[list(corner) for corner in marker.corners]}\n"
        )
    return len(found), "\n".join(lines)


def _configuration(board: str, table: dict[str, Any]) -> str:
    """TOML; JSON writes text, numbers and lists of these as TOML does."""
    keys = [
        f"{key} = {json.dumps(str(value) if isinstance(value, Path) else value)}"
        for key, value in table.items()
    ]
    return "\n".join([f"board = {json.dumps(board)}", "", "[camera]", *keys, ""])


def _write(path: Path, data: bytes, new: bool = False) -> None:
    """Write a file.

    Raises:
        BadInput: it cannot be written, or is there already and shall be `new`.
    """
    from service.whole import write_whole

    if new and path.exists():
        raise BadInput(f"{path} is there already: name another file, or take that one away")
    write_whole(path, data)
