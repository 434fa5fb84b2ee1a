"""The pane beside an agent: what the session received and holds, its errors, and what could be kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

from memtui.curate.candidates import Candidate
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.columns import row
from memtui.tui.docs.spans import Line, Span, spread
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import Row
from memtui.tui.when import age, clock
from memtui.workspace.live import Failure, LiveSession, LiveView, Receipt

_BARS = "▁▂▃▄▅▆▇█"
_SHOWN_REQUESTS = 12
_MOST = 50


def head_line(
    session: LiveSession | None, others: int, now: datetime, width: int, glyphs: Glyphs
) -> Line:
    """` memtui watch      codex  live`: whose session, and whether it still runs."""
    left: Line = [(" memtui ", "chip"), (" ", ""), ("watch", "strong")]
    if session is None:
        return left
    state: Span = (
        ("live", "ok") if session.is_live(now) else (f"quiet {age(session.changed, now)}", "muted")
    )
    right: Line = [(session.host, "role-call"), ("  ", ""), state, (" ", "")]
    if others:
        right = [(f"+{others} live  ", "accent"), *right]
    return spread(left, right, width, glyphs.ellipsis)


def summary_lines(
    view: LiveView, receipt: Receipt, width: int, glyphs: Glyphs, *, titled: bool
) -> list[Line]:
    """Title, what was received, and what the context holds: one line each."""
    lines = [_received(view, receipt, width, glyphs), _context(view, width, glyphs)]
    if titled:
        session = view.session
        title: Line = [(f"{glyphs.prompt} ", "role-prompt"), (line_of(session.title), "title")]
        lines.insert(
            0, spread(title, [(line_of(session.model, 20), "faint")], width, glyphs.ellipsis)
        )
    return lines


def _received(view: LiveView, receipt: Receipt, width: int, glyphs: Glyphs) -> Line:
    """By the transcript where it shows memtui's text, else by the ledger of what was sent."""
    ours = [one for one in view.received if one.ours]
    outcome = receipt.outcome
    tone = {"delivered": "ok", "differs": "warn", "missing": "error"}.get(outcome, "muted")
    signs = {"delivered": glyphs.verified, "differs": glyphs.changed, "missing": glyphs.gone}
    end: Line = [(f"{signs.get(outcome, '')} {outcome}".strip(), tone)] if outcome else []
    if not ours and not receipt.handles:
        left: Line = [(f"{glyphs.injection} ", "faint"), ("no memory received", "muted")]
        if view.received:
            left.append((f", {len(view.received)} from other hooks", "faint"))
        return spread(left, end, width, glyphs.ellipsis)
    lines = len(view.handles) if ours else len(receipt.handles)
    size = sum(one.tokens for one in ours) if ours else receipt.tokens
    count = len(ours) or receipt.times
    told = f"{lines} line{'' if lines == 1 else 's'} ~{size}"
    times = f", {count} times" if count > 1 else ""
    left = [(f"{glyphs.injection} ", "accent"), (f"{told}{times}", "text")]
    return spread(left, end, width, glyphs.ellipsis)


def _context(view: LiveView, width: int, glyphs: Glyphs) -> Line:
    if not view.context:
        return [(f"{glyphs.note} ", "faint"), ("tokens not stored by this host yet", "muted")]
    left: Line = [("context ", "muted"), (f"{view.context[-1]:,}", "text")]
    if view.memory:
        left.append((f"  memory {view.share:.1%}", "accent"))
    right: Line = []
    if view.compacted:
        last = view.compacted[-1]
        count = len(view.compacted)
        lost = f", {len(last.lost)} lines lost" if last.lost else ""
        right = [
            (f"{glyphs.compaction}{count}{lost}", "state-warn" if last.lost else "muted"),
            (" ", ""),
        ]
    room = width - sum(len(text) for text, _ in (*left, *right)) - 2
    return spread(
        left, [*right, (_bars(view.context, room, glyphs), "role-call")], width, glyphs.ellipsis
    )


