"""What the clients themselves wrote about a session, as entries."""

from __future__ import annotations

import json
from pathlib import Path

from memtui.agents.receipts import HOOK_CONTEXT
from memtui.hosts.model import Entry, Kind, Span
from memtui.hosts.read import parse_file
from memtui.hosts.registry import HOSTS
from tests.real_clients.clients import RealWorld


def entries_of(world: RealWorld, host: str) -> list[Entry]:
    """Every entry of every transcript of a host in this world, in the order of the files' names."""
    adapter = next((one for one in HOSTS if one.name == host), None)
    if adapter is None:
        return _gemini_entries(world)
    sources = sorted(adapter.discover(world.host_home), key=lambda source: source.path.name)
    return [one for source in sources for one in parse_file(source) if isinstance(one, Entry)]


def _gemini_entries(world: RealWorld) -> list[Entry]:
    """Gemini CLI's user and model messages: what comparing an injection needs of them."""
    found: list[Entry] = []
    for path in sorted((world.home / ".gemini" / "tmp").glob("*/chats/*.jsonl")):
        for number, line in enumerate(path.read_bytes().splitlines()):
            row = json.loads(line)
            texts = row.get("content", "")
            parts = [{"text": texts}] if isinstance(texts, str) else texts
            for part in parts:
                found += _entries(path, f"{number}", row.get("type", ""), part.get("text", ""))
    return found


def _entries(path: Path, record: str, role: str, text: str) -> list[Entry]:
    start, end = HOOK_CONTEXT
    span = Span(path, 0, 0)
    if not text:
        return []
    if role != "user":
        return [Entry(Kind.ANSWER, record, span, text=text)]
    entries = []
    if text.startswith(start):
        at = text.index(end) + len(end)
        entries.append(Entry(Kind.INJECTION, record, span, text=text[:at]))
        text = text[at:].lstrip("\n")
    return [*entries, Entry(Kind.PROMPT, record, span, part=1, text=text)]
