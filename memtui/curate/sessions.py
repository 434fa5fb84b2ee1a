"""Marks on sessions: hidden, and tags. They are one person's, so the shared events say nothing of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from memtui.bank.marks import Marks, file_of, from_bytes, to_bytes
from memtui.bank.standing import SESSION
from memtui.curate.act import STATE, Act, ActResult, CurateError, FileChange, NothingToDoError
from memtui.curate.acts import perform
from memtui.curate.curator import Curator
from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line

TAG_LENGTH = 40
MOST_TAGS = 12


def hide_session(
    curator: Curator, host: str, session: str, title: str = "", *, hidden: bool = True
) -> ActResult:
    """Hide a session of a host from lists and search, or show it again; what cites it still opens."""
    past = "hid" if hidden else "showed"

    def change(marks: Marks) -> Marks:
        return replace(marks, hidden=hidden)

    summary = f"{past} session: {title or session}"
    return _mark(
        curator, f"{host}:{session}", title, "hide" if hidden else "unhide", summary, change
    )


def tag_session(
    curator: Curator, host: str, session: str, tags: Iterable[str], title: str = ""
) -> ActResult:
    """Give a session these tags and no others. Raises CurateError for what is no tag."""
    wanted = tuple(dict.fromkeys(map(clean_tag, tags)))
    if len(wanted) > MOST_TAGS:
        raise CurateError(f"{len(wanted)} tags are too many", f"at most {MOST_TAGS}")

    def change(marks: Marks) -> Marks:
        return replace(marks, tags=wanted)

    told = f"tagged {' '.join(f'#{tag}' for tag in wanted)}" if wanted else "took all tags from"
    summary = f"{told}: {title or session}"
    return _mark(curator, f"{host}:{session}", title, "tag", summary, change)


def clean_tag(text: str) -> str:
    """A tag as it is kept: one word, small letters, no secret. Raises CurateError."""
    tag = one_line(redact(text).text).lstrip("#").casefold()
    if not tag or any(char.isspace() or char in ",#" for char in tag) or len(tag) > TAG_LENGTH:
        shown = one_line(text, TAG_LENGTH)
        raise CurateError(
            f"not a tag: {shown}", f"a tag is one word of at most {TAG_LENGTH} letters"
        )
    return tag


def _mark(
    curator: Curator,
    ref: str,
    title: str,
    verb: str,
    summary: str,
    change: Callable[[Marks], Marks],
) -> ActResult:
    path = STATE + file_of(ref)

    def build(_act_id: str) -> Act:
        base = curator.read(path)
        try:
            marks = from_bytes(base, ref)
        except ValueError:
            marks = Marks(ref)  # the damaged file is kept by the act: undo brings it back
        changed = change(replace(marks, session=ref))
        new = to_bytes(changed)
        if changed == marks or new == base:
            raise NothingToDoError("already so", "nothing was changed")
        changes = (FileChange(path, base, new),)
        return Act(verb, (SESSION + ref,), title, summary, changes)

    return perform(curator, build)