def _bars(values: Sequence[int], room: int, glyphs: Glyphs) -> str:
    """The last requests as bars, the highest of all full; nothing where signs must be ASCII."""
    shown = values[-max(0, min(room, _SHOWN_REQUESTS)) :] if room > 0 else ()
    if glyphs.border == "ascii" or len(shown) < 2:
        return ""
    top = max(values)
    return "".join(_BARS[min(7, value * 8 // max(1, top))] for value in shown)


def note_rows(
    view: LiveView, receipt: Receipt, found: Sequence[Candidate], glyphs: Glyphs
) -> list[Row]:
    """The errors, newest first, each with the card that covers it; then what could become a card."""
    rows: list[Row] = []
    if view.repeated:
        rows.append(Row(("head", "running"), lambda _: [("runs, and is known", "heading")]))
    for call in view.repeated:
        rows += [
            Row(("error", call.seq), partial(_running, call, glyphs), call),
            *_known_rows(call, view, receipt, glyphs),
        ]
    if view.failures:
        known = sum(one.covered is not None for one in view.failures)
        head = f"errors {len(view.failures)}" + (f", {known} known" if known else "")
        rows.append(Row(("head", "errors"), lambda _: [(head, "heading")], head))
    for failure in list(reversed(view.failures))[:_MOST]:
        rows.append(Row(("error", failure.seq), partial(_error, failure, glyphs), failure))
        rows += _known_rows(failure, view, receipt, glyphs)
    if found:
        title = f"to keep {len(found)}"
        rows.append(Row(("head", "keep"), lambda _: [(title, "heading")], title))
    for number, candidate in enumerate(found):
        key = ("keep", candidate.draft.title)
        rows.append(
            Row(key, partial(_candidate, candidate, glyphs), (number, candidate.draft.title))
        )
    return rows


def _known_rows(failure: Failure, view: LiveView, receipt: Receipt, glyphs: Glyphs) -> list[Row]:
    """The card that covers a call, and whether the session was sent it."""
    if failure.covered is None:
        return []
    sent = failure.covered.handle in view.handles | receipt.handles
    draw = partial(_known, failure, sent, glyphs)
    return [Row(("known", failure.seq, failure.covered.handle), draw, (failure, sent))]


def _running(call: Failure, glyphs: Glyphs, width: int) -> Line:
    left: Line = [
        (f"{glyphs.call} ", "role-call"),
        (f"{line_of(call.tool, 16)} ", "role-call"),
        (line_of(call.text), "text"),
    ]
    return row(left, [[(clock(call.at), "faint")]], width, 16, glyphs.ellipsis)


def _error(failure: Failure, glyphs: Glyphs, width: int) -> Line:
    left: Line = [
        (f"{glyphs.error} ", "role-error"),
        (f"{line_of(failure.tool, 16)} ", "role-error"),
        (line_of(failure.text), "text"),
    ]
    end: list[Sequence[Span]] = [[(clock(failure.at), "faint")]]
    if failure.exit_code is not None:
        end.append([(f"exit {failure.exit_code}", "role-error")])
    return row(left, end, width, 16, glyphs.ellipsis)


def _known(failure: Failure, sent: bool, glyphs: Glyphs, width: int) -> Line:
    covered = failure.covered
    if covered is None:
        return []
    left: Line = [
        ("  known ", "chip"),
        (f" {covered.handle} ", "key"),
        (line_of(covered.title), "match"),
    ]
    return spread(left, [("was sent", "warn")] if sent else [], width, glyphs.ellipsis)


def _candidate(candidate: Candidate, glyphs: Glyphs, width: int) -> Line:
    left: Line = [("+ ", "ok"), (line_of(candidate.draft.title), "text")]
    return row(left, [[(candidate.reason, "faint")]], width, 30, glyphs.ellipsis)


def session_choices(
    sessions: Sequence[LiveSession], now: datetime
) -> Iterator[tuple[str, str, str]]:
    """(value, label, note) for choosing a session: live ones first, as they come."""
    for session in sessions:
        state = "live" if session.is_live(now) else age(session.changed, now)
        title = line_of(session.title or session.id, 60)
        yield str(session.session), title, f"{session.host}  {state}"
