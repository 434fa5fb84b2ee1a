"""Cursor's agent transcripts: what was said and called, without times, ids or results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.blocks import BLOCK_FIELDS, canonical_message, message_entries
from memtui.hosts.documents import read_json_or_none
from memtui.hosts.feeding import Context
from memtui.hosts.files import newest_first, sub_folders
from memtui.hosts.model import HostHome, Kind, SourceFile
from memtui.hosts.plain import PlainParser
from memtui.hosts.protocol import Event, Parser, Part
from memtui.hosts.shape import map_of, text_of
from memtui.hosts.sniffing import head_records

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_WRAPPED = re.compile(r"\s*<(\w+)>.*?</\1>\s*", re.DOTALL)
_ODD = re.compile(r"[^A-Za-z0-9]+")
_TRIED = 2000
"""Folders looked at to find the one that a project's name stands for."""


class Cursor(HostBase):
    """The host "cursor"."""

    name = "cursor"
    label = "Cursor"
    lacks = frozenset({Part.TIMES, Part.RESULTS, Part.ERRORS, Part.TOKENS, Part.MODEL})

    def root(self, home: HostHome) -> Path:
        """The host's own folder."""
        return home.home / ".cursor"

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`."""
        return (self.root(home) / "projects",)

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Transcripts in a folder of their own, older flat ones, and those of sub-agents."""
        found: list[Path] = []
        for project in sub_folders(self.root(home) / "projects"):
            transcripts = project / "agent-transcripts"
            for pattern in ("*.jsonl", "*/*.jsonl", "*/subagents/*.jsonl"):
                found.extend(transcripts.glob(pattern))
        yield from newest_first(map(self.source, found))

    def source(self, path: Path) -> SourceFile:
        """What the path tells: the session, and for a sub-agent its parent."""
        if path.parent.name != "subagents":
            return SourceFile(self.name, path, session=path.stem)
        parent = path.parent.parent.name
        return SourceFile(self.name, path, session=path.stem, parent=parent, agent=path.stem)

    def sniff(self, head: bytes) -> bool:
        """Whether the first record is a message under a role, with nothing else beside it."""
        for record in head_records(head):
            content = map_of(record.get("message")).get("content")
            return record.keys() <= {"role", "message"} and isinstance(content, list)
        return False

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return CursorParser(source, state)

    def resume(self, session: str) -> str | None:
        """See `Host.resume`."""
        return f"cursor-agent --resume {session}"

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """Role and content."""
        message = {"role": record.get("role"), **map_of(record.get("message"))}
        return canonical_message(message, BLOCK_FIELDS)


class CursorParser(PlainParser):
    """Reads one transcript. A record is named by its line."""

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        if not self.session:
            yield from self.begin(
                cwd=project_folder(self.source.path),
                parent=self.source.parent,
                agent=self.source.agent,
            )
        role, record = text_of(row.get("role")), context.ordinal_id
        if role in ("user", "assistant"):
            content = map_of(row.get("message")).get("content")
            yield from message_entries(self, context, record, None, role, content, split=_split)
        elif row.get("type") == "turn_ended":
            if (status := text_of(row.get("status"))) not in ("", "success", "completed"):
                said = f"Turn ended: {status}"
                yield context.entry(
                    Kind.NOTICE, record, None, text=said, is_error=status == "error"
                )
        else:
            yield context.skipped("unknown type", text_of(row.get("type")) or role, self.version)


def _split(text: str) -> list[tuple[Kind, str]]:
    """The query that a person typed, and what the host put around it."""
    found = _QUERY.search(text)
    if found is None:
        own = _WRAPPED.fullmatch(text) is not None
        return [(Kind.NOTICE if own else Kind.PROMPT, text)]
    around = [part.strip() for part in (text[: found.start()], text[found.end() :])]
    return [(Kind.NOTICE, part) for part in around if part] + [(Kind.PROMPT, found.group(1))]


def project_folder(transcript: Path) -> str | None:
    """The folder that a transcript's project stands for: as the host notes it, or as it must be.

    A project's name is its path with every other character than letters and digits made "-": only a
    folder that exists, and no other one that would have the same name, is taken for it.
    """
    for folder in transcript.parents:
        if folder.name == "agent-transcripts":
            notes = map_of(read_json_or_none(folder.parent / ".workspace-trusted"))
            told = text_of(notes.get("workspacePath"))
            return told or _only(_folders(Path("/"), folder.parent.name, [_TRIED]))
    return None


def _folders(place: Path, name: str, left: list[int]) -> Iterator[str]:
    for folder in sorted(sub_folders(place)):
        left[0] -= 1
        if left[0] < 0:
            return
        plain = _ODD.sub("-", folder.name).strip("-")
        if plain and name == plain:
            yield str(folder)
        elif plain and name.startswith(f"{plain}-"):
            yield from _folders(folder, name[len(plain) + 1 :], left)


def _only(found: Iterator[str]) -> str | None:
    first = next(found, None)
    return first if first is not None and next(found, None) is None else None
