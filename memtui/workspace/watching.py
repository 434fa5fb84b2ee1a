"""What changes under an open workspace, told as soon as the system tells it, or as it is found by asking."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.workspace.model import Changed
from memtui.workspace.mounts import silent_type
from memtui.workspace.polling import Poller

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

STEP_MS = 20
LOOK_SECONDS = 1.0
"""Time between two looks for folders that were not there, or that others took the place of."""
_TURN_MS = 1000
_MOST_BELOW = 10_000
"""Files of a new folder that are told."""
_IGNORED = (".tmp", ".swp", ".swx", "~", "-shm", "-journal", ".lock")
_ADDED = 1

Place = tuple[str, int, int]
"""Kind (bank or sessions), device and inode of a folder that is watched."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How changes are noticed. `polled` are the folders that are asked, each with the reason.

    `events` counts the folders of which the system tells. `failed` says why nothing is noticed.
    """

    events: int = 0
    polled: tuple[tuple[Path, str], ...] = ()
    failed: str = ""

    @property
    def word(self) -> str:
        """events, polling, or "" while nothing is watched."""
        return "polling" if self.polled else "events" if self.events else ""

    @property
    def told(self) -> str:
        """The word, with the reasons for polling, each once."""
        reasons = ", ".join(dict.fromkeys(reason for _, reason in self.polled))
        return f"{self.word} ({reasons})" if reasons else self.word


def relevant(path: str) -> bool:
    """Whether a change of this file can matter: not a temporary, swap or side file."""
    name = path.rpartition("/")[2]
    return not name.endswith(_IGNORED) and not name.startswith((".#", "#", ".memtui-", "4913"))


def watched_places(workspace: Workspace) -> dict[Path, Place]:
    """The folders of bank and transcripts that exist now, resolved. Blocks for a moment."""
    bank: list[Path] = []
    files = workspace.files
    if files is not None:
        bank.append(files.root)
        if files.state is not None and files.own == files.state:
            bank.append(files.events)
    setting = workspace.setting
    sessions = [folder for host in setting.hosts for folder in host.folders(setting.home)]
    found: dict[Path, Place] = {}
    for kind, folders in (("bank", bank), ("sessions", sessions)):
        for folder in folders:
            try:
                real = folder.resolve()
                stat = real.stat()
            except OSError:
                continue
            found.setdefault(real, (kind, stat.st_dev, stat.st_ino))
    return found


def planned(workspace: Workspace, folders: Iterable[Path]) -> Mode:
    """How these folders, which exist, are watched where nothing goes wrong."""
    return _mode({path: _reason(workspace, path) for path in map(Path.resolve, folders)})


def _reason(workspace: Workspace, path: Path) -> str:
    """Why a folder must be polled, "" where the system tells of its changes."""
    return "set in the settings" if workspace.settings.watch.polling else silent_type(path)


def _mode(reasons: dict[Path, str]) -> Mode:
    polled = tuple((path, reason) for path, reason in reasons.items() if reason)
    return Mode(len(reasons) - len(polled), polled)


class Watching:
    """Watches the folders of a workspace for as long as `changes` is listened to.

    Folders that come to be later are noticed, and so are those that are replaced.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._mode = Mode()
        self.ready = threading.Event()
        """Set once the folders that are there are watched: what is read after that misses nothing."""

    @property
    def mode(self) -> Mode:
        """How changes are noticed now. Quick."""
        return self._mode

    async def changes(self) -> AsyncIterator[Changed]:
        """Changes of the bank and of transcripts, each batch once.

        A folder that came to be stands for everything below it. Raises OSError when nothing can be
        watched any more.
        """
        listeners = _Listeners(self._workspace.settings.watch.debounce_ms)
        known: dict[Path, Place] | None = None
        try:
            while True:
                places = await asyncio.to_thread(watched_places, self._workspace)
                if places != known or listeners.stale:
                    try:
                        await self._listen(listeners, list(places))
                    except FileNotFoundError:  # a folder went away meanwhile
                        await asyncio.sleep(LOOK_SECONDS / 10)
                        continue
                    before, known = known, places
                    for path, place in places.items():
                        if before is not None and before.get(path) != place:
                            yield Changed(place[0], (path,))
                async for batch in listeners.batches(LOOK_SECONDS):
                    for change in _sorted_out(batch, places):
                        yield change
        finally:
            listeners.stop()

    async def _listen(self, listeners: _Listeners, paths: list[Path]) -> None:
        why = partial(_reason, self._workspace)
        reasons = {path: await asyncio.to_thread(why, path) for path in paths}
        await listeners.listen(reasons)
        self._mode = _mode({path: listeners.failing.get(path, reasons[path]) for path in paths})
        self.ready.set()

    def fail(self, why: str) -> None:
        """Nothing is noticed any more: say so for as long as it is so."""
        self._mode = Mode(failed=why)


