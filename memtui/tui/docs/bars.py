"""Header, status bar and key line, as parts that may be clicked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len

from memtui.curate.sleep.model import Progress
from memtui.tui.actions import footer_actions
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.spans import Line, Span, clip, plain, spread, width_of
from memtui.tui.glyphs import Glyphs
from memtui.tui.keys import KeyMap
from memtui.tui.listing import summary
from memtui.tui.widgets.lines import Part
from memtui.workspace.inbox import InboxView
from memtui.workspace.model import BankView, ScanProgress, StatusNote
from memtui.workspace.watching import Mode

_WIDE = 80
_SHORTEST = 8
"""Cells of a breadcrumb word below which the first words go."""


def header_line(
    views: Sequence[tuple[str, bool]],
    place: Sequence[str],
    crumbs: Sequence[str],
    width: int,
    glyphs: Glyphs,
) -> Line:
    """` memtui  Browse        svc-order · main`, or the way walked so far while walking."""
    left: Line = [(" memtui ", "chip"), (" ", "")]
    words = f" {glyphs.separator} ".join(line_of(part, 40) for part in place if part)
    room = width - width_of(left) - cell_len(words) - 2
    whole = sum(cell_len(name) + 2 for name, _ in views) <= room
    for name, here in views if width >= _WIDE or not crumbs else ():
        if whole or here:
            left += [(name, "strong" if here else "muted"), ("  ", "")]
    if not crumbs:
        return spread(left, [(words + " ", "muted")], width, glyphs.ellipsis)
    return [*left, *crumb_line(crumbs, width - width_of(left), glyphs)]


def crumb_line(crumbs: Sequence[str], width: int, glyphs: Glyphs) -> Line:
    """`Page › claim b › Card › evidence a › turn 14:02`: the last words stay whole, the first shrink."""
    arrow = f" {glyphs.arrow} "
    shown = list(crumbs)
    while len(shown) > 2 and width < (_SHORTEST + len(arrow)) * len(shown):
        shown.pop(0)
    if len(shown) < len(crumbs):
        shown.insert(0, glyphs.ellipsis)
    room = width - len(arrow) * (len(shown) - 1) - 1
    sizes = [cell_len(crumb) for crumb in shown]
    while sum(sizes) > room and max(sizes) > _SHORTEST:
        sizes[sizes.index(max(sizes))] -= 1
    line: Line = []
    for number, (crumb, size) in enumerate(zip(shown, sizes, strict=True)):
        if number:
            line.append((arrow, "faint"))
        last = number == len(shown) - 1
        line.append((clip(crumb, size, glyphs.ellipsis), "accent" if last else "muted"))
    return line


def bank_parts(view: BankView | None, name: str, narrow: bool) -> list[Part]:
    """Name and counts: `svc-order  25 cards (3 stale, 4 other out)  4 pages`."""
    parts = [Part(((f" {line_of(name, 30)}", "title"),))] if name else []
    if view is None:
        return parts
    count = len(view.cards)
    spans: list[Span] = [(f"{count} card{'' if count == 1 else 's'}", "text")]
    states = summary(view.cards)
    if states:
        known = dict(states)
        stale = known.pop("stale", 0)
        words = [f"{stale} stale"] if stale else []
        others = sum(known.values())
        if narrow:
            words = [f"{stale + others} held back"]
        elif others:
            words.append(f"{others} {'otherwise ' if stale else ''}held back")
        spans.append((f", {', '.join(words)}", "state-warn"))
    parts.append(Part(tuple(spans)))
    pages = len(view.pages)
    behind = sum(bool(page.behind) for page in view.pages)
    spans = [(f"{pages} page{'' if pages == 1 else 's'}", "text")]
    if behind:
        spans.append((f", {behind} behind", "state-warn"))
    parts.append(Part(tuple(spans)))
    return parts


def progress_part(progress: ScanProgress, glyphs: Glyphs, paused: str = "") -> Part:
    """The running scan: `⠹ reading sessions 34% 12/40 esc stops`; `paused` is the key that goes on."""
    share = progress.bytes_done / progress.bytes_total if progress.bytes_total else 0.0
    files = f" {progress.files_done}/{progress.files_total}"
    if paused:
        text = f"paused: reading sessions {share:.0%}"
        return Part(
            ((text, "warn"), (files, "muted"), (f"  {paused} goes on", "faint")), "screen.pause"
        )
    sign = glyphs.spinner[progress.files_done % len(glyphs.spinner)]
    text = f"{sign} reading sessions {share:.0%}"
    return Part(((text, "accent"), (files, "muted"), ("  esc stops", "faint")), "screen.back")


def polling_part(mode: Mode) -> Part | None:
    """That changes are asked for, because the system does not tell them; or that none are noticed."""
    if mode.failed:
        return Part((("not watching", "error"),))
    return Part((("polling", "warn"),)) if mode.polled else None


def events_part(mode: Mode) -> Part | None:
    """That the system tells of changes: a quiet word."""
    return Part((("events", "faint"),)) if mode.word == "events" and not mode.failed else None


def sleep_part(progress: Progress, glyphs: Glyphs) -> Part:
    """The running sleep: `⠹ sleeping 3/17  esc stops`."""
    sign = glyphs.spinner[progress.done % len(glyphs.spinner)]
    share = f" {progress.done}/{progress.total}" if progress.total else ""
    spans = ((f"{sign} sleeping", "accent"), (share, "muted"), ("  esc stops", "faint"))
    return Part(spans, "screen.back")


def waiting_part(inbox: InboxView, narrow: bool) -> Part | None:
    """How many proposals wait, how many sessions were read and how many failed, clickable.

    Nothing before the first session was read.
    """
    count, failed = len(inbox.waiting), len(inbox.failed)
    if not count and not failed and not inbox.read:
        return None
    text = f" {count} waiting " if narrow else f" {count} waiting in the inbox "
    spans: list[Span] = [(text, "chip" if count else "muted")]
    if failed:
        spans.append((f" {failed} of {inbox.read + failed} sessions failed", "warn"))
    elif inbox.read:
        said = "read" if narrow else f"session{'' if inbox.read == 1 else 's'} read"
        spans.append((f" {inbox.read} {said}", "muted"))
    return Part(tuple(spans), "app.view('inbox')")


def inbox_parts(
    found: InboxView,
    week: tuple[int, int],
    sleeping: Progress | None,
    narrow: bool,
    glyphs: Glyphs,
) -> list[Part]:
    """The Inbox's own bar: what waits, how much was read, what failed, what came and went."""
    chip = waiting_part(replace(found, read=0, failed=()), narrow)
    parts = [chip] if chip is not None else []
    if sleeping is not None:
        at_work = sleep_part(sleeping, glyphs)
        parts.append(at_work if parts else Part(((" ", ""), *at_work.spans), at_work.run))
    indent = "" if parts else " "
    parts.append(Part(((f"{indent}{found.read} sessions read", "text"),)))
    if found.failed:
        parts.append(Part(((f"{len(found.failed)} failed", "warn"),), "screen.problems"))
    if found.fell_back:
        said = f"drafter failed {len(found.fell_back)}"
        parts.append(Part(((said, "warn"),), "screen.problems"))
    if found.expired:
        parts.append(Part(((f"{len(found.expired)} expired", "muted"),), "screen.facets"))
    if any(week):
        came, went = week
        parts.append(Part(((f"{came} in, {went} out this week", "muted"),)))
    return parts


