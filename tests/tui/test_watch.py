"""The pane beside an agent: finds the session, follows it, knows errors, keeps what is worth it."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.bank.load import load
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.menu import MenuScreen
from memtui.tui.screens.paper import PaperScreen
from memtui.tui.screens.watch import WatchScreen
from memtui.workspace.live import Receipt
from memtui.workspace.sample import SAMPLE_NOW, Sample
from tests.tui.conftest import Open, text_of
from tests.tui.test_snapshots import SnapCompare

SIZES = {"50x40": (50, 40), "40x20": (40, 20), "30x12": (30, 12)}
NOW_MS = int(SAMPLE_NOW.timestamp() * 1000)
POOL = "871e05e3"
OTHER = "f81b4c60"
ERROR = "order.pool.PoolTimeout: no connection within 30s (size=0)"


class Clip:
    """A clipboard that keeps what was copied."""

    def __init__(self) -> None:
        self.copied: list[str] = []

    def copy(self, text: str) -> str:
        self.copied.append(text)
        return "clipboard"


def transcript(sample: Sample, session: str) -> Path:
    return next(sample.home.glob(f".claude/projects/-home-dev-svc-order/{session}*.jsonl"))


def age(sample: Sample, *live: str, minutes: int = 1) -> None:
    """All transcripts are old, but these were written a moment ago, the first one last."""
    for path in (place for place in sample.home.rglob("*") if place.is_file()):
        old = NOW_MS - 86_400_000
        os.utime(path, ns=(old * 1_000_000, old * 1_000_000))
    for number, session in enumerate(live):
        at = (NOW_MS - (minutes + number) * 60_000) * 1_000_000
        os.utime(transcript(sample, session), ns=(at, at))


def write(sample: Sample, session: str, *rows: dict[str, Any], minutes: int = 0) -> None:
    """Append rows as the agent would, and say when."""
    path = transcript(sample, session)
    with path.open("a") as stream:
        for number, row in enumerate(rows):
            told = {
                "parentUuid": None, "isSidechain": False, "cwd": "/home/dev/svc-order",
                "sessionId": path.stem, "version": "2.1.197",
                "uuid": f"bbbbbbbb-0000-4000-8000-{path.stat().st_size + number:012d}",
                "timestamp": f"2026-11-20T11:5{number}:00.000Z", **row,
            }  # fmt: skip
            stream.write(json.dumps(told) + "\n")
    at = (NOW_MS - minutes * 60_000) * 1_000_000
    os.utime(path, ns=(at, at))


def said(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def failed(call: str, output: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A shell call and its failure."""
    use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "make test"}}
    usage = {"input_tokens": 5, "cache_read_input_tokens": 30_000, "output_tokens": 9}
    body = {"id": f"msg_{call}", "role": "assistant", "model": "claude-x", "content": [
        {"type": "text", "text": "I run the tests."}, use], "usage": usage}  # fmt: skip
    result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": True}
    return (
        {"type": "assistant", "message": body},
        {"type": "user", "message": {"role": "user", "content": [result]}},
    )


@pytest.fixture
def open_watch(open_app: Open) -> Callable[..., MemtuiApp]:
    """Opens the pane instead of Browse."""

    def make(**options: object) -> MemtuiApp:
        return open_app(first=WatchScreen, **options)

    return make


async def rest(pilot: Pilot[None]) -> WatchScreen:
    """Wait until everything was read and nothing more is on its way."""
    app = pilot.app
    quiet = 0
    for _ in range(1500):
        screen = next((s for s in app.screen_stack if isinstance(s, WatchScreen)), None)
        busy = screen is None or not screen.settled or not screen.scanned or screen.view is None
        waits = screen is not None and screen.live is not None and screen.waiting
        working = any(not w.is_finished and w.group not in ("watch", "themes") for w in app.workers)
        quiet = 0 if busy or working or waits else quiet + 1
        if quiet > 14:
            assert screen is not None
            await pilot.pause()
            return screen
        await pilot.pause(0.03)
    raise AssertionError(text_of(app))  # type: ignore[arg-type]


