"""What can be done with one session: go on with it, read it, export it. Host files are only ever read."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.hosts.registry import host, label
from memtui.safety.sanitize import sanitize
from memtui.sessions.export import Clean, head_lines, masked, turn_lines, when
from memtui.sessions.rows import Facet
from memtui.sessions.timeline import Timeline
from memtui.sessions.timeline_rows import SessionRow

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

WHOLE = 64 * 1024 * 1024
"""Characters of one text that are exported: more than any host stores."""

_FILES = (
    "SELECT f.path FROM session_files sf JOIN files f ON f.id = sf.file "
    "WHERE sf.session = ? AND NOT f.gone ORDER BY f.mtime_ns DESC, f.id DESC"
)
_SLUG = re.compile(r"[^a-z0-9]+")


class ToolError(Exception):
    """Why it cannot be done: `what` stands in the way, and what to `do`."""

    def __init__(self, what: str, do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.do = do


class SessionTools:
    """The tools of a workspace. All but `resume` read files: call them in a worker."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def find(self, word: str) -> SessionRow:
        """The session `host:id`, an id, or the beginning of one. Raises ToolError."""
        with closing(self._workspace.timeline("all", every_project=True, with_hidden=True)) as all_:
            rows = all_.sessions()
        exact = [row for row in rows if word in (row.ref, row.id)]
        found = exact or [row for row in rows if word and _begins(row, word)]
        if not found:
            raise ToolError(f"no session {word}", "`memtui sessions --all` lists them")
        mains = [row for row in found if not row.agent] or found
        if len(mains) > 1:
            named = ", ".join(row.ref for row in mains[:4])
            raise ToolError(f"{len(mains)} sessions are called {word}", f"name one: {named}")
        return mains[0]

    def resume(self, session: SessionRow) -> str:
        """The command line that goes on with a session in its folder. Raises ToolError.

        Quoted for a shell: ids and folders came from files that others wrote.
        """
        if session.agent:
            raise ToolError(
                "a sub-agent cannot be resumed", "put the cursor on the session that started it"
            )
        for text in (session.id, session.cwd):
            if sanitize(text) != text or "\n" in text:
                raise ToolError(f"{label(session.host)} named it with characters that hide or move")
        if session.id.startswith("-"):
            raise ToolError("its id would be read as an option", f"it is {session.id}")
        command = host(session.host).resume(shlex.quote(session.id))
        if command is None:
            raise ToolError(f"{label(session.host)} has no command that resumes a session")
        return f"cd {shlex.quote(session.cwd)} && {command}" if session.cwd else command

    def file(self, session: SessionRow) -> Path:
        """The transcript's own file. Raises ToolError where there is none, sqlite3.Error."""
        with closing(self._workspace.catalogue.reader()) as db:
            paths = [Path(row[0]) for row in db.execute(_FILES, (session.session,))]
        there = next((path for path in paths if path.is_file()), None)
        if there is not None:
            return there
        if paths and not session.gone:
            kept = (
                f"{label(session.host)} keeps it in a database or folder, not in a file of its own"
            )
            raise ToolError(kept, "read or export it instead")
        raise ToolError("the host deleted this transcript", "what the bank cites of it is kept")

    def reading(
        self,
        session: SessionRow,
        clean: Clean = sanitize,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[str]:
        """The session and its sub-agents as lines of Markdown, read as they are asked for.

        Raises sqlite3.Error. A turn whose record is gone says so in its place.
        """
        timeline = self._workspace.timeline("all", every_project=True, with_hidden=True)
        with closing(timeline):
            everybody = timeline.sessions()
        yield from self._one(session, clean, cancelled, 1)
        for agent in _below(session, everybody):
            yield from self._one(agent, clean, cancelled, 2)

    def _one(
        self, session: SessionRow, clean: Clean, cancelled: Callable[[], bool], level: int
    ) -> Iterator[str]:
        from memtui.sessions.turn import read_turn

        catalogue = self._workspace.catalogue
        yield from head_lines(session, clean, level)
        rows = Timeline(catalogue.path, None, Facet.ALL, only=session.session)
        with closing(rows):
            for index in range(1, len(rows)):
                if cancelled():
                    return
                turn = rows.row(index).turn
                if turn is not None:
                    detail = read_turn(catalogue, turn.session, turn.seq, WHOLE)
                    yield from turn_lines(detail, clean, level + 1)

    def name_for(self, session: SessionRow) -> str:
        """A file name for an export: `2026-11-19-fix-the-flaky-test.md`."""
        title = masked(session.title or session.agent or session.id)
        slug = _SLUG.sub("-", title.casefold())[:48].strip("-") or "session"
        at = session.ended or session.started
        day = "" if at is None else f"{when(at)[:10]}-"
        return f"{day}{slug}.md"

    def export(
        self,
        session: SessionRow,
        path: Path,
        *,
        over: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> int:
        """Write the session to `path`, secrets masked; its size in bytes. Only whole, or not at all.

        Raises ToolError for a file that is there already unless `over`, OSError, sqlite3.Error.
        """
        target = path.expanduser()
        if not over and target.exists():
            raise ToolError(f"{target} is there already", "choose another name")
        if not target.parent.is_dir():
            raise ToolError(f"there is no folder {target.parent}", "make it, or choose another")
        handle, name = tempfile.mkstemp(prefix=".memtui-", suffix=".tmp", dir=target.parent)
        made = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                for line in self.reading(session, masked, cancelled):
                    stream.write(line + "\n")
            if cancelled():
                raise ToolError("the export was stopped", "nothing was written")
            size = made.stat().st_size
            if not over:
                try:
                    target.touch(exist_ok=False)  # so that the rename replaces nobody's file
                except FileExistsError as error:
                    raise ToolError(f"{target} is there already", "choose another name") from error
            made.replace(target)
            return size
        finally:
            with suppress(FileNotFoundError):
                made.unlink()


def _begins(row: SessionRow, word: str) -> bool:
    return row.id.startswith(word) or row.ref.startswith(word)


def _below(session: SessionRow, everybody: list[SessionRow]) -> Iterator[SessionRow]:
    for row in everybody:
        if row.agent and row.parent == session.session and row.session != session.session:
            yield row
            yield from _below(row, [one for one in everybody if one.session != session.session])
