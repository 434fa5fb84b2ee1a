"""What a card cites of its repository: files, and words of code that should stand in them."""

from __future__ import annotations

import re

from memtui.bank.model import Card

_CODE = re.compile(r"`([^`\n]{2,120})`")
_PATH = re.compile(
    r"[\w.-]+(?:/[\w.-]+)+|[\w-]+\.(?:py|toml|sql|md|txt|json|ya?ml|sh|[jt]sx?|go|rs|c|h|java|rb)"
)
_NAME = re.compile(r"[A-Za-z_][\w.]*(?=\(|=|$)")
MAX_WORDS = 24
"""Words of one card that are followed."""
LEAST = 3
"""Characters of a word that is worth following."""


def cited_paths(card: Card) -> tuple[str, ...]:
    """The files that a card cites, relative to the repository: of its scope, and in backticks."""
    named = [word for word in _CODE.findall(card.body) if _PATH.fullmatch(word)]
    found = (path.removeprefix("./").rstrip("/") for path in (*card.scope.paths, *named))
    return tuple(dict.fromkeys(path for path in found if path and "\0" not in path))


def cited_words(card: Card) -> tuple[str, ...]:
    """The code that a card cites in backticks, in title and body; not its paths."""
    words = _CODE.findall(f"{card.title}\n{card.body}")
    return tuple(dict.fromkeys(word for word in words if not _PATH.fullmatch(word)))[:MAX_WORDS]


def form_in(word: str, text: str) -> str:
    """How a cited word stands in a text: as it is, as a bare name, or by its last part; "" when not.

    `ORDER_POOL_SIZE=8` stands there as `ORDER_POOL_SIZE`, `bulk.load(db)` as `load`.
    """
    if len(word) >= LEAST and holds(word, text):
        return word
    name = _NAME.match(word)
    if name is None:
        return ""
    for form in (name[0], name[0].rpartition(".")[2]):
        if len(form) >= LEAST and holds(form, text):
            return form
    return ""


def holds(form: str, text: str) -> bool:
    """Whether `form` stands in `text`, a name as a whole word."""
    at = text.find(form)
    while at >= 0:
        end = at + len(form)
        before, after = text[at - 1 : at] if at else "", text[end : end + 1]
        if not (_joins(before, form[0]) or _joins(form[-1], after)):
            return True
        at = text.find(form, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters ("" for none) belong to one word."""
    return bool(left and right) and (left + right).replace("_", "a").isalnum()


def lines_with(form: str, text: str) -> tuple[str, ...]:
    """The lines in which `form` stands, without their indentation, each once."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if holds(form, line)))
