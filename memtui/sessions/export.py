"""A session as Markdown: readable anywhere, and nothing in it can step out of its own place.

Prompts and answers are quoted, commands and outputs fenced. What would make a viewer fetch something
(images, raw HTML) is disarmed outside code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from memtui.clock import format_time
from memtui.hosts.model import Kind
from memtui.hosts.protocol import Part, in_words
from memtui.hosts.registry import label, lacks
from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line, sanitize
from memtui.sessions.timeline_rows import SessionRow
from memtui.sessions.turn import LongText, TurnDetail

Clean = Callable[[str], str]
"""What stored text goes through before it is written down."""

_OPENING = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_TICKS = re.compile(r"`+")
_FETCHES = re.compile(r"!(?=\[)|<(?=[A-Za-z/!?])")
_WORDS = {
    Kind.PROMPT: "Prompt",
    Kind.ANSWER: "Answer",
    Kind.THINKING: "Reasoning",
    Kind.CALL: "Tool call",
    Kind.RESULT: "Result",
    Kind.COMPACTION: "Context compacted",
    Kind.SUBAGENT: "Sub-agent",
    Kind.INJECTION: "Memory received",
    Kind.NOTICE: "Notice",
}
_QUOTED = (Kind.PROMPT, Kind.ANSWER)


def masked(text: str) -> str:
    """Text for a file: controls and hidden characters dropped first, lest they split a secret."""
    return redact(sanitize(text)).text


def head_lines(session: SessionRow, clean: Clean, level: int = 1) -> Iterator[str]:
    """Title and facts of a session."""

    def line(text: str) -> str:
        return one_line(clean(text), 400)

    yield f"{'#' * level} {_escaped(line(session.title or session.agent or session.id))}"
    yield ""
    for name, value in (
        ("host", f"{label(session.host)} {session.version}".strip()),
        ("session", session.ref),
        ("agent", session.agent),
        ("model", session.model),
        ("folder", session.cwd),
        ("branch", session.branch),
        ("started", when(session.started)),
        ("ended", when(session.ended)),
        ("not stored", in_words(lacks(session.host))),
    ):
        if value:
            yield f"- {name}: {_inline(line(value))}"
    yield ""


def turn_lines(turn: TurnDetail, clean: Clean, level: int = 2) -> Iterator[str]:
    """One turn; nothing for notices, which hosts write for themselves."""
    if turn.kind is Kind.NOTICE:
        return
    words = [_WORDS[turn.kind]]
    if turn.tool:
        words.append(_inline(one_line(clean(turn.tool), 80)))
    if turn.is_error:
        words.append("failed" if turn.exit_code is None else f"failed, exit {turn.exit_code}")
    if turn.at is not None:
        words.append(when(turn.at))
    yield f"{'#' * level} {' · '.join(words)}"
    yield ""
    if turn.problem:
        yield f"*{_escaped(one_line(clean(turn.problem), 400))}*"
        yield ""
    yield from _part("", turn.text, clean, quoted=turn.kind in _QUOTED)
    if turn.kind in (Kind.CALL, Kind.RESULT):
        yield from _part("", turn.diff, clean, language="diff")
        unstored = Part.RESULTS in lacks(turn.ref.partition(":")[0])
        if turn.result is not None:
            yield from _part("Error:" if turn.is_error else "Result:", turn.result, clean)
        elif turn.kind is Kind.CALL:
            yield "*result not stored*" if unstored else "*no result yet*"
            yield ""


def _part(
    name: str, text: LongText | None, clean: Clean, *, quoted: bool = False, language: str = ""
) -> Iterator[str]:
    if text is None or not text.text.strip():
        return
    lines = clean(text.text).strip("\n").split("\n")
    if name:
        yield name
        yield ""
    yield from _quote(lines) if quoted else _fence(lines, language)
    if text.cut:
        yield f"*{text.cut:,} more characters*"
    yield ""


def _quote(lines: Sequence[str]) -> Iterator[str]:
    """Markdown of others as a quotation. Only a fence that begins a line is taken for code."""
    fence = ""
    for line in lines:
        if fence:
            closing = line.strip()
            if closing.startswith(fence) and not closing.strip(fence[0]):
                fence = ""
            yield f"> {line}".rstrip()
            continue
        opening = _OPENING.match(line)
        if opening is not None:
            fence = opening[1] or opening[2]
            yield f"> {line}"
        else:
            yield f"> {_FETCHES.sub(_backslashed, line)}".rstrip()


def _fence(lines: Sequence[str], language: str) -> Iterator[str]:
    """Text as it is, in a fence longer than any run of backticks in it."""
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    marks = "`" * max(3, longest + 1)
    yield marks + language
    yield from lines
    yield marks


def _inline(text: str) -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    marks = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{marks}{space}{text}{space}{marks}"


def _escaped(text: str) -> str:
    return re.sub(r"[\\`*_\[\]<>!#|]", _backslashed, text)


def _backslashed(match: re.Match[str]) -> str:
    return f"\\{match.group()}"


def when(ms: int | None) -> str:
    """A time in milliseconds as ISO 8601, "" where the host stores none."""
    return "" if ms is None else format_time(datetime.fromtimestamp(ms / 1000, UTC))
