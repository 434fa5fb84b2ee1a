"""An open project: its bank beside the sessions that its agents keep.

Screen and commands ask here, so that they cannot differ.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from memtui.agents.whereabouts import checkout
from memtui.bank.marks import AllMarks
from memtui.bank.model import BankConfig, BankContents, Layout, Scope
from memtui.curate.act import CurateError, NoBankError
from memtui.index.rows import Facts, day_of
from memtui.inject.limits import delivered
from memtui.inject.model import Request
from memtui.inject.plan import plan
from memtui.sessions.catalogue import Catalogue
from memtui.workspace.agents_side import AgentsSide
from memtui.workspace.citing import Citing
from memtui.workspace.loading import Around, Loader
from memtui.workspace.model import (
    BankView,
    ClaimView,
    EvidenceView,
    ItemView,
    Looked,
    Preview,
    PreviewOptions,
    ScanProgress,
    StatusNote,
    WalkStep,
)
from memtui.workspace.semantic import how_to_switch_on
from memtui.workspace.views import claims_of, make_view

# What only some commands or the screen use is imported where it is used: a command waits for no other.
if TYPE_CHECKING:
    from memtui.bank.layout import BankFiles
    from memtui.bank.load import BankReader
    from memtui.bank.model import Evidence
    from memtui.clock import Clock
    from memtui.sessions.scan import Progress, ScanReport
    from memtui.sessions.timeline import Timeline
    from memtui.sessions.turn import TurnDetail
    from memtui.settings import Settings
    from memtui.workspace.beginning import Beginning
    from memtui.workspace.curating import Curating
    from memtui.workspace.drafting import Drafting
    from memtui.workspace.everywhere import Everywhere
    from memtui.workspace.finding import Finding
    from memtui.workspace.live import Live
    from memtui.workspace.projects import Projects
    from memtui.workspace.recalling import Recalling
    from memtui.workspace.session_tools import SessionTools
    from memtui.workspace.setting import Setting
    from memtui.workspace.upkeep import Upkeep
    from memtui.workspace.watching import Watching


class Workspace:
    """One project, open. Calls may come from several threads.

    Without a bank (`bank_root` is None) there are still sessions to browse.
    """

    def __init__(self, setting: Setting, reader: BankReader | None) -> None:
        self._setting = setting
        self._reader = reader
        self._branch = setting.branch
        self.catalogue = Catalogue(setting.places.catalogue, setting.hosts)
        self.catalogue.prepare()
        self._citing = Citing(self.catalogue)
        self._making = threading.Lock()
        self._finding: Finding | None = None
        self._recalling: Recalling | None = None
        self._marks = AllMarks()
        self.agents = AgentsSide(self)
        self._scanned = self._has_sessions()
        self._loader = self._loader_of(reader) if reader else None
        self._curating: Curating | None = None
        self._upkeep: Upkeep | None = None

    def _release(self) -> None:
        if self._recalling is not None:
            self._recalling.release()

    def _loader_of(self, reader: BankReader) -> Loader:
        setting = self._setting
        index = setting.places.bank_cache(reader.config.id, reader.root) / "index.db"
        around = Around(
            setting.project_root, index, setting.clock, lambda: self._scanned, self.agents.announce
        )
        return Loader(reader, around, self._citing)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """See `close`."""
        self.close()

    def close(self) -> None:
        """Stop what runs in the background; everything can be used again."""
        everywhere = self.__dict__.pop("everywhere", None)
        if everywhere is not None:
            everywhere.close()
        live = self.__dict__.pop("live", None)
        if live is not None:
            live.close()
        recalling, self._recalling = self._recalling, None
        if recalling is not None:
            recalling.close()
        if self._curating is not None:
            self._curating.close()

    @property
    def setting(self) -> Setting:
        """Where this workspace stands."""
        return self._setting

    @property
    def settings(self) -> Settings:
        """The user's settings."""
        return self._setting.settings

    @property
    def clock(self) -> Clock:
        """The clock that ages and expiry go by."""
        return self._setting.clock

    @property
    def branch(self) -> str:
        """The branch of this work tree as of the last load, "" when there is none."""
        return self._branch

    @property
    def project_root(self) -> Path | None:
        """The project's folder, None outside one."""
        return self._setting.project_root

    @property
    def cwd(self) -> Path:
        """The working folder."""
        return self._setting.cwd

    @property
    def is_nowhere(self) -> bool:
        """Whether there is nothing to browse here (the home folder, `/`), but agents ran elsewhere."""
        if self._reader is not None or self._setting.project_root is not None:
            return False
        home = self._setting.home
        there = (f.exists() for host in self._setting.hosts for f in host.folders(home))
        return self._scanned or any(there)

    @property
    def config_folder(self) -> Path:
        """Where the user's settings and themes lie."""
        return self._setting.places.config

    @property
    def bank_root(self) -> Path | None:
        """The bank's folder, None without a bank."""
        return self._reader.root if self._reader else None

    @property
    def bank_name(self) -> str:
        """What the screen calls the bank."""
        if self._reader is None:
            return ""
        return self._reader.config.project or self._reader.root.name

    @property
    def config(self) -> BankConfig:
        """The bank's config; the defaults without a bank."""
        return self._reader.config if self._reader else BankConfig(id="none", project=self.project)

    @property
    def project(self) -> str:
        """The project's name."""
        if self._reader is not None and self._reader.config.project:
            return self._reader.config.project
        root = self._setting.project_root
        return root.name if root else ""

    @property
    def home(self) -> Path:
        """The home folder of the agent hosts."""
        return self._setting.home.home

    @property
    def project_keys(self) -> tuple[str, ...]:
        """The folders that mean this project in transcripts."""
        keys = [alias for alias in self.config.aliases if alias.startswith("/")]
        if self._setting.project_root is not None:
            keys.append(str(self._setting.project_root))
        return tuple(dict.fromkeys(keys))

    @property
    def files(self) -> BankFiles | None:
        """Where the bank's files lie."""
        return self._reader.files if self._reader else None

    @property
    def index_path(self) -> Path | None:
        """The derived `index.db` of the bank."""
        return self._loader.around.index if self._loader else None

    @property
    def recalling(self) -> Recalling | None:
        """Search in the bank; None without one. Quick."""
        reader = self._reader
        if reader is None:
            return None
        with self._making:
            if self._recalling is None:
                # 30 modules that the first paint does not need.
                from memtui.workspace.recalling import Recalling, home_bank, other_banks

                places = self._setting.places
                self._recalling = Recalling(
                    home_bank(reader, places),
                    partial(other_banks, places, reader.root),
                    self.settings.semantic,
                    self.clock,
                    lambda: self._loader.behind if self._loader else "",
                )
            return self._recalling

    @property
    def hidden(self) -> frozenset[str]:
        """The sessions that are hidden, as `<host>:<id>`, as the bank was last read."""
        return self._marks.hidden

    @property
    def tags(self) -> Mapping[str, tuple[str, ...]]:
        """The tags of sessions, by `<host>:<id>`, as the bank was last read."""
        return self._marks.tags

    @cached_property
    def session_tools(self) -> SessionTools:
        """What can be done with one session."""
        from memtui.workspace.session_tools import SessionTools

        return SessionTools(self)

    @property
    def finding(self) -> Finding:
        """Search in the sessions. Quick."""
        with self._making:
            if self._finding is None:
                from memtui.workspace.finding import Finding

                self._finding = Finding(self.catalogue, self.clock)
            return self._finding

    def begin(self, at: Beginning) -> Path:
        """Begin a bank there and open it in this workspace. Blocks. Raises CurateError, OSError.

        What was open before stays as it is on disk; a bank that is open already is an error.
        """
        from memtui.workspace.beginning import begin
        from memtui.workspace.open import reader_of

        if self._reader is not None:
            raise CurateError(f"a bank is open already: {self._reader.root}")
        root = begin(self._setting, at)
        with self._making:
            self._reader = reader_of(root, self._setting)
            self._setting.by_project = at.kind == "own"
            self._loader = self._loader_of(self._reader)
        return root

    def beginnings(self) -> tuple[Beginning, ...]:
        """The places where this project can begin a bank, the usual one first. Blocks."""
        from memtui.workspace.beginning import beginnings

        return beginnings(self._setting)

    def load(self) -> BankView:
        """Read the bank and everything computed about it. Raises BankError. Blocks."""
        self.read()
        return self.settle()

    def read(self, paths: tuple[Path, ...] = ()) -> BankView:
        """The bank as its files are now (where given, as only these are), with what is known about it.

        Quick: drift, citations and the index are left to `settle`. Raises BankError.
        """
        self._branch = checkout(str(self._setting.cwd), self._setting.environ).branch
        if self._loader is None:
            return self._without_bank()
        view = self._loader.reread(paths) if paths else self._loader.read()
        self._marks = self._loader.marks
        return view

    def settle(self, *, drift: bool = True) -> BankView:
        """Find out what takes long about the bank as it was read last. Raises BankError. Blocks.

        The very view that was there before when nothing that it shows changed. Without `drift` git is
        not asked again.
        """
        return self._loader.settle(drift=drift) if self._loader else self._without_bank()

    def _without_bank(self) -> BankView:
        root = self._setting.project_root or self._setting.cwd
        contents = BankContents(root, Layout.MEMTUI, self.config, (), (), ())
        return make_view(contents, Facts(now=self.clock(), trust={})).view

    @property
    def curating(self) -> Curating:
        """Acts on the bank, and edits made elsewhere. Raises CurateError without a bank."""
        if self._reader is None:
            raise NoBankError
        with self._making:
            if self._curating is None:
                from memtui.workspace.curating import Curating

                self._curating = Curating(
                    self._reader, self._setting, self.read, self.settle, self._release
                )
            return self._curating

    @property
    def upkeep(self) -> Upkeep:
        """Inbox and sleep."""
        if self._upkeep is None:
            from memtui.workspace.upkeep import Upkeep

            self._upkeep = Upkeep(self)
        return self._upkeep

    @property
    def drafting(self) -> Drafting:
        """Drafts of cards from the sessions. Quick; what it does blocks."""
        from memtui.workspace.drafting import Drafting

        return Drafting(self.catalogue, Scope(self.config.project or None), self.project_keys)

    @cached_property
    def live(self) -> Live:
        """The sessions that run beside us. Quick; what it offers blocks."""
        from memtui.workspace.live import Live

        return Live(self)

    @cached_property
    def projects(self) -> Projects:
        """All projects of this user. Quick; what it does blocks."""
        from memtui.workspace.projects import Projects

        return Projects(self)

    @cached_property
    def everywhere(self) -> Everywhere:
        """Search over all projects. Quick; what it does blocks."""
        from memtui.workspace.everywhere import Everywhere

        return Everywhere(self)

    def _has_sessions(self) -> bool:
        """Whether transcripts were catalogued before: without that every citation would seem gone."""
        with closing(self.catalogue.reader()) as db:
            return self.catalogue.view(db).files > 0

    def preview(self, view: BankView, options: PreviewOptions) -> Preview:
        """What the next session receives. Pure: nothing is read but the view."""
        request = Request(
            host=options.host,
            source=options.source,
            project=view.contents.config.project,
            branch=options.branch,
            today=day_of(self.clock()),
            seen=options.seen,
            budget=options.budget,
        )
        made = plan(view.snapshot, request)
        held = tuple(decision for decision in made.decisions if not decision.rank)
        return Preview(made, delivered(made.text, made.limit), options, held)

    def timeline(
        self,
        facet: str,
        collapsed: frozenset[int] = frozenset(),
        *,
        every_project: bool = False,
        with_hidden: bool = False,
        among: frozenset[str] | None = None,
    ) -> Timeline:
        """The sessions and rows of this project, or of every one, under a facet.

        `among` are the only sessions to show, as `<host>:<id>`.
        """
        keys = None if every_project else self.project_keys
        hidden = () if with_hidden else self.hidden
        from memtui.sessions.rows import Facet
        from memtui.sessions.timeline import Timeline

        return Timeline(self.catalogue.path, keys, Facet(facet), hidden, collapsed, among=among)

    def turn(self, session: int, seq: int) -> TurnDetail:
        """One row in full, read from the transcript. Raises KeyError."""
        from memtui.sessions.turn import read_turn

        return read_turn(self.catalogue, session, seq)

    def evidence(self, item: ItemView) -> tuple[EvidenceView, ...]:
        """An item's citations, each checked against its transcript. Blocks."""
        files = self.files
        return self._citing.check(files, item.item.evidence) if files else ()

    def cited(self, evidence: Sequence[Evidence]) -> tuple[EvidenceView, ...]:
        """Citations that no item has yet, checked likewise. Blocks."""
        files = self.files
        return self._citing.check(files, evidence) if files else ()

    def claims(self, view: BankView, page: ItemView) -> tuple[ClaimView, ...]:
        """A page's claims with the cards that they cite."""
        return claims_of(view, page)

    def walk(self, view: BankView, word: str) -> tuple[WalkStep, ...]:
        """The provenance chain below an item, by handle or name; empty when there is none."""
        from memtui.workspace.walk import walk

        return walk(view, word, self.evidence)

    def scan(
        self,
        progress: Callable[[ScanProgress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        paused: Callable[[], bool] | None = None,
    ) -> ScanReport:
        """Catalogue what is new in the hosts' transcripts. Blocks. Raises sqlite3.Error.

        While `paused()` is true it waits, holding nothing.
        """
        from memtui.sessions.scan import Scanner

        scanner = Scanner(
            self.catalogue, self._setting.hosts, self._setting.home, gentle=progress is not None
        )

        def tell(step: Progress) -> None:
            if progress is not None:
                progress(ScanProgress(*_fields(step)))

        try:
            report = scanner.run(tell, cancelled, paused)
        finally:
            scanner.close()
        if report.complete:
            self._scanned = True
        self._citing.touched(())
        return report

    def update(self, paths: tuple[Path, ...], *, whole: bool = True) -> ScanReport:
        """Catalogue what is new in these transcripts. Blocks. Raises sqlite3.Error.

        Not `whole`, while a scan runs, leaves out what only a look at all files tells.
        """
        from memtui.sessions.scan import Scanner

        scanner = Scanner(self.catalogue, self._setting.hosts, self._setting.home)
        try:
            report = scanner.update(paths, whole=whole)
        finally:
            scanner.close()
        self._citing.touched(paths)
        return report

    def read_text(
        self, told: Callable[[float], None], cancelled: Callable[[], bool] | None = None
    ) -> bool:
        """Index more of the full text, gently; whether all is there. Raises sqlite3.Error. Blocks."""
        from memtui.sessions.fulltext import FullText

        return FullText(self.catalogue).fill(cancelled, gentle=True, told=told)

    def find(self, sessions: Collection[int], words: Sequence[str]) -> frozenset[tuple[int, int]]:
        """The rows of these sessions that hold all words (see `find_places`). Raises sqlite3.Error."""
        from memtui.sessions.find import find_places

        return find_places(self.catalogue, sessions, words)

    @cached_property
    def watching(self) -> Watching:
        """What changes under the bank and the transcripts. Quick."""
        from memtui.workspace.watching import Watching

        return Watching(self)

    def looked(self) -> tuple[Looked, ...]:
        """Where a bank and sessions were looked for."""
        places = [Looked(place.what, place.path, place.found) for place in self._setting.looked]
        for host in self._setting.hosts:
            found = next(iter(host.discover(self._setting.home)), None)
            where = found.path.parent if found else self._setting.home.home
            places.append(Looked(f"sessions of {host.label}", where, found is not None))
        return tuple(places)

    def status(self) -> tuple[StatusNote, ...]:
        """What is off, behind or degraded, and why."""
        told = self._loader.notes if self._loader else ()
        notes = (StatusNote("warning", note) for note in told)
        failed = self.watching.mode.failed
        watch = (StatusNote("warning", failed),) if failed else ()
        return (*self._setting.notes, *watch, *notes, *self.agents.notes(), *self._semantic_off())

    def _semantic_off(self) -> tuple[StatusNote, ...]:
        """That search by meaning is off, and how to switch it on."""
        how = how_to_switch_on(self.settings.semantic)
        return (StatusNote("info", f"semantic: off ({how})"),) if how else ()


def _fields(step: Progress) -> tuple[int, int, int, int, Path | None]:
    return step.files_done, step.files_total, step.bytes_done, step.bytes_total, step.current
