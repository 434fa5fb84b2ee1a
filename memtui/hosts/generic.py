"""Any other agent: a JSONL file in a form of memtui's own, described in docs/hosts.md."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.blocks import result_entry
from memtui.hosts.feeding import Context
from memtui.hosts.files import newest_first
from memtui.hosts.model import HostHome, Kind, SourceFile
from memtui.hosts.plain import PlainParser, tokens_from
from memtui.hosts.protocol import Event, Parser
from memtui.hosts.shape import int_or_none, list_of, pick, text_of, text_or_none
from memtui.hosts.sniffing import head_records

FORMAT = "memtui-transcript"
_SAID = {kind.value: kind for kind in Kind if kind not in (Kind.CALL, Kind.RESULT)}
_CONTENT = ("type", "text", "tool", "input", "error", "exit_code", "diff")


class Generic(HostBase):
    """The host "generic"."""

    name = "generic"
    label = "Other agents"

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """The folders that `MEMTUI_TRANSCRIPTS` lists, or `memtui/transcripts` in the data folder."""
        if listed := home.environ.get("MEMTUI_TRANSCRIPTS"):
            return tuple(Path(part).expanduser() for part in listed.split(os.pathsep) if part)
        data = home.environ.get("XDG_DATA_HOME")
        base = Path(data) if data else home.home / ".local" / "share"
        return (base / "memtui" / "transcripts",)

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Every `.jsonl` file below the folders, newest first."""
        found = (path for folder in self.folders(home) for path in folder.rglob("*.jsonl"))
        yield from newest_first(SourceFile(self.name, path, session=path.stem) for path in found)

    def sniff(self, head: bytes) -> bool:
        """Whether the first record says so."""
        for record in head_records(head):
            return record.get("format") == FORMAT
        return False

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return GenericParser(source, state)

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """What happened, without ids and times."""
        return pick(record, _CONTENT)


class GenericParser(PlainParser):
    """Reads one file. See `memtui.hosts.protocol.Parser`."""

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        kind, record = text_of(row.get("type")), text_of(row.get("id")) or context.ordinal_id
        at = row.get("at")
        if kind == "session":
            names = ("cwd", "branch", "remote", "version", "model", "parent", "agent")
            yield from self.begin(
                text_of(row.get("id")), **{name: text_or_none(row.get(name)) for name in names}
            )
            yield from self.named(text_of(row.get("title")))
            return
        paths = tuple(path for path in list_of(row.get("paths")) if isinstance(path, str))
        if kind == "call":
            call = text_of(row.get("call"))
            yield self.called(context, record, at, text_of(row.get("tool")), row.get("input"), call)
        elif kind == "result":
            yield result_entry(
                self, context, record, at, text_of(row.get("call")), text_of(row.get("text")),
                failed=row.get("error") is True, exit_code=int_or_none(row.get("exit_code")),
                diff=text_or_none(row.get("diff")),
            )  # fmt: skip
        elif kind in _SAID:
            yield context.entry(
                _SAID[kind], record, at, text=text_of(row.get("text")), paths=paths,
                is_error=row.get("error") is True, message=text_or_none(row.get("message")),
                agent=text_or_none(row.get("agent")), model=text_or_none(row.get("model")),
                tokens=tokens_from(row.get("tokens"), "input", "output", "cached"),
            )  # fmt: skip
        else:
            yield context.skipped("unknown type", kind, self.version)
