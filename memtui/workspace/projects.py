"""Every project that agents worked in or that has a bank, over all hosts, without opening any of them.

Read are the catalogue, the names of bank files, `bank.toml` and the number of proposals. Nothing is written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.hosts.registry import label
from memtui.ledger.waiting import waiting_count
from memtui.workspace.known_banks import KnownBank, KnownBanks

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

BATCH = 25
"""Projects whose banks are looked at before the list is told."""
RECENT = 12
GONE = "folder is gone"

_SESSIONS = (
    "SELECT project, host, COUNT(*), SUM(gone), MAX(ended), MAX(remote) FROM sessions "
    "WHERE n_all > 0 AND agent = '' GROUP BY project, host"
)
_UNDATED = (
    "SELECT s.project, MAX(f.mtime_ns) / 1000000 FROM sessions s "
    "JOIN session_files sf ON sf.session = s.id JOIN files f ON f.id = sf.file "
    "WHERE s.ended IS NULL AND s.agent = '' AND s.n_all > 0 GROUP BY s.project"
)
_RECENT = (
    "SELECT host, session, COALESCE(title, ''), ended FROM sessions WHERE project IN ({}) "
    "AND agent = '' AND n_all > 0 ORDER BY ended DESC NULLS LAST, id DESC LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class Found:
    """One project. Texts are as stored.

    `key` identifies it; `folders` are the folders that mean it in transcripts, the first one is opened
    (none for a bank whose project is not known). `hosts` are (label, sessions). `last` is its newest row in
    milliseconds. `gone` counts sessions whose transcript was deleted. `looked` tells whether what follows
    is known: the `bank` with its `cards` and `pages`, `waiting` proposals (None: cannot be told), `by_itself`
    whether the folder leads to the bank. `troubles` are worst first.
    """

    key: str
    name: str
    folders: tuple[str, ...] = ()
    remote: str = ""
    hosts: tuple[tuple[str, int], ...] = ()
    sessions: int = 0
    gone: int = 0
    last: int | None = None
    here: bool = False
    looked: bool = False
    bank: Path | None = None
    by_itself: bool = True
    cards: int = 0
    pages: int = 0
    waiting: int | None = 0
    troubles: tuple[str, ...] = ()

    @property
    def health(self) -> str:
        """In a few words: the worst that is known, else ok."""
        if not self.looked:
            return ""
        return self.troubles[0] if self.troubles else "ok" if self.bank is not None else "no bank"

    def matches(self, words: Sequence[str]) -> bool:
        """Whether all words (small letters) are in name, folders, remote, hosts or health."""
        hosts = " ".join(name for name, _ in self.hosts)
        text = " ".join((self.name, *self.folders, self.remote, hosts, self.health)).casefold()
        return all(word in text for word in words)

    @property
    def folder(self) -> Path | None:
        """The folder to open."""
        return Path(self.folders[0]) if self.folders and self.folders[0] else None


@dataclass(frozen=True, slots=True)
class RecentSession:
    """A session of a project that is not open."""

    host: str
    title: str
    ended: int | None


class Projects:
    """All projects, over the catalogue of a workspace. Everything blocks but nothing is opened."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def found(
        self, tell: Callable[[list[Found]], None], cancelled: Callable[[], bool] = lambda: False
    ) -> list[Found]:
        """Every project. `tell` gets the list as far as it is known, first without banks.

        Raises sqlite3.Error when there is no catalogue.
        """
        rows = self._from_sessions()
        tell(rows)
        banks = KnownBanks(self._workspace.setting.places)
        done: dict[str, Found] = {}
        of_bank: dict[Path, tuple[str, bool]] = {}
        for number, row in enumerate(rows):
            if cancelled():
                return rows
            looked, alias = self._looked(row, banks)
            _put(done, of_bank, looked, alias)
            if number % BATCH == BATCH - 1:
                tell([*done.values(), *rows[number + 1 :]])
        met = {row.bank for row in done.values()}
        for bank in banks.everything:
            if bank.root not in met:
                alone = self._bank_alone(bank)
                done[alone.key] = alone
        return list(done.values())

    def recent(self, row: Found) -> tuple[RecentSession, ...]:
        """Its newest sessions. Raises sqlite3.Error."""
        marks = ", ".join("?" * len(row.folders))
        with closing(self._workspace.catalogue.reader()) as db:
            rows = db.execute(_RECENT.format(marks), (*row.folders, RECENT)).fetchall()
        return tuple(RecentSession(host, title or name, ended) for host, name, title, ended in rows)

    def count_elsewhere(self) -> int:
        """How many projects with sessions there are besides this one; 0 where that cannot be told."""
        own = set(self._workspace.project_keys)
        try:
            with closing(self._workspace.catalogue.reader()) as db:
                known = self._workspace.catalogue.projects(db)
        except sqlite3.Error:
            return 0  # the scan has said what is wrong with the catalogue
        return sum(bool(view.key) and view.key not in own for view in known)

    def open(self, row: Found) -> Workspace:
        """A project's own workspace; the one that is open stays as it is. Raises OpenError."""
        from memtui.workspace.open import OpenError, open_workspace

        setting = self._workspace.setting
        environ = {key: text for key, text in setting.environ.items() if key != "MEMTUI_BANK"}
        folder = row.folder
        if folder is None and row.bank is None:
            raise OpenError(
                "the host did not store in which folder these sessions ran",
                "S finds them by their words",
            )
        named = row.bank if row.bank is not None and not row.by_itself else None
        return open_workspace(named, folder or setting.cwd, environ, project=folder)

    def _from_sessions(self) -> list[Found]:
        with closing(self._workspace.catalogue.reader()) as db:
            counted = db.execute(_SESSIONS).fetchall()
            undated = dict(db.execute(_UNDATED).fetchall())
        own = set(self._workspace.project_keys)
        found: dict[str, Found] = {}
        for key, host, count, gone, last, remote in counted:
            row = found.get(key) or Found(
                f"folder:{key}",
                Path(key).name or key,
                (key,),
                here=key in own,
                last=undated.get(key),
            )
            found[key] = replace(
                row,
                hosts=(*row.hosts, (label(host), count)),
                sessions=row.sessions + count,
                gone=row.gone + gone,
                remote=row.remote or remote or "",
                last=_later(row.last, last),
            )
        return sorted(found.values(), key=lambda row: (-(row.last or 0), row.key))

    def _looked(self, row: Found, banks: KnownBanks) -> tuple[Found, bool]:
        """The row with its bank, and whether its folder is only another name of that bank's project."""
        folder = row.folder
        if folder is None or not folder.is_absolute():
            return replace(row, looked=True, troubles=("no folder stored",)), False
        try:
            bank, by_itself = banks.of(folder, row.remote)
            there = folder.is_dir()
            instead = "" if there or bank is None else self._own(row) or _there(bank)
        except (OSError, ValueError) as error:
            return replace(row, looked=True, troubles=(str(error),)), False
        troubles = () if there or instead else (GONE,)
        if bank is None:
            return replace(row, looked=True, troubles=(*troubles, *_of_transcripts(row))), False
        aliases = bank.config.aliases if bank.config is not None else ()
        folders = (instead, *row.folders) if instead else row.folders
        named = replace(row, folders=folders, by_itself=by_itself and not instead)
        return self._with_bank(named, bank, troubles), str(folder) in aliases

    def _own(self, row: Found) -> str:
        """The folder of the project that is open, where the row is about that one."""
        root = self._workspace.project_root
        return str(root) if row.here and root is not None and root.is_dir() else ""

    def _with_bank(self, row: Found, bank: KnownBank, troubles: tuple[str, ...]) -> Found:
        told: list[str] = [bank.trouble] if bank.trouble else []
        cards = pages = 0
        try:
            cards, pages = bank.counts()
        except OSError as error:
            told.append(str(error))
        waiting: int | None = 0
        state = bank.state(self._workspace.setting.places)
        try:
            waiting = waiting_count(state) if state is not None else None
        except sqlite3.Error as error:
            waiting = None
            told.append(f"proposals cannot be read: {error}")
        name = bank.config.project if bank.config is not None else ""
        return replace(
            row,
            name=name or row.name,
            looked=True,
            here=row.here or bank.root == self._workspace.bank_root,
            bank=bank.root,
            cards=cards,
            pages=pages,
            waiting=waiting,
            troubles=(*told, *troubles, *_of_transcripts(row)),
        )

    def _bank_alone(self, bank: KnownBank) -> Found:
        """A bank to which no session leads."""
        there = _there(bank)
        folders = (there,) if there else tuple(sorted(bank.places))[:1]
        row = Found(f"bank:{bank.root}", bank.root.name, folders, by_itself=False)
        return self._with_bank(row, bank, (GONE,) if folders and not there else ())


