"""Identifiers taken apart, so that `getUserById2` is found by `user`."""

from __future__ import annotations

import re

_RUN = re.compile(r"[\w./:-]{3,200}")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")


def parts_of(text: str) -> str:
    """The parts of every identifier, path and code in `text`, in order, lower case, as one text."""
    found: list[str] = []
    for run in _RUN.findall(text):
        pieces = _PIECE.findall(run)
        if len(pieces) > 1:
            found += [piece.lower() for piece in pieces]
    return " ".join(found)
