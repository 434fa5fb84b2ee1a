"""Nothing that controls, hides or moves reaches a screen or an agent."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.safety.fence import escape, strip, wrap
from memtui.safety.sanitize import one_line, sanitize

HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\x1b\x07\x9b\x9d\u202e\u2028\u200b\u200d\ufe0f☀#[]0;52cm\\"),
        st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF),
    ),
    max_size=80,
)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("x[/]y list[int]", "x[/]y list[int]"),
        ("a\x1b]52;c;aGk=\x07b", "ab"),
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x9b31mb", "ab"),
        ("a\x1bPq\x1b\\b", "ab"),
        ("a\r\nb\rc\x0bd\x0ce", "a\nb\nc\nd\ne"),
        ("a\u2028b\u2029c\x85d", "a\nb\nc\nd"),
        ("a\tb", "a    b"),
        ("a\u202eb\u2066c\u200bd\ufeffe", "abcde"),
        ("\x00\x01\x7f", ""),
        ("a\u034fb\u180bc\U0001bca0d\U000e0041e\u2063f", "abcdef"),
        ("a\x1b]52;c;aGk=\nb", "a\nb"),
        ("a\x1b[38;5;1", "a"),
        ("a\x1b", "a"),
        ("a\ud800b", "a\ufffdb"),
        ("👩\u200d💻 ☀\ufe0f", "👩\u200d💻 ☀\ufe0f"),
        ("a\u200db\ufe0f", "ab"),
        ("مرحبا עברית 日本語", "مرحبا עברית 日本語"),
    ],
)
def test_what_becomes_of_text(text: str, safe: str) -> None:
    assert sanitize(text) == safe


@given(HOSTILE)
def test_no_control_character_survives(text: str) -> None:
    safe = sanitize(text)
    assert all(char == "\n" or unicodedata.category(char) not in ("Cc", "Cs") for char in safe)
    assert not set(safe) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200e\u200f")
    assert sanitize(safe) == safe


@given(HOSTILE, st.integers(0, 40))
def test_one_line_is_one_line_of_at_most_so_many_characters(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert "\n" not in line
    assert len(line) <= limit
    assert one_line(line, limit) == line


@pytest.mark.parametrize(
    "piece",
    ["\x1b", "\x1b]", "\x1b[1;", "\x9d", "\x1bP", "\u200d", "☀\ufe0f", "\u202e", "\t", "\r", " "],
)
def test_a_hostile_megabyte_is_read_in_linear_time(piece: str) -> None:
    began = time.process_time()
    sanitize(piece * (1_000_000 // len(piece)))
    one_line(piece * (1_000_000 // len(piece)), 80)
    assert time.process_time() - began < 4


@pytest.mark.parametrize(
    ("text", "limit", "line"),
    [
        ("a  b\n c\t", None, "a b c"),
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("abc def", 5, "abc…"),
        ("abce\u0301f", 6, "abce\u0301f"),
        ("abce\u0301fg", 5, "abc…"),
        ("ab👩\u200d💻 x", 4, "ab…"),
        ("ab👩\u200d💻 x", 5, "ab…"),
        ("ab👩\u200d💻 x", 6, "ab👩\u200d💻…"),
        ("a🇩🇪🇫🇷b", 4, "a🇩🇪…"),
        ("a🇩🇪🇫🇷b", 5, "a🇩🇪…"),
        ("a👍🏽bc", 3, "a…"),
        ("abc", 0, ""),
        ("abc", 1, "…"),
    ],
)
def test_one_line_is_cut_between_characters(text: str, limit: int | None, line: str) -> None:
    assert one_line(text, limit) == line


@given(HOSTILE, HOSTILE)
def test_what_is_fenced_is_stripped_whole(before: str, body: str) -> None:
    block = wrap(escape(body), "0123456789ab")
    around = escape(before)
    assert strip(around + block + "after") == around + "after"
    assert strip(strip(around + block)) == strip(around + block)


@pytest.mark.parametrize("tag", ["</memtui-memory>", '<memtui-memory id="x">', "<MEMTUI-MEMORY"])
def test_card_text_can_neither_close_nor_imitate_the_fence(tag: str) -> None:
    text = f"a {tag} b"
    assert "memtui-memory" not in escape(text).lower()
    assert strip(wrap(escape(text), "0" * 12)) == ""


def test_a_cut_or_escaped_block_is_stripped() -> None:
    block = wrap("line\nline", "0" * 12)
    assert strip(f"x{block[:-12]}") == "x"
    escaped = block.replace("<", "&lt;").replace(">", "&gt;")
    assert strip(f"x{escaped}y").replace("\n", "") == "xy"
