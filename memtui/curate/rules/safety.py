"""What must not reach an agent: secrets, hidden characters, orders from outside."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.bank.model import Item
from memtui.curate.rules.source import ERROR, Finding, Source, keys
from memtui.safety.redact import redact
from memtui.safety.sanitize import TAB, sanitize

_ORDER = re.compile(
    r"\b(?:ignore (?:all|any|the|previous|prior)|disregard (?:all|the|previous)|you (?:must|should|have to)|"
    r"do not (?:tell|ask|mention)|system prompt|as an ai)\b|"
    r"(?:^|[.!:\n]\s*)(?:please )?(?:run|execute|delete|send|upload|post|fetch|download|install|curl|open|"
    r"visit)\b",
    re.IGNORECASE,
)


def secrets(source: Source) -> Iterator[Finding]:
    """Text that looks like a secret."""
    for item in (*source.contents.cards, *source.contents.pages):
        hits = redact(_text(item)).hits
        if hits:
            kinds = ", ".join(kind for kind, _ in hits)
            fix = "edit masks it; purge takes it out of history too"
            yield Finding(
                "safety/secret",
                ERROR,
                keys(item),
                f"{item.name} holds a secret: {kinds}",
                fix,
                "purge",
            )


def hidden_characters(source: Source) -> Iterator[Finding]:
    """Characters that a reader does not see."""
    for item in (*source.live, *source.pages):
        text = _text(item).replace("\r\n", "\n").replace("\t", TAB)
        if sanitize(text) != text:
            message = f"{item.name} holds control or hidden characters"
            yield Finding("safety/hidden", ERROR, keys(item), message, "take them out", "edit")


def foreign_orders(source: Source) -> Iterator[Finding]:
    """Imperative text in a card that came from outside."""
    for card in source.live:
        found = (
            _ORDER.search(f"{card.title}\n{card.body}")
            if card.origin.startswith("external")
            else None
        )
        if found:
            message = f'{card.name} came from outside and says "{found.group().strip()}"'
            yield Finding(
                "safety/order",
                ERROR,
                keys(card),
                message,
                "demote it, or say it as a fact",
                "demote",
            )


def _text(item: Item) -> str:
    quotes = "\n".join(cited.quote for cited in item.evidence)
    return f"{item.title}\n{item.body}\n{quotes}"
