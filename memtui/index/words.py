"""What of an item is searched: its texts, and its identifiers taken apart."""

from __future__ import annotations

import re

from memtui.bank.model import Item
from memtui.index.rows import storable

_RUN = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_JOINT = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[^\W\d_]\d|\d[^\W\d_]")


def text_row(item: Item) -> tuple[str, ...]:
    """The values of `schema.TEXT_COLUMNS` for one item."""
    quotes = "\n".join(cited.quote for cited in item.evidence if cited.quote)
    texts = (item.name, item.title, item.body, " ".join(item.tags), quotes)
    return (*map(storable, texts), storable(parts("\n".join((*texts[:3], quotes)))))


def parts(text: str) -> str:
    """Every identifier of `text` that has parts the tokenizer does not see, as its parts in order, once.

    `getUserById2` gives `get user by id 2`; `order_pool` nothing, because the tokenizer splits it.
    """
    found: list[str] = []
    for word in dict.fromkeys(text.split()):
        if not (word.isalpha() and word.islower()) and _JOINT.search(word):
            found += (
                part.lower() for run in _RUN.findall(word) for part in _PART.findall(run) or [run]
            )
    return " ".join(found)