def _sorted_out(batch: frozenset[Path], places: dict[Path, Place]) -> Iterator[Changed]:
    """One batch as changes of the bank and of sessions."""
    for kind in ("bank", "sessions"):
        folders = [path for path, place in places.items() if place[0] == kind]
        found = sorted(p for p in batch if any(p.is_relative_to(folder) for folder in folders))
        if found:
            yield Changed(kind, tuple(found))


class _Listeners:
    """A thread for the folders that tell of their changes, and one for those that are polled."""

    def __init__(self, debounce_ms: int) -> None:
        self._debounce = max(1, debounce_ms)
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[frozenset[Path]] = asyncio.Queue()
        self._stop = threading.Event()
        self.failing: dict[Path, str] = {}
        """Folders that could not be watched by events, with the reason."""
        self.stale = False
        """Whether a thread ended: its folders are watched by polling from the next `listen` on."""

    async def listen(self, reasons: Mapping[Path, str]) -> None:
        """Watch these folders from now on, those with a reason by polling, and no others.

        Returns when they are watched, which takes a moment for each folder below them. Others are
        let go only then, so that no change falls between. Raises FileNotFoundError, OSError.
        """
        before, self._stop, self.stale = self._stop, threading.Event(), False
        try:
            telling = [
                path for path, why in reasons.items() if not why and path not in self.failing
            ]
            if telling and (error := await self._start(telling, False)) is not None:
                if isinstance(error, FileNotFoundError):
                    raise error
                self._give_up(telling, error)
            asked = [path for path, why in reasons.items() if why or path in self.failing]
            if asked and (error := await self._start(asked, True)) is not None:
                raise error if isinstance(error, OSError) else OSError(str(error))
        finally:
            before.set()

    def stop(self) -> None:
        """End the threads, in a moment."""
        self._stop.set()

    async def batches(self, seconds: float) -> AsyncIterator[frozenset[Path]]:
        """What changes in so much time, or until a thread fails."""
        end = self._loop.time() + seconds
        while not self.stale and (left := end - self._loop.time()) > 0:
            try:
                batch = await asyncio.wait_for(self._queue.get(), left)
            except TimeoutError:
                return
            yield batch

    async def _start(self, paths: list[Path], polling: bool) -> Exception | None:
        """What kept the thread from watching; None when it does."""
        begun: asyncio.Future[Exception | None] = self._loop.create_future()

        def told(error: Exception | None) -> None:
            if not begun.done():
                begun.set_result(error)
            elif error is not None:
                self._give_up(paths, error)
                self.stale = True

        thread = threading.Thread(
            target=self._watch,
            args=(paths, polling, self._stop, told),
            name="memtui-watch",
            daemon=True,
        )
        thread.start()
        return await begun

    def _give_up(self, paths: list[Path], error: Exception) -> None:
        self.failing.update(dict.fromkeys(paths, f"no events: {error}"))

    def _watch(
        self,
        paths: list[Path],
        polling: bool,
        stop: threading.Event,
        told: Callable[[Exception | None], None],
    ) -> None:
        try:
            if polling:
                poller = Poller(paths)
                self._call(told, None)
                for changed in poller.changes(stop):
                    self._put({path for path in changed if relevant(str(path))})
            else:
                self._hear(paths, stop, told)
        except Exception as error:  # noqa: BLE001 (whatever the system refuses, polling is tried)
            self._call(told, error)

    def _hear(
        self, paths: list[Path], stop: threading.Event, told: Callable[[Exception | None], None]
    ) -> None:
        from watchfiles._rust_notify import RustNotify

        step = min(STEP_MS, self._debounce)
        with RustNotify(list(map(str, paths)), False, False, 0, True, True) as notify:
            self._call(told, None)
            while not stop.is_set():
                raw = notify.watch(self._debounce, step, _TURN_MS, stop)
                if isinstance(raw, set):
                    self._tell(raw)

    def _tell(self, raw: set[tuple[int, str]]) -> None:
        paths: set[Path] = set()
        for change, name in raw:
            path = Path(name)
            if relevant(name):
                paths.add(path)
            if change == _ADDED and path.is_dir():
                paths.update(_below(path))
        self._put(paths)

    def _put(self, paths: set[Path]) -> None:
        if paths:
            self._call(self._queue.put_nowait, frozenset(paths))

    def _call(self, function: Callable[..., object], *values: object) -> None:
        with suppress(RuntimeError):  # the loop ended: nobody listens any more
            self._loop.call_soon_threadsafe(function, *values)


def _below(folder: Path) -> Iterator[Path]:
    """The files of a new folder: they may have come before the system watched it."""
    for path in islice(folder.rglob("*"), _MOST_BELOW):
        if relevant(str(path)) and path.is_file():
            yield path
