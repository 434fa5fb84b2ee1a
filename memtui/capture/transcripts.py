"""Catalogued sessions as capture reads them: whole, in order, without our own fenced text."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.capture.commands import runs
from memtui.capture.turns import Turn, turns_of
from memtui.hosts.model import Entry, SessionInfo, SourceFile
from memtui.hosts.read import parse_file, without_rolled_back
from memtui.safety import fence
from memtui.safety.redact import redact
from memtui.sessions.catalogue import Catalogue, source_of

MAX_OUTPUT = 32 * 1024
"""Characters of one output that are looked at: its beginning and its end."""


@dataclass(frozen=True, slots=True)
class Heading:
    """One session of the catalogue: `mark` changes when it goes on; `size` is that of its files, in bytes.

    `folder` is where it worked, `ended` in milliseconds since the epoch. Sub-agents have an `agent`.
    """

    row: int
    host: str
    session: str
    agent: str
    project: str
    folder: str
    branch: str
    title: str
    ended: int
    mark: str
    size: int
    files: tuple[SourceFile, ...]

    @property
    def ref(self) -> str:
        """The session as `host:session`, which its sub-agents share."""
        return f"{self.host}:{self.session}"

    @property
    def name(self) -> str:
        """The same, with the sub-agent if it is one's."""
        return self.ref + (f"/{self.agent}" if self.agent else "")


def headings(catalogue: Catalogue, projects: Sequence[str]) -> list[Heading]:
    """The sessions of these projects whose files are still there, oldest first. Raises sqlite3.Error."""
    marks = ",".join("?" * len(projects))
    found = _found(catalogue, f"n_all > 0 AND project IN ({marks})", tuple(projects))
    return [heading for heading in found if heading.files]


def heading_of(catalogue: Catalogue, session: int) -> Heading:
    """The session with this row id. Raises KeyError when there is none, sqlite3.Error."""
    found = _found(catalogue, "id = ?", (session,))
    if not found:
        raise KeyError(f"there is no session {session}")
    return found[0]


def _found(catalogue: Catalogue, where: str, values: tuple[object, ...]) -> list[Heading]:
    with closing(catalogue.reader()) as db:
        rows = db.execute(
            "SELECT id, host, session, agent, project, cwds, branch, title, started, ended, n_all "
            f"FROM sessions WHERE {where} ORDER BY started, id",
            values,
        ).fetchall()
        return [_heading(db, row) for row in rows]


def _heading(db: sqlite3.Connection, row: tuple[object, ...]) -> Heading:
    number, host, session, agent, project, cwds, branch, title, _, ended, count = row
    files = db.execute(
        "SELECT f.id, f.size FROM session_files sf JOIN files f ON f.id = sf.file "
        "WHERE sf.session = ? AND NOT f.gone ORDER BY f.started, f.id",
        (number,),
    ).fetchall()
    sources = [source_of(db, file) for file, _ in files]
    folders = json.loads(str(cwds)) or [""]
    return Heading(
        row=int(str(number)),
        host=str(host),
        session=str(session),
        agent=str(agent),
        project=str(project),
        folder=str(folders[0]),
        branch=str(branch or ""),
        title=str(title or ""),
        ended=int(str(ended or 0)),
        mark=f"{count}:{ended or 0}",
        size=sum(size for _, size in files),
        files=tuple(source for source in sources if source is not None),
    )


def read(heading: Heading) -> list[Turn]:
    """The turns of a session. Raises OSError when none of its files can be read."""
    entries: list[Entry] = []
    failed: OSError | None = None
    seen: set[tuple[str, int]] = set()
    for source in heading.files:
        try:
            for entry in _entries(source, heading):
                if (entry.record, entry.part) not in seen:
                    seen.add((entry.record, entry.part))
                    entries.append(entry)
        except (OSError, EOFError) as error:
            failed = OSError(f"{source.path}: {error}")
    if failed is not None and not entries:
        raise failed
    return clean(
        turns_of(heading.host, heading.session, without_rolled_back(entries)), Path(heading.folder)
    )


def _entries(source: SourceFile, heading: Heading) -> Iterator[Entry]:
    """The entries of a file that belong to the session: a file may hold several, and sub-agents."""
    name, agent = source.session or heading.session, source.agent or ""
    wanted = (heading.session, heading.agent)
    for event in parse_file(source):
        if isinstance(event, SessionInfo):
            name, agent = event.session or name, event.agent or agent
        if isinstance(event, Entry) and (name, event.agent or agent) == wanted:
            yield event


def clean(turns: Iterable[Turn], folder: Path | None = None) -> list[Turn]:
    """Turns without what we put there ourselves and without secrets; paths below `folder` are relative.

    Secrets go before anything is cut or taken apart, because half of one is not known as one. Outputs
    that only show a file are dropped: the path says enough.
    """
    return [
        replace(
            turn,
            text=_safe(turn.text),
            command=_safe(turn.command),
            output=_safe(_ends(turn.output)) if _tells(turn) else "",
            paths=tuple(_relative(path, folder) for path in turn.paths),
        )
        for turn in turns
    ]


def _safe(text: str) -> str:
    return redact(fence.strip(text)).text if text else ""


def _tells(turn: Turn) -> bool:
    """Whether an output is that of something that ran, failed or was refused."""
    return turn.is_error or bool(runs(turn.command)) or not (turn.command or turn.paths)


def _ends(output: str) -> str:
    """The beginning and the end of a long output, in whole lines."""
    if len(output) <= MAX_OUTPUT:
        return output
    if "PRIVATE KEY" in output:
        output = redact(output).text
    half = MAX_OUTPUT // 2
    head, tail = fence.strip(output[:half]), output[-half:]
    return f"{head.rpartition(chr(10))[0]}\n[...]\n{tail.partition(chr(10))[2]}"


def _relative(path: str, folder: Path | None) -> str:
    if folder is None or not folder.name or not path.startswith("/"):
        return path
    inside = Path(path)
    return inside.relative_to(folder).as_posix() if inside.is_relative_to(folder) else path
