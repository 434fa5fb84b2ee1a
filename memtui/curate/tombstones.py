"""What a tombstone remembers of a purged item: fingerprints, enough to stop its re-capture and no more."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from memtui.bank.model import Event, Item
from memtui.curate.draft import Draft
from memtui.curate.similar import words

PRINTS = "prints"
"""Key in a tombstone's data: the fingerprints of what was purged."""
_FEWEST = 3
"""Words that a text needs to be told by its fingerprint: two stand in many."""


def prints_of(item: Item) -> list[str]:
    """The fingerprints of an item: of its title, its body and each record that it cites."""
    return _prints(item.title, item.body, (cited.ref for cited in item.evidence))


class Tombstones:
    """The fingerprints of everything that was purged from a bank."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._prints = frozenset(
            str(one)
            for event in events
            if event.kind == "tombstone"
            for one in event.data.get(PRINTS) or ()
        )

    def cover(self, title: str, body: str, refs: Iterable[str] = ()) -> bool:
        """Whether this text, or what these records say, was purged: nothing may capture it again."""
        return bool(self._prints) and not self._prints.isdisjoint(_prints(title, body, refs))

    def cover_draft(self, draft: Draft) -> bool:
        """`cover` for a draft."""
        return self.cover(draft.title, draft.body, (cited.ref for cited in draft.evidence))


def _prints(title: str, body: str, refs: Iterable[str]) -> list[str]:
    """sha256 over the words of each text in order of the alphabet, and over each reference."""
    found = (words(text) for text in (title, body))
    texts = [" ".join(sorted(own)) for own in found if len(own) >= _FEWEST]
    return [sha256(text.encode()).hexdigest() for text in (*texts, *map(_record, refs))]


def _record(ref: str) -> str:
    return f"record {ref}"
