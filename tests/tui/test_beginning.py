"""Beginning a bank by keyboard: asked for, or because the first card needs one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Input

from memtui.bank.load import open_bank
from memtui.bank.project import claude_slug
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.draft import DraftScreen
from memtui.tui.screens.menu import MenuScreen
from memtui.workspace.sample import Sample
from tests.sessions.session_fixtures import Talk, session_id
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import all_said, browse, press
from tests.tui.test_snapshots import SIZES, SnapCompare, keys

MEMORY = """\
---
name: use-make
description: Build with make, never by hand
metadata:
  type: project
---
Use when: building.
"""

Bare = Callable[..., MemtuiApp]
ROOT = Path("/tmp/memtui-begin")
"""Paths are on the screen, so that they must be the same everywhere."""


def world(root: Path, project: Path, memory: bool) -> dict[str, str]:
    """One session of the project; with `memory`, Claude Code keeps something there."""
    talk = Talk(session_id(3), cwd=str(project)).prompt("why do the tests hang?")
    talk.run("pytest -q", "no connection within 30s", True).say("The pool has no size.")
    folder = root / "home" / ".claude" / "projects" / claude_slug(project)
    folder.mkdir(parents=True)
    (folder / f"{talk.session}.jsonl").write_bytes(talk.data)
    if memory:
        (folder / "memory").mkdir()
        (folder / "memory" / "MEMORY.md").write_text("- [Build](use-make.md) with make\n")
        (folder / "memory" / "use-make.md").write_text(MEMORY)
    return {
        "MEMTUI_BANK": "",
        "MEMTUI_DATA_HOME": str(root / "data"),
        "MEMTUI_HOSTS_HOME": str(root / "home"),
    }


@pytest.fixture
def bare(open_app: Open, sample: Sample, tmp_path: Path) -> Bare:
    """The sample's project with one session and no bank."""

    def make(memory: bool = False) -> MemtuiApp:
        return open_app(environ=world(tmp_path, sample.project, memory))

    return make


async def test_the_first_card_begins_the_bank(bare: Bare, tmp_path: Path) -> None:
    app = bare()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        assert "begins one" in text_of(app)
        await press(pilot, "1", "j", "p")
        assert isinstance(app.screen, MenuScreen)
        assert not (tmp_path / "data").exists()
        await press(pilot, "enter")
        assert isinstance(app.screen, DraftScreen)
        (config,) = (tmp_path / "data").rglob("bank.toml")
        assert app.core.bank_root == config.parent
        app.screen.query_one("#draft-title", Input).value = "The pool has no size in tests"
        await press(pilot, "ctrl+s")
        assert [view.item.title for view in browse(app).view.cards] == [  # type: ignore[union-attr]
            "The pool has no size in tests"
        ]
        assert "a bank was begun" in all_said(app)


async def test_a_shared_bank_by_key(bare: Bare, sample: Sample) -> None:
    app = bare()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "B", "s")
        assert app.core.bank_root == sample.project / ".memtui-bank"
        assert open_bank(app.core.bank_root).config.project == "svc-order"
        assert "no cards yet" in text_of(app)
        assert "has a bank" not in all_said(app)
        await press(pilot, "B")
        assert "this project has a bank" in all_said(app)


async def test_what_claude_code_keeps_opens_as_it_stands(bare: Bare, tmp_path: Path) -> None:
    app = bare(memory=True)
    folder = next((tmp_path / "home").rglob("memory"))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "B", "c")
        assert app.core.bank_root == folder
        assert "Build with make" in text_of(app)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


async def test_escape_begins_nothing(bare: Bare, tmp_path: Path) -> None:
    app = bare()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "B", "escape")
        assert app.core.bank_root is None
        assert not (tmp_path / "data").exists()
        await press(pilot, "z", "escape")
        assert app.core.bank_root is None


async def test_what_is_in_the_way_is_said(bare: Bare, sample: Sample) -> None:
    app = bare()
    (sample.project / ".memtui-bank").write_text("mine")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "B", "s")
        assert app.core.bank_root is None
        assert "something else is there already" in all_said(app)
    assert (sample.project / ".memtui-bank").read_text() == "mine"


@pytest.mark.parametrize("size", list(SIZES))
def test_where_shall_it_lie(snap_compare: SnapCompare, open_app: Open, size: str) -> None:
    """The places for a bank, with their paths."""
    root = ROOT / size
    shutil.rmtree(root, ignore_errors=True)
    project = root / "service"
    project.mkdir(parents=True)
    app = open_app(cwd=project, environ=world(root, project, True))
    assert snap_compare(app, terminal_size=SIZES[size], run_before=keys("B"))
