"""Frames against bytes worked out by hand from docs/link.md, and by property."""

from binascii import crc_hqx
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge import cobs
from firmware_bridge.frames import (
    BAUD,
    COUNT_MAX,
    COUNT_MIN,
    MAX_CELLS,
    MAX_FRAME,
    Ack,
    AckStatus,
    CellFlag,
    Deframer,
    Frame,
    Hello,
    HelloRequest,
    Identify,
    LinkFault,
    OtherVersion,
    ResetCause,
    Sample,
    SetLights,
    SetRate,
    decode_frame,
    encode_frame,
)

u8 = st.integers(0, 255)
samples = st.lists(st.tuples(st.integers(COUNT_MIN, COUNT_MAX), u8), max_size=MAX_CELLS).flatmap(
    lambda cells: st.builds(
        Sample,
        seq=st.integers(0, 0xFFFF),
        micros=st.integers(0, 0xFFFF_FFFF),
        boot=u8,
        counts=st.just(tuple(count for count, _ in cells)),
        flags=st.just(tuple(flag for _, flag in cells)),
    )
)
hellos = st.builds(
    Hello,
    firmware=st.text(st.characters(min_codepoint=0, max_codepoint=127), max_size=32),
    unique_id=st.binary(min_size=8, max_size=8),
    cells=st.integers(0, MAX_CELLS),
    rate=st.sampled_from((10, 80)),
    boot_id=st.integers(0, 0xFFFF_FFFF),
    rates=st.sampled_from([(), (10,), (80,), (10, 80)]),
    capabilities=st.integers(0, 0xFFFF),
    reset_cause=st.sampled_from(ResetCause),
    protocol=st.tuples(st.just(1), u8),
)
frames = (
    samples
    | hellos
    | st.builds(Ack, id=u8, status=u8)
    | st.builds(OtherVersion, major=u8.filter(lambda major: major != 1), minor=u8)
    | st.builds(HelloRequest, id=u8)
    | st.builds(SetRate, id=u8, rate=u8)
    | st.builds(Identify, id=u8, seconds=u8)
)


def on_wire(payload: str) -> bytes:
    data = bytes.fromhex(payload)
    return cobs.encode(data + crc_hqx(data, 0).to_bytes(2, "little"))


def test_checksum_is_xmodem() -> None:
    # the check value of CRC-16/XMODEM in the RevEng catalogue of parametrised CRC algorithms
    assert crc_hqx(b"123456789", 0) == 0x31C3


def test_the_checksum_lies_low_byte_first() -> None:
    low_first = decode_frame(bytes.fromhex("0c 313233343536373839 c331"))
    assert low_first == LinkFault("frames of kind 0x31 are not known")
    high_first = decode_frame(bytes.fromhex("0c 313233343536373839 31c3"))
    assert high_first == LinkFault("the checksum does not match")


@pytest.mark.parametrize(
    ("payload", "frame"),
    [
        (
            "02  3412  78563412  2a  03  010000 01  ffffff 00  000080 02",
            Sample(0x1234, 0x12345678, 0x2A, (1, -1, -(1 << 23)), (CellFlag.FRESH, 0, CellFlag.SATURATED)),
        ),
        (
            "01 01 01  0102030405060708  0e  03  50  0000  78563412  02  03 302e31",
            Hello("0.1", bytes(range(1, 9)), 14, 80, 0x12345678, (10, 80), 0, ResetCause.RESET_LINE),
        ),
        (
            "02  3412  78563412  2a  01  010000 01  02 07 ff",
            Sample(0x1234, 0x12345678, 0x2A, (1,), (CellFlag.FRESH,), (7, 255)),
        ),
        ("84 07 46 02 010203 040506", SetLights(7, 70, ((1, 2, 3), (4, 5, 6)))),
        ("03 07 02", Ack(7, AckStatus.BAD_ARGUMENT)),
        ("82 07 50", SetRate(7, 80)),
        ("83 07 05", Identify(7, 5)),
        ("01 02 09", OtherVersion(2, 9)),
    ],
)
def test_bytes_of_the_document(payload: str, frame: Frame) -> None:
    assert encode_frame(frame) == on_wire(payload) + b"\0"
    assert decode_frame(on_wire(payload)) == frame


