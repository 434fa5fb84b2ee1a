"""Undo and redo, to any depth and across restarts: each is an act of its own, with an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memtui.bank.model import Event
from memtui.bank.standing import OF
from memtui.curate.act import (
    STATE,
    Act,
    ActResult,
    Conflict,
    ConflictError,
    FileChange,
    NothingToDoError,
    Resolution,
    digest,
)
from memtui.curate.acts import perform
from memtui.curate.curator import Curator
from memtui.curate.file_records import follows, moved
from memtui.curate.files import item_files, refuse_renamed
from memtui.curate.settling import left_by, settled
from memtui.ledger.model import PROPOSAL, ActRecord, FileRecord

FINAL = ("purge",)
"""Verbs that undo leaves alone. (Edits made outside have a writer of their own, so it never sees them.)"""

LOCAL = ("reject", "sight", "hide", "unhide", "tag")
"""Verbs about what is local (proposals, marks on sessions): no event in the bank, none from their undo."""


class NothingToUndoError(NothingToDoError):
    """This writer has no act left to take back (or to do again)."""


def undo(curator: Curator, resolve: Resolution | None = None) -> ActResult:
    """Take back the writer's last act that stands: its files get their bytes from before.

    Raises NothingToUndoError, and ConflictError where a file has changed since: `resolve` then says
    for each such path what to write.
    """
    return _again(curator, "undo", _last_act, forward=False, resolve=resolve or {})


def redo(curator: Curator, resolve: Resolution | None = None) -> ActResult:
    """Do again what was undone last, as long as nothing new was done since. Raises like `undo`."""
    return _again(curator, "redo", _next_act, forward=True, resolve=resolve or {})


def can_undo(curator: Curator) -> ActRecord | None:
    """The act that `undo` would take back."""
    return curator.ledger.last_undoable(curator.writer, FINAL)


def can_redo(curator: Curator) -> ActRecord | None:
    """The act that `redo` would do again."""
    return curator.ledger.next_redoable(curator.writer)


def _last_act(curator: Curator) -> ActRecord:
    found = can_undo(curator)
    if found is None:
        raise NothingToUndoError("nothing to undo")
    return found


def _next_act(curator: Curator) -> ActRecord:
    found = can_redo(curator)
    if found is None:
        raise NothingToUndoError("nothing to redo")
    return found


def _again(
    curator: Curator,
    verb: str,
    find: Callable[[Curator], ActRecord],
    *,
    forward: bool,
    resolve: Resolution,
) -> ActResult:
    def build(_act_id: str) -> Act:
        target = find(curator)
        past = "undid" if verb == "undo" else "redid"
        about = () if target.verb in LOCAL else (event_about(curator, verb, target),)
        changes = restoring(curator, target, forward=forward, resolve=resolve, events=about)
        return Act(
            verb=verb,
            items=target.items,
            title=target.title,
            summary=f"{past} {target.verb}: {target.title}"
            if target.title
            else f"{past} {target.verb}",
            changes=changes,
            events=about,
            undoes=target.id,
        )

    return perform(curator, build, undoable=verb == "redo")


def event_about(curator: Curator, verb: str, target: ActRecord) -> Event:
    """The event of an undo, redo or revert: it names the act and its verb."""
    item = target.items[0] if target.items else ""
    items = [item for item in target.items if not item.startswith(PROPOSAL)]
    data = {OF: target.id, "verb": target.verb, "items": items}
    return curator.event("act", verb, item, title=target.title, data=data)


def restoring(
    curator: Curator,
    target: ActRecord,
    *,
    forward: bool,
    resolve: Resolution,
    events: Sequence[Event] = (),
) -> tuple[FileChange, ...]:
    """The changes that bring the target's files to what they were before it (or after it).

    `events` are those of the act that does so. Raises ConflictError with the three texts of every file
    that is not as the act left it.
    """
    changes: list[FileChange] = []
    conflicts: list[Conflict] = []
    made = {file.path: file.after if forward else file.before for file in target.files}
    made |= resolve
    for file in target.files:
        current = curator.read(file.path)
        wanted, left = (file.after, file.before) if forward else (file.before, file.after)
        if follows(curator, file):
            new = moved(file, current, forward=forward)
            changes.append(FileChange(file.path, current, new, follows=True))
        elif file.path in resolve:
            changes.append(FileChange(file.path, current, resolve[file.path]))
        elif wanted is None and _still_cited(curator, file, made):
            continue
        elif digest(current) in (digest(left), digest(wanted)):
            changes.append(FileChange(file.path, current, wanted))
        else:
            conflicts.append(Conflict(file.path, current, wanted, left))
        known = wanted if left is None and current is not None else left
        if known is not None:
            refuse_renamed(curator, file.path, known, current, made)
    if conflicts:
        raise ConflictError(tuple(conflicts))
    index = left_by(target, forward=forward)
    return settled(curator, changes, target.id, index, resolve, events)


def _still_cited(curator: Curator, file: FileRecord, made: Mapping[str, bytes | None]) -> bool:
    """Whether an item as it will be cites an excerpt that is about to go; `made` are those that change."""
    path = file.path.removeprefix(STATE)
    if not path.startswith(curator.files.evidence.name + "/"):
        return False
    sha = path.rsplit("/", 1)[-1].removesuffix(".json").encode()
    for item in item_files(curator):
        name = curator.relative(item)
        text = made[name] if name in made else item.read_bytes()
        if sha in (text or b""):
            return True
    return False
