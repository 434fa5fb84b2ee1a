"""Bytes of a memory file to the fields that cards and pages share.

Three shapes of front matter are read alike: `name, description, type`; the same with
`metadata: {node_type, type}`; and memtui's own, a superset. A key in `metadata` wins over one outside.
"""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from memtui.bank.frontmatter import as_text, as_texts, has_front, parse, split
from memtui.bank.handles import derived_id
from memtui.bank.layout import is_name
from memtui.bank.model import Evidence, Problem, Scope, Status
from memtui.clock import parse_time

LINK = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:[|#][^\[\]\n]{0,200})?\]\]")

TOP = frozenset(("name", "description", "metadata"))
KNOWN = frozenset((
    "name", "description", "metadata", "node_type", "id", "type", "status", "tags", "scope",
    "importance", "origin", "author", "created", "modified", "expires", "pinned", "supersedes",
    "evidence",
))  # fmt: skip
KNOWN_PAGE = KNOWN | {"sources", "compiled_at", "generation"}

NO_SCOPE = Scope()


class Fields:
    """The front matter of one file, and the problems met while reading values from it."""

    __slots__ = ("body", "data", "meta", "path", "problems", "top")

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.problems: list[Problem] = []
        front, self.body = split(text)
        self.top: dict[str, Any] = {}
        if front:
            self.top, found = parse(front)
            self.problems = [Problem(path, message, line) for line, message in found]
        elif text.lstrip("\ufeff").startswith(("---\n", "---\r\n")) and not has_front(text):
            self.problem("the front matter is never closed", 1)
        meta = self.top.get("metadata")
        if meta is not None and not isinstance(meta, dict):
            self.problem("`metadata` is not a map")
        self.meta: dict[str, Any] = meta if isinstance(meta, dict) else {}
        self.data = {**self.top, **self.meta}

    def problem(self, message: str, line: int | None = None) -> None:
        """Note something that does not read as meant."""
        self.problems.append(Problem(self.path, message, line))

    def text(self, key: str) -> str:
        """A text value; a missing key and a null are the empty text."""
        return as_text(self.data.get(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; one text alone is a list of one, or of its parts between commas."""
        value = self.data.get(key)
        if value and isinstance(value, dict):
            self.problem(f"`{key}` is not a list")
        return as_texts(value)

    def time(self, key: str) -> datetime | None:
        """A time, as UTC; a date alone is its midnight."""
        value = self.data.get(key)
        if value is None or value == "":
            return None
        try:
            return parse_time(as_text(value))
        except (ValueError, OverflowError):
            self.problem(f"`{key}` is not a time: {as_text(value)[:40]!r}")
            return None

    def number(self, key: str, default: float, low: float, high: float) -> float:
        """A number, held between `low` and `high`."""
        value = self.data.get(key)
        if value is None:
            return default
        try:
            number = float(as_text(value)) if not isinstance(value, bool) else float("nan")
        except ValueError:
            number = float("nan")
        if number != number:
            self.problem(f"`{key}` is not a number: {as_text(value)[:40]!r}")
            return default
        return min(high, max(low, number))

    def flag(self, key: str) -> bool:
        """A yes or no."""
        value = self.data.get(key)
        if isinstance(value, bool) or value is None:
            return bool(value)
        word = as_text(value).lower()
        if word not in ("yes", "no", "on", "off", "1", "0"):
            self.problem(f"`{key}` is neither true nor false: {word[:40]!r}")
        return word in ("yes", "on", "1")

    def status(self) -> Status:
        """What a person set. A word in `metadata` that says nothing known keeps the item away: stale."""
        word = as_text(self.meta.get("status")).lower()
        if not word:
            outside = as_text(self.top.get("status")).lower()
            return Status(outside) if outside in _STATUSES else Status.ACTIVE
        if word not in _STATUSES:
            self.problem(f"`status` is none of active, stale, retired: {word[:40]!r}")
            return Status.STALE
        return Status(word)

    def scope(self) -> Scope:
        """Where the item holds; a text alone is the project."""
        value = self.data.get("scope")
        if not value:
            return NO_SCOPE
        if not isinstance(value, dict):
            return Scope(project=as_text(value) or None)
        paths = value.get("paths")
        listed = paths if isinstance(paths, list) else [] if paths is None else [paths]
        return Scope(
            project=as_text(value.get("project")) or None,
            branch=as_text(value.get("branch")) or None,
            paths=tuple(map(as_text, listed)),
        )

    def evidence(self) -> tuple[Evidence, ...]:
        """The citations; an entry without a reference is a problem."""
        value = self.data.get("evidence")
        if not value:
            return ()
        found = []
        for entry in value if isinstance(value, list) else [value]:
            cited = entry if isinstance(entry, dict) else {"ref": entry}
            ref = as_text(cited.get("ref"))
            if not ref:
                self.problem("an entry of `evidence` has no `ref`")
                continue
            found.append(
                Evidence(
                    ref,
                    as_text(cited.get("record")),
                    as_text(cited.get("excerpt")),
                    as_text(cited.get("quote")),
                )
            )
        return tuple(found)

    def extra(self, known: frozenset[str]) -> dict[str, Any]:
        """Keys that memtui does not know, as read; those of metadata under `metadata`."""
        status_is_known = as_text(self.top.get("status")).lower() in _STATUSES
        extra = {
            key: value
            for key, value in self.top.items()
            if key not in known or (key == "status" and not status_is_known)
        }
        inner = {
            key: value
            for key, value in self.meta.items()
            if (key not in known or key in TOP) and not (key == "node_type" and value == "memory")
        }
        if inner:
            extra["metadata"] = inner
        return extra


_STATUSES = frozenset(status.value for status in Status)


def decode(path: Path, data: bytes) -> tuple[str, list[Problem]]:
    """The text of a file; bytes that are not UTF-8 become U+FFFD and a problem."""
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text = data.decode("utf-8", "replace")
        return text, [Problem(path, f"byte {error.start} is not UTF-8", line)]


def links_in(body: str) -> tuple[str, ...]:
    """The names that `[[links]]` point to, each once, in order."""
    if "[[" not in body:
        return ()
    return tuple(dict.fromkeys(name for found in LINK.findall(body) if (name := found.strip())))


def in_conflict(text: str) -> bool:
    """Whether the text holds git's conflict markers, all three at the start of lines."""
    if "<<<<<<< " not in text or ">>>>>>> " not in text:
        return False
    marks = ("<<<<<<< ", "=======", ">>>>>>> ")
    at = 0
    for mark in marks:
        while not text.startswith(mark, at):
            at = text.find("\n", at) + 1
            if not at:
                return False
    return True


def common(path: Path, data: bytes, known: frozenset[str]) -> tuple[dict[str, Any], Fields]:
    """Everything that `Item` holds, as keyword arguments, and the fields they were read from.

    A file without an id gets the one derived from its name (see `memtui.bank.handles`).
    """
    text, problems = decode(path, data)
    conflict = in_conflict(text)
    fields = Fields(path, text)
    body = fields.body
    own_id = fields.text("id")
    stem = path.name.removesuffix(".md")
    said = as_text(fields.top.get("name"))
    name = said if is_name(said) else stem
    extra = fields.extra(known)
    if said and said != name:
        extra["name"] = said
    values: dict[str, Any] = {
        "id": own_id or derived_id(path.name),
        "name": name,
        "title": _title(fields, said, body, stem),
        "type": fields.text("type"),
        "body": body,
        "path": path,
        "digest": sha256(data).hexdigest(),
        "assigned": not own_id,
        "status": fields.status(),
        "tags": fields.texts("tags"),
        "scope": fields.scope(),
        "importance": fields.number("importance", 0.5, 0.0, 1.0),
        "origin": fields.text("origin"),
        "author": fields.text("author"),
        "created": fields.time("created"),
        "modified": fields.time("modified"),
        "expires": fields.time("expires"),
        "pinned": fields.flag("pinned"),
        "supersedes": fields.texts("supersedes"),
        "evidence": fields.evidence(),
        "links": links_in(body),
        "conflict": conflict,
        "extra": extra,
    }
    if conflict:
        problems = [Problem(path, "git conflict markers"), *problems]
    else:
        problems = [*problems, *fields.problems]
    values["problems"] = tuple(problems)
    return values, fields


def _title(fields: Fields, said: str, body: str, stem: str) -> str:
    """The description, or the name when it is a sentence, or the first line of the body."""
    described = as_text(fields.top.get("description")).strip()
    if described:
        return described
    if said and said != stem:
        return said
    for line in body[:4096].split("\n"):
        text = line.strip(" \t\r#")
        if text:
            return text[:200]
    return said or stem
