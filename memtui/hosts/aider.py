"""Aider: one Markdown file per repository, in which every run follows the one before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.documents import Document, Files, record_line
from memtui.hosts.feeding import Context
from memtui.hosts.files import newest_first
from memtui.hosts.jsonl import MAX_DOCUMENT
from memtui.hosts.model import HostHome, Kind, SourceFile, Stamp, Tokens
from memtui.hosts.plain import PlainParser
from memtui.hosts.protocol import Event, Parser, Part
from memtui.hosts.shape import pick, text_of

HISTORY = ".aider.chat.history.md"

_RUN = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*\Z")
_EDITED = re.compile(r"Applied edit to (.+)")
_MODEL = re.compile(r"(?:Main model|Model): (\S+)")
_VERSION = re.compile(r"Aider v(\S+)")
_TOKENS = re.compile(r"Tokens: ([\d.,]+[kM]?) sent,(?: [^.]*?,)? ([\d.,]+[kM]?) received")
_SPOKEN = re.compile(r"/(?:ask|code|architect|chat-mode \w+)\s+(?=\S)")


class Aider(HostBase):
    """The host "aider"."""

    name = "aider"
    label = "Aider"
    lacks = frozenset({Part.TIMES, Part.RESULTS, Part.ERRORS, Part.THINKING})

    def files(self, home: HostHome) -> tuple[Path, ...]:
        """The histories of the working folder and the folders above it, and the one that is named.

        Aider keeps no list of them.
        """
        environ = home.environ
        found: list[Path] = []
        if moved := environ.get("AIDER_CHAT_HISTORY_FILE"):
            found.append(Path(environ.get("PWD", ".")) / Path(moved).expanduser())
        if cwd := environ.get("PWD"):
            found += [folder / HISTORY for folder in (Path(cwd), *Path(cwd).parents)]
        return tuple(path for path in dict.fromkeys(found) if path.is_file())

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`: the files themselves, since what lies beside them is a whole project."""
        return self.files(home)

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """See `files`; newest first."""
        yield from newest_first(SourceFile(self.name, path) for path in self.files(home))

    def touched(self, home: HostHome, path: Path) -> Iterator[SourceFile]:
        """See `Host.touched`."""
        if path.suffix == ".md":
            same = (file for file in self.files(home) if file.resolve() == path.resolve())
            yield from (SourceFile(self.name, file) for file in same)

    def document(self, source: SourceFile) -> Document | None:
        """See `Host.document`."""
        return History(source.path)

    def sniff(self, head: bytes) -> bool:
        """Whether the first line that is not blank opens a run."""
        return head.lstrip().startswith(b"# aider chat started at ")

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return AiderParser(source, state)

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """Who said what."""
        return pick(record, ("type", "text"))


class History:
    """The file as records: `run`, `user`, `answer`, and one `said` for each line of Aider's own.

    Aider ends each line that a person typed with two spaces. Where an editor has taken these off, a
    line with four hashes inside an answer counts as a heading of it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def stamp(self) -> Stamp:
        """See `Document.stamp`."""
        return Files((self._path,)).stamp()

    def lines(self) -> Iterable[bytes]:
        """See `Document.lines`."""
        with self._path.open("rb") as stream:
            text = stream.read(MAX_DOCUMENT).decode("utf-8", "replace")
        return map(record_line, blocks(text))


def blocks(text: str) -> Iterator[dict[str, str]]:
    """The records of a history."""
    kind, kept = "", list[str]()
    marked: bool | None = None

    def done() -> Iterator[dict[str, str]]:
        said = "\n".join(kept).strip()
        if kind and said:
            yield {"type": kind, "text": said}
        kept.clear()

    for line in text.split("\n"):
        if run := _RUN.match(line):
            yield from done()
            kind = ""
            yield {"type": "run", "text": run.group(1)}
            continue
        typed = line.startswith("####") and line[4:5] in ("", " ")
        if typed and marked is None:
            marked = line.endswith("  ")
        if typed and (line.endswith("  ") if marked else kind != "answer"):
            if kind != "user":
                yield from done()
            kind = "user"
            kept.append(line[5:].rstrip())
        elif line.startswith(">") and line[1:2] in ("", " "):
            yield from done()
            kind = "said"
            kept.append(line[2:].rstrip())
            yield from done()
        elif line.strip() or kind == "answer":
            if kind != "answer":
                yield from done()
            kind = "answer"
            kept.append(line)
        elif kind == "user":
            yield from done()
            kind = ""
    yield from done()


class AiderParser(PlainParser):
    """Reads one history: each run is a session of its own. A record is named by its number."""

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        kind, text, record = text_of(row.get("type")), text_of(row.get("text")), context.ordinal_id
        if kind == "run":
            place = blake2b(str(self.source.path).encode("utf-8", "replace"), digest_size=4)
            self.cwd = self.model = self.version = ""
            self.prompted = False
            yield from self.begin(
                f"{place.hexdigest()}-{text.replace(' ', 'T').replace(':', '-')}",
                cwd=str(self.source.path.parent),
            )
            at = int(datetime.fromisoformat(text).timestamp() * 1000)
            yield context.entry(Kind.NOTICE, record, at, text=f"Aider started at {text}")
        elif kind == "user":
            spoken = _SPOKEN.match(text)
            command = text.startswith(("/", "!")) and spoken is None
            said = text[spoken.end() :] if spoken else text
            yield context.entry(Kind.NOTICE if command else Kind.PROMPT, record, None, text=said)
        elif kind == "answer":
            yield context.entry(Kind.ANSWER, record, None, text=text)
        else:
            yield from self._said(context, record, text)

    def _said(self, context: Context, record: str, text: str) -> Iterator[Event]:
        model, version = _MODEL.match(text), _VERSION.match(text)
        if model or version:
            yield from self.begin(
                model=model.group(1) if model else None,
                version=version.group(1) if version else None,
            )
        if edited := _EDITED.match(text):
            path = edited.group(1).strip()
            yield context.entry(
                Kind.CALL, record, None, tool="edit", input={"path": path}, text=path, paths=(path,)
            )
            return
        counted = _TOKENS.match(text)
        tokens = Tokens(_count(counted.group(1)), _count(counted.group(2))) if counted else None
        yield context.entry(Kind.NOTICE, record, None, text=text, tokens=tokens)


def _count(text: str) -> int:
    factor = {"k": 1000, "M": 1_000_000}.get(text[-1:], 1)
    try:
        return round(float(text.rstrip("kM").replace(",", "")) * factor)
    except ValueError:
        return 0
