"""Drawings to scale: SVG in millimetres, in layers of what is cut, what is engraved and what is only said."""

from collections.abc import Sequence
from typing import TypeAlias
from xml.etree import ElementTree as Xml

MARGIN = 20.0
"""mm round what is drawn; the scale bar is in it."""
SCALE_BAR = 100.0
"""mm."""
LAYERS = {
    "cut": "fill:none;stroke:#d00;stroke-width:0.2",
    "hidden": "fill:none;stroke:#888;stroke-width:0.2;stroke-dasharray:2 1",
    "part": "fill:#eee;stroke:#000;stroke-width:0.3",
    "line": "fill:none;stroke:#000;stroke-width:0.3",
    "note": "fill:#00c;stroke:none;font-family:sans-serif;font-size:4px",
    "measure": "fill:none;stroke:#00c;stroke-width:0.2",
}
"""Style of each layer, in the order in which they lie on each other."""

Point: TypeAlias = tuple[float, float]


class Drawing:
    """One sheet. Coordinates are mm from the top left of what is drawn, x right, y down.

    Args:
        title: what is drawn, in words.
        width, height: of what is drawn, mm, without the margin.
    """

    def __init__(self, title: str, width: float, height: float) -> None:
        sheet = (max(width, SCALE_BAR) + 2 * MARGIN, height + 2 * MARGIN)
        self._svg = Xml.Element("svg", {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": f"{_mm(sheet[0])}mm", "height": f"{_mm(sheet[1])}mm",
            "viewBox": f"{-MARGIN:g} {-MARGIN:g} {_mm(sheet[0])} {_mm(sheet[1])}",
        })  # fmt: skip
        Xml.SubElement(self._svg, "title").text = title
        self._layers = {
            name: Xml.SubElement(self._svg, "g", {"id": name, "style": style})
            for name, style in LAYERS.items()
        }
        self.text((0, -12), title)
        self._scale_bar(height + 12)

    def rect(self, layer: str, at: Point, size: Point, name: str = "", corner: float = 0.0) -> None:
        """A rectangle from its top left."""
        given = {"x": at[0], "y": at[1], "width": size[0], "height": size[1]}
        self._add(layer, "rect", {**given, **({"rx": corner} if corner else {})}, name)

    def circle(self, layer: str, centre: Point, radius: float, name: str = "") -> None:
        self._add(layer, "circle", {"cx": centre[0], "cy": centre[1], "r": radius}, name)

    def line(self, layer: str, points: Sequence[Point], name: str = "") -> None:
        element = Xml.SubElement(self._layers[layer], "polyline")
        element.set("points", " ".join(f"{_mm(x)},{_mm(y)}" for x, y in points))
        if name:
            element.set("id", name)

    def text(self, at: Point, words: str, anchor: str = "start") -> None:
        element = Xml.SubElement(self._layers["note"], "text")
        element.set("x", _mm(at[0]))
        element.set("y", _mm(at[1]))
        element.set("text-anchor", anchor)
        element.text = words

    def measure(self, one: Point, other: Point, words: str) -> None:
        """A line with ticks at both ends, along x or along y, and what it measures beside it."""
        level = one[1] == other[1]
        tick = (0.0, 1.5) if level else (1.5, 0.0)
        self.line("measure", [one, other])
        for x, y in (one, other):
            self.line("measure", [(x - tick[0], y - tick[1]), (x + tick[0], y + tick[1])])
        if level:
            self.text(((one[0] + other[0]) / 2, one[1] - 1.5), words, "middle")
        else:
            self.text((one[0] + 2, (one[1] + other[1]) / 2 + 1.5), words)

    def __str__(self) -> str:
        Xml.indent(self._svg)
        return Xml.tostring(self._svg, encoding="unicode", xml_declaration=True) + "\n"

    def _add(self, layer: str, kind: str, given: dict[str, float], name: str) -> None:
        element = Xml.SubElement(self._layers[layer], kind, {key: _mm(value) for key, value in given.items()})
        if name:
            element.set("id", name)

    def _scale_bar(self, y: float) -> None:
        self.line("line", [(0, y), (SCALE_BAR, y)], "scale-bar")
        for tenth in range(11):
            x = SCALE_BAR * tenth / 10
            self.line("line", [(x, y), (x, y - (3 if tenth % 10 == 0 else 1.5))])
        self.text((SCALE_BAR + 2, y), f"{SCALE_BAR:g} mm: measure it after printing")


def _mm(value: float) -> str:
    return f"{round(value, 3):g}"
