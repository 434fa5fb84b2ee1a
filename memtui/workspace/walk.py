"""The provenance walk: from a page's claim to its card, its evidence and the very record."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memtui import reasons
from memtui.index.states import is_absent
from memtui.workspace.model import BankView, Check, EvidenceView, ItemView, WalkStep
from memtui.workspace.views import claims_of

Cite = Callable[[ItemView], tuple[EvidenceView, ...]]


def walk(view: BankView, word: str, cite: Cite) -> tuple[WalkStep, ...]:
    """Every step below the item named `word` (handle or name); empty when there is none.

    `cite` gives an item's citations, each checked. A card that several claims cite is walked once and
    named again afterwards.
    """
    start = view.find(word)
    if start is None:
        return ()
    if start.layer == "card":
        return tuple(_card_steps(start, 0, cite, set()))
    return tuple(_page_steps(view, start, cite))


def _page_steps(view: BankView, page: ItemView, cite: Cite) -> Iterator[WalkStep]:
    walked: set[str] = set()
    yield WalkStep(0, "page", _label(page), _standing(page), _cause(page), page.item.id)
    yield from _evidence_steps(page, 1, cite)
    for claim in claims_of(view, page):
        check = Check.VERIFIED if claim.holds else Check.GONE
        detail = "" if claim.holds else "no card that it cites holds"
        yield WalkStep(1, "claim", claim.claim.text, check, detail)
        for name in claim.missing:
            yield WalkStep(2, "card", name, Check.GONE, "no such card")
        for card in claim.cards:
            yield from _card_steps(card, 2, cite, walked)


def _card_steps(card: ItemView, depth: int, cite: Cite, walked: set[str]) -> Iterator[WalkStep]:
    if card.item.id in walked:
        yield WalkStep(depth, "card", _label(card), _standing(card), "see above", card.item.id)
        return
    walked.add(card.item.id)
    yield WalkStep(depth, "card", _label(card), _standing(card), _cause(card), card.item.id)
    yield from _evidence_steps(card, depth + 1, cite)


def _evidence_steps(item: ItemView, depth: int, cite: Cite) -> Iterator[WalkStep]:
    for citation in cite(item):
        evidence = citation.evidence
        label = f'"{evidence.quote}"' if evidence.quote else evidence.ref
        yield WalkStep(depth, "evidence", label, citation.check, citation.detail, evidence.ref)
        if citation.location is not None:
            span = citation.location.span
            place = f"{span.path}:{span.offset}+{span.length}"
            yield WalkStep(depth + 1, "record", evidence.ref, citation.check, place, evidence.ref)
        elif citation.excerpt is not None:
            text = citation.excerpt.text
            yield WalkStep(
                depth + 1, "excerpt", text, Check.GONE, "kept with the bank", evidence.ref
            )


def _label(view: ItemView) -> str:
    return f"{view.item.id} {view.item.title}"


def _standing(view: ItemView) -> Check:
    """An item that is absent from injections does not hold; one that only lags has changed."""
    if is_absent(view.states):
        return Check.GONE
    changed = any(state.reason == reasons.BEHIND for state in view.states)
    return Check.CHANGED if changed else Check.VERIFIED


def _cause(view: ItemView) -> str:
    return "; ".join(f"{state.reason}: {state.cause}" for state in view.states)
