"""What of an output tells something: no progress, no bodies of files, of a stack its top frames."""

from __future__ import annotations

import re
from collections.abc import Iterator

FRAMES = 3
"""Frames that a stack keeps."""
LINE = 300
_PROGRESS = re.compile(
    r"\r|^\s*(?:\d{1,3}%.{0,80}|[\d.]+\s?[kMG]i?B\b.*/s|\[?[#=>.\s-]{8,}\]?|[\u2580-\u259f\u2800-\u28ff\s]+)\s*$|"
    r"^(?:Downloading|Collecting|Fetching|Compiling|Resolving|remote: (?:Counting|Compressing)|"
    r"Receiving objects|npm (?:timing|http))\b"
)
_FRAME = re.compile(
    r"^\s*(?:File \".*\", line \d+|at .*[(:]\S*\d|\S+\.\w+:\d+(?::\d+)?:? |goroutine \d)"
)


def told(output: str, limit: int) -> str:
    """The lines of `output` that tell something, at most `limit` characters: the beginning and the end."""
    lines = list(_lines(output))
    text = "\n".join(lines)
    if len(text) <= limit:
        return text
    half = (limit - 20) // 2
    return f"{text[:half]}\n[...]\n{text[-half:]}"


def _lines(output: str) -> Iterator[str]:
    frames, last = 0, None
    for raw in output.splitlines():
        line = raw.rstrip()
        if not line.strip() or line == last or _PROGRESS.match(line):
            continue
        frames = frames + 1 if _FRAME.match(line) else 0
        last = line
        if frames <= FRAMES:
            yield line[:LINE]
