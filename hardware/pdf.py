"""One page of PDF to scale (ISO 32000-1): black rectangles, lines and text, all that a sheet wants."""

from collections.abc import Sequence

_POINTS_PER_MM = 72 / 25.4


class Page:
    """A page in millimetres, from its top left corner, y down."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        # one unit is a millimetre, and y runs down
        unit = f"{_POINTS_PER_MM:.6f}"
        self._drawn = [f"{unit} 0 0 -{unit} 0 {height * _POINTS_PER_MM:.6f} cm"]

    def box(self, x: float, y: float, width: float, height: float) -> None:
        """A black rectangle."""
        self._drawn.append(f"{x:.4f} {y:.4f} {width:.4f} {height:.4f} re f")

    def line(self, points: Sequence[tuple[float, float]], wide: float = 0.2) -> None:
        """A line through the points, `wide` mm."""
        (x, y), *rest = points
        steps = " ".join(f"{x:.4f} {y:.4f} l" for x, y in rest)
        self._drawn.append(f"{wide:.3f} w {x:.4f} {y:.4f} m {steps} S")

    def text(self, x: float, y: float, words: str, size: float = 4.0) -> None:
        """A line of Latin text from `x` on, `size` mm high, its foot at `y`."""
        safe = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        self._drawn.append(f"BT /F {size:.3f} Tf 1 0 0 -1 {x:.4f} {y:.4f} Tm ({safe}) Tj ET")

    def file(self) -> bytes:
        """The PDF."""
        content = "\n".join(self._drawn).encode("latin-1", "replace")
        wide, high = self.width * _POINTS_PER_MM, self.height * _POINTS_PER_MM
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide:.4f} {high:.4f}] /Contents 4 0 R "
            f"/Resources << /Font << /F 5 0 R >> >> >>".encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        ]
        out, places = bytearray(b"%PDF-1.4\n"), []
        for number, body in enumerate(objects, start=1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        table = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
        return bytes(out)