def note_part(notes: Sequence[StatusNote], problems: int, glyphs: Glyphs) -> Part | None:
    """What is off or could not be read: the first in words, the others counted."""
    texts = [
        (note.text, "error" if note.level == "error" else "warn")
        for note in notes
        if note.level not in ("ok", "info")
    ]
    if problems:
        texts.insert(0, (f"{problems} problem{'' if problems == 1 else 's'} in files", "warn"))
    if not texts:
        return None
    text, tone = texts[0]
    more = f" +{len(texts) - 1}" if len(texts) > 1 else ""
    return Part(((f"{glyphs.warning} {line_of(text, 60)}{more}", tone),), "screen.problems")


def fitting(groups: Sequence[Part | None], width: int, gap: int = 2) -> list[Part]:
    """The parts that fit, dropping from the end."""
    shown: list[Part] = []
    used = 0
    for part in groups:
        if part is None:
            continue
        size = len(plain(part.spans)) + gap
        if used + size > width + gap:
            continue
        shown.append(part)
        used += size
    return shown


def footer_parts(
    scopes: Sequence[str], keymap: KeyMap, width: int, limit: int, ascii_only: bool
) -> list[Part]:
    """The keys worth knowing here; a click runs them."""
    parts = [
        Part(
            ((keymap.shown(action, ascii_only), "key"), (f" {action.label}", "muted")),
            f"memtui:{action.id}",
        )
        for action in footer_actions(scopes, limit)
    ]
    fit = fitting(parts, width - 1)
    return [Part(((" ", ""), *fit[0].spans), fit[0].run), *fit[1:]] if fit else []
