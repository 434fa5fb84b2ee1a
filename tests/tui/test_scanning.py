"""The sessions are read in the background: shown as they come, at rest when told, followed meanwhile."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from memtui.tui.app import MemtuiApp
from memtui.tui.screens.scanning import ScanningPart
from memtui.tui.screens.watch import WatchScreen
from memtui.workspace.sample import Sample
from tests.sessions.session_fixtures import Talk, session_id
from tests.tui.conftest import Open, text_of
from tests.tui.test_timeline import append
from tests.tui.test_watch import shows

MANY = 300


def many(sample: Sample) -> None:
    """So many sessions of other projects, older than those of the sample, that reading takes a while."""
    folder = sample.home / ".claude/projects/-w-shop"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(MANY):
        talk = Talk(session_id(1000 + number), at=1_700_000_000_000)
        for turn in range(12):
            talk.prompt(f"prompt {turn} of {number}").run("make test", "ok " * 100)
        path = folder / f"{talk.session}.jsonl"
        path.write_bytes(talk.data)
        at = (1_700_000_000 + number) * 10**9
        os.utime(path, ns=(at, at))


def screen_of(app: MemtuiApp) -> ScanningPart:
    assert isinstance(app.screen, ScanningPart)
    return app.screen


async def until(condition: Callable[[], Any], app: MemtuiApp) -> None:
    for _ in range(4000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError(text_of(app))


def files_read(app: MemtuiApp) -> int:
    with closing(app.core.catalogue.reader()) as db:  # type: ignore[attr-defined]
        found = db.execute("SELECT COUNT(*) FROM files WHERE offset > 0").fetchone()
    return int(found[0])


@pytest.mark.parametrize("first", [None, WatchScreen])
async def test_a_scan_rests_goes_on_and_is_followed_meanwhile(
    open_app: Open, sample: Sample, first: Any
) -> None:
    many(sample)
    options = {"first": first} if first else {}
    app = open_app(watches=True, **options)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(app.screen, ScanningPart) and screen_of(app).progress, app)
        screen = screen_of(app)
        await pilot.press("Z")
        assert screen.paused
        await shows(pilot, "paused: reading sessions")
        await shows(pilot, "Z goes on")
        await asyncio.sleep(0.3)
        before = files_read(app)
        assert 0 < before < MANY
        await asyncio.sleep(0.5)
        assert files_read(app) == before
        append(sample, 1, "said while it rests")  # the newest session was read first
        await _has(app, "said while it rests")
        assert screen.paused
        await pilot.press("Z")
        await until(lambda: screen.scanned, app)
        assert files_read(app) > MANY


async def _has(app: MemtuiApp, said: str) -> None:
    def there() -> bool:
        with closing(app.core.catalogue.reader()) as db:  # type: ignore[attr-defined]
            return bool(db.execute("SELECT 1 FROM turns WHERE preview = ?", (said,)).fetchone())

    await until(there, app)


async def test_a_stopped_scan_goes_on_where_it_was(open_app: Open, sample: Sample) -> None:
    many(sample)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: isinstance(app.screen, ScanningPart) and screen_of(app).progress, app)
        await pilot.press("Z", "escape")
        await until(lambda: screen_of(app).last == "the scan was stopped; R goes on with it", app)
        await asyncio.sleep(0.3)
        before = files_read(app)
        assert 0 < before < MANY
        read: list[int] = []
        await pilot.press("R")
        await until(lambda: _note(screen_of(app), read), app)
        assert files_read(app) > MANY
        assert max(read) <= MANY + 20 - before + 20  # what was read is not in the plan again


def _note(screen: ScanningPart, read: list[int]) -> bool:
    if screen.progress is not None:
        read.append(screen.progress.files_total)
    return bool(read) and screen.progress is None


@pytest.mark.parametrize("first", [None, WatchScreen])
@pytest.mark.parametrize(("polling", "word"), [("true", "polling"), ("false", "events")])
async def test_how_changes_are_noticed_is_said(
    open_app: Open, first: Any, polling: str, word: str
) -> None:
    options = {"first": first} if first else {}
    app = open_app(watches=True, environ={"MEMTUI_WATCH_POLLING": polling}, **options)
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, word)
        lines = text_of(app).splitlines()
        assert any(word in line for line in lines[-2:])


async def test_the_end_of_watching_is_said(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise OSError("no space for watches")

    monkeypatch.setattr("memtui.workspace.watching.Poller", broken)
    app = open_app(watches=True, environ={"MEMTUI_WATCH_POLLING": "true"})
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, "not watching")
        notes = [note.text for note in app.core.status()]
        assert "changes are not noticed: no space for watches" in notes