def _put(
    done: dict[str, Found], of_bank: dict[Path, tuple[str, bool]], row: Found, alias: bool
) -> None:
    """Add a row, or join it with what is there under another name of the same project.

    `of_bank` says under which key a bank's project stands, and whether only aliases of it were met.
    """
    known = of_bank.get(row.bank) if row.bank is not None else None
    if known is None:
        key, alone = row.key, alias
        done[key] = row
    elif alias or known[1]:
        key, alone = known[0], alias and known[1]
        done[key] = _joined(done[key], row) if alias else _joined(row, done[key])
    else:
        done[row.key] = row  # another clone: a project of its own with the same bank
        return
    if row.bank is not None:
        of_bank[row.bank] = (key, alone)


def _there(bank: KnownBank) -> str:
    """A folder from which the bank was opened and that is still there, "" for none."""
    return next((place for place in sorted(bank.places) if Path(place).is_dir()), "")


def _joined(first: Found, second: Found) -> Found:
    """Two folders of one bank: `second` is another name of the project."""
    hosts: dict[str, int] = {}
    for name, count in (*first.hosts, *second.hosts):
        hosts[name] = hosts.get(name, 0) + count
    joined = replace(
        first,
        folders=tuple(dict.fromkeys((*first.folders, *second.folders))),
        hosts=tuple(hosts.items()),
        sessions=first.sessions + second.sessions,
        gone=first.gone + second.gone,
        last=_later(first.last, second.last),
        here=first.here or second.here,
    )
    kept = [text for text in first.troubles if text not in _of_transcripts(first)]
    return replace(joined, troubles=(*kept, *_of_transcripts(joined)))


def _of_transcripts(row: Found) -> tuple[str, ...]:
    if not row.gone:
        return ()
    return (f"{row.gone} of {row.sessions} transcripts gone",)


def _later(one: int | None, other: int | None) -> int | None:
    known = [at for at in (one, other) if at is not None]
    return max(known, default=None)
