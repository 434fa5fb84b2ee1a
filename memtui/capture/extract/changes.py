"""Changes with their stated reason: commits, and what their messages say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memtui.capture.commands import failed
from memtui.capture.extract.finding import Finding, same
from memtui.capture.observation import What
from memtui.capture.turns import Turn

_COMMIT = re.compile(r"(?:^|[\s;&|(])git(?: -[cC] ?\S+)* commit\b")
_MESSAGE = re.compile(
    r"""(?:-[a-z]*m|--message)[= ]?\s*(?:"""
    r""""\$\(cat <<-?\s*['"]?(?P<mark>\w+)['"]?\n(?P<here>.*?)\n\s*(?P=mark)\b"""
    r"""|"(?P<double>(?:[^"\\]|\\.)+)"|'(?P<single>[^']+)'|(?P<bare>[^\s'"-]\S*))""",
    re.DOTALL,
)
_TRAILER = re.compile(r"^(?:[A-Z][\w-]+-[Bb]y|Signed-off|Change-Id):|Generated with")


def changes(turns: Sequence[Turn]) -> Iterator[Finding]:
    """Commits that went through, with the message as the reason."""
    for place, turn in enumerate(turns):
        if not _COMMIT.search(turn.command) or failed(turn) or not _through(turn):
            continue
        message = _messages(turn.command)
        if message:
            subject, _, rest = message.partition("\n")
            yield Finding(What.CHANGE, (place,), subject, same(subject), rest.strip(), ok=True)


def _through(turn: Turn) -> bool:
    return turn.exit_code == 0 or bool(turn.result_ref or turn.output)


def _messages(command: str) -> str:
    """The messages of all commits of a command line, without trailers."""
    start = _COMMIT.search(command)
    found = _MESSAGE.finditer(command, start.end()) if start else ()
    parts = [next(text for text in _texts(match) if text) for match in found]
    lines = [line.rstrip() for part in parts for line in part.strip().splitlines()]
    return "\n".join(line for line in lines if not _TRAILER.search(line)).strip()


def _texts(match: re.Match[str]) -> tuple[str, ...]:
    return tuple(match[name] or "" for name in ("here", "double", "single", "bare"))
