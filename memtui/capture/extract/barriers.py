"""What this machine or host does not allow or have: a tool that is missing, a call that is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memtui.capture.commands import failed
from memtui.capture.extract.finding import Finding, same
from memtui.capture.observation import What
from memtui.capture.turns import Turn

_BARRIER = re.compile(
    r"(?:\bcommand not found\b|: not found$|execution error: No such file or directory|"
    r"requested permissions? to (?:use|run|execute)|rejected(?: by|:|\b.* polic)|not allowed by|"
    r"Operation not permitted|blocked by (?:polic|network|sandbox)|Network is unreachable|"
    r"Could not resolve host|is not recognized as an internal)",
    re.MULTILINE | re.IGNORECASE,
)
_SHOWN = 4000
_NEAR = 80


def barriers(turns: Sequence[Turn]) -> Iterator[Finding]:
    """The first time that a session meets each barrier."""
    met: set[str] = set()
    for place, turn in enumerate(turns):
        if turn.paths or not (turn.output and (failed(turn) or turn.is_error or not turn.command)):
            continue
        found = _BARRIER.search(turn.output[:_SHOWN])
        if found is None:
            continue
        line = _around(turn.output, found)
        if turn.command:
            line = f"`{' '.join(turn.command.split())[:60]}`: {line}"
        key = same(line)
        if key not in met:
            met.add(key)
            yield Finding(What.ENVIRONMENT, (place,), line, key)


def _around(output: str, found: re.Match[str]) -> str:
    """What the barrier's line says, near the words that tell it."""
    start = max(output.rfind("\n", 0, found.start()) + 1, found.start() - _NEAR)
    end = output.find("\n", found.end())
    stop = min(end if end >= 0 else len(output), found.end() + _NEAR)
    return " ".join(output[start:stop].split())
