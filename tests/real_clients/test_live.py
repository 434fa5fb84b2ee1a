"""The pane beside an agent follows sessions of the real clients from their start to their end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.rows import Facet
from memtui.sessions.scan import Scanner
from memtui.sessions.timeline import Timeline
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.watch import WatchScreen
from memtui.workspace.open import open_workspace
from tests.real_clients.clients import RealWorld, real_world, run_client
from tests.real_clients.test_wire import SHELL

pytestmark = [pytest.mark.real_clients, pytest.mark.timeout(600)]

PROMPT = "please look at the order tests"
ERROR = "order.pool.PoolTimeout: no connection within 30s (size=0)"
SAID = ("I run the tests.", "The pool is empty.", "I try again.", "That is all.")


def turns(host: str) -> list[dict[str, Any]]:
    """An error, two commands that take a moment, an answer."""
    name, key = SHELL[host]
    commands = (f"echo '{ERROR}'; exit 1", "sleep 1; echo looked", "sleep 1; echo 3 passed")
    given = [{key: c} if host == "codex" else {key: c, "description": "look"} for c in commands]
    calls = [{"say": said, "calls": [(name, one)]} for said, one in zip(SAID, given, strict=False)]
    return [*calls, {"say": SAID[-1]}]


def rows_of(path: Path, session: int | None) -> list[tuple[str, str]]:
    timeline = Timeline(path, None, Facet.ALL, only=session)
    try:
        found = timeline.rows(0, len(timeline))
        return [(row.turn.kind.value, row.turn.preview) for row in found if row.turn is not None]
    finally:
        timeline.close()


def read_anew(world: RealWorld) -> list[tuple[str, str]]:
    """What a catalogue that was not there before says of the same files."""
    catalogue = Catalogue(world.root / "fresh.db", HOSTS)
    scanner = Scanner(catalogue, HOSTS, HostHome(world.home))
    scanner.run()
    scanner.close()
    return rows_of(catalogue.path, None)


@pytest.mark.parametrize("host", SHELL)
async def test_a_session_is_followed_from_start_to_end(tmp_path: Path, host: str) -> None:
    world = real_world(tmp_path)
    world.project.mkdir(parents=True)
    world.home.mkdir(exist_ok=True)
    environ = {**world.environ, "PWD": str(world.project), "MEMTUI_HOSTS_HOME": str(world.home)}
    core = open_workspace(bank=None, cwd=world.project, environ=environ)
    app = MemtuiApp(core, first=WatchScreen)
    lengths: list[int] = []
    async with app.run_test(size=(50, 40)):
        screen = app.screen
        assert isinstance(screen, WatchScreen)
        while not screen.scanned:
            await asyncio.sleep(0.05)
        running = asyncio.create_task(
            asyncio.to_thread(run_client, world, host, PROMPT, turns(host))
        )
        while not running.done():
            lengths.append(len(screen.tail))
            await asyncio.sleep(0.1)
        run = await running
        assert run.done.returncode == 0, run.done.stderr[-2000:]
        wanted = await asyncio.to_thread(read_anew, world)
        for _ in range(200):
            session = screen.session
            found = rows_of(core.catalogue.path, session.session) if session else []
            if found == wanted and screen.live is not None and screen.live.failures:
                break
            await asyncio.sleep(0.1)
        assert found == wanted
        assert session is not None
        assert session.host == host
        assert session.is_live(core.clock())
        texts = " ".join(text for _, text in found)
        assert PROMPT in texts
        assert all(said in texts for said in SAID)
        assert screen.live is not None
        assert len(screen.live.failures) == 1
        # It grew before the eyes, at the latest after each command that took a second.
        assert len(set(lengths) - {0}) >= 2
