"""`@path` imports in instruction files: which of them a host follows, and where they lead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")


def imported(text: str, file: Path, home: Path) -> Iterator[Path]:
    """The paths that `file` names with `@`, in order: not those in code, comments or amid a word.

    Relative paths count from the file's folder, `~/` from the home folder.
    """
    for line in _prose(_COMMENT.sub(" ", text)):
        for match in _IMPORT.finditer(_SPAN.sub(" ", line)):
            word = match[1].replace("\\ ", " ")
            if word.startswith("~/"):
                yield home / word[2:]
            else:
                yield file.parent / word


def _prose(text: str) -> Iterator[str]:
    """The lines outside fenced code."""
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if not fence and found:
            fence = found[1]
        elif fence:
            if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        else:
            yield line
