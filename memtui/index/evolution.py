"""How the files that cards cite evolved since each card's anchor, and what got lost on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memtui.index.citations import form_in, holds, lines_with
from memtui.index.git import TOO_LARGE, Change, Commit, Git

MAX_LINES = 40
"""Lines of a lost word that have to be found elsewhere."""


@dataclass(frozen=True, slots=True)
class Cited:
    """What one card cites. `anchor` is the number of the commit at its last confirmation."""

    card: str
    anchor: int
    paths: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """A cited form that left a file, with the lines in which it stood; form "" for the file as a whole.

    `blob` is the file as it was with the form, `gone` tells that the file is not there any more.
    """

    path: str
    form: str
    lines: tuple[str, ...]
    blob: str
    anchor: int
    gone: bool


@dataclass(frozen=True, slots=True)
class Now:
    """A file at present: None when it is gone. `known` is false for one too large to compare."""

    text: str | None
    known: bool = True

    def holds(self, form: str) -> bool:
        """Whether the form stands in it, or may."""
        return not self.known or (self.text is not None and holds(form, self.text))


class Evolution:
    """The cited files of all cards, asked of git in a handful of processes."""

    def __init__(
        self, git: Git, commits: Sequence[Commit], cited: Sequence[Cited], dirty: Mapping[str, str]
    ) -> None:
        """`dirty` maps the paths that may differ from HEAD to their blob there."""
        self.git = git
        self.dirty = dirty
        paths = sorted({path for each in cited for path in each.paths})
        since = min((each.anchor for each in cited), default=0)
        self.changes = git.history(commits, since, paths) if cited else {}
        self.blobs = git.blobs(self._first_needed(cited))
        self.places: dict[str, set[str]] = {}
        self.by_blob: dict[str, str] = {}
        self.older: dict[str, str] = {}

    def losses(self, cited: Cited) -> list[Loss]:
        """What a card cites and its files no longer hold."""
        changed = [path for path in cited.paths if self._changed(path, cited.anchor)]
        if not changed:
            return []
        present = {path: self._now(path, cited.anchor) for path in cited.paths}
        found: dict[tuple[str, str], Loss] = {}
        for path in changed:
            for blob in self._baselines(path, cited.anchor):
                for loss in self._lost(cited, path, blob, present):
                    found.setdefault((loss.path, loss.form), loss)
        return list(found.values())

    def _lost(
        self, cited: Cited, path: str, blob: str, present: Mapping[str, Now]
    ) -> Iterator[Loss]:
        before = self._text(blob)
        forms = [form for word in cited.words if (form := form_in(word, before))]
        gone = present[path].text is None
        if gone and not forms:
            yield Loss(path, "", (), blob, cited.anchor, gone)
        for form in forms:
            if not any(now.holds(form) for now in present.values()):
                lines = lines_with(form, before)[:MAX_LINES]
                yield Loss(path, form, lines, blob, cited.anchor, gone)

    def _changed(self, path: str, anchor: int) -> bool:
        return path in self.dirty or bool(self._after(path, anchor))

    def _baselines(self, path: str, anchor: int) -> list[str]:
        """The file at the anchor, and after the next commit of it: cards are written before the commit."""
        after = self._after(path, anchor)
        blobs = (after[0].before, after[0].after) if after else (self.dirty.get(path, ""),)
        return [blob for blob in dict.fromkeys(blobs) if blob in self.blobs]

    def _now(self, path: str, anchor: int) -> Now:
        after = self._after(path, anchor)
        if path not in self.dirty and after:
            last = after[-1].after
            return Now(self.blobs.get(last), last in self.blobs) if last else Now(None)
        text = self.git.work_file(path)
        return Now(text, text != TOO_LARGE)

    def find_places(self, losses: Iterable[Loss]) -> None:
        """Look for all lost texts in the rest of the repository, and for the versions in between."""
        listed = list(losses)
        self.places = self.git.places(line for loss in listed for line in loss.lines)
        if any(not loss.form for loss in listed):
            self.by_blob = self.git.tracked()
        ids = (change.after for loss in listed for change in self._after(loss.path, loss.anchor))
        self.older = self.git.blobs(ids)

    def place_of(self, loss: Loss) -> str:
        """The file to which a lost text moved unchanged, "" when it did not."""
        if not loss.form:
            removed = [c.before for c in self._after(loss.path, loss.anchor) if not c.after]
            return next((self.by_blob[b] for b in (loss.blob, *removed) if b in self.by_blob), "")
        found = [self.places.get(line, set()) - {loss.path} for line in loss.lines]
        if not found or not all(found):
            return ""
        together = set.intersection(*found)
        return min(together) if together else min(found[0])

    def cause(self, loss: Loss) -> str:
        """Which file changed, in which commit, and what of it is missing."""
        change = self._lost_in(loss)
        what = f": {loss.form} no longer there" if loss.form else ""
        verb = "removed" if loss.gone else "changed"
        if change is None:
            return f"{loss.path} {verb} in the work tree{what}"
        return f"{loss.path} {verb} in {change.commit.short} ({change.commit.day}){what}"

    def _lost_in(self, loss: Loss) -> Change | None:
        """The commit after which the form was missing for good; None when the work tree lost it."""
        last: Change | None = None
        for change in self._after(loss.path, loss.anchor):
            here = change.after and (not loss.form or holds(loss.form, self._text(change.after)))
            last = None if here else last or change
        return last

    def _first_needed(self, cited: Iterable[Cited]) -> set[str]:
        """Blobs of the baselines and of the present state."""
        ids: set[str] = set()
        for each in cited:
            for path in each.paths:
                after = self._after(path, each.anchor)
                if after:
                    ids |= {after[0].before, after[0].after, after[-1].after}
                ids.add(self.dirty.get(path, ""))
        return ids

    def _after(self, path: str, anchor: int) -> list[Change]:
        return [change for change in self.changes.get(path, ()) if change.at > anchor]

    def _text(self, blob: str) -> str:
        return self.blobs.get(blob) or self.older.get(blob, "")
