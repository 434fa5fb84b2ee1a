"""The events of one file into the store: sessions, rows, copies and what was not understood."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memtui.hosts.model import Entry, Kind, SessionInfo, Skipped
from memtui.hosts.protocol import Event
from memtui.sessions.files import FileRow
from memtui.sessions.fold import Folder
from memtui.sessions.keys import is_global, record_key
from memtui.sessions.project import Projects, bare_remote
from memtui.sessions.store import Place, Session, Store
from memtui.sessions.texts import clean, preview

_MAX_CWDS = 50
_LABEL = 80


class Ingest:
    """Takes in the events of one file. `displace` makes room when this file holds the originals
    of records that were catalogued from a copy: it is given the copy's file, flushes the store and
    resets the copy, or returns False.
    """

    def __init__(
        self,
        store: Store,
        projects: Projects,
        file: FileRow,
        displace: Callable[[int], bool],
    ) -> None:
        self._store = store
        self._projects = projects
        self._folder = Folder(store)
        self._displace = displace
        self.file = file
        self._name = file.session or ""
        self._agent = file.agent or ""
        self._record: tuple[str, str, int] | None = None
        self._key = 0
        self._ordinal = 0
        self._owner: int | None = None
        self._filed: set[int] = set()

    def resume(self, session: str | None, agent: str | None) -> None:
        """Go on in the session that the part of the file read before told."""
        self._name, self._agent = session or self._name, agent or self._agent

    @property
    def name(self) -> tuple[str, str]:
        """The session and agent that entries belong to now."""
        return self._name, self._agent

    def take(self, events: Iterable[Event], ordinal: int) -> None:
        """Take in the events of the line with this number."""
        self._ordinal = ordinal
        for event in events:
            if isinstance(event, Entry):
                self._entry(event)
            elif isinstance(event, SessionInfo):
                self._info(event)
            else:
                self.skip(event)

    def skip(self, event: Skipped) -> None:
        """Count a record that was not understood."""
        file = self.file
        key = (
            file.host, preview(event.version, _LABEL), preview(event.label, _LABEL),
            event.reason, file.id,
        )  # fmt: skip
        self._store.skip(key, event.span.offset, event.span.length)

    def _entry(self, entry: Entry) -> None:
        file, span = self.file, entry.span
        if file.started is None:
            file.started = entry.at
        session = self._session_of(entry)
        record = (entry.record, session.agent, span.offset)
        place = Place(file.id, span.offset, span.length, self._ordinal)
        if record != self._record:
            self._record = record
            self._key = record_key(file.host, self._name, entry.record)
            self._owner = self._copied_from(session, entry)
            if self._owner is not None:
                self._store.add_copy(self._key, self._owner, place)
            elif self._store.forgotten:
                # What was held of sessions is void after a copy had to make room.
                self._store.forgotten = False
                session = self._session_of(entry)
        self._store.pending += 1
        if self._owner is None:
            self._folder.add(session, self._key, place, entry)

    def _session_of(self, entry: Entry) -> Session:
        """The session of an entry: rows of a sub-agent inside a main file are a session of their own."""
        agent = self._agent
        if entry.agent and entry.kind is not Kind.SUBAGENT and not self._agent:
            agent = entry.agent
        session = self._store.session(self.file.host, self._name, agent)
        if session.id not in self._filed:
            self._file_under(session)
        if agent != self._agent and session.parent_id is None:
            self._inherit(session)
        return session

    def _file_under(self, session: Session) -> None:
        self._filed.add(session.id)
        self._store.db.execute(
            "INSERT OR IGNORE INTO session_files VALUES (?, ?)", (session.id, self.file.id)
        )

    def _inherit(self, session: Session) -> None:
        """A sub-agent inside a main file works where its parent does."""
        parent = self._store.session(self.file.host, self._name, self._agent)
        session.parent_id = self._name
        session.project, session.cwds = parent.project, list(parent.cwds)
        session.branch, session.remote = parent.branch, parent.remote
        session.version, session.model = parent.version, parent.model
        session.dirty = True

    def _info(self, info: SessionInfo) -> None:
        self._name = info.session or self._name
        if info.agent:
            self._agent = info.agent
        session = self._store.session(self.file.host, self._name, self._agent)
        if session.id not in self._filed:
            self._file_under(session)
        session.dirty = True
        if info.cwd:
            self._cwd(session, info.cwd)
        if info.title and info.title_rank >= session.title_rank:
            session.title, session.title_rank = clean(info.title), info.title_rank
        if info.remote:
            session.remote = clean(bare_remote(info.remote))
        session.branch = clean(info.branch) or session.branch
        session.version = clean(info.version, _LABEL) or session.version
        session.model = clean(info.model, _LABEL) or session.model
        if info.parent and info.parent != session.session:
            session.parent_id = info.parent

    def _cwd(self, session: Session, cwd: str) -> None:
        if cwd in session.cwds or len(session.cwds) >= _MAX_CWDS:
            return
        session.cwds.append(cwd)
        if not session.project:
            project = self._projects.of(cwd)
            session.project = project.key
            session.remote = session.remote or clean(project.remote)

    def _copied_from(self, session: Session, entry: Entry) -> int | None:
        """The session that this record was copied from, or None if it belongs here."""
        found = self._store.owner(self._key)
        if found is None:
            return None
        owner, file, offset = found
        if file == self.file.id and offset == entry.span.offset:
            return None
        if not is_global(entry.record):
            return owner if offset == entry.span.offset and file != self.file.id else None
        if owner == session.id or file == self.file.id:
            return owner
        if self._is_original(session, owner, file) and self._displace(file):
            return None
        self._descend(session, owner)
        return owner

    def _is_original(self, session: Session, owner: int, file: int) -> bool:
        """Whether this file holds the original and `owner`'s `file` the copy: parents come first."""
        known = self._named(owner)
        if known is not None:
            name, parent = known
            if parent == session.session:
                return self._readable(file)
            if session.parent_id == name:
                return False
        return self._age() < self._age_of(file) and self._readable(file)

    def _descend(self, session: Session, owner: int) -> None:
        """Shared records make a session the child of the one that has the originals."""
        known = self._named(owner)
        if session.parent_id is None and known is not None and known[0] != session.session:
            session.parent_id = known[0]
            session.dirty = True

    def _named(self, session: int) -> tuple[str, str | None] | None:
        held = self._store.held(session)
        if held is not None:
            return held.session, held.parent_id
        found: tuple[str, str | None] | None = self._store.db.execute(
            "SELECT session, parent_id FROM sessions WHERE id = ?", (session,)
        ).fetchone()
        return found

    def _age(self) -> tuple[int, int, str]:
        return _age(self.file.started, self.file.born_ns, self.file.path)

    def _age_of(self, file: int) -> tuple[int, int, str]:
        found = self._store.db.execute(
            "SELECT started, born_ns, path FROM files WHERE id = ?", (file,)
        ).fetchone()
        return _age(*found) if found else (0, 0, "")

    def _readable(self, file: int) -> bool:
        found = self._store.db.execute("SELECT gone FROM files WHERE id = ?", (file,)).fetchone()
        return found is not None and not found[0]


def _age(started: int | None, born_ns: int, path: str) -> tuple[int, int, str]:
    return (started if started is not None else 2**62, born_ns, path)
