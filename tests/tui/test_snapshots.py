"""Every state that a user meets, at the sizes that people use."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, cast

import pytest
from textual.app import App
from textual.pilot import Pilot

from memtui.tui.app import MemtuiApp
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample
from tests.sessions.session_fixtures import Talk, session_id
from tests.tui.conftest import Open, settle
from tests.tui.test_agents_side import add_files, seed_delivery, to_seeded

SIZES = {"80x24": (80, 24), "120x40": (120, 40), "200x50": (200, 50), "50x40": (50, 40)}


class SnapCompare(Protocol):
    """The fixture of pytest-textual-snapshot."""

    def __call__(
        self,
        app: App[None],
        *,
        terminal_size: tuple[int, int] = ...,
        run_before: Callable[[Pilot[None]], Awaitable[None]] = ...,
    ) -> bool: ...


def keys(*pressed: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    async def run(pilot: Pilot[None]) -> None:
        await settle(pilot)
        for key in pressed:
            await pilot.press(key)
            await settle(pilot)

    return run


STATES: dict[str, tuple[str, ...]] = {
    "browse": (),
    "page": ("3", "enter"),
    "record": ("3", "enter", "j", "enter", "enter", "enter"),
    "preview": ("5", "minus", "minus", "minus"),
    "errors": ("1", "t", "e"),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("size", SIZES)
def test_state(snap_compare: SnapCompare, open_app: Open, size: str, state: str) -> None:
    """A state of the Browse view."""
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=keys(*STATES[state]))


AGENTS = Path("/tmp/memtui-agents")
"""A fixed place, because paths of the host's own files are on the screen."""

OPEN = ("5", "g", "enter", "j", "j", "j", "j", "enter")
COSTS = {
    **{f"open-{size}": (size, OPEN) for size in SIZES},
    **{f"zoomed-{size}": (size, ("5", "plus", "H")) for size in ("120x40", "200x50")},
}


@pytest.mark.parametrize("state", COSTS)
def test_cost(snap_compare: SnapCompare, open_app: Open, sample: Sample, state: str) -> None:
    """What the next session costs in all: files, the cut of MEMORY.md, the hosts beside each other."""
    root = AGENTS / state
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(sample.root, root, symlinks=True)
    there = Sample(root)
    add_files(there)
    app = open_app(cwd=there.project, environ=there.environ())
    size, pressed = COSTS[state]
    assert snap_compare(app, terminal_size=SIZES[size], run_before=keys(*pressed))


@pytest.mark.parametrize("size", SIZES)
def test_deliveries(snap_compare: SnapCompare, open_app: Open, sample: Sample, size: str) -> None:
    """A session that was sent something else than planned: the receipt and the diff."""

    open_workspace(bank=None, cwd=sample.project, environ=sample.environ()).load()
    seed_delivery(sample)

    async def run(pilot: Pilot[None]) -> None:
        await keys("1")(pilot)
        to_seeded(cast(MemtuiApp, pilot.app))
        await settle(pilot)
        await keys("4")(pilot)

    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=run)


@pytest.mark.parametrize("overlay", ["question_mark", "T", "w", "y", "s"])
def test_overlay(snap_compare: SnapCompare, open_app: Open, overlay: str) -> None:
    """Help, themes, why, yank and sort over the smallest full screen."""
    assert snap_compare(open_app(), terminal_size=(80, 24), run_before=keys(overlay))


@pytest.mark.parametrize("theme", ["memtui-light", "memtui-contrast", "memtui-16"])
def test_theme(snap_compare: SnapCompare, open_app: Open, theme: str) -> None:
    """The other themes that are shipped."""
    assert snap_compare(
        open_app(theme_name=theme), terminal_size=(120, 40), run_before=keys("3", "enter")
    )


def test_ascii(snap_compare: SnapCompare, open_app: Open) -> None:
    """ASCII characters only."""
    assert snap_compare(
        open_app(ascii_only=True), terminal_size=(80, 24), run_before=keys("3", "enter")
    )


def test_gone_evidence(snap_compare: SnapCompare, open_app: Open) -> None:
    """A citation whose transcript the host deleted: the kept excerpt, and that it is one."""
    run = keys("2", "slash", *"rollback", "enter", "enter", "enter")
    assert snap_compare(open_app(), terminal_size=(120, 40), run_before=run)


