"""Drift: what a card cites in the repository changed since the card was last confirmed.

From git, without a model. A card cites files (its scope's paths and paths in backticks) and words (code
in backticks). When a cited word stood in a cited file at the last confirmation and no longer does, the
card has drifted. Text that moved unchanged to another file of the repository is relocated, not drifted;
so is a file that was renamed as it is.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from sqlite3 import Connection, Error

from memtui.bank.model import BankContents, Card, Status
from memtui.index.citations import cited_paths, cited_words
from memtui.index.evolution import Cited, Evolution
from memtui.index.git import Commit, Git, GitError
from memtui.index.rows import last_confirmed
from memtui.index.schema import open_index

DRIFTED = "drifted"
RELOCATED = "relocated"


@dataclass(frozen=True, slots=True)
class Drift:
    """Causes by card id, and where relocated texts are now. `note` says what could not be done, "" for
    nothing. `checked` counts the cards that git was asked about (the rest was known)."""

    causes: Mapping[str, str]
    relocated: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    checked: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """A card with the second of its last confirmation, else creation."""

    card: Card
    since: int


def find_drift(
    contents: BankContents, root: Path | None, branch: str, cache: Path | None = None
) -> Drift:
    """Which active cards have drifted in the repository at `root`, checked out on `branch`.

    With `cache`, an `index.db`, cards that were checked at the same HEAD are not checked again. Slow on
    large histories: call it in the background.
    """
    asked = asked_cards(contents, branch)
    if not asked:
        return Drift({})
    if root is None:
        return Drift({}, note="drift is not computed: there is no project folder")
    try:
        git = Git(root)
        head, dirty = git.head(), git.dirty()
        known, note = _Cache(cache, head).read(asked)
        fresh = [each for each in asked if not _is_known(each, known, dirty)]
        found = _check(git, fresh, dirty) if fresh else {}
    except GitError as error:
        return Drift({}, note=f"drift is not computed: {error}")
    clean = [each for each in fresh if _is_clean(each, dirty)]
    note = _Cache(cache, head).write(clean, found) or note
    old = {each.card.id: known[each.card.id] for each in asked if each.card.id not in found}
    return _report({**old, **found}, note, len(fresh))


def last_drift(contents: BankContents, cache: Path | None) -> dict[str, str]:
    """The causes that were found last for cards as they still are, without asking git. Quick.

    For the moment until `find_drift` has an answer. Raises OSError, sqlite3.Error.
    """
    if cache is None or not cache.exists():
        return {}
    with closing(open_index(cache)) as connection:
        sql = "SELECT card, digest, detail FROM drift WHERE verdict = ?"
        causes = {row[:2]: row[2] for row in connection.execute(sql, (DRIFTED,))}
    return {
        card.id: causes[card.id, card.digest]
        for card in contents.cards
        if (card.id, card.digest) in causes
    }


def asked_cards(contents: BankContents, branch: str) -> list[Asked]:
    """The cards that can drift; one of another branch speaks of files that are not checked out."""
    confirmed = last_confirmed(contents.events)
    asked = []
    for card in contents.cards:
        since = confirmed.get(f"card:{card.id}") or card.created or card.modified
        here = card.scope.branch is None or card.scope.branch == branch
        if since and here and card.status is Status.ACTIVE and cited_paths(card):
            asked.append(Asked(card, int(since.timestamp())))
    return asked


def _is_clean(each: Asked, dirty: Mapping[str, str]) -> bool:
    """Whether what git said holds as long as HEAD stays: none of the card's files is being edited."""
    return not any(path in dirty for path in cited_paths(each.card))


def _is_known(each: Asked, known: Mapping[str, tuple[str, str]], dirty: Mapping[str, str]) -> bool:
    return each.card.id in known and _is_clean(each, dirty)


def _check(
    git: Git, asked: Iterable[Asked], dirty: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """(verdict, detail) of each card by id, ("", "") for one that holds."""
    commits = git.commits()
    times = list(accumulate((commit.time for commit in commits), max))
    cited = []
    for each in asked:
        anchor = bisect.bisect_right(times, each.since) - 1
        if anchor >= 0:
            card = each.card
            cited.append(Cited(card.id, anchor, cited_paths(card), cited_words(card)))
    found = dict.fromkeys((each.card.id for each in asked), ("", ""))
    return found | _verdicts(git, commits, cited, dirty)


def _verdicts(
    git: Git, commits: list[Commit], cited: list[Cited], dirty: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    evolution = Evolution(git, commits, cited, dirty)
    lost = {each.card: losses for each in cited if (losses := evolution.losses(each))}
    evolution.find_places(loss for losses in lost.values() for loss in losses)
    found = {}
    for card, losses in lost.items():
        changed = [loss for loss in losses if not evolution.place_of(loss)]
        if changed:
            found[card] = (DRIFTED, evolution.cause(changed[0]))
        else:
            first = losses[0]
            what = f" ({first.form})" if first.form else ""
            found[card] = (RELOCATED, f"{first.path}{what} is now in {evolution.place_of(first)}")
    return found


def _report(found: Mapping[str, tuple[str, str]], note: str, checked: int) -> Drift:
    causes = {card: detail for card, (verdict, detail) in found.items() if verdict == DRIFTED}
    moved = {card: detail for card, (verdict, detail) in found.items() if verdict == RELOCATED}
    return Drift(causes, moved, note, checked)


class _Cache:
    """What git said, by card, HEAD, the card's digest and its anchor. An unusable cache is only said."""

    def __init__(self, path: Path | None, head: str) -> None:
        self.path = path
        self.head = head

    def read(self, asked: Iterable[Asked]) -> tuple[dict[str, tuple[str, str]], str]:
        """(verdict, detail) by card id, and a note."""
        if self.path is None:
            return {}, ""
        try:
            with closing(open_index(self.path)) as connection:
                rows = self._rows(connection)
        except (Error, OSError) as error:
            return {}, f"drift is not cached: {error}"
        wanted = {(each.card.id, each.card.digest, each.since) for each in asked}
        return {key[0]: said for key, said in rows.items() if key in wanted}, ""

    def _rows(self, connection: Connection) -> dict[tuple[str, str, int], tuple[str, str]]:
        sql = "SELECT card, digest, anchor, verdict, detail FROM drift WHERE head = ?"
        return {row[:3]: row[3:] for row in connection.execute(sql, (self.head,))}

    def write(self, asked: list[Asked], found: Mapping[str, tuple[str, str]]) -> str:
        """Keep what was found; returns a note."""
        if self.path is None or not asked:
            return ""
        rows = [
            (each.card.id, self.head, each.card.digest, each.since, *found[each.card.id])
            for each in asked
        ]
        try:
            with closing(open_index(self.path)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("DELETE FROM drift WHERE head <> ?", (self.head,))
                sql = "INSERT OR REPLACE INTO drift VALUES (?, ?, ?, ?, ?, ?)"
                connection.executemany(sql, rows)
                connection.execute("COMMIT")
        except (Error, OSError) as error:
            return f"drift is not cached: {error}"
        return ""
