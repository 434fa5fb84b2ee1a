"""Taking back one act out of the middle, or somebody else's: shown first as a plan, then done.

Where this ledger has the act's bytes they are merged three ways with what is there now; for an act of
somebody else, the lines that its event keeps are turned round.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memtui.bank.model import Event
from memtui.bank.standing import CORRECTIONS, OF, act_of, undone_acts
from memtui.curate.act import (
    Act,
    ActResult,
    Conflict,
    ConflictError,
    CurateError,
    FileChange,
    NothingToDoError,
    Resolution,
    digest,
)
from memtui.curate.acts import perform
from memtui.curate.curator import Curator
from memtui.curate.file_data import FILES
from memtui.curate.file_records import follows, moved
from memtui.curate.files import is_item, refuse_renamed
from memtui.curate.hunks import apply, bytes_of, load, merge, text_of, turned, unified
from memtui.curate.settling import left_by, settled
from memtui.ledger.model import ActRecord, FileRecord


@dataclass(frozen=True, slots=True)
class RevertPlan:
    """What taking back `act` would change. `conflicts` must be resolved by a person first.

    `diffs` are unified diffs by path; `note` says what the plan cannot tell.
    """

    act: str
    verb: str
    title: str
    items: tuple[str, ...]
    changes: tuple[FileChange, ...]
    conflicts: tuple[Conflict, ...]
    diffs: Mapping[str, str]
    note: str = ""


def preview_revert(curator: Curator, events: Sequence[Event], act_id: str) -> RevertPlan:
    """What `revert` would change now. Raises CurateError when the act is unknown, undone or final."""
    own = tuple(event for event in events if act_of(event) == act_id)
    record = curator.ledger.act(act_id)
    if not own and record is None:
        raise CurateError(f"no act {act_id}", "`memtui history` lists them")
    verb = own[0].verb if own else record.verb if record else ""
    if verb in ("purge", *CORRECTIONS) or (record is not None and record.erased):
        raise CurateError(f"a {verb} cannot be reverted", "undo, redo or edit instead")
    if act_id in undone_acts(events):
        raise NothingToDoError("this act was taken back already", "redo brings it back")
    local = record is not None and bool(record.files)
    if record is None and not _is_kept(own):
        raise CurateError(f"nobody kept what this {verb} changed", "edit or demote by hand")
    parts = list(_from_ledger(curator, record) if local and record else _from_events(curator, own))
    changes = tuple(part for part in parts if isinstance(part, FileChange))
    return RevertPlan(
        act=act_id,
        verb=verb,
        title=own[0].title if own else record.title if record else "",
        items=tuple(dict.fromkeys(event.item for event in own)) or (record.items if record else ()),
        changes=changes,
        conflicts=tuple(part for part in parts if isinstance(part, Conflict)),
        diffs={c.path: unified(c.base, c.new, c.path) for c in changes},
    )


def revert(curator: Curator, plan: RevertPlan, resolve: Resolution | None = None) -> ActResult:
    """Do what the plan shows; `resolve` says what to write for each path in conflict.

    Raises ConflictError when a conflict is left, or when a file changed since the plan was made.
    """
    chosen = dict(resolve or {})
    left = tuple(conflict for conflict in plan.conflicts if conflict.path not in chosen)
    if left:
        raise ConflictError(left)
    solved = tuple(FileChange(c.path, c.theirs, chosen[c.path]) for c in plan.conflicts)
    changes = (*plan.changes, *solved)
    record = curator.ledger.act(plan.act)
    before = {file.path: file.before for file in record.files} if record else {}
    free = {c.path for c in changes if c.path not in before or before[c.path] != c.new}

    def build(_act_id: str) -> Act:
        data = {OF: plan.act, "verb": plan.verb, "items": list(plan.items)}
        item = plan.items[0] if plan.items else ""
        event = curator.event("act", "revert", item, title=plan.title, data=data)
        return Act(
            verb="revert",
            items=plan.items,
            title=plan.title,
            summary=f"reverted {plan.verb}: {plan.title}",
            changes=settled(curator, changes, plan.act, left_by(record), free, (event,)),
            events=(event,),
        )

    return perform(curator, build)


def _is_kept(events: Sequence[Event]) -> bool:
    """Whether the events tell what to take back: lines of files, or verdicts, which change none."""
    verdicts = all(event.kind == "verdict" for event in events)
    return verdicts or any(isinstance(event.data.get(FILES), Mapping) for event in events)


def _from_ledger(curator: Curator, record: ActRecord) -> Iterator[FileChange | Conflict]:
    own = [file.path for file in record.files]
    for file in record.files:
        current = curator.read(file.path)
        known = file.before if file.after is None and current is not None else file.after
        if known is not None:
            refuse_renamed(curator, file.path, known, current, own)
        if follows(curator, file):
            new = moved(file, current, forward=False)
            yield FileChange(file.path, current, new, follows=True)
        elif digest(current) == file.after_digest:
            yield FileChange(file.path, current, file.before)
        elif digest(current) != file.before_digest:
            yield _merged(file, current)


def _merged(file: FileRecord, current: bytes | None) -> FileChange | Conflict:
    if file.before is not None and file.after is not None and current is not None:
        made = merge(file.after, file.before, current)
        if made is not None:
            return FileChange(file.path, current, made)
    return Conflict(file.path, current, file.before, file.after)


def _from_events(curator: Curator, events: Sequence[Event]) -> Iterator[FileChange | Conflict]:
    for event in events:
        files = event.data.get(FILES)
        own = (
            {str(path): entry for path, entry in files.items()}
            if isinstance(files, Mapping)
            else {}
        )
        for path, entry in own.items():
            found = _from_lines(curator, path, entry, own)
            if found is not None:
                yield found


def _from_lines(
    curator: Curator, path: str, entry: Any, own: Collection[str]
) -> FileChange | Conflict | None:
    """The change that takes one file back, a conflict, or None where nothing is left to change.

    `own` are all files of the event.
    """
    # Somebody else wrote the event: it may name cards and pages of this bank and nothing else.
    if not is_item(curator, path):
        raise CurateError(f"the event names {path}, which is no card or page", "revert by hand")
    try:
        current, before, after = curator.read(path), str(entry["before"]), str(entry["after"])
        lines = load(entry.get("lines") or ())
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise CurateError(f"the event about {path} is damaged", "revert by hand") from error
    if digest(current) == before:
        return None
    kept = curator.ledger.bytes_of(before) if before else None
    left = curator.ledger.bytes_of(after) if after else None
    if known := left or kept:
        refuse_renamed(curator, path, known, current, own)
    if digest(current) == after and (not before or kept is not None):
        return FileChange(path, current, kept)
    if current is not None and lines:
        made = apply(text_of(current), turned(lines))
        if made is not None:
            return FileChange(path, current, bytes_of(made))
    return Conflict(path, current, kept, left)
