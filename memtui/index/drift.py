"""Drift: what a card cites in the repository changed since the card was last confirmed.

From git, without a model. A card cites files (its scope's paths and paths in backticks) and words (code
in backticks). When a cited word stood in a cited file at the last confirmation and no longer does, the
card has drifted; a word that moved unchanged to another file of the repository has not.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.bank.model import BankContents, Card, Status
from memtui.index.git import LARGE, Git, GitError
from memtui.index.rows import last_confirmed

_CODE = re.compile(r"`([^`\n]{2,120})`")
_PATH = re.compile(
    r"^[\w.-]+(?:/[\w.-]+)+$|^[\w-]+\.(?:py|toml|sql|md|txt|json|ya?ml|sh|[jt]sx?|go|rs|c|h)$"
)
_MAX_WORDS = 24


@dataclass(frozen=True, slots=True)
class Drift:
    """Causes by card id. `note` says why drift could not be computed, "" when it was."""

    causes: Mapping[str, str]
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Cited:
    card: Card
    since: str
    paths: tuple[str, ...]
    words: tuple[str, ...]


def find_drift(contents: BankContents, root: Path | None, branch: str) -> Drift:
    """Which active cards have drifted in the repository at `root`, checked out on `branch`."""
    cards = [card for card in contents.cards if _concerned(card, branch)]
    if not cards:
        return Drift({})
    if root is None:
        return Drift({}, "drift is not computed: there is no project folder")
    try:
        git = Git(root)
        git.head()
        return Drift(_causes(git, _cited(cards, contents, git.commits())))
    except GitError as error:
        return Drift({}, f"drift is not computed: {error}")


def cited_paths(card: Card) -> tuple[str, ...]:
    """The files that a card cites, relative to the repository."""
    named = [word for word in _CODE.findall(card.body) if _PATH.match(word)]
    return tuple(dict.fromkeys(path.removeprefix("./") for path in (*card.scope.paths, *named)))


def cited_words(card: Card) -> tuple[str, ...]:
    """The code that a card cites in backticks, title and body; not its paths."""
    words = _CODE.findall(f"{card.title}\n{card.body}")
    return tuple(dict.fromkeys(word for word in words if not _PATH.match(word)))[:_MAX_WORDS]


def _concerned(card: Card, branch: str) -> bool:
    """A card of another branch speaks of files that are not checked out."""
    elsewhere = card.scope.branch is not None and card.scope.branch != branch
    return card.status is Status.ACTIVE and not elsewhere and bool(cited_paths(card))


def _cited(
    cards: Iterable[Card], contents: BankContents, commits: list[tuple[int, str]]
) -> list[_Cited]:
    confirmed = last_confirmed(contents.events)
    times = [time for time, _ in commits]
    found = []
    for card in cards:
        since = confirmed.get(f"card:{card.id}") or card.created or card.modified
        at = bisect.bisect_right(times, since.timestamp()) if since else 0
        if at:
            found.append(_Cited(card, commits[at - 1][1], cited_paths(card), cited_words(card)))
    return found


def _causes(git: Git, cited: list[_Cited]) -> dict[str, str]:
    then = git.files((each.since, path) for each in cited for path in each.paths)
    now: dict[str, bytes | None] = {}
    causes = {}
    for each in cited:
        for path in each.paths:
            before = then.get((each.since, path))
            if before is None:
                continue
            if path not in now:
                now[path] = _work_file(git.root / path)
            cause = _lost(git, each, path, before, now[path])
            if cause:
                causes[each.card.id] = cause
                break
    return causes


def _lost(git: Git, cited: _Cited, path: str, before: bytes, after: bytes | None) -> str:
    """What of a card's words was lost from a file, in words; "" when nothing was."""
    if after == before:
        return ""
    words = [form for word in cited.words if (form := _form_in(word, before))]
    if after is None:
        lost = [word for word in words if not git.holding(word)]
        if words and not lost:
            return ""
        return _cause(git, cited.since, path, "the file is gone")
    for word in words:
        if word.encode() not in after and not git.holding(word):
            return _cause(git, cited.since, path, f"{word} is no longer there")
    return ""


def _form_in(word: str, data: bytes) -> str:
    """How a cited word stands in a file: as it is, without its call, or its last name; "" when not."""
    bare = word.partition("(")[0]
    for form in (word, bare, bare.rpartition(".")[2]):
        if len(form) > 2 and form.encode() in data:
            return form
    return ""


def _cause(git: Git, since: str, path: str, what: str) -> str:
    commit, day = git.changed(since, path)
    when = f"changed in {commit} ({day})" if commit else "changed in the work tree"
    return f"{path} {when}: {what}"


def _work_file(path: Path) -> bytes | None:
    try:
        if path.stat().st_size > LARGE:
            return None
        return path.read_bytes()
    except OSError:
        return None
