"""Which card of the bank covers an error or a command: by its own words, else what search finds nearest."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.bank.model import Card
from memtui.capture.phrases import error_line
from memtui.curate.similar import words
from memtui.index.states import is_absent
from memtui.sessions.turn import read_turn
from memtui.workspace.model import BankView, ItemView

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

_QUOTED = re.compile(r"`([^`\n]{8,200})`|\"([^\"\n]{8,200})\"")
_SHORTEST = 8
_LOOKED_AT = 32 * 1024
_HITS = 3
_SHARED = 0.6
"""The share of an error's words that a card must hold to cover it."""
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Covered:
    """The card that covers an error, by what: a phrase of the card, or the words that they share."""

    handle: str
    title: str
    by: str


class Covering:
    """Looks cards up for errors, each error once for a state of the bank."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._serial = -1
        self._phrases: list[tuple[str, ItemView]] = []
        self._known: dict[tuple[int, int, str], Covered | None] = {}

    def card_for(self, session: int, seq: int, shown: str, view: BankView | None) -> Covered | None:
        """The card that covers a failed call; None when none does."""
        if view is None:
            return None
        self._look_at(view)
        key = (session, seq, shown)
        if key not in self._known:
            self._known[key] = self._find(session, seq, shown, view)
        return self._known[key]

    def card_for_command(self, command: str, view: BankView | None) -> Covered | None:
        """The card that names a command which has begun; None when none does. Quick."""
        if view is None:
            return None
        self._look_at(view)
        return self._named(" ".join(command.split()).casefold())

    def _look_at(self, view: BankView) -> None:
        if view.serial != self._serial:
            self._serial = view.serial
            self._known.clear()
            self._phrases = _phrases(view)

    def _named(self, flat: str) -> Covered | None:
        for phrase, item in self._phrases:
            if phrase in flat:
                return Covered(item.item.id, item.item.title, phrase)
        return None

    def _find(self, session: int, seq: int, shown: str, view: BankView) -> Covered | None:
        output = shown
        try:
            detail = read_turn(self._workspace.catalogue, session, seq)
        except (KeyError, sqlite3.Error):
            detail = None
        if detail is not None and detail.result is not None:
            output = f"{detail.text.text}\n{detail.result.text[:_LOOKED_AT]}"
        flat = " ".join(output.split()).casefold()
        return self._named(flat) or self._nearest(error_line(output) or shown, view)

    def _nearest(self, line: str, view: BankView) -> Covered | None:
        """The best card by words that holds most of what the error says."""
        recalling = self._workspace.recalling
        said = words(line)
        if recalling is None or len(said) < _LEAST:
            return None
        from memtui.recall.model import Mode
        from memtui.workspace.recalling import Ask

        found = recalling.search(Ask(line, mode=Mode.LEXICAL, limit=_HITS))
        for hit in found.hits:
            item = view.by_id.get(hit.document.id)
            if item is None or item.layer != "card" or is_absent(item.states):
                continue
            shared = said & words(f"{item.item.title}\n{item.item.body}")
            if len(shared) >= max(_LEAST, _SHARED * len(said)):
                return Covered(item.item.id, item.item.title, " ".join(sorted(shared)))
        return None


def _phrases(view: BankView) -> list[tuple[str, ItemView]]:
    """What live cards quote, the longest first: error texts as they were seen."""
    found: dict[str, ItemView] = {}
    for item in view.cards:
        if is_absent(item.states) or not isinstance(item.item, Card):
            continue
        quoted = [one for pair in _QUOTED.findall(item.item.body) for one in pair if one]
        if item.item.type == "pitfall":
            quoted += [evidence.quote for evidence in item.item.evidence]
        for text in quoted:
            phrase = " ".join(text.split()).casefold()
            if len(phrase) >= _SHORTEST and (" " in phrase or ":" in phrase):
                found.setdefault(phrase, item)
    return sorted(found.items(), key=lambda pair: -len(pair[0]))
