"""All host formats are written at once by another process while the side pane follows: what it saw, and when."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtui.hosts.model import Kind
from memtui.sessions.rows import KIND_NUMBER
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.watch import WatchScreen
from memtui.workspace.open import open_workspace
from memtui.workspace.workspace import Workspace
from tests.sessions.host_writers import digest

ROOT = Path(__file__).resolve().parents[2]
FOLLOWED = "claude-code"
PATIENCE = 60.0
_NEW = "SELECT r.id, t.preview FROM records r JOIN turns t ON t.id = r.turn WHERE r.id > ? AND t.kind = ?"


@dataclass
class Seen:
    """What a run showed. `catalogued` and `painted` are milliseconds from the writing of a prompt to the
    catalogue's knowing it and, for the followed session, to the frame that holds it."""

    written: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    prompts: Counter[str] = field(default_factory=Counter)
    tail: list[str] = field(default_factory=list)
    skipped: int = 0
    files: dict[str, bool] = field(default_factory=dict)
    opened: list[str] = field(default_factory=list)
    catalogued: list[float] = field(default_factory=list)
    painted: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float = 0.0


def core_of(root: Path) -> Workspace:
    """A project whose sessions are those of every host, with an empty bank."""
    home, bank = root / "home", root / "bank"
    (home / "shop").mkdir(parents=True)
    (bank / "cards").mkdir(parents=True)
    (bank / "bank.toml").write_text(
        'format = 1\nid = "live"\n\n[scope]\nproject = "shop"\naliases = ["/w/shop"]\n'
    )
    environ = {
        "HOME": str(root), "MEMTUI_HOSTS_HOME": str(home), "PWD": str(home / "shop"),
        **{f"MEMTUI_{name}_HOME": str(root / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")},
    }  # fmt: skip
    return open_workspace(bank=bank, cwd=home / "shop", environ=environ)


class Probe(MemtuiApp):
    """Notes how long the tail is at each frame."""

    CSS_PATH = [Path(inspect.getfile(MemtuiApp)).parent / name for name in MemtuiApp.CSS_PATH]
    frames: list[tuple[int, int]]

    def _display(self, screen: Any, renderable: Any) -> None:
        super()._display(screen, renderable)
        session = screen.session if isinstance(screen, WatchScreen) else None
        if session is not None and session.host == FOLLOWED:
            self.frames.append((time.time_ns(), len(screen.tail)))


class Noting(WatchScreen):
    """Notes when the catalogue knows a prompt."""

    CSS_PATH = str(Path(inspect.getfile(WatchScreen)).parent / "watch.tcss")
    workspace: Workspace
    noted: dict[str, int]
    newest = 0

    def show_sessions(self) -> None:
        now = time.time_ns()
        with closing(self.workspace.catalogue.reader()) as db:
            found = db.execute(_NEW, (self.newest, KIND_NUMBER[Kind.PROMPT])).fetchall()
        for record, said in found:
            self.newest = max(self.newest, record)
            self.noted.setdefault(said, now)
        super().show_sessions()


async def follow(root: Path, seconds: float, rate: float = 100.0) -> Seen:
    """Start the pane, then the writers; end when all that was written is known, or is not in time."""
    core = core_of(root)
    home = core.setting.home.home
    seen = Seen()
    screen = Noting(core)
    screen.workspace, screen.noted = core, {}
    app = Probe(core, first=lambda _: screen)
    app.frames = []
    app.animation_level = "none"
    with opened_for_writing(home) as seen.opened:
        async with app.run_test(size=(50, 40)) as pilot:
            await _until(lambda: screen.scanned and core.watching.ready.is_set())
            words = [
                sys.executable,
                "-m",
                "tests.sessions.host_writers",
                str(home),
                str(seconds),
                str(rate),
            ]
            begun, used = time.monotonic(), time.process_time()
            with subprocess.Popen(
                words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            ) as writers:  # fmt: skip
                assert writers.stdout is not None
                assert writers.stdin is not None
                told = asyncio.create_task(asyncio.to_thread(_told, writers.stdout))
                while not told.done():
                    await _choose(pilot, screen)
                    await asyncio.sleep(0.05)
                done = await told
                seen.seconds, seen.cpu = time.monotonic() - begun, time.process_time() - used
                seen.written, seen.errors = done["counts"], done["errors"]
                total = sum(seen.written.values())
                await _until(
                    lambda: len(screen.noted) >= total and not screen._reading, strict=False
                )
                await asyncio.sleep(0.3)
                _take(core, screen, seen)
                seen.files = _same(done["files"])
                writers.stdin.close()
            seen.catalogued = [
                (at - int(said.rpartition("@")[2])) / 1e6 for said, at in screen.noted.items()
            ]
            seen.painted = _painted(app.frames, seen.tail)
    return seen


def _told(stream: Any) -> Any:
    for line in stream:
        if line.startswith("{"):
            return json.loads(line)
    raise AssertionError("the writers ended early")


async def _choose(pilot: Any, screen: WatchScreen) -> None:
    """Follow one session as soon as it is known, whatever is asked."""
    if screen.session is not None and screen.session.host == FOLLOWED and screen.chosen:
        return
    if pilot.app.screen is not screen:
        await pilot.press("escape")
    wanted = next((one for one in screen.known if one.host == FOLLOWED), None)
    if wanted is not None:
        screen._chosen(str(wanted.session))


def _take(core: Workspace, screen: WatchScreen, seen: Seen) -> None:
    with closing(core.catalogue.reader()) as db:
        (seen.skipped,) = db.execute("SELECT COALESCE(SUM(count), 0) FROM skipped").fetchone()
        said = db.execute("SELECT preview FROM turns WHERE kind = ?", (KIND_NUMBER[Kind.PROMPT],))
        seen.prompts = Counter(preview.partition(" @")[0] for (preview,) in said)
    rows = screen.tail_rows
    if rows is not None:
        found = rows.timeline.rows(0, len(rows))
        seen.tail = [row.turn.preview for row in found if row.turn is not None]


def _painted(frames: list[tuple[int, int]], tail: list[str]) -> list[float]:
    """Milliseconds from each prompt's writing to the first frame whose tail is so long."""
    if not frames:
        return []
    heading = frames[-1][1] - len(tail)
    delays: list[float] = []
    place = 0
    for number, said in enumerate(tail):
        while place < len(frames) and frames[place][1] < number + 1 + heading:
            place += 1
        if place < len(frames):
            delays.append((frames[place][0] - int(said.rpartition("@")[2])) / 1e6)
    return delays


def _same(told: dict[str, tuple[str, str]]) -> dict[str, bool]:
    return {name: digest(Path(path)) == wanted for name, (path, wanted) in told.items()}


async def _until(condition: Any, strict: bool = True) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            assert not strict
            return
        await asyncio.sleep(0.02)


_watched: list[tuple[str, list[str]]] = []


_CHANGES = ("os.rename", "os.remove", "os.truncate", "os.utime", "os.chmod", "os.mkdir")


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watched:
        return
    folder, found = _watched[-1]
    if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(folder):
        flags = arguments[2] if isinstance(arguments[2], int) else 0
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC):
            found.append(arguments[0])
    elif event == "sqlite3.connect" and folder in str(arguments[0]):
        if "mode=ro" not in str(arguments[0]):
            found.append(str(arguments[0]))
    elif event in _CHANGES and str(arguments[0]).startswith(folder):
        found.append(f"{event} {arguments[0]}")


sys.addaudithook(_audit)  # the interpreter's own: it sees what this process opens, whoever asks


@contextmanager
def opened_for_writing(folder: Path) -> Iterator[list[str]]:
    """What is opened for writing or changed below `folder` by this process meanwhile."""
    found: list[str] = []
    _watched.append((str(folder), found))
    try:
        yield found
    finally:
        _watched.pop()