@pytest.mark.parametrize("size", list(SIZES))
def test_empty_bank(snap_compare: SnapCompare, open_app: Open, tmp_path: Path, size: str) -> None:
    """A bank without cards beside the sessions of the project."""
    bank = tmp_path / "bank"
    (bank / "cards").mkdir(parents=True)
    (bank / "bank.toml").write_text(
        'format = 1\nid = "empty"\n[scope]\nproject = "svc-order"\naliases = ["/home/dev/svc-order"]\n'
    )
    assert snap_compare(open_app(bank), terminal_size=SIZES[size], run_before=keys())


@pytest.mark.parametrize("size", ["80x24", "120x40"])
def test_broken_files(snap_compare: SnapCompare, open_app: Open, sample: Sample, size: str) -> None:
    """Files that cannot be read as meant are listed, and the rest is there."""
    cards = sample.bank / "cards"
    (cards / "a-conflict.md").write_text(
        "---\nname: a-conflict\n<<<<<<< ours\ndescription: one\n=======\ndescription: two\n>>>>>>> x\n---\n"
    )
    (cards / "b-binary.md").write_bytes(bytes(range(256)) * 4)
    (sample.bank / "events" / "broken.jsonl").write_text('{"v": 9}\nnot json\n')
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=keys("exclamation_mark"))


@pytest.mark.parametrize("size", ["80x24", "120x40"])
def test_empty_bank_without_sessions(
    snap_compare: SnapCompare, open_app: Open, tmp_path: Path, size: str
) -> None:
    """A bank without cards and no session yet: each list says what it will hold."""
    bank, home = tmp_path / "bank", tmp_path / "nobody"
    (bank / "cards").mkdir(parents=True)
    home.mkdir()
    (bank / "bank.toml").write_text('format = 1\nid = "empty"\n[scope]\nproject = "svc-order"\n')
    app = open_app(bank, environ={"MEMTUI_HOSTS_HOME": str(home)})
    assert snap_compare(app, terminal_size=SIZES[size], run_before=keys())


@pytest.mark.parametrize("size", ["80x24", "120x40"])
def test_sessions_without_a_bank(
    snap_compare: SnapCompare, open_app: Open, sample: Sample, tmp_path: Path, size: str
) -> None:
    """Sessions of the project and no bank: they have the focus, the other panes say what is missing."""
    talk = Talk(session_id(3), cwd=str(sample.project)).prompt("why do the tests hang?")
    talk.run("pytest -q", "no connection within 30s", True).say("The pool has no size.")
    folder = tmp_path / "home" / ".claude" / "projects" / "-w-svc-order"
    folder.mkdir(parents=True)
    (folder / f"{talk.session}.jsonl").write_bytes(talk.data)
    places = {
        "MEMTUI_DATA_HOME": str(tmp_path / "data"),
        "MEMTUI_HOSTS_HOME": str(tmp_path / "home"),
    }
    app = open_app(environ={"MEMTUI_BANK": "", **places})
    assert snap_compare(app, terminal_size=SIZES[size], run_before=keys())


FIRST_RUN = Path("/tmp/memtui-first-run")


@pytest.mark.parametrize("size", list(SIZES))
def test_first_run(snap_compare: SnapCompare, open_app: Open, size: str) -> None:
    """Neither bank nor sessions: what was looked for, where, and what to do."""
    root = FIRST_RUN / size
    shutil.rmtree(root, ignore_errors=True)
    home, project = root / "home", root / "service"
    home.mkdir(parents=True)
    project.mkdir()
    places = {
        name: str(root / name.lower())
        for name in (
            "MEMTUI_DATA_HOME",
            "MEMTUI_STATE_HOME",
            "MEMTUI_CACHE_HOME",
            "MEMTUI_CONFIG_HOME",
        )
    }
    app = open_app(
        cwd=project, environ={"MEMTUI_BANK": "", "MEMTUI_HOSTS_HOME": str(home), **places}
    )
    assert snap_compare(app, terminal_size=SIZES[size], run_before=keys())
