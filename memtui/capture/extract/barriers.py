"""What this machine or host does not allow or have: a tool that is missing, a call that is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memtui.capture.commands import failed
from memtui.capture.extract.finding import Finding, same
from memtui.capture.observation import What
from memtui.capture.turns import Turn

_BARRIER = re.compile(
    r"^.*(?:\bcommand not found\b|: not found$|execution error: No such file or directory|"
    r"requested permissions? to (?:use|run|execute)|rejected(?: by|:|\b.* polic)|not allowed by|"
    r"Operation not permitted|blocked by (?:polic|network|sandbox)|Network is unreachable|"
    r"Could not resolve host|is not recognized as an internal).*$",
    re.MULTILINE | re.IGNORECASE,
)
_SHOWN = 4000


def barriers(turns: Sequence[Turn]) -> Iterator[Finding]:
    """The first time that a session meets each barrier."""
    met: set[str] = set()
    for place, turn in enumerate(turns):
        if turn.paths or not (turn.output and (failed(turn) or turn.is_error or not turn.command)):
            continue
        found = _BARRIER.search(turn.output[:_SHOWN])
        if found is None:
            continue
        line = " ".join(found.group().split())
        if turn.command:
            line = f"`{' '.join(turn.command.split())[:60]}`: {line[-160:]}"
        key = same(line)
        if key not in met:
            met.add(key)
            yield Finding(What.ENVIRONMENT, (place,), line, key)
