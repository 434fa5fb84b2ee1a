"""Cards to a page, by rules: every claim is a card's sentence and ends in the cards that it came from.

A page is compiled from cards, never from the previous page, so compiling the same cards twice gives the
same text, and leaving a card out takes away exactly what only that card said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memtui.bank.items import LINK
from memtui.bank.model import BankContents, Card, Claim, Item, Page, Scope, Status
from memtui.capture import phrases
from memtui.curate.act import CurateError
from memtui.curate.hunks import unified
from memtui.curate.similar import SAME, likeness, words
from memtui.index.support import lost_claims
from memtui.reasons import ABSENT

PROCEDURE = ("When", "Steps", "Watch out", "Why", "Environment")
HANDBOOK = ("When", "Constraints", "Conventions", "Decisions", "Pitfalls", "Environment", "Facts")
_HANDBOOK_OF = {
    "constraint": "Constraints",
    "convention": "Conventions",
    "decision": "Decisions",
    "pitfall": "Pitfalls",
    "env": "Environment",
}
_SAID_BY = {
    "pitfall": "Watch out",
    "constraint": "Watch out",
    "env": "Environment",
    "decision": "Why",
}
_PREFIX = re.compile(r"^(?:\*\*)?(cause|why|fix|how to apply)(?:\*\*)?:(?:\*\*)?\s*", re.IGNORECASE)
_POINTER = re.compile(
    r"^(?:see(?: also)?|related):?\s*(?:\[\[[^\]]*\]\][,;.\s]*(?:and\s)?)+$", re.IGNORECASE
)
_FENCED = re.compile(r"^```[^\n]*\n([^\n]+)\n```[^\n]*$", re.MULTILINE)
_LIKE = 0.75
"""From here on a sentence adds nothing to the title above it."""


@dataclass(frozen=True, slots=True)
class PageDraft:
    """A page before it is saved. `sources` maps the id of each card to its digest."""

    title: str
    type: str
    body: str
    sources: Mapping[str, str]
    tags: tuple[str, ...] = ()
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class RebuildPlan:
    """What rebuilding changes: `left_out` are the cards that no longer hold, with the reason."""

    page: Page
    draft: PageDraft
    diff: str
    left_out: Mapping[str, str]
    lost: tuple[Claim, ...]


@dataclass(slots=True)
class _Section:
    claims: list[tuple[str, list[str]]] = field(default_factory=list)

    def add(self, text: str, name: str) -> None:
        """Add a claim, or the card to a claim that says the same."""
        own = words(text)
        for said, names in self.claims:
            if said == text or likeness(words(said), own) >= SAME:
                if name not in names:
                    names.append(name)
                return
        self.claims.append((text, [name]))


def compile_page(cards: Sequence[Card], kind: str = "procedure", title: str = "") -> PageDraft:
    """A page of the given kind (`procedure` or `handbook`) from the cards, in their order.

    Raises CurateError without cards, or for a card that is not active.
    """
    if not cards:
        raise CurateError("a page needs cards", "mark the cards first")
    for card in cards:
        if card.status is not Status.ACTIVE or card.conflict:
            raise CurateError(f"{card.name} does not hold", "promote it first, or leave it out")
    names = PROCEDURE if kind == "procedure" else HANDBOOK
    sections = {name: _Section() for name in names}
    for card in cards:
        for section, text in _claims(card, kind):
            sections[section].add(text, card.name)
    return PageDraft(
        title=title or _title(cards),
        type=kind,
        body=_body(sections),
        sources={card.id: card.digest for card in cards},
        tags=_shared_tags(cards),
        scope=_shared_scope(cards),
    )


def plan_rebuild(page: Page, contents: BankContents, absent: Mapping[str, str]) -> RebuildPlan:
    """The page compiled again from those of its cards that hold, with the diff to its text now.

    `absent` maps the id of a card that does not hold to the reason. Raises CurateError when none holds.
    """
    by_id = {card.id: card for card in contents.cards}
    left_out = {s: absent.get(s, "gone") for s in page.sources if s in absent or s not in by_id}
    cards = [by_id[source] for source in page.sources if source not in left_out]
    if not cards:
        raise CurateError(f"no card of {page.name} holds any more", "demote the page")
    draft = compile_page(cards, page.type, page.title)
    diff = unified(page.body.encode(), draft.body.encode(), page.name)
    return RebuildPlan(page, draft, diff, left_out, support(page, contents, absent))


def support(page: Page, contents: BankContents, absent: Mapping[str, str]) -> tuple[Claim, ...]:
    """The claims of the page of which no cited card holds any more."""
    return lost_claims(page, {card.name for card in contents.cards if card.id not in absent})


def absent_cards(contents: BankContents, states: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Id to reason for cards that do not hold: `states` are reasons by id, strongest first."""
    found = {}
    for card in contents.cards:
        reasons = [reason for reason in states.get(card.id, ()) if reason in ABSENT]
        if reasons:
            found[card.id] = reasons[0]
        elif card.status is not Status.ACTIVE:
            found[card.id] = card.status.value
    return found


def _claims(card: Card, kind: str) -> Iterable[tuple[str, str]]:
    """What a card says, each sentence with its section."""
    own = (
        _SAID_BY.get(card.type, "Steps")
        if kind == "procedure"
        else _HANDBOOK_OF.get(card.type, "Facts")
    )
    yield own, _closed(card.title)
    title = words(card.title)
    for sentence in phrases.sentences(_FENCED.sub(r"Run `\1`.", card.body)):
        if _POINTER.match(sentence):
            continue
        plain = LINK.sub(lambda found: found[1].strip(), sentence)
        if plain.lower().startswith("use when:"):
            yield "When", _closed(_upper(plain[len("Use when:") :].strip()))
        elif likeness(words(plain), title) < _LIKE:
            yield _section(plain, own, kind), _closed(_PREFIX.sub("", plain))


def _section(sentence: str, own: str, kind: str) -> str:
    if kind != "procedure":
        return own
    prefix = _PREFIX.match(sentence)
    word = prefix[1].lower() if prefix else ""
    if word in ("fix", "how to apply"):
        return "Steps"
    if word in ("cause", "why"):
        return "Why"
    return own


def _body(sections: Mapping[str, _Section]) -> str:
    parts = []
    for name, section in sections.items():
        if not section.claims:
            continue
        lines = []
        for number, (text, names) in enumerate(section.claims, 1):
            mark = f"{number}." if name == "Steps" else "-"
            lines.append(f"{mark} {text} {' '.join(f'[[{card}]]' for card in names)}")
        parts.append(f"## {name}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _closed(text: str) -> str:
    text = " ".join(text.split())
    return text if text[-1:] in ".!?:" or not text else text + "."


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _title(cards: Sequence[Card]) -> str:
    tags = _shared_tags(cards)
    return f"How we handle {tags[0]}" if tags else cards[0].title


def _shared_tags(cards: Sequence[Card]) -> tuple[str, ...]:
    shared = set(cards[0].tags).intersection(*(card.tags for card in cards))
    return tuple(tag for tag in cards[0].tags if tag in shared)


def _shared_scope(cards: Sequence[Item]) -> Scope:
    projects = {card.scope.project for card in cards}
    branches = {card.scope.branch for card in cards}
    return Scope(
        projects.pop() if len(projects) == 1 else None,
        branches.pop() if len(branches) == 1 else None,
    )
