"""Consistent Overhead Byte Stuffing: bytes without a zero, so that a zero can end a frame.

Cheshire and Baker, "Consistent Overhead Byte Stuffing", IEEE/ACM Transactions on Networking 7(2), 1999.
Each block is a code byte 1 to 255 and code-1 bytes; a code below 255 stands for the zero after them.
"""


def encode(data: bytes) -> bytes:
    """`data` without a zero byte: longer by one byte, and by one more for each 254 bytes.

    >>> encode(bytes([0x11, 0x22, 0x00, 0x33])).hex(" ")
    '03 11 22 02 33'
    """
    out = bytearray()
    *inner, last = data.split(b"\0")
    for block in inner:
        while len(block) >= 254:
            out.append(255)
            out += block[:254]
            block = block[254:]  # noqa: PLW2901
        out.append(len(block) + 1)
        out += block
    while len(last) > 254:
        out.append(255)
        out += last[:254]
        last = last[254:]
    out.append(len(last) + 1)
    out += last
    return bytes(out)


def decode(data: bytes) -> bytes | None:
    """What `encode` was given; None for bytes it cannot have made (empty, cut short, or with a zero)."""
    if not data or 0 in data:
        return None
    blocks = []
    at, end = 0, len(data)
    while at < end:
        code = data[at]
        blocks.append(data[at + 1 : at + code])
        at += code
        if code < 255 and at < end:
            blocks.append(b"\0")
    return b"".join(blocks) if at == end else None
