"""A turn or a session as a document for reading: errors first, diffs toned, answers as Markdown."""

from __future__ import annotations

from datetime import datetime

from memtui.hosts.model import Kind
from memtui.hosts.protocol import Part, in_words
from memtui.hosts.registry import label, lacks
from memtui.sessions.rows import Facet
from memtui.sessions.timeline import SessionRow
from memtui.sessions.turn import LongText, TurnDetail
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.document import (
    Blank,
    Block,
    DiffText,
    Document,
    Fields,
    Heading,
    MarkdownText,
    Prose,
    Raw,
    document,
)
from memtui.tui.docs.spans import Span
from memtui.tui.glyphs import Glyphs
from memtui.tui.tones import kind_sign
from memtui.tui.when import age, full

MARKDOWN_LIMIT = 64 * 1024
"""Characters of an answer that are worth rendering as Markdown; what is longer is shown as it is."""

_WORDS = {
    Kind.PROMPT: "prompt",
    Kind.ANSWER: "answer",
    Kind.THINKING: "reasoning",
    Kind.CALL: "tool call",
    Kind.RESULT: "result",
    Kind.COMPACTION: "context compacted",
    Kind.SUBAGENT: "sub-agent",
    Kind.INJECTION: "memory received",
    Kind.NOTICE: "notice",
}


_ABOUT_ALL = frozenset({Part.TIMES})
_OF_AN_ANSWER = frozenset({Part.TIMES, Part.TOKENS, Part.MODEL})
_OF_A_CALL = frozenset({Part.TIMES, Part.RESULTS, Part.ERRORS})
_ABOUT = {
    Kind.ANSWER: _OF_AN_ANSWER,
    Kind.THINKING: _OF_AN_ANSWER,
    Kind.CALL: _OF_A_CALL,
    Kind.RESULT: _OF_A_CALL,
}
"""Which parts one looks for in a turn of each kind."""


def turn_document(turn: TurnDetail, glyphs: Glyphs, note: str = "") -> Document:
    """One turn. `note` stands under its head: why it is shown (the evidence of a walk)."""
    sign, tone = kind_sign(turn.kind, glyphs, turn.is_error)
    word = _WORDS[turn.kind]
    head: list[Span] = [(f"{sign} {word}", tone)]
    if turn.tool:
        head.append((f"  {line_of(turn.tool)}", "title"))
    if turn.is_error:
        code = f", exit {turn.exit_code}" if turn.exit_code is not None else ""
        head.append((f"  failed{code}", "role-error"))
    blocks: list[Block] = [Prose(tuple(head)), *_meta(turn, glyphs), *_not_stored(turn)]
    if note:
        blocks.append(Prose(((note, "state-warn"),)))
    if turn.problem:
        blocks.append(Prose(((f"{glyphs.warning} {line_of(turn.problem)}", "state-absent"),)))
    blocks.append(Blank())
    blocks += _body(turn, glyphs)
    blocks += [] if isinstance(blocks[-1], Blank) else [Blank()]
    blocks += [Heading((("record", "muted"),)), Raw(line_of(turn.ref, 1000), "faint")]
    return document(f"turn:{turn.session}:{turn.seq}", word, blocks)


def _meta(turn: TurnDetail, glyphs: Glyphs) -> list[Block]:
    unknown = turn.at is None and Part.TIMES in lacks(turn.ref.partition(":")[0])
    parts = [] if unknown else [full(turn.at)]
    if turn.agent:
        parts.append(line_of(turn.agent))
    if turn.model:
        parts.append(line_of(turn.model))
    if turn.tokens:
        parts.append(f"{turn.tokens.input + turn.tokens.cached} in, {turn.tokens.output} out")
    return [Prose(((f" {glyphs.separator} ".join(parts), "muted"),))] if parts else []


def _not_stored(turn: TurnDetail) -> list[Block]:
    """What one would look for in this turn and its host never writes down."""
    host = turn.ref.partition(":")[0]
    missing = lacks(host) & _ABOUT.get(turn.kind, _ABOUT_ALL)
    if turn.at is not None:
        missing -= {Part.TIMES}
    if turn.tokens is not None:
        missing -= {Part.TOKENS}
    if turn.model:
        missing -= {Part.MODEL}
    if turn.result is not None:
        missing -= {Part.RESULTS}
    if turn.is_error:
        missing -= {Part.ERRORS}
    if not missing:
        return []
    return [Prose(((f"not stored by {label(host)}: {in_words(missing)}", "muted"),))]


