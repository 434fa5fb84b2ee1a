"""Editing a card or page as text: checked before it is saved, links follow a new name, nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.bank.items import in_conflict
from memtui.bank.model import Card, Item, Layout, Page, Problem
from memtui.curate.act import Act, ActResult, CurateError, FileChange, NothingToDoError
from memtui.curate.acts import perform
from memtui.curate.create import checked_new_name
from memtui.curate.curator import Curator
from memtui.curate.file_data import file_data
from memtui.curate.files import META, is_item, parse_item, path_of
from memtui.curate.hunks import bytes_of, text_of
from memtui.curate.index_lines import follow_items
from memtui.index.states import key_of
from memtui.safety.redact import redact


class EditError(CurateError):
    """The text was not saved: `problems` say where and why. The text stays with the caller."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first = problems[0]
        where = f" (line {first.line})" if first.line else ""
        super().__init__(f"{first.message}{where}", "mend it and save again")
        self.problems = problems


def begin_edit(curator: Curator, item: Item) -> bytes:
    """The bytes to put into the editor; give them to `edit` as `base`. Raises CurateError when gone."""
    data = curator.read(path_of(curator, item))
    if data is None:
        raise CurateError(f"{path_of(curator, item)} is gone", "reload the bank")
    return data


def check(curator: Curator, item: Item, new: bytes) -> tuple[Problem, ...]:
    """What would keep the text from being saved; empty when nothing does."""
    path = path_of(curator, item)
    return tuple(_problems(curator, item, parse_item(curator, path, new), new))


def edit(curator: Curator, item: Item, base: bytes, new: bytes, reason: str = "") -> ActResult:
    """Save an edited file. `base` is what the editor was given, `new` what it gave back.

    A new `name` renames the file, and links to it follow. Secrets are masked. Raises EditError for a
    text that cannot be read back, ConflictError when the file changed since `base` was read.
    """
    redacted = redact(text_of(new))
    new = bytes_of(redacted.text)
    problems = check(curator, item, new)
    if problems:
        raise EditError(problems)
    if new == base:
        raise NothingToDoError("nothing was changed", "")

    def build(_act_id: str) -> Act:
        path = path_of(curator, item)
        after = parse_item(curator, path, new)
        changes = list(_file_changes(curator, item, after, path, base, new))
        key = key_of(item)
        data = {"fields": _fields(item, after), **file_data(curator, changes)}
        event = curator.event(
            "act", "edit", key, name=after.name, title=after.title, reason=reason, data=data
        )
        masked = f" ({redacted.count} secrets masked)" if redacted.count else ""
        return Act(
            verb="edit",
            items=(key,),
            title=after.title,
            summary=f"edited: {after.title}{masked}",
            changes=(*changes, *follow_items(curator, changes)),
            events=(event,),
        )

    return perform(curator, build)


def renamed_links(text: str, old: str, new: str) -> str:
    """The text with `[[old]]`, also with an alias or a section, pointing to `new`."""
    return re.sub(rf"\[\[\s*{re.escape(old)}\s*(?=[\]|#])", f"[[{new}", text)


def _problems(curator: Curator, item: Item, after: Card | Page, new: bytes) -> Iterator[Problem]:
    path = item.path
    if in_conflict(text_of(new)):
        yield Problem(path, "git conflict markers")
        return
    yield from after.problems
    if not after.title.strip():
        yield Problem(path, "no title: `description` is empty")
    if not after.body.strip():
        yield Problem(path, "the body is empty")
    if not item.assigned and after.id != item.id:
        yield Problem(path, f"`id` is fixed: it was {item.id}")
    if isinstance(after, Page) != isinstance(item, Page):
        yield Problem(
            path, f"`type` cannot become {after.type!r}: a card stays a card, a page a page"
        )
    if after.extra.get("name"):
        yield Problem(path, f"`name` cannot be a file name: {after.extra['name']!r}")


def _file_changes(
    curator: Curator, item: Item, after: Item, path: str, base: bytes, new: bytes
) -> Iterator[FileChange]:
    """The edited file and, for a new name, its new place and every file that links to it."""
    if after.name == item.name or curator.layout is Layout.CLAUDE:
        yield FileChange(path, base, new)
        return
    checked_new_name(curator, after.name)
    moved = curator.relative(item.path.with_name(f"{after.name}.md"))
    own = bytes_of(renamed_links(text_of(new), item.name, after.name))
    yield FileChange(path, base, None)
    yield FileChange(moved, None, own)
    for folder in sorted({curator.files.cards, curator.files.pages}):
        for file in sorted(folder.glob("*.md")):
            other = curator.relative(file)
            if other == path or not is_item(curator, other):
                continue
            data = file.read_bytes()
            linked = bytes_of(renamed_links(text_of(data), item.name, after.name))
            if linked != data:
                yield FileChange(other, data, linked)


def _fields(before: Item, after: Item) -> list[str]:
    names = ("name", "title", "type", "body", "status", "tags", "scope", "importance", "expires")
    more = ("pinned", "supersedes", "evidence", "origin", "author")
    changed = [n for n in (*names, *more) if getattr(before, n) != getattr(after, n)]
    return changed or [META]
