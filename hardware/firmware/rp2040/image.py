"""Make of the linked firmware what an RP2040 takes: `image.py FIRMWARE.bin FIRMWARE.uf2`.

The boot ROM starts the first 256 bytes of the flash only if their last four are the checksum of the others
(RP2040 datasheet, bootrom). A UF2 file (github.com/microsoft/uf2) is blocks of 512 bytes with 256 of the
flash; a Pico that was plugged in with BOOTSEL held shows itself as a drive that such a file is copied to.
"""

import struct
import sys
from pathlib import Path

FLASH = 0x10000000
PAGE = 256
FAMILY = 0xE48BFF56
"""Of the RP2040, in the list of families of UF2."""


def crc32(data: bytes) -> int:
    """CRC-32/MPEG-2: polynomial 0x04C11DB7, start all ones, nothing reflected or inverted.

    >>> hex(crc32(b"123456789"))
    '0x376e6e7'
    """
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = crc << 1 ^ (0x104C11DB7 if crc & 0x80000000 else 0)
    return crc


def image(linked: bytes) -> bytes:
    """The flash's content: with its checksum, and of whole pages."""
    boot = linked[: PAGE - 4]
    whole = boot + struct.pack("<I", crc32(boot)) + linked[PAGE:]
    return whole + bytes(-len(whole) % PAGE)


def uf2(flash: bytes) -> bytes:
    """The UF2 file of a flash's content from its beginning on, of whole pages."""
    pages = [flash[at : at + PAGE] for at in range(0, len(flash), PAGE)]
    return b"".join(
        struct.pack(
            "<8I476sI",
            0x0A324655, 0x9E5D5157, 0x2000, FLASH + PAGE * i, PAGE, i, len(pages), FAMILY, page, 0x0AB16F30,
        )
        for i, page in enumerate(pages)
    )  # fmt: skip


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_bytes(uf2(image(source.read_bytes())))
