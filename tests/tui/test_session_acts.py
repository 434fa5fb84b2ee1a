"""What can be done with a session, by keyboard: resume, read, open, export, tag, hide."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from textual.app import App

from memtui.tui.screens.menu import MenuScreen
from memtui.workspace.sample import Sample
from tests.sessions.session_fixtures import Talk, session_id
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import all_said, browse, bytes_of, press, said
from tests.tui.test_snapshots import SIZES, SnapCompare, keys

SIZE = (120, 40)


class Board:
    """A clipboard for tests."""

    text = ""

    def copy(self, text: str) -> str:
        self.text = text
        return "clipboard"


class Shown:
    """A pager and an editor for tests."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.files: list[Path] = []

    def page(self, app: App[None], lines: Iterable[str]) -> None:
        self.lines = list(lines)

    def edit(self, app: App[None], path: Path) -> None:
        self.files.append(path)


async def test_the_resume_command_is_copied(open_app: Open, sample: Sample) -> None:
    board = Board()
    app = open_app(clipboard=board)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "1", "r")
        session = browse(app).timeline_row().session  # type: ignore[union-attr]
        assert board.text.startswith("cd ")
        assert session.id in board.text
        assert "copied to clipboard" in all_said(app)
        await press(pilot, "y", "m")
        assert session.id in board.text


async def test_it_is_read_in_the_pager_and_its_file_opened_in_the_editor(
    open_app: Open, sample: Sample
) -> None:
    shown = Shown()
    app = open_app(pager=shown, editor=shown)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "1", "v", "V")
        assert any(line.startswith("## Prompt") for line in shown.lines)
        assert shown.files[0].is_file()
        assert shown.files[0].suffix == ".jsonl"


async def test_it_is_exported_to_a_new_file_only(
    open_app: Open, sample: Sample, tmp_path: Path
) -> None:
    target = tmp_path / "out.md"
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "1", "X")
        field = app.screen.query_one("#input-text")
        assert str(getattr(field, "value", "")).startswith("2026-11-")
        await press(pilot, "ctrl+u", *str(target), "enter")
        assert "exported" in said(app)
        assert "## Prompt" in target.read_text("utf-8")
        await press(pilot, "X", "ctrl+u", *str(target), "enter")
        assert "is there already; choose another name" in said(app)
        await press(pilot, "X", "ctrl+u", *"here.md", "enter")
        assert (sample.project / "here.md").is_file()
        await press(pilot, "X", "escape")
        assert not browse(app).input_line.is_open


async def test_tags_are_shown_found_and_undone(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "1", "plus", "g", "number_sign", *"Flaky pool", "enter")
        assert "tagged #flaky #pool: " in said(app)
        assert "▾ #flaky #pool " in text_of(app)
        whole = len(browse(app).sessions_list)
        await press(pilot, "slash", *"#fla", "enter")
        assert 0 < len(browse(app).sessions_list) < whole
        assert "Sessions · #fla" in text_of(app)
        await press(pilot, "slash", "ctrl+u", *"#nobody", "enter")
        assert "no session is tagged #nobody" in text_of(app)
        await press(pilot, "escape", "escape", "1")
        assert len(browse(app).sessions_list) == whole
        await press(pilot, "t")
        assert "tagged #pool (1)" in text_of(app)
        await press(pilot, "escape", "number_sign", "ctrl+u", *"a,b#c", "enter")
        assert "not a tag: b#c" in said(app)
        await press(pilot, "u")
        assert not app.core.tags
        assert "▾ #flaky" not in text_of(app)
        assert bytes_of(sample) == before


async def test_the_menu_does_what_it_says(open_app: Open) -> None:
    board = Board()
    app = open_app(clipboard=board)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "1", "a")
        assert isinstance(app.screen, MenuScreen)
        await press(pilot, "r")
        assert board.text.startswith("cd ")
        count = len(app.core.hidden)
        await press(pilot, "a", "d")
        assert len(app.core.hidden) == count + 1
        await press(pilot, "u")
        assert len(app.core.hidden) == count


async def test_without_a_bank_reading_works_and_tagging_says_why_not(
    open_app: Open, sample: Sample, tmp_path: Path
) -> None:
    talk = Talk(session_id(3), cwd=str(sample.project)).prompt("why do the tests hang?")
    folder = tmp_path / "home" / ".claude" / "projects" / "-w-x"
    folder.mkdir(parents=True)
    (folder / f"{talk.session}.jsonl").write_bytes(talk.data)
    places = {
        "MEMTUI_BANK": "",
        "MEMTUI_DATA_HOME": str(tmp_path / "data"),
        "MEMTUI_HOSTS_HOME": str(tmp_path / "home"),
    }
    shown = Shown()
    app = open_app(environ=places, pager=shown)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "1", "number_sign")
        assert "tags are kept with a bank" in said(app)
        await press(pilot, "v")
        assert "> why do the tests hang?" in shown.lines


@pytest.mark.parametrize("size", SIZES)
def test_tagged(snap_compare: SnapCompare, open_app: Open, size: str) -> None:
    """A session with a tag, the list narrowed to it, and what can be done with it."""
    run = keys("1", "g", "number_sign", *"flaky", "enter", "slash", *"#flaky", "enter", "g", "a")
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=run)
