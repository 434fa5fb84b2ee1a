"""An open project: its bank beside the sessions that its agents keep.

Screen and commands ask here, so that they cannot differ.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from memtui.agents.whereabouts import checkout
from memtui.bank.find import current_branch
from memtui.bank.layout import BankFiles
from memtui.bank.load import BankReader
from memtui.bank.model import BankConfig, BankContents, Layout
from memtui.bank.trust import trust_by_id
from memtui.clock import Clock, fixed_clock
from memtui.curate.act import CurateError
from memtui.curate.sessions import hidden_sessions
from memtui.index.drift import find_drift
from memtui.index.refresh import refresh
from memtui.index.rows import Facts, day_of
from memtui.index.states import State
from memtui.inject.limits import delivered
from memtui.inject.model import Request
from memtui.inject.plan import plan
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.rows import Facet
from memtui.sessions.scan import Progress, Scanner, ScanReport
from memtui.sessions.timeline import Timeline
from memtui.sessions.turn import TurnDetail, read_turn
from memtui.settings import Settings
from memtui.workspace.agents_side import AgentsSide
from memtui.workspace.citing import Citing
from memtui.workspace.curating import Curating
from memtui.workspace.model import (
    BankView,
    Changed,
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
from memtui.workspace.setting import Setting
from memtui.workspace.views import claims_of, make_view
from memtui.workspace.walk import walk

if TYPE_CHECKING:
    from memtui.workspace.finding import Finding
    from memtui.workspace.recalling import Recalling
    from memtui.workspace.upkeep import Upkeep

CHECK_SECONDS = 1.0
"""How long one load may spend on checking citations that are not known yet."""


class Workspace:
    """One project, open. Calls may come from several threads; `load` runs one at a time.

    Without a bank (`bank_root` is None) there are still sessions to browse.
    """

    def __init__(self, setting: Setting, reader: BankReader | None) -> None:
        self._setting = setting
        self._reader = reader
        self._loading = threading.Lock()
        self._notes: tuple[StatusNote, ...] = setting.notes
        self._branch = setting.branch
        self.catalogue = Catalogue(setting.places.catalogue, setting.hosts)
        self.catalogue.prepare()
        self._citing = Citing(self.catalogue)
        self._making = threading.Lock()
        self._finding: Finding | None = None
        self._recalling: Recalling | None = None
        self._behind = ""
        self._hidden: frozenset[str] = frozenset()
        self.agents = AgentsSide(self)
        self._scanned = self._has_sessions()
        self._serial = 0
        self._curating = Curating(reader, setting, self.load) if reader else None
        self._upkeep: Upkeep | None = None

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
        if self._reader is None:
            return None
        places = self._setting.places
        return places.bank_cache(self._reader.config.id, self._reader.root) / "index.db"

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
                    lambda: self._behind,
                )
            return self._recalling

    @property
    def hidden(self) -> frozenset[str]:
        """The sessions that are hidden, as `<host>:<id>`, as the bank was last read."""
        return self._hidden

    @property
    def finding(self) -> Finding:
        """Search in the sessions. Quick."""
        with self._making:
            if self._finding is None:
                from memtui.workspace.finding import Finding

                self._finding = Finding(self.catalogue, self.clock)
            return self._finding

    def load(self) -> BankView:
        """Read the bank and everything computed about it. Raises BankError. Blocks."""
        with self._loading:
            self._branch = checkout(str(self._setting.cwd), self._setting.environ).branch
            contents = self._contents()
            self._hidden = hidden_sessions(contents.events)
            facts, notes = self._facts(contents)
            told = (StatusNote("warning", note) for note in notes)
            self._notes = (*self._setting.notes, *told)
            self._serial += 1
            return replace(make_view(contents, facts, notes), serial=self._serial)

    @property
    def curating(self) -> Curating:
        """Acts on the bank, and edits made elsewhere. Raises CurateError without a bank."""
        if self._curating is None:
            raise CurateError("no bank is open", "name one with --bank, or make one")
        return self._curating

    @property
    def upkeep(self) -> Upkeep:
        """Inbox and sleep."""
        if self._upkeep is None:
            from memtui.workspace.upkeep import Upkeep

            self._upkeep = Upkeep(self)
        return self._upkeep

    def _contents(self) -> BankContents:
        if self._reader is None:
            root = self._setting.project_root or self._setting.cwd
            return BankContents(root, Layout.MEMTUI, self.config, (), (), ())
        return self._reader.read()

    def _has_sessions(self) -> bool:
        """Whether transcripts were catalogued before: without that every citation would seem gone."""
        with closing(self.catalogue.reader()) as db:
            return self.catalogue.view(db).files > 0

    def _facts(self, contents: BankContents) -> tuple[Facts, tuple[str, ...]]:
        """What is known besides the text; what could not be computed is said."""
        notes: list[str] = []
        root = self._setting.project_root
        drift = find_drift(contents, root, current_branch(root) if root else "", self.index_path)
        if drift.note:
            notes.append(drift.note)
        evidence: dict[str, tuple[State, ...]] = {}
        if self._scanned:
            evidence, waiting = self._citing.states(contents, CHECK_SECONDS)
            if waiting:
                notes.append(f"{waiting} citations are not checked yet")
        facts = Facts(
            now=self.clock(),
            trust=trust_by_id(contents.events),
            drift=drift.causes,
            evidence=evidence,
        )
        notes += self._refresh_index(contents, facts)
        return facts, tuple(notes)

    def _refresh_index(self, contents: BankContents, facts: Facts) -> list[str]:
        """Bring `index.db` in step, so that a hook plans over what the screen shows."""
        self._behind = ""
        if self.index_path is None:
            return []
        try:
            refresh(
                self.index_path,
                contents,
                clock=fixed_clock(facts.now),
                drift=facts.drift,
                evidence_states=facts.evidence,
                events=self._reader.files.events if self._reader else None,
            )
            self.agents.announce()
        except (OSError, sqlite3.Error) as error:
            self._behind = f"the index is behind: {self.index_path}: {error}"
            return [self._behind]
        return []

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
    ) -> Timeline:
        """The sessions and rows of this project, or of every one, under a facet."""
        keys = None if every_project else self.project_keys
        return Timeline(self.catalogue.path, keys, Facet(facet), collapsed=collapsed)

    def turn(self, session: int, seq: int) -> TurnDetail:
        """One row in full, read from the transcript. Raises KeyError."""
        return read_turn(self.catalogue, session, seq)

    def evidence(self, item: ItemView) -> tuple[EvidenceView, ...]:
        """An item's citations, each checked against its transcript. Blocks."""
        files = self.files
        return self._citing.check(files, item.item) if files else ()

    def claims(self, view: BankView, page: ItemView) -> tuple[ClaimView, ...]:
        """A page's claims with the cards that they cite."""
        return claims_of(view, page)

    def walk(self, view: BankView, word: str) -> tuple[WalkStep, ...]:
        """The provenance chain below an item, by handle or name; empty when there is none."""
        return walk(view, word, self.evidence)

    def scan(
        self,
        progress: Callable[[ScanProgress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ScanReport:
        """Catalogue what is new in the hosts' transcripts. Blocks. Raises sqlite3.Error."""
        scanner = Scanner(
            self.catalogue, self._setting.hosts, self._setting.home, gentle=progress is not None
        )

        def tell(step: Progress) -> None:
            if progress is not None:
                progress(ScanProgress(*_fields(step)))

        try:
            report = scanner.run(tell, cancelled)
        finally:
            scanner.close()
        if report.complete:
            self._scanned = True
        self._citing.forget(())
        return report

    def update(self, paths: tuple[Path, ...]) -> ScanReport:
        """Catalogue what is new in these transcripts. Blocks. Raises sqlite3.Error."""
        scanner = Scanner(self.catalogue, self._setting.hosts, self._setting.home)
        try:
            report = scanner.update(paths)
        finally:
            scanner.close()
        self._citing.forget(paths)
        return report

    async def watch(self) -> AsyncIterator[Changed]:
        """What changes under the bank and the transcripts, for as long as it is listened to."""
        from memtui.workspace.watching import watch

        async for changed in watch(self):
            yield changed

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
        return (*self._notes, *self.agents.notes())


def _fields(step: Progress) -> tuple[int, int, int, int, Path | None]:
    return step.files_done, step.files_total, step.bytes_done, step.bytes_total, step.current
