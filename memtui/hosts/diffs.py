"""Edits and patches as unified diff text."""

from __future__ import annotations

from typing import Any

from memtui.hosts.shape import int_or_none, list_of, map_of, text_of

_CONTEXT = 3
_PATCH_START = "*** Begin Patch"


def edit_diff(path: str, old: str, new: str) -> str:
    """A unified diff of a replacement: the lines that `old` and `new` share at both ends are context.

    Line numbers count from the start of the replaced text, since the file itself is not at hand.
    Linear in the size of the texts, so it need not be the shortest diff.
    """
    before, after = old.split("\n"), new.split("\n")
    shortest = min(len(before), len(after))
    head = 0
    while head < shortest and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shortest - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    start = max(0, head - _CONTEXT)
    context = min(tail, _CONTEXT)
    removed, added = before[head : len(before) - tail], after[head : len(after) - tail]
    closing = before[len(before) - tail : len(before) - tail + context]
    length = head - start + len(closing)
    lines = [
        *_header(path, path),
        f"@@ -{start + 1},{length + len(removed)} +{start + 1},{length + len(added)} @@",
        *(f" {line}" for line in before[start:head]),
        *(f"-{line}" for line in removed),
        *(f"+{line}" for line in added),
        *(f" {line}" for line in closing),
    ]
    return "\n".join(lines)


def new_file_diff(path: str, content: str) -> str:
    """A unified diff that adds the whole of `content`."""
    lines = content.removesuffix("\n").split("\n")
    return "\n".join(
        [
            *_header("/dev/null", path),
            f"@@ -0,0 +1,{len(lines)} @@",
            *(f"+{line}" for line in lines),
        ]
    )


def hunks_diff(path: str, hunks: Any) -> str | None:
    """Claude Code's `structuredPatch` as unified diff; None if it holds no hunk."""
    lines: list[str] = []
    for hunk in map(map_of, list_of(hunks)):
        spans = [
            int_or_none(hunk.get(k)) or 0 for k in ("oldStart", "oldLines", "newStart", "newLines")
        ]
        lines.append("@@ -{},{} +{},{} @@".format(*spans))
        lines.extend(text_of(line) for line in list_of(hunk.get("lines")))
    return "\n".join([*_header(path, path), *lines]) if lines else None


def changes_diff(changes: Any) -> tuple[str | None, tuple[str, ...]]:
    """Codex's map of path to change (add, update, delete) as unified diff, and the paths."""
    parts: list[str] = []
    paths: list[str] = []
    for path, change in map_of(changes).items():
        fields = map_of(change)
        paths.append(path)
        target = text_of(fields.get("move_path")) or path
        if target != path:
            paths.append(target)
        content = text_of(fields.get("content"))
        if fields.get("type") == "add":
            parts.append(new_file_diff(path, content))
        elif fields.get("type") == "delete":
            parts.append(_deleted(path, content))
        else:
            body = text_of(fields.get("unified_diff")).removesuffix("\n")
            parts.append("\n".join([*_header(path, target), *([body] if body else [])]))
    return ("\n".join(parts) or None), tuple(dict.fromkeys(paths))


def patch_text(value: str) -> str | None:
    """The `*** Begin Patch` block inside `value`, if there is one."""
    start = value.find(_PATCH_START)
    if start < 0:
        return None
    end = value.find("*** End Patch", start)
    return value[start : end if end >= 0 else len(value)]


def patch_diff(patch: str) -> tuple[str, tuple[str, ...]]:
    """A Codex `apply_patch` text as unified diff (hunks unnumbered), and the paths it touches."""
    lines: list[str] = []
    paths: list[str] = []
    for line in patch.split("\n"):
        verb, found, path = line.partition(" File: ")
        if line.startswith("*** Move to: "):
            moved = line.removeprefix("*** Move to: ")
            paths.append(moved)
            if lines:
                lines[-1] = f"+++ {moved}"
        elif found and verb == "*** Add":
            paths.append(path)
            lines += [*_header("/dev/null", path), "@@"]
        elif found and verb == "*** Delete":
            paths.append(path)
            lines += _header(path, "/dev/null")
        elif found and verb == "*** Update":
            paths.append(path)
            lines += _header(path, path)
        elif not line.startswith("*** "):
            lines.append(line)
    return "\n".join(lines).rstrip("\n"), tuple(dict.fromkeys(paths))


def _deleted(path: str, content: str) -> str:
    lines = content.removesuffix("\n").split("\n") if content else []
    hunk = [f"@@ -1,{len(lines)} +0,0 @@"] if lines else []
    return "\n".join([*_header(path, "/dev/null"), *hunk, *(f"-{line}" for line in lines)])


def _header(old: str, new: str) -> list[str]:
    return [f"--- {old}", f"+++ {new}"]