def test_a_later_minor_version_may_append_bytes() -> None:
    hello = "01 01 07  0102030405060708  0e  ff  0a  ffff  01000000  63  00"
    assert decode_frame(on_wire(hello + "cafe")) == Hello(
        "", bytes(range(1, 9)), 14, 10, 1, (10, 80), 0xFFFF, ResetCause.UNKNOWN, (1, 7)
    )
    assert decode_frame(on_wire("01 02 00 cafe")) == OtherVersion(2, 0)
    assert decode_frame(on_wire("03 07 00 cafe")) == Ack(7, 0)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ("", "shorter"),
        ("02 0000", "SAMPLE is too short"),
        ("02 0000 00000000 00 02 01000001", "shorter than its number"),
        ("02 0000 00000000 00 ff", "shorter than its number"),
        ("01 01", "HELLO is too short"),
        ("01 01 01  0102030405060708  0e  03  50  0000  78563412  02  09 302e31", "HELLO is too short"),
        ("01 01 00  0102030405060708  0e  03  00  0000  78563412  02  00", "14 cells at 0"),
        ("03 07", "too short for its kind"),
        ("77 07", "0x77"),
    ],
)
def test_faults_say_what_is_wrong(payload: str, reason: str) -> None:
    fault = decode_frame(on_wire(payload))
    assert isinstance(fault, LinkFault)
    assert reason in fault.reason


@pytest.mark.parametrize(
    "frame",
    [
        Sample(0, 0, 0, (COUNT_MAX + 1,), (0,)),
        Sample(0, 0, 0, (1, 2), (0,)),
        Sample(1 << 16, 0, 0, (), ()),
        Sample(0, 0, 0, (0,) * 65, (0,) * 65),
        Hello("v" * 33, bytes(8), 1, 10, 0),
        Hello("v", bytes(7), 1, 10, 0),
        Hello("v", bytes(8), 1, 10, 0, (20,)),
        SetRate(256, 10),
    ],
)
def test_what_does_not_fit_is_not_encoded(frame: Frame) -> None:
    with pytest.raises(ValueError, match=r"."):
        encode_frame(frame)


def test_34_cells_at_80_a_second_leave_half_the_line_free() -> None:
    wire = encode_frame(Sample(0xFFFF, 0xFFFF_FFFF, 0xFF, (-1,) * 34, (1,) * 34))
    assert len(wire) == 149
    assert len(wire) * 80 * 10 == 119_200 < BAUD / 2


@given(frames)
def test_round_trip(frame: Frame) -> None:
    wire = encode_frame(frame)
    assert wire.count(0) == 1
    assert len(wire) <= MAX_FRAME
    assert decode_frame(wire[:-1]) == frame


@given(st.binary(max_size=300), st.binary(max_size=80))
def test_any_bytes_decode_to_a_value(raw: bytes, payload: bytes) -> None:
    decode_frame(raw)
    decode_frame(cobs.encode(payload + crc_hqx(payload, 0).to_bytes(2, "little")))


@given(st.lists(frames | st.binary(max_size=400), max_size=12), st.data())
def test_the_stream_may_be_cut_anywhere(pieces: list[Frame | bytes], data: st.DataObject) -> None:
    stream = b"".join(piece if isinstance(piece, bytes) else encode_frame(piece) for piece in pieces)
    whole = Deframer().feed(stream)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    deframer = Deframer()
    in_parts = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        in_parts += deframer.feed(stream[start:end])
    assert in_parts == whole


# one broken frame in 65,536 passes a 16-bit checksum: the examples are the same at each run
@settings(derandomize=True)
@given(samples, samples, samples, st.data())
def test_a_broken_byte_costs_its_own_frame(a: Sample, b: Sample, c: Sample, data: st.DataObject) -> None:
    first, middle, last = (encode_frame(frame) for frame in (a, b, c))
    at = data.draw(st.integers(0, len(middle) - 2))
    wrong = data.draw(st.integers(1, 255))
    broken = middle[:at] + bytes([middle[at] ^ wrong]) + middle[at + 1 :]
    seen = Deframer().feed(b"\0" + first + broken + last)
    assert seen[0] == a
    assert seen[-1] == c
    assert all(isinstance(frame, LinkFault) for frame in seen[1:-1])


# a checksum that starts at 0 does not always see that a second whole frame follows: the first is still right
@given(samples, samples)
def test_a_lost_end_costs_two_frames_and_no_more(a: Sample, b: Sample) -> None:
    after = replace(b, seq=b.seq ^ 1)
    seen = Deframer().feed(b"\0" + encode_frame(a)[:-1] + encode_frame(b) + encode_frame(after))
    assert seen[-1] == after
    assert len(seen) == 2
    assert seen[0] == a or isinstance(seen[0], LinkFault)


def test_endless_noise_is_bounded_and_said_once() -> None:
    deframer = Deframer()
    seen = deframer.feed(b"\0")
    for _ in range(1000):
        seen += deframer.feed(b"\xaa" * 1000)
    assert len(seen) == 1
    assert isinstance(seen[0], LinkFault)
    assert deframer.feed(b"\0" + encode_frame(Ack(1, 0))) == [Ack(1, 0)]


def test_the_tail_of_a_frame_met_on_opening_is_dropped_without_a_word() -> None:
    wire = encode_frame(Ack(1, 0))
    assert Deframer().feed(wire[2:] + wire) == [Ack(1, 0)]
    assert Deframer().feed(wire) == [Ack(1, 0)]
