"""Lines from bytes: offsets, limits, tails and damage."""

from __future__ import annotations

import json
import time
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from memtui.hosts.claude_text import split_text
from memtui.hosts.decode import decode_line
from memtui.hosts.jsonl import LineReader, read_span
from memtui.hosts.model import RawLine, Skipped, Span


def read(path: Path) -> list[RawLine | Skipped]:
    return list(LineReader(path))


def test_splits_on_line_feeds_only(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"a":"x\u2028y\u0085z"}\n\n{"b":1}\r\n'.encode())
    found = read(path)
    assert [(line.ordinal, line.offset) for line in found if isinstance(line, RawLine)] == [
        (0, 0),
        (2, 18),
    ]
    assert (
        json.loads(found[0].data)["a"] == "x\u2028y\u0085z"
        if isinstance(found[0], RawLine)
        else False
    )


def test_unterminated_tail_is_pending_until_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":"half')
    reader = LineReader(path)
    assert [line.data for line in reader if isinstance(line, RawLine)] == [b'{"a":1}']
    assert (reader.offset, reader.ordinal, reader.pending) == (8, 1, 10)
    with path.open("ab") as stream:
        stream.write(b' whole"}\n')
    later = LineReader(path, offset=reader.offset, ordinal=reader.ordinal)
    assert [(r.ordinal, r.data) for r in later if isinstance(r, RawLine)] == [
        (1, b'{"b":"half whole"}')
    ]
    assert later.pending == 0


def test_complete_tail_is_read_and_its_later_line_feed_is_no_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":2}')
    reader = LineReader(path)
    assert len(list(reader)) == 2
    assert (reader.offset, reader.ordinal, reader.pending) == (15, 2, 0)
    with path.open("ab") as stream:
        stream.write(b'\n{"c":3}\n')
    later = LineReader(path, offset=reader.offset, ordinal=reader.ordinal)
    assert [(r.ordinal, r.offset) for r in later if isinstance(r, RawLine)] == [(2, 16)]


def test_long_line_is_skipped_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("wb") as stream:
        stream.write(b'{"a":1}\n{"b":"')
        for _ in range(50):
            stream.write(b"x" * 1024 * 1024)
        stream.write(b'"}\n{"c":3}\n')
    tracemalloc.start()
    try:
        found = read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    length = 50 * 1024 * 1024 + 8
    assert found[1] == Skipped("too long", "", Span(path, 8, length))
    assert found[2] == RawLine(2, 8 + length + 1, b'{"c":3}')
    assert peak < 16 * 1024 * 1024


def test_zstd_frames_are_streamed_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    packer = zstandard.ZstdCompressor()
    path.write_bytes(packer.compress(b'{"a":1}\n{"b"') + packer.compress(b':2}\n{"c":3}'))
    reader = LineReader(path, compressed=True)
    assert [line.data for line in reader if isinstance(line, RawLine)] == [
        b'{"a":1}',
        b'{"b":2}',
        b'{"c":3}',
    ]
    later = list(LineReader(path, compressed=True, offset=8, ordinal=1))
    assert [line.ordinal for line in later if isinstance(line, RawLine)] == [1, 2]
    assert read_span(Span(path, 8, 7), compressed=True) == b'{"b":2}'


def test_damaged_zstd_ends_the_file_quietly(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfdnot a frame at all")
    assert [
        line.reason for line in LineReader(path, compressed=True) if isinstance(line, Skipped)
    ] == ["bad shape"]


def test_span_beyond_the_end_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n")
    with pytest.raises(EOFError, match="ends before byte 12"):
        read_span(Span(path, 2, 10))


def test_glued_records_keep_their_own_places() -> None:
    first, second = b'{"a":"\xc3\xa9"}', b'{"b":2}'
    decoded = decode_line(first + second)
    assert decoded.reason == "recovered"
    assert [(piece.start, piece.end) for piece in decoded.pieces] == [(0, 10), (10, 17)]


def test_record_behind_a_half_written_one_is_found() -> None:
    decoded = decode_line(
        b'{"type":"attachment","attachment":{"type":"queued_com{"parentUuid":null,"type":"user"}'
    )
    assert decoded.reason == "recovered"
    assert [piece.value for piece in decoded.pieces] == [{"parentUuid": None, "type": "user"}]


@pytest.mark.parametrize(
    ("data", "reason", "count"),
    [
        (b'{"a":1}' + b"\0" * 9000, "recovered", 1),
        (b"\0" * 143_000, "NUL bytes", 0),
        (b'{"a":', "not JSON", 0),
        (b"[" * 100_000, "not JSON", 0),
        (b'{"a":"\xff\xfe"}', None, 1),
        (b'{"a":"\\ud83d"}', None, 1),
        (b"\xff", "not JSON", 0),
    ],
)
def test_damage_is_named(data: bytes, reason: str | None, count: int) -> None:
    decoded = decode_line(data)
    assert (decoded.reason, len(decoded.pieces)) == (reason, count)


@pytest.mark.parametrize(
    "data",
    [
        b"{}" * 500_000,
        b'{"parentUuid":' * 100_000,
        b"<bash-input></bash-input>" * 60_000,
        b" " * 900_000 + b">",
        b"<system-reminder>" * 60_000 + b"</system-reminder>" * 10_000,
    ],
    ids=["glued", "restarts", "wrappers", "spaces", "behind"],
)
def test_hostile_lines_cost_little(data: bytes) -> None:
    started = time.process_time()
    decode_line(data)
    split_text(data.decode())
    assert time.process_time() - started < 5


def test_text_can_always_be_encoded() -> None:
    value = decode_line(b'{"a":"\\ud83d x","b":"\xff","c":"\\ud83d\\ude00"}').pieces[0].value
    assert value["c"] == "\U0001f600"
    assert "\ufffd" in value["a"]
    str(value).encode()


@given(
    st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"")), max_size=12),
    st.booleans(),
)
def test_lines_are_those_of_a_split(parts: list[bytes], ended: bool) -> None:
    import tempfile

    data = b"\n".join(parts) + (b"\n" if ended else b"")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(data)
        reader = LineReader(path)
        found = [(r.ordinal, r.offset, r.data) for r in reader if isinstance(r, RawLine)]
        whole = data.split(b"\n")[:-1]
        offsets = [sum(len(line) + 1 for line in whole[:n]) for n in range(len(whole))]
        expected = [(n, offsets[n], line) for n, line in enumerate(whole) if line.strip(b" \t\r")]
        assert found[: len(expected)] == expected
        assert reader.offset + reader.pending == len(data)


@given(st.binary(max_size=300))
def test_decoding_never_raises(data: bytes) -> None:
    for piece in decode_line(data).pieces:
        assert 0 <= piece.start < piece.end <= len(data)
