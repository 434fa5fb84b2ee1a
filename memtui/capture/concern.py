"""Whether a check that passed has anything to do with a fact: they name the same thing."""

from __future__ import annotations

import re

from memtui.capture.turns import Turn

_QUOTED = re.compile(r"`([^`\n]{2,80})`")
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:-]{2,79}")
_MARKED = re.compile(r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|\w[_./:-]+\w|^[A-Z]{3,}$|^\d{4,}$")
_IN_OUTPUT = 4
"""Characters from which on a name counts in an output too; a shorter one is met by chance."""
_TODAY = re.compile(r"^(?:19|20)\d\d(?:-\d\d){0,2}$")


def names_in(text: str) -> frozenset[str]:
    """What a text names and does not only say: what stands in backticks, identifiers, paths, numbers."""
    found = {part.strip() for part in _QUOTED.findall(text)}
    found |= {name.rpartition("=")[0] for name in found if "=" in name and " " not in name}
    words = (word.rstrip("./:-") for word in _WORD.findall(_QUOTED.sub(" ", text)))
    found |= {word for word in words if _MARKED.search(word)}
    return frozenset(name for name in found if len(name) >= 3 and not _TODAY.match(name))


def concerns(turn: Turn, about: str) -> bool:
    """Whether a check names, in its command or its output, something that the fact names."""
    for name in names_in(about):
        whole = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])")
        if whole.search(turn.command) or (len(name) >= _IN_OUTPUT and whole.search(turn.output)):
            return True
    return False
