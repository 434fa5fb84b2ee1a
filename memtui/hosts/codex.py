"""Codex: where its rollouts are, how to recognise one, what identifies their content."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.codex_rows import ENVELOPES, CodexParser
from memtui.hosts.codex_titles import session_titles
from memtui.hosts.files import newest_first
from memtui.hosts.model import HostHome, SourceFile
from memtui.hosts.protocol import Parser
from memtui.hosts.shape import list_of, map_of, pick, text_of
from memtui.hosts.sniffing import head_records

_ID = re.compile(
    r"rollout-.*?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:_[0-9a-f-]+)?\."
)
_DOCUMENT = re.compile(rb'\A\s*\{\s*"session"\s*:\s*\{[^{}]*"(?:instructions|timestamp)"')
_LONG_FIRST_LINE = re.compile(
    rb'\A\s*\{"timestamp":\s*"[^"]*",\s*(?:"ordinal":\s*\d+,\s*)?"type":\s*"(?:session_meta|response_item|event_msg)"'
)
_BARE_META = {"id", "timestamp", "instructions"}

_CONTENT = (
    "type", "role", "name", "namespace", "arguments", "input", "action", "output", "message", "text",
    "reason", "num_turns", "success", "changes", "item", "query",
)  # fmt: skip
_TEXTS = ("content", "summary")


class Codex(HostBase):
    """The host "codex"."""

    name = "codex"
    label = "Codex"

    def root(self, home: HostHome) -> Path:
        """The host's own folder: `CODEX_HOME`, or `~/.codex`."""
        moved = home.environ.get("CODEX_HOME")
        return Path(moved).expanduser() if moved else home.home / ".codex"

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`."""
        root = self.root(home)
        return root / "sessions", root / "archived_sessions"

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Rollouts of all eras, archived ones too, newest first. A plain file hides its `.zst`."""
        root = self.root(home)
        paths: dict[Path, None] = {}
        for folder in ("sessions", "archived_sessions"):
            for pattern in ("rollout-*.jsonl", "rollout-*.json", "rollout-*.jsonl.zst"):
                paths.update(dict.fromkeys((root / folder).rglob(pattern)))
        plain = [
            path for path in paths if path.suffix != ".zst" or path.with_suffix("") not in paths
        ]
        titles = session_titles(root)
        for source in newest_first(map(self.source, plain)):
            title = titles.get(source.session or "")
            yield replace(source, title=title) if title else source

    def source(self, path: Path) -> SourceFile:
        """What the path of a rollout tells: the thread, compression, and whether it is archived."""
        found = _ID.match(path.name)
        return SourceFile(
            self.name,
            path,
            session=found.group(1) if found else None,
            compressed=path.suffix == ".zst",
            archived="archived_sessions" in path.parts,
        )

    def sniff(self, head: bytes) -> bool:
        """Whether the first records are rollout records. `codex exec --json` output is not one."""
        for record in head_records(head):
            if text_of(record.get("type")) in ENVELOPES:
                return isinstance(record.get("payload"), dict)
            if "session" in record:
                return isinstance(record.get("items"), list)
            if record.keys() >= _BARE_META and isinstance(record.get("id"), str):
                return "type" not in record and "role" not in record
            if "type" in record or "role" in record:
                return False
        return bool(_DOCUMENT.match(head) or _LONG_FIRST_LINE.match(head))

    def resume(self, session: str) -> str | None:
        """See `Host.resume`."""
        return f"codex resume {session}"

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return CodexParser(source, state)

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """The payload's content: the same for bare and enveloped records, without ids and times."""
        enveloped = text_of(record.get("type")) in ENVELOPES and isinstance(
            record.get("payload"), dict
        )
        payload = map_of(record["payload"]) if enveloped else record
        fields = pick(payload, _CONTENT)
        if enveloped and "type" not in payload:
            fields["type"] = "message" if "role" in payload else record["type"]
        if isinstance(fields.get("item"), dict):
            fields["item"] = self.canonical(fields["item"])
        for key in _TEXTS:
            if payload.get(key) is not None:
                fields[key] = _texts(payload[key])
        return fields


def _texts(content: Any) -> Any:
    """Content blocks by type and text; notes beside them are the host's."""
    if isinstance(content, str):
        return [content]
    return [
        text if isinstance(block, dict) and (text := text_of(block.get("text"))) else block
        for block in list_of(content)
    ]
