"""A memory file that changed since it was indexed, read again for the hook: no pathlib, no dataclasses.

Says of a file what `memtui.bank.items` says of it, as far as a candidate needs it; a test compares both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from memtui import reasons
from memtui.bank.frontmatter import as_text, as_texts, parse, split
from memtui.clock import parse_time

DAY = 86_400

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

_STATUSES = {"active": "", "stale": reasons.STALE, "retired": reasons.RETIRED}
_OF_FILE = (
    reasons.STALE,
    reasons.RETIRED,
    reasons.EXPIRED,
    reasons.CONFLICT,
    reasons.SECRET,  # the caller looks for secrets in what it read
)
_ORDER = (*reasons.ABSENT, *reasons.WARNINGS)


class Reread(NamedTuple):
    """A candidate as a plain tuple, and the ids or names that the file says it supersedes."""

    candidate: tuple[Any, ...]
    supersedes: tuple[str, ...]


class Before(NamedTuple):
    """What the index knows besides the file. `states` are those of the old content."""

    handle: str
    tier: str
    score: float
    used_day: int
    states: tuple[str, ...]


STRANGER = Before("", "unchecked", 0.5, 0, ())
"""For a file whose id is that of another: it gets one of its own, and nothing is known of it."""


def reread(name: str, layer: str, data: bytes, before: Before | None, today: int) -> Reread:
    """The candidate in a file called `name`. With another id than before, nothing is known of it."""
    text = data.decode("utf-8", "replace")
    front, body = split(text)
    top = parse(front)[0] if front else {}
    meta = top.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    fields = {**top, **meta}
    handle = as_text(fields.get("id"))
    if before is None or (before != STRANGER and handle not in ("", before.handle)):
        before = STRANGER._replace(handle=handle)
    if not before.handle:
        before = before._replace(handle=_derived(name))
    stem = name.removesuffix(".md")
    said = as_text(top.get("name"))
    project, branch = _scope(fields.get("scope"))
    created = _time(fields.get("created")) or _time(fields.get("modified"))
    expires = _time(fields.get("expires"))
    created_day = int(created.timestamp() // DAY) if created else 0
    expires_day = max(1, int(expires.timestamp() // DAY)) if expires else 0
    states = [state for state in before.states if state not in _OF_FILE]
    states += [state for state in (_status(top, meta),) if state]
    if _in_conflict(text):
        states.append(reasons.CONFLICT)
    if expires_day and expires_day <= today:
        states.append(reasons.EXPIRED)
    candidate = (
        before.handle,
        said if _is_name(said) else stem,
        _title(top, said, body, stem),
        layer,
        as_text(fields.get("type")),
        as_texts(fields.get("tags")),
        before.tier,
        before.score,
        _importance(fields.get("importance")),
        created_day,
        max(before.used_day, created_day),
        _flag(fields.get("pinned")),
        project,
        branch,
        as_text(fields.get("origin")),
        tuple(sorted(set(states), key=_ORDER.index)),
        expires_day,
    )
    clean = tuple(_storable(value) for value in candidate)
    return Reread(clean, as_texts(fields.get("supersedes")))


def _derived(name: str) -> str:
    from memtui.bank.handles import derived_id  # heavy, and only for new files that carry no id

    return derived_id(name)


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, tuple):
        return tuple(map(_storable, value))
    return value


def _time(value: Any) -> datetime | None:
    if value is None or value == "":
        return None
    try:
        return parse_time(as_text(value))
    except (ValueError, OverflowError):
        return None


def _importance(value: Any) -> float:
    try:
        number = 0.5 if value is None or isinstance(value, bool) else float(as_text(value))
    except ValueError:
        return 0.5
    return min(1.0, max(0.0, number)) if number == number else 0.5


def _flag(value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return bool(value)
    return as_text(value).lower() in ("yes", "on", "1")


def _status(top: dict[str, Any], meta: dict[str, Any]) -> str:
    """The state that the file's status means; an unknown word keeps the item away."""
    word = as_text(meta.get("status")).lower()
    if not word:
        return _STATUSES.get(as_text(top.get("status")).lower(), "")
    return _STATUSES.get(word, reasons.STALE)


def _scope(value: Any) -> tuple[str, str]:
    if not value:
        return "", ""
    if not isinstance(value, dict):
        return as_text(value), ""
    return as_text(value.get("project")), as_text(value.get("branch"))


def _title(top: dict[str, Any], said: str, body: str, stem: str) -> str:
    described = as_text(top.get("description")).strip()
    if described:
        return described
    if said and said != stem:
        return said
    for line in body[:4096].split("\n"):
        text = line.strip(" \t\r#")
        if text:
            return text[:200]
    return said or stem


def _is_name(text: str) -> bool:
    return (
        0 < len(text) <= 120
        and text[0] not in ".-"
        and text.isprintable()
        and not any(char in ' /\\[]|#:*?"<>' for char in text)
    )


def _in_conflict(text: str) -> bool:
    at = 0
    for mark in ("<<<<<<< ", "=======", ">>>>>>> "):
        while not text.startswith(mark, at):
            at = text.find("\n", at) + 1
            if not at:
                return False
    return True
