"""Claude Code: where its transcripts are, how to recognise one, what identifies their content."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.claude_messages import content_blocks
from memtui.hosts.claude_noise import SILENT_TYPES
from memtui.hosts.claude_rows import ClaudeParser
from memtui.hosts.decode import decode_whole
from memtui.hosts.files import newest_first, sub_folders
from memtui.hosts.model import HostHome, SourceFile
from memtui.hosts.protocol import Parser
from memtui.hosts.shape import first_line, map_of, pick, text_of
from memtui.hosts.sniffing import head_records

_TYPES = SILENT_TYPES | {
    "user", "assistant", "attachment", "system", "queue-operation", "custom-title", "ai-title",
    "last-prompt", "summary",
}  # fmt: skip

_LONG_FIRST_LINE = re.compile(rb'\A\s*\{"parentUuid":(?:null|"[^"]*"),.*"sessionId":', re.DOTALL)

_CONTENT = (
    "type", "subtype", "content", "summary", "customTitle", "aiTitle", "lastPrompt", "operation",
    "isCompactSummary", "isMeta", "attachment", "data", "error", "compactMetadata", "toolUseResult",
)  # fmt: skip
"""The fields that say what happened; all others say when, where and in which copy."""

_NOTES_SIZE = 64 * 1024

_BLOCK = ("type", "text", "thinking", "id", "name", "input", "tool_use_id", "content", "source")


class ClaudeCode(HostBase):
    """The host "claude-code"."""

    name = "claude-code"
    label = "Claude Code"

    def root(self, home: HostHome) -> Path:
        """The host's own folder: `CLAUDE_CONFIG_DIR`, or `~/.claude`."""
        moved = home.environ.get("CLAUDE_CONFIG_DIR")
        return Path(moved).expanduser() if moved else home.home / ".claude"

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`."""
        return (self.root(home) / "projects",)

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Main transcripts and those of sub-agents and workflows, newest first."""
        found: list[SourceFile] = []
        for project in sub_folders(self.root(home) / "projects"):
            found.extend(map(self.source, project.glob("*.jsonl")))
            found.extend(map(self.source, project.glob("*/subagents/**/agent-*.jsonl")))
        yield from newest_first(found)

    def source(self, path: Path) -> SourceFile:
        """What the path of a transcript tells: the session, and for a sub-agent its parent."""
        if not path.name.startswith("agent-"):
            return SourceFile(self.name, path, session=path.stem)
        folders = list(path.parents)
        parent = next((up.parent.name for up in folders if up.name == "subagents"), None)
        agent = path.stem.removeprefix("agent-")
        title = _task_of(path.with_suffix(".meta.json"))
        return SourceFile(
            self.name, path, session=path.stem, parent=parent, agent=agent, title=title or None
        )

    def sniff(self, head: bytes) -> bool:
        """Whether the first records have the row types and keys of Claude Code."""
        for record in head_records(head):
            kind = text_of(record.get("type"))
            if kind not in _TYPES or "payload" in record:
                continue
            if kind in ("user", "assistant"):
                return "content" in map_of(record.get("message"))
            if kind == "summary":
                return "leafUuid" in record
            if "sessionId" in record or kind == "attachment" or "snapshot" in record:
                return True
        return bool(_LONG_FIRST_LINE.match(head))

    def resume(self, session: str) -> str | None:
        """See `Host.resume`."""
        return f"claude --resume {session}"

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return ClaudeParser(source, state)

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """Type, role and content: no ids of rows or sessions, no time, version or folder."""
        fields = pick(record, _CONTENT)
        if "message" in record:
            message = map_of(record.get("message"))
            fields["message"] = {
                "role": text_of(message.get("role")) or text_of(record.get("type")),
                "content": [_block(block) for block in content_blocks(record)],
            }
        return fields


def _task_of(notes: Path) -> str:
    """What a sub-agent was started for, from the file that the host keeps beside its transcript."""
    try:
        with notes.open("rb") as stream:
            return first_line(
                text_of(map_of(decode_whole(stream.read(_NOTES_SIZE))).get("description"))
            )
    except OSError:
        return ""


def _block(block: Any) -> Any:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    if not isinstance(block, dict):
        return block
    kept = pick(block, _BLOCK)
    if block.get("is_error") is True:
        kept["is_error"] = True
    return kept
