"""Byte stuffing against the examples of Wikipedia's article on COBS, and by property."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import cobs


def _run(first: int, last: int) -> str:
    return bytes(range(first, last + 1)).hex()


@pytest.mark.parametrize(
    ("plain", "stuffed"),
    [
        ("", "01"),
        ("00", "0101"),
        ("0000", "010101"),
        ("001100", "01021101"),
        ("11220033", "0311220233"),
        ("11223344", "0511223344"),
        ("11000000", "0211010101"),
        (_run(0x01, 0xFE), "ff" + _run(0x01, 0xFE)),
        ("00" + _run(0x01, 0xFE), "01ff" + _run(0x01, 0xFE)),
        (_run(0x01, 0xFF), "ff" + _run(0x01, 0xFE) + "02ff"),
        (_run(0x02, 0xFF) + "00", "ff" + _run(0x02, 0xFF) + "0101"),
        (_run(0x03, 0xFF) + "0001", "fe" + _run(0x03, 0xFF) + "0201"),
    ],
)
def test_published_examples(plain: str, stuffed: str) -> None:
    assert cobs.encode(bytes.fromhex(plain)).hex() == stuffed
    decoded = cobs.decode(bytes.fromhex(stuffed))
    assert decoded is not None
    assert decoded.hex() == plain


@pytest.mark.parametrize("broken", ["", "00", "05112233", "0311220033", "02"])
def test_what_no_encoder_makes(broken: str) -> None:
    assert cobs.decode(bytes.fromhex(broken)) is None


@given(st.binary(max_size=1200) | st.lists(st.sampled_from([0, 1]), max_size=1200).map(bytes))
def test_round_trip_has_no_zero_and_little_overhead(data: bytes) -> None:
    stuffed = cobs.encode(data)
    assert 0 not in stuffed
    assert len(stuffed) <= len(data) + 1 + len(data) // 254
    assert cobs.decode(stuffed) == data


@given(st.binary(max_size=600))
def test_any_bytes_decode_to_something(data: bytes) -> None:
    decoded = cobs.decode(data)
    assert decoded is None or len(decoded) < len(data)
