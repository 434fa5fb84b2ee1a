"""What hangs in the air: pages that nothing reaches, cards without evidence, excerpts that are gone."""

from __future__ import annotations

from collections.abc import Iterator

from memtui import reasons
from memtui.bank.evidence import EvidenceError, read_excerpt
from memtui.bank.memory_index import parse_index
from memtui.bank.model import Card, Status
from memtui.curate.following import target_of
from memtui.curate.rules.source import ERROR, WARNING, Finding, Source, keys


def unreached_pages(source: Source) -> Iterator[Finding]:
    """A page with no inbound link and no line in the index."""
    linked = {n for item in (*source.live, *source.pages) for n in item.links}
    listed = {target_of(line) for line in parse_index(source.index or b"")}
    for page in source.pages:
        if page.name not in linked and source.relative(page) not in listed:
            message = f"nothing links to {page.name} and the index does not list it"
            yield Finding(
                "orphan/page",
                WARNING,
                keys(page),
                message,
                "promote it again, or retire it",
                "promote",
            )


def pages_without_cards(source: Source) -> Iterator[Finding]:
    """A page of which every card is retired or gone."""
    status = {card.id: card.status for card in source.contents.cards}
    for page in source.pages:
        left = [s for s in page.sources if status.get(s, Status.RETIRED) is not Status.RETIRED]
        if page.sources and not left:
            message = f"every card of {page.name} is retired"
            yield Finding("orphan/cards", WARNING, keys(page), message, "retire the page", "demote")


def cards_without_evidence(source: Source) -> Iterator[Finding]:
    """An active card that cites nothing and that no person asserted."""
    if source.is_host_folder:
        return
    for card in source.live:
        if not card.evidence and card.origin != "human":
            message = f"{card.name} cites no session"
            fix = "cite a turn with edit, or set `origin: human` to assert it"
            yield Finding("orphan/evidence", WARNING, keys(card), message, fix, "edit")


def lost_evidence(source: Source) -> Iterator[Finding]:
    """Evidence whose transcript and excerpt are both gone, or whose hash does not match."""
    for item in (*source.live, *source.pages):
        changed = _reason(source, item.id, reasons.EVIDENCE_CHANGED)
        if changed:
            fix = "look at both texts, then confirm or demote"
            yield Finding("orphan/changed", ERROR, keys(item), changed, fix, "confirm")
        if isinstance(item, Card) and source.excerpts:
            yield from _excerpts(source, item)


def _excerpts(source: Source, card: Card) -> Iterator[Finding]:
    gone = bool(_reason(source, card.id, reasons.EVIDENCE_GONE))
    for cited in card.evidence:
        if not cited.excerpt:
            continue
        try:
            read_excerpt(source.excerpts, cited.excerpt)
        except EvidenceError as error:
            # A missing excerpt matters once the transcript is gone too; a changed one always does.
            missing = "not kept" in str(error)
            if not missing or gone:
                rule, severity = ("orphan/gone", WARNING) if missing else ("orphan/changed", ERROR)
                yield Finding(
                    rule, severity, keys(card), f"{card.name}: {error}", "demote the card", "demote"
                )


def _reason(source: Source, item_id: str, reason: str) -> str:
    return next((s.cause for s in source.states.get(item_id, ()) if s.reason == reason), "")