def keys(*pressed: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    async def run(pilot: Pilot[None]) -> None:
        await rest(pilot)
        for key in pressed:
            await pilot.press(key)
            await rest(pilot)

    return run


@pytest.mark.parametrize("size", SIZES)
def test_quiet(snap_compare: SnapCompare, open_watch: Any, sample: Sample, size: str) -> None:
    """No agent has written for a day: the newest session, said to be quiet."""
    age(sample)
    assert snap_compare(open_watch(), terminal_size=SIZES[size], run_before=keys())


@pytest.mark.parametrize("size", SIZES)
def test_error_that_a_card_covers(
    snap_compare: SnapCompare, open_watch: Any, sample: Sample, size: str
) -> None:
    """A live session in which an error came back that the bank knows."""
    age(sample, POOL)
    write(sample, POOL, *failed("toolu_new", ERROR))
    assert snap_compare(open_watch(), terminal_size=SIZES[size], run_before=keys("tab"))


@pytest.mark.parametrize("size", SIZES)
def test_busy_without_following(
    snap_compare: SnapCompare, open_watch: Any, sample: Sample, size: str
) -> None:
    """New rows came while the cursor was elsewhere: they are counted."""
    age(sample, OTHER)

    async def run(pilot: Pilot[None]) -> None:
        screen = await rest(pilot)
        await pilot.press("F", "k", "k")
        write(sample, OTHER, said("one more"), said("and another"))
        screen.action_reload()
        await rest(pilot)

    assert snap_compare(open_watch(), terminal_size=SIZES[size], run_before=run)


@pytest.mark.parametrize("size", SIZES)
def test_two_live_sessions(
    snap_compare: SnapCompare, open_watch: Any, sample: Sample, size: str
) -> None:
    """Two agents run here: which one to follow is asked."""
    age(sample, POOL, OTHER)
    assert snap_compare(open_watch(), terminal_size=SIZES[size], run_before=keys())


async def test_it_follows_and_counts_what_is_new(open_watch: Any, sample: Sample) -> None:
    age(sample, OTHER)
    app = open_watch(watches=True)
    async with app.run_test(size=(50, 40)) as pilot:
        await rest(pilot)
        write(sample, OTHER, said("live one"))
        await shows(pilot, "live one")
        assert "following" in text_of(app)
        await pilot.press("k", "k")
        write(sample, OTHER, said("live two"))
        await shows(pilot, "1 new")
        await pilot.press("escape")
        await shows(pilot, "live two")
        await pilot.press("F")
        write(sample, OTHER, said("live three"))
        await shows(pilot, "1 new")


async def shows(pilot: Pilot[None], wanted: str) -> None:
    for _ in range(600):
        if wanted in text_of(pilot.app):  # type: ignore[arg-type]
            return
        await pilot.pause(0.05)
    raise AssertionError(f"{wanted!r} is not on screen:\n{text_of(pilot.app)}")  # type: ignore[arg-type]


async def test_an_error_lights_up_its_card_whose_line_is_copied(
    open_watch: Any, sample: Sample
) -> None:
    age(sample, OTHER)
    clip = Clip()
    app = open_watch(watches=True, clipboard=clip)
    async with app.run_test(size=(50, 40)) as pilot:
        await rest(pilot)
        write(sample, OTHER, *failed("toolu_new", ERROR))
        await shows(pilot, "known")
        assert "k3f9qa" in text_of(app)
        await pilot.press("y")
        await shows(pilot, "copied")
        assert clip.copied[0].startswith("- [k3f9qa] Pool timeouts in tests come from")
        await pilot.press("tab", "j", "j", "enter")
        await shows(pilot, "esc closes")
        assert isinstance(app.screen, PaperScreen)
        assert "Export ORDER_POOL_SIZE" in text_of(app) or "ORDER_POOL_SIZE" in text_of(app)


async def test_a_command_that_a_card_names_lights_up_while_it_runs(
    open_watch: Any, sample: Sample
) -> None:
    age(sample, OTHER)
    clip = Clip()
    app = open_watch(watches=True, clipboard=clip)
    async with app.run_test(size=(50, 40)) as pilot:
        screen = await rest(pilot)
        assert screen.live is not None
        before = screen.live.failures
        call, result = failed("toolu_new", "found it")
        block = call["message"]["content"][1]
        block["input"]["command"] = "grep 'no connection within 30s (size=0)' log"
        write(sample, OTHER, call)
        await shows(pilot, "runs, and is known")
        await shows(pilot, "k3f9qa")
        await pilot.press("y")
        await shows(pilot, "copied")
        assert clip.copied[0].startswith("- [k3f9qa] Pool timeouts in tests come from")
        result["message"]["content"][0]["is_error"] = False
        write(sample, OTHER, result)
        for _ in range(400):
            if not screen.live.repeated:
                break
            await pilot.pause(0.05)
        assert screen.live.repeated == ()
        assert screen.live.failures == before


async def test_a_candidate_becomes_a_card_with_sealed_evidence_and_back(
    open_watch: Any, sample: Sample
) -> None:
    age(sample, POOL)
    app = open_watch()
    async with app.run_test(size=(50, 40)) as pilot:
        screen = await rest(pilot)
        assert screen.found
        title = screen.found[0].draft.title
        before = set((sample.bank / "cards").iterdir())
        await pilot.press("p")
        await shows(pilot, "created")
        (made,) = set((sample.bank / "cards").iterdir()) - before
        assert title[:20] in made.read_text()
        assert "excerpt: " in made.read_text()
        events = load(sample.bank).events
        [passed] = [one for one in events if one.verb == "validated" and one.name == made.stem]
        assert passed.data["ref"].startswith("claude-code:")
        screen = await rest(pilot)
        assert title not in [one.draft.title for one in screen.found]
        await pilot.press("u")
        await rest(pilot)
        assert set((sample.bank / "cards").iterdir()) == before


async def test_undo_asks_where_the_card_was_changed_since(open_watch: Any, sample: Sample) -> None:
    age(sample, POOL)
    app = open_watch()
    async with app.run_test(size=(50, 40)) as pilot:
        await rest(pilot)
        before = set((sample.bank / "cards").iterdir())
        await pilot.press("p")
        await shows(pilot, "created")
        (made,) = set((sample.bank / "cards").iterdir()) - before
        made.write_bytes(made.read_bytes() + b"By hand.\n")
        await pilot.press("u")
        await shows(pilot, "as it is now")
        await shows(pilot, "By hand.")
        assert made.exists()
        await pilot.press("w")
        await shows(pilot, "undid")
        assert not made.exists()


async def test_another_session_is_chosen(open_watch: Any, sample: Sample) -> None:
    age(sample, POOL, OTHER)
    app = open_watch()
    async with app.run_test(size=(50, 40)) as pilot:
        screen = await rest(pilot)
        assert isinstance(app.screen, MenuScreen)
        await pilot.press("j", "enter")
        screen = await rest(pilot)
        assert screen.session is not None
        assert screen.session.id.startswith(OTHER)
        assert "+1 live" in text_of(app)


async def test_a_quiet_session_gives_way_to_one_that_starts_to_run(
    open_watch: Any, sample: Sample
) -> None:
    age(sample)
    app = open_watch(watches=True)
    async with app.run_test(size=(50, 40)) as pilot:
        screen = await rest(pilot)
        assert screen.session is not None
        assert not screen.session.is_live(SAMPLE_NOW)
        write(sample, OTHER, said("here I am"))
        await shows(pilot, "here I am")
        assert screen.session.id.startswith(OTHER)


async def test_another_session_that_begins_is_told(open_watch: Any, sample: Sample) -> None:
    age(sample, POOL)
    app = open_watch(watches=True)
    async with app.run_test(size=(50, 40)) as pilot:
        screen = await rest(pilot)
        write(sample, OTHER, said("here I am too"))
        await shows(pilot, "another session runs here, claude-code: w")
        assert screen.session is not None
        assert screen.session.id.startswith(POOL)
        assert "+1 live" in text_of(app)


async def test_compaction_and_context_are_told(open_watch: Any, sample: Sample) -> None:
    age(sample, OTHER)
    app = open_watch()
    async with app.run_test(size=(50, 40)) as pilot:
        screen = await rest(pilot)
        assert screen.live is not None
        assert screen.live.context[-1] == 21_216
        assert [(one.before, one.after) for one in screen.live.compacted] == [(24_306, 23_633)]
        assert "21,216" in text_of(app)
        assert "≋1" in text_of(app)


async def test_a_folder_without_sessions_says_so(open_watch: Any, tmp_path: Path) -> None:
    app = open_watch(environ={"MEMTUI_HOSTS_HOME": str(tmp_path)})
    async with app.run_test(size=(40, 20)) as pilot:
        await shows(pilot, "no session of this project")


async def test_what_hooks_sent_is_told_with_its_receipt(open_watch: Any, sample: Sample) -> None:
    """The ledger tells where the transcript shows nothing."""
    age(sample, OTHER)
    app = open_watch()
    async with app.run_test(size=(50, 40)) as pilot:
        screen = await rest(pilot)
        screen.receipt = Receipt("delivered", "as previewed", 2, 170, frozenset({"q7e2lh"}))
        screen.refresh_bars()
        await pilot.pause()
        assert "1 line ~170, 2 times" in text_of(app)
        assert "✓ delivered" in text_of(app)
