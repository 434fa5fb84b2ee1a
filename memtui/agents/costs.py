"""The whole of what memory costs the next session, in the order in which its host sends it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.agents.instructions import Part, Where, cut_at, instructions
from memtui.agents.memory_file import LINES, cut_memory
from memtui.bank.layout import INDEX
from memtui.bank.project import claude_memory
from memtui.inject.limits import delivered
from memtui.inject.model import Plan

MEMORY = "memory"
BLOCK = "block"
READ_LIMIT = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """The parts in the host's order. Tokens are estimates: a quarter of the bytes."""

    host: str
    parts: tuple[Part, ...]

    @property
    def tokens(self) -> int:
        """What all parts cost together."""
        return sum(part.tokens for part in self.parts)

    def of(self, kind: str) -> tuple[Part, ...]:
        """The parts of one kind: instructions, memory or block."""
        return tuple(part for part in self.parts if part.kind == kind)


def next_session(host: str, where: Where, block: Plan | None) -> Cost:
    """What a session of `host` starts with: instruction files, the host's `MEMORY.md`, memtui's block.

    `block` is the plan that is previewed, None without a bank. Files are read, nothing is written.
    """
    return Cost(host, (*files_before(host, where), *block_part(block)))


def files_before(host: str, where: Where) -> tuple[Part, ...]:
    """What a host sends before memtui's block: instruction files and its own `MEMORY.md`."""
    memory = host_memory(host, where)
    return (*instructions(host, where), *([memory] if memory is not None else []))


def block_part(block: Plan | None) -> tuple[Part, ...]:
    """Memtui's block as its host passes it on; nothing where nothing is sent."""
    if block is None or not block.text:
        return ()
    size = len(block.text.encode())
    return (Part(BLOCK, "memtui", None, size, len(delivered(block.text, block.limit).encode())),)


def host_memory(host: str, where: Where) -> Part | None:
    """The host's own memory file for this project, with its cut; None where it has none or is off."""
    if host != "claude-code" or where.environ.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY") == "1":
        return None
    folder = claude_memory(where.project or where.cwd, where.home, where.environ)
    if folder is None:
        return None
    path = folder / INDEX
    try:
        with path.open("rb") as stream:
            text = stream.read(READ_LIMIT).decode("utf-8", "replace")
    except OSError:
        return None
    cut = cut_memory(text)
    sent = len(cut.sent(text).encode())
    if not cut.reason:
        return Part(MEMORY, "auto memory", path, len(text.encode()), sent)
    limit = "200 lines" if cut.reason == LINES else "25,000 UTF-16 units"
    note = f"cut at {limit}: line {cut.lost_line} is the first that is lost"
    part = Part(MEMORY, "auto memory", path, len(text.encode()), sent, note=note)
    return cut_at(part, text, cut.end)


def where_of(
    cwd: Path, home: Path, project: Path | None, environ: Mapping[str, str], version: str = ""
) -> Where:
    """A `Where` with the host's version as its transcripts tell it ("2.1.197", "" when unknown)."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    return Where(cwd, home, project, environ, numbers)
