"""The timeline as rows of a list."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime

from memtui.hosts.model import Kind
from memtui.hosts.protocol import Part
from memtui.hosts.registry import lacks
from memtui.sessions.rows import TITLE, Flag
from memtui.sessions.timeline import SessionRow, Timeline, TimelineRow, TurnRow
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.columns import highlight, indent, row
from memtui.tui.docs.spans import Line, Span
from memtui.tui.glyphs import Glyphs
from memtui.tui.tones import kind_sign
from memtui.tui.when import age, clock

HEADING = TITLE
"""Stands for the sequence number in the key of a session's heading."""

_TAGS = 3
"""Tags that a heading shows; more are counted."""

RowKey = tuple[int, int]
"""Session row id and sequence number, `HEADING` for a heading."""


def key_of(timeline_row: TimelineRow) -> RowKey:
    """The key under which a list finds the row again."""
    turn = timeline_row.turn
    return timeline_row.session.session, HEADING if turn is None else turn.seq


class TimelineRows:
    """Draws the rows of a `Timeline`; `words` are highlighted, `target` is the record of a walk.

    `hidden` are sessions (`host:session`) that are shown only because that was asked for, `tags` theirs.
    """

    def __init__(self, timeline: Timeline, glyphs: Glyphs, now: datetime) -> None:
        self.timeline = timeline
        self.now = now
        self.words: tuple[str, ...] = ()
        self.target: tuple[RowKey, str] | None = None
        self.outcomes: Mapping[str, str] = {}
        self.hidden: frozenset[str] = frozenset()
        self.tags: Mapping[str, tuple[str, ...]] = {}
        self._glyphs = glyphs

    def outcome(self, session: SessionRow) -> str:
        """How a session went, "" where nobody looked yet."""
        return self.outcomes.get(session.ref, "")

    def tagged(self, session: SessionRow) -> tuple[str, ...]:
        """The tags of a session; its sub-agents have none."""
        return () if session.agent else self.tags.get(session.ref, ())

    def __len__(self) -> int:
        return len(self.timeline)

    def key(self, index: int) -> Hashable:
        """Session and sequence number."""
        return key_of(self.timeline.row(index))

    def find(self, key: Hashable) -> int | None:
        """Where the row is, or the one before it when the facet hides it."""
        if not isinstance(key, tuple):
            return None
        session, seq = key
        return self.timeline.position_of(session, None if seq == HEADING else seq)

    def version(self, index: int) -> Hashable:
        """The row itself: values compare by content. A turn is drawn alike whatever its session gains."""
        entry = self.timeline.row(index)
        target = self.target[1] if self.target and self.target[0] == key_of(entry) else ""
        if entry.is_heading:
            told, tags = self.outcome(entry.session), self.tagged(entry.session)
            return entry, self.words, self.hidden, self.now, told, tags
        return entry.turn, entry.session.depth, self.words, target

    def line(self, index: int, width: int) -> Line:
        """One row."""
        entry = self.timeline.row(index)
        if entry.turn is None:
            session, told = entry.session, self.outcome(entry.session)
            hidden = session.ref in self.hidden
            return heading_row(
                session,
                width,
                self._glyphs,
                self.now,
                self.words,
                hidden,
                told,
                self.tagged(session),
            )
        target = self.target[1] if self.target and self.target[0] == key_of(entry) else ""
        depth, waits = entry.session.depth, Part.RESULTS not in lacks(entry.session.host)
        return turn_row(entry.turn, width, self._glyphs, self.words, target, depth, waits)


def heading_row(
    session: SessionRow,
    width: int,
    glyphs: Glyphs,
    now: datetime,
    words: Sequence[str] = (),
    hidden: bool = False,
    outcome: str = "",
    tags: Sequence[str] = (),
) -> Line:
    """`▾ #tag Title  outcome   3d  codex  main  42`: age, host, branch and count, dropped from the end."""
    sign = glyphs.closed if session.collapsed else glyphs.open
    title = session.title or session.agent or session.id
    left: Line = [(f"{sign} ", "heading")]
    left += [(f"#{line_of(tag, 40)} ", "accent") for tag in tags[:_TAGS]]
    if len(tags) > _TAGS:
        left.append((f"+{len(tags) - _TAGS} ", "accent"))
    left += highlight([(line_of(title), "heading")], words)
    if outcome:
        left += [("  ", ""), *highlight([(line_of(outcome), "muted")], words)]
    if session.depth:
        left = indent(left, 2 * session.depth, width, glyphs.ellipsis)
    when = "transcript gone" if session.gone else age(session.ended or session.started, now)
    right: list[Sequence[Span]] = [
        [(f"{when:>3}", "state-absent" if session.gone else "muted")],
        *([[("hidden", "state-absent")]] if hidden else []),
        [(line_of(session.host, 12), "role-call")],
        [(line_of(session.branch, 16), "faint")] if session.branch else [],
        [(f"{session.count:>3}", "faint")],
    ]
    return row(left, right, width, 24, glyphs.ellipsis)


def turn_row(
    turn: TurnRow,
    width: int,
    glyphs: Glyphs,
    words: Sequence[str] = (),
    target: str = "",
    depth: int = 0,
    waits: bool = True,
) -> Line:
    """`14:02 ❯ fix the flaky test           ▸4 ✗1`. Where results are never stored none is waited for."""
    is_error = bool(turn.flags & Flag.ERROR)
    sign, tone = kind_sign(turn.kind, glyphs, is_error)
    body = line_of(turn.preview) or _silent(turn)
    text_tone = {"role-answer": "text", "role-call": "text"}.get(tone, tone)
    left: Line = [(f"{clock(turn.at)} ", "faint"), (f"{sign} ", tone)]
    if depth:
        left.insert(0, ("  " * depth, ""))
    if turn.tool:
        left.append((f"{line_of(turn.tool, 24)} ", "role-error" if is_error else "role-call"))
    left.extend(highlight([(body, text_tone if not is_error else "text")], words))
    right: list[Sequence[Span]] = []
    if target:
        right.append([(f" {target} ", "chip")])
    if is_error and turn.exit_code is not None:
        right.append([(f"exit {turn.exit_code}", "role-error")])
    if waits and turn.flags & Flag.PENDING:
        right.append([("no result yet", "muted")])
    if turn.failed:
        right.append([(f"{glyphs.error}{turn.failed}", "role-error")])
    if turn.calls:
        right.append([(f"{glyphs.call}{turn.calls}", "faint")])
    return row(left, right, width, 12 if target else 20, glyphs.ellipsis)


def _silent(turn: TurnRow) -> str:
    """What a row without text says."""
    return {
        Kind.COMPACTION: "context compacted",
        Kind.SUBAGENT: "sub-agent",
        Kind.THINKING: "thinking",
        Kind.INJECTION: "memory received",
        Kind.RESULT: "result",
    }.get(turn.kind, "")
