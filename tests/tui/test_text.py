"""Lines, documents and rows: exact widths, nothing lost, nothing hostile drawn."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.hosts.model import Kind, Tokens
from memtui.sessions.rows import Flag
from memtui.sessions.timeline import SessionRow, TurnRow
from memtui.sessions.turn import LongText, TurnDetail
from memtui.tui.docs.bars import crumb_line
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.columns import highlight
from memtui.tui.docs.diff import diff_lines
from memtui.tui.docs.markdown import markdown_lines
from memtui.tui.docs.spans import clip, clip_line, fit, plain, spread, width_of, wrap, wrap_raw
from memtui.tui.docs.timeline_rows import heading_row, turn_row
from memtui.tui.docs.turn_doc import session_document, turn_document
from memtui.tui.glyphs import ASCII, UNICODE
from memtui.tui.when import age, days, parse_when

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TEXT = st.text(max_size=200)
WIDTH = st.integers(min_value=4, max_value=120)


@given(TEXT, WIDTH)
def test_fit_is_exact(text: str, width: int) -> None:
    assert cell_len(fit(line_of(text), width)) == width
    assert cell_len(clip(line_of(text), width)) <= width


@given(st.lists(st.tuples(TEXT, st.sampled_from(["text", "code"])), max_size=6), WIDTH)
def test_lines_never_exceed_their_width(parts: list[tuple[str, str]], width: int) -> None:
    line = [(line_of(text), tone) for text, tone in parts]
    assert width_of(clip_line(line, width)) <= width
    assert width_of(spread(line, [("12d", "muted")], width)) <= width
    for wrapped in wrap(line, width, [("  ", "")]):
        assert width_of(wrapped) <= width


@given(TEXT, WIDTH)
def test_wrap_loses_only_spaces(text: str, width: int) -> None:
    clean = line_of(text)
    wrapped = "".join(plain(line) for line in wrap([(clean, "text")], width))
    assert wrapped.replace(" ", "") == clean.replace(" ", "")


def test_wrap_leaves_room_beside_the_first_line() -> None:
    lines = wrap([("aaa bbb ccc ddd", "text")], 11, [("  ", "")], first=7)
    assert [plain(line) for line in lines] == ["aaa bbb", "  ccc ddd"]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("#*-_`>[]()|!\n 1.aé漢🎉\t\\<&"), max_size=300), WIDTH)
def test_markdown_fits_and_never_fails(text: str, width: int) -> None:
    for line in markdown_lines(body_of(text), width, UNICODE):
        assert width_of(line) <= max(width, 8) + 16  # deep nesting keeps a few cells of text


def test_markdown_of_a_memory() -> None:
    text = (
        "# Title\n\nSome **bold** `code`, see [[pool-size]].\n\n- one\n- two\n\n```\nx = 1\n```\n"
    )
    lines = markdown_lines(text, 40, UNICODE)
    assert [plain(line) for line in lines] == [
        "Title",
        "─────",
        "Some bold code, see [[pool-size]].",
        "",
        "• one",
        "• two",
        "",
        "│ x = 1",
    ]
    tones = {text: tone for line in lines for text, tone in line}
    assert tones["bold"] == "strong"
    assert tones["code"] == "code"
    assert tones["[[pool-size]]"] == "link"


HOSTILE = "\x1b]52;c;aGk=\x07 [/b] [red]x[/] \x9b31m \u202eevil"


def test_hostile_text_is_drawn_as_text() -> None:
    drawn = line_of(HOSTILE)
    assert "[/b] [red]x[/]" in drawn
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 or char == "\u202e" for char in drawn)


def test_diff_tones() -> None:
    lines = diff_lines("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n", 40)
    assert [line[0][1] for line in lines] == ["muted", "muted", "hunk", "remove", "add", "text"]


def _turn(**changes: object) -> TurnRow:
    values: dict[str, object] = {
        "session": 1,
        "seq": 2,
        "kind": Kind.PROMPT,
        "flags": 0,
        "record": "r",
        "part": 0,
        "at": 1_700_000_000_000,
        "preview": "fix the flaky test in the pool",
    }
    return TurnRow(**(values | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [20, 32, 50, 90])
def test_a_failure_shows_without_colour(width: int) -> None:
    turn = _turn(kind=Kind.CALL, flags=int(Flag.CALL | Flag.ERROR), tool="Bash", exit_code=2)
    line = turn_row(turn, width, UNICODE)
    assert UNICODE.error in plain(line)
    assert width_of(line) <= width
    assert ("exit 2" in plain(line)) == (width >= 32)


def test_a_heading_drops_columns_from_the_end() -> None:
    session = SessionRow(
        session=1, host="codex", id="x", agent="", project="p", title="Fix the flaky test",
        cwd="/", branch="main", remote="", version="", model="", parent=None,
        started=int(NOW.timestamp() * 1000), ended=None, count=12, counts=(),
    )  # fmt: skip
    wide = plain(heading_row(session, 60, UNICODE, NOW))
    assert all(word in wide for word in ("now", "codex", "main", "12"))
    narrow = plain(heading_row(session, 30, UNICODE, NOW))
    assert "now" in narrow
    assert "codex" not in narrow


def test_the_error_comes_first() -> None:
    turn = TurnDetail(
        session=1, seq=1, kind=Kind.CALL, flags=int(Flag.CALL | Flag.ERROR), ref="h:s#r", at=None,
        text=LongText("make test", 9), tool="Bash", result=LongText("boom", 4), is_error=True, exit_code=2,
    )  # fmt: skip
    text = "\n".join(plain(line) for line in turn_document(turn, ASCII).lines(50, ASCII))
    assert text.index("boom") < text.index("make test")
    assert "failed, exit 2" in text


def test_highlight_is_literal() -> None:
    line = highlight([("a.b (a.b) axb", "text")], ["a.b"])
    assert [text for text, tone in line if tone == "match"] == ["a.b", "a.b"]


def test_crumbs_fit_and_keep_the_end() -> None:
    crumbs = ["A page with a very long title", "claim b", "A card with a long title", "turn 16:21"]
    for width in (30, 50, 80):
        line = crumb_line(crumbs, width, UNICODE)
        assert width_of(line) <= width
        assert plain(line).endswith("turn 16:21")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("14:02", "2026-11-18T14:02"),
        ("2026-11-05", "2026-11-05T00:00"),
        ("2026-11-05 09:30", "2026-11-05T09:30"),
        ("yesterday", "2026-11-19T00:00"),
        ("yesterday 08:00", "2026-11-19T08:00"),
        ("today", "2026-11-20T00:00"),
        ("-2h", "2026-11-20T10:00"),
        ("-3d", "2026-11-17T12:00"),
    ],
)
def test_times(text: str, meant: str) -> None:
    near = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)
    found = parse_when(text, NOW.astimezone(UTC), near).astimezone(UTC)
    assert found.isoformat().startswith(meant)


@pytest.mark.parametrize("text", ["", "25:00", "soon", "2026-13-01", "14:99"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"time|date"):
        parse_when(text, NOW)


def test_ages() -> None:
    now_ms = int(NOW.timestamp() * 1000)
    assert age(now_ms, NOW) == "now"
    assert age(now_ms - 5 * 60_000, NOW) == "5m"
    assert age(now_ms - 2 * 86_400_000, NOW) == "2d"
    assert age(None, NOW) == ""
    assert [days(n) for n in (0, 14, 35, 400)] == ["0d", "14d", "5w", "13mo"]


def test_raw_text_keeps_its_indent() -> None:
    assert plain(wrap_raw("    return x", "code", 40)[0]) == "    return x"


def _turn_text(host: str, kind: Kind, **more: Any) -> str:
    turn = TurnDetail(
        session=1, seq=1, kind=kind, flags=0, ref=f"{host}:s#r", at=None, text=LongText("make test", 9), **more
    )  # fmt: skip
    return "\n".join(plain(line) for line in turn_document(turn, ASCII).lines(78, ASCII))


def test_what_a_host_does_not_store_is_said_and_only_that() -> None:
    call = _turn_text("cursor", Kind.CALL, tool="Shell")
    assert "not stored by Cursor: times, results, errors" in call
    assert "result not stored" in call
    assert "no result yet" not in call
    assert "unknown time" not in call
    assert "not stored by Cursor: times, tokens, model" in _turn_text("cursor", Kind.ANSWER)
    assert "not stored by Cursor: times\n" in _turn_text("cursor", Kind.PROMPT)
    known = _turn_text("cursor", Kind.ANSWER, tokens=Tokens(5, 7), model="m-1")
    assert "not stored by Cursor: times\n" in known
    kept = _turn_text("claude-code", Kind.CALL, tool="Bash")
    assert "not stored" not in kept
    assert "no result yet" in kept
    assert "unknown time" in kept


def test_a_session_says_what_its_host_does_not_store() -> None:
    session = SessionRow(
        session=1, host="aider", id="x", agent="", project="p", title="Fix", cwd="/", branch="", remote="",
        version="", model="", parent=None, started=None, ended=None, count=1, counts=(),
    )  # fmt: skip
    shown = session_document(session, ASCII, NOW).lines(78, ASCII)
    assert any("not stored  times, results, errors, thinking" in plain(line) for line in shown)
