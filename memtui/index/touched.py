"""Drift day: which active cards cite files that changed since they were last confirmed, or since a commit.

Drift (`drift.py`) says what no longer holds; this says what is worth another look: a file that a card
cites was changed, whatever was changed in it.
"""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from pathlib import Path

from memtui.bank.model import BankContents
from memtui.index.citations import cited_paths
from memtui.index.drift import Asked, asked_cards
from memtui.index.git import Change, Commit, Git, GitError


@dataclass(frozen=True, slots=True)
class Touch:
    """One change of a cited file: `commit` is its short id, "" for an edit that is not committed."""

    path: str
    commit: str = ""
    day: str = ""


@dataclass(frozen=True, slots=True)
class DriftDay:
    """Changes by card id, newest first. `head` is the commit checked out, `since` what was asked for.

    `note` says why nothing could be computed, "" when it could.
    """

    touched: Mapping[str, tuple[Touch, ...]] = field(default_factory=dict)
    head: str = ""
    since: str = ""
    note: str = ""


def drift_day(
    contents: BankContents, root: Path | None, branch: str, since: str | datetime | None = None
) -> DriftDay:
    """The cards that changes touched since each was last confirmed, at the earliest since `since`.

    `since` is a commit of the repository at `root` or a moment. Slow on large histories: call it in the
    background.
    """
    if root is None:
        return DriftDay(note="there is no project folder, so no change can be looked at")
    try:
        git = Git(root)
        head = git.head()
        commits = git.commits()
        times = list(accumulate((commit.time for commit in commits), max))
        first = _first(git, commits, times, since)
        anchors = {
            each: max(first, bisect.bisect_right(times, each.since) - 1)
            for each in asked_cards(contents, branch)
        }
        found = _touched(git, commits, anchors)
    except GitError as error:
        return DriftDay(note=f"the repository cannot be asked: {error}")
    told = commits[first].short if since is not None and first >= 0 else ""
    return DriftDay(found, head, told)


def _first(git: Git, commits: list[Commit], times: list[int], since: str | datetime | None) -> int:
    """The number of the commit that `since` names, -1 for none. Raises GitError."""
    if since is None:
        return -1
    if isinstance(since, datetime):
        return bisect.bisect_right(times, int(since.timestamp())) - 1
    wanted = git.resolve(since)
    number = next((at for at, commit in enumerate(commits) if commit.id == wanted), None)
    if number is None:
        raise GitError(f"{since} is not in the history of what is checked out")
    return number


def _touched(
    git: Git, commits: list[Commit], anchors: Mapping[Asked, int]
) -> dict[str, tuple[Touch, ...]]:
    if not anchors:
        return {}
    paths = sorted({path for each in anchors for path in cited_paths(each.card)})
    oldest = max(0, min(anchors.values()))
    history = git.history(commits, oldest, paths)
    edited = _edited(git, paths)
    found = {}
    for each, anchor in anchors.items():
        touches = tuple(_touches(git, each, anchor, history, edited))
        if touches:
            found[each.card.id] = touches
    return found


def _edited(git: Git, paths: Collection[str]) -> set[str]:
    """The paths whose text differs from HEAD: git first names all whose times or sizes do."""
    suspects = {path: blob for path, blob in git.dirty().items() if path in paths}
    texts = git.blobs(suspects.values())
    return {path for path, blob in suspects.items() if git.work_file(path) != texts.get(blob)}


def _touches(
    git: Git,
    each: Asked,
    anchor: int,
    history: Mapping[str, list[Change]],
    edited: Collection[str],
) -> Iterator[Touch]:
    """What changed in the files of one card after commit number `anchor`, edits first."""
    cited = cited_paths(each.card)
    for path in cited:
        if path in edited and _edited_after(git.root / path, each.since):
            yield Touch(path)
    changes = [
        (change.at, path, change.commit)
        for path in cited
        for change in history.get(path, ())
        if change.at > anchor
    ]
    for _, path, commit in sorted(changes, key=lambda change: (-change[0], change[1])):
        yield Touch(path, commit.short, commit.day)


def _edited_after(place: Path, since: int) -> bool:
    try:
        return place.stat().st_mtime > since
    except OSError:
        return True  # removed since the last commit
