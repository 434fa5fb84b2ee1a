"""What an extractor finds: a kind, the turns that show it, and the sentence that says it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memtui.capture.observation import What
from memtui.capture.turns import Turn

_VARIES = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{7,}\b|\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Finding:
    """One outcome. `places` are positions in the session's turns, the one that says it first.

    `sentence` stands in one of these turns or is made of their commands; `key` is the same for the
    same thing in other sessions; `ok` says of a run whether it was good.
    """

    kind: What
    places: tuple[int, ...]
    sentence: str
    key: str
    detail: str = ""
    ok: bool | None = None


Extractor = Callable[[Sequence[Turn]], Iterator[Finding]]


def same(text: str) -> str:
    """What of a text is the same when it is said again: no numbers, hashes or spacing."""
    return " ".join(_VARIES.sub("#", text.lower()).split())[:280]