def _body(turn: TurnDetail, glyphs: Glyphs) -> list[Block]:
    if turn.kind not in (Kind.CALL, Kind.RESULT):
        return _text(turn, glyphs)
    call: list[Block] = _section("command", turn.text, "code", glyphs, bar="role-call")
    result: list[Block] = []
    if turn.result is None:
        unknown = Part.RESULTS in lacks(turn.ref.partition(":")[0])
        result = [Prose((("result not stored" if unknown else "no result yet", "muted"),))]
    elif turn.result.text.strip() or turn.is_error:
        tone, bar = ("text", "role-error") if turn.is_error else ("text", "faint")
        title = "error" if turn.is_error else "result"
        result = _section(title, turn.result, tone, glyphs, bar=bar, error=turn.is_error)
    diff: list[Block] = []
    if turn.diff is not None:
        diff = [
            Heading((("change", "muted"),)),
            DiffText(body_of(turn.diff.text)),
            *_cut(turn.diff),
        ]
    parts = [result, call, diff] if turn.is_error else [call, diff, result]
    out: list[Block] = []
    for part in filter(None, parts):
        out += [*part, Blank()]
    if turn.paths:
        out.append(Fields((("files", ((line_of("  ".join(turn.paths)), "link"),)),)))
    return out or [Prose((("nothing was recorded", "faint"),))]


def _text(turn: TurnDetail, glyphs: Glyphs) -> list[Block]:
    text = body_of(turn.text.text)
    if not text.strip():
        return [Prose((("no text", "faint"),))]
    if turn.kind is Kind.ANSWER and len(text) <= MARKDOWN_LIMIT:
        return [MarkdownText(text), *_cut(turn.text)]
    bars = {Kind.PROMPT: "role-prompt", Kind.INJECTION: "accent"}
    tone = "muted" if turn.kind in (Kind.THINKING, Kind.NOTICE) else "text"
    return [Raw(text, tone, bars.get(turn.kind, "")), *_cut(turn.text)]


def _section(
    title: str, text: LongText, tone: str, glyphs: Glyphs, *, bar: str, error: bool = False
) -> list[Block]:
    head = (f"{glyphs.error} {title}", "role-error") if error else (title, "muted")
    return [Heading((head,)), Raw(body_of(text.text), tone, bar), *_cut(text)]


def _cut(text: LongText) -> list[Block]:
    """Says how much of a long text is not shown."""
    return (
        [Prose(((f"{text.cut:,} more characters; `memtui show REF` prints them", "cut"),))]
        if text.cut
        else []
    )


def session_document(
    session: SessionRow, glyphs: Glyphs, now: datetime, outcome: str = ""
) -> Document:
    """What is known of a session; `outcome` says how it went, part by part."""
    counts = dict(zip(Facet, session.counts, strict=False))
    rows: list[tuple[str, tuple[Span, ...]]] = []

    def add(label: str, text: str, tone: str = "text") -> None:
        if text:
            rows.append((label, ((line_of(text), tone),)))

    add("host", f"{session.host} {session.version}".strip())
    add("agent", session.agent)
    add("model", session.model)
    add("started", full(session.started) if session.started is not None else "")
    add("ended", f"{full(session.ended)}  ({age(session.ended, now)} ago)" if session.ended else "")
    add("branch", session.branch)
    add("folder", session.cwd)
    add("remote", session.remote)
    shown = (Facet.PROMPTS, Facet.CALLS, Facet.ERRORS, Facet.DIFFS)
    add("turns", ", ".join(f"{counts.get(f, 0)} {f.value}" for f in shown))
    add("not stored", in_words(lacks(session.host)), "muted")
    add("id", session.id, "faint")
    title = line_of(session.title or session.agent or session.id)
    blocks: list[Block] = [Prose(((title, "title"),)), Blank(), Fields(tuple(rows))]
    if outcome:
        told = [Prose(((line_of(part), "text"),)) for part in outcome.split("; ")]
        blocks[1:1] = [Blank(), *told]
    if session.gone:
        note = "the host deleted this transcript; what the bank kept of it is still there"
        blocks[1:1] = [Prose(((f"{glyphs.gone} {note}", "state-absent"),))]
    return document(f"session:{session.session}", title, blocks)
