"""All projects by keyboard: the list, search over all, opening another project and coming back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memtui.bank.find import data_bank
from memtui.tui.app import MemtuiApp
from memtui.tui.docs.spans import Line
from memtui.tui.rows import FixedRows
from memtui.tui.screens.projects import ProjectsScreen
from tests.sessions.session_fixtures import session_id
from tests.tui.conftest import settle, text_of
from tests.tui.curating import all_said, browse, press, said
from tests.tui.test_snapshots import SIZES, SnapCompare, keys
from tests.workspace.many_projects import HOSTILE, Many, many

SIZE = (120, 40)


def app_at(world: Many, cwd: Path | None = None, *, start: bool = False) -> MemtuiApp:
    core = world.open(cwd)
    app = MemtuiApp(core, watches=False, first=ProjectsScreen if start else None)
    app.animation_level = "none"
    return app


@pytest.fixture
def world(tmp_path: Path) -> Many:
    return many(tmp_path)


def names(app: MemtuiApp) -> list[str]:
    screen = app.screen
    assert isinstance(screen, ProjectsScreen)
    return [one.name for one in screen.shown.values()]


async def test_another_project_is_opened_and_esc_leads_back_to_the_list(world: Many) -> None:
    app = app_at(world)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        first, shop = app.core, browse(app)
        await press(pilot, "f9")
        assert names(app)[:3] == ["shop", "team-site", "api"]
        await press(pilot, "slash", *"team", "enter", "enter")
        site = browse(app)
        assert site is app.screen
        assert site is not shop
        assert not shop.is_attached
        assert (app.core.project, app.core.bank_name) == ("team-site", "team-site")
        assert app.core is not first
        assert [card.item.name for card in site.view.cards] == ["fact-0"]  # type: ignore[union-attr]
        assert len(app.screen_stack) == 2
        await press(pilot, "escape")
        assert isinstance(app.screen, ProjectsScreen)
        assert names(app) == ["team-site"], "the list stands where it was left"
        await press(pilot, "escape")
        assert len(names(app)) == 8
        await press(pilot, "escape")
        assert app.screen is site


async def test_jobs_and_kept_views_of_the_old_project_end(world: Many) -> None:
    app = app_at(world)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f5")
        recall = app.screen
        old = browse(app)
        await press(pilot, "escape", "f9", "j", "enter")
        workers = [w for w in app.workers if w.node in (old, recall) and not w.is_finished]
        assert not workers
        assert not recall.is_attached
        await press(pilot, "f5")
        assert app.screen is not recall
        assert app.screen.core is app.core  # type: ignore[attr-defined]
        assert app.upkeep.inbox.waiting == ()


async def test_it_is_the_start_screen_where_there_is_nothing_of_its_own(world: Many) -> None:
    app = app_at(world, Path("/"), start=True)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        shown = text_of(app)
        assert "8 projects" in shown
        assert "evil[bold]x y" in shown
        assert "folder is gone" in shown
        assert HOSTILE not in shown
        await press(pilot, "escape")
        assert "f2 shows this folder" in said(app)
        await press(pilot, "u")
        assert "open it first" in said(app)
        await press(pilot, "enter")
        assert browse(app) is app.screen
        assert app.core.project == "shop"


async def test_search_over_all_goes_to_the_turn_and_to_the_card(world: Many) -> None:
    for name in ("shop", "api"):
        with world.open(world.folder(name)) as workspace:
            workspace.load()
    app = app_at(world, Path("/"), start=True)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "S", *"wombat page", "enter")
        assert "Found in all projects" in text_of(app)
        assert "team-site" in text_of(app)
        assert "2 banks were never opened: not searched" in text_of(app)
        await press(pilot, "G", "enter")
        row = browse(app).timeline_row()
        assert row is not None
        assert row.session.id == session_id(3)
        assert row.turn is not None
        assert "wombat" in row.turn.preview
        await press(pilot, "f9", "S", *"api fact", "enter", "enter")
        assert app.core.project == "api"
        assert browse(app).cards_list.has_focus
        assert str(browse(app).cards_list.key).startswith("aaaa")
        await press(pilot, "f9", "S", *"zzzz", "enter")
        assert "nothing found in any project" in text_of(app)
        await press(pilot, "escape")
        assert len(names(app)) == 8


async def test_order_facets_and_what_cannot_be_opened(world: Many) -> None:
    app = app_at(world)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "f9", "s", "n")
        assert names(app) == sorted(names(app), key=str.casefold)
        await press(pilot, "s", "c")
        assert names(app)[:3] == ["shop", "api", "team-site"]
        await press(pilot, "t", "j", "j", "j", "j", "enter")
        assert set(names(app)) == {"broken", "gone", ""}
        before = app.core
        for name in names(app):
            browse_before = browse(app)
            await press(pilot, "g", *(["j"] * names(app).index(name)))
            if name == "gone":
                continue
            await press(pilot, "enter")
            assert "not opened" in all_said(app)
            assert browse(app) is browse_before
        assert app.core is before


async def test_the_first_screen_offers_the_projects_elsewhere(world: Many) -> None:
    app = app_at(world, world.folder("fresh"))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "Nothing is remembered here yet" in text_of(app)
        assert "the 8 projects in which agents worked elsewhere" in text_of(app)
        await press(pilot, "f9")
        assert isinstance(app.screen, ProjectsScreen)


async def test_five_hundred_projects_move_without_looking_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = Many(tmp_path)
    for number in range(500):
        world.session(
            number + 1, world.folder(f"p{number:03}", there=False), "hello", days=number % 90
        )
    app = app_at(world, Path("/"), start=True)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "500 projects" in text_of(app)
        screen = app.screen
        assert isinstance(screen, ProjectsScreen)
        drawn: list[int] = []
        line = FixedRows.line

        def spy(self: FixedRows, index: int, width: int) -> Line:
            drawn.append(index)
            return line(self, index, width)

        monkeypatch.setattr(FixedRows, "line", spy)
        await press(pilot, "G", "pageup", "g")
        assert len(drawn) < 150, "only rows on screen are ever drawn"


def test_scopes_know_no_act(world: Many) -> None:
    screen = ProjectsScreen(world.open())
    assert screen.scopes() == ("projects", "list", "app")


PLACE = Path("/tmp/memtui-projects")


@pytest.mark.parametrize("state", ["list", "found", "start"])
@pytest.mark.parametrize("size", SIZES)
def test_state(snap_compare: SnapCompare, size: str, state: str) -> None:
    """The list over Browse, what was found in all projects, and the start screen."""
    root = PLACE / f"{size}-{state}"
    shutil.rmtree(root, ignore_errors=True)
    world = many(root)
    world.propose(data_bank(world.data, world.folder("api")), 2)
    for name in ("shop", "api"):
        with world.open(world.folder(name)) as workspace:
            workspace.load()
    pressed = {"list": ("f9", "j", "j"), "found": ("f9", "S", *"wombat", "enter"), "start": ()}
    app = app_at(world, Path("/") if state == "start" else None, start=state == "start")
    assert snap_compare(app, terminal_size=SIZES[size], run_before=keys(*pressed[state]))
