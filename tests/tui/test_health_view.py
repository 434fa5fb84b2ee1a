"""The Health view by keyboard: findings, the verbs on them, one-key repairs, drift day."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from memtui.bank.model import Status
from memtui.curate.sleep.model import Report
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.watch import WatchScreen
from memtui.tui.widgets.doc_view import DocView
from memtui.workspace.sample import Sample
from memtui.workspace.upkeep import Upkeep
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import browse, bytes_of, item, press, said, write_card
from tests.tui.test_snapshots import SIZES, SnapCompare

SIZE = (140, 40)
DRIFTED = "healthz-503-while-pending"


async def test_findings_errors_first_and_enter_goes_to_the_item(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4")
        shown = text_of(app)
        assert "3 errors, 8 warnings, 4 hints" in shown
        assert "rebuild the page" in shown
        await press(pilot, "slash", *"drifted", "enter", "enter")
        assert app.screen is browse(app)
        assert browse(app).pages_list.key == item(app, "change-the-schema").item.id


async def test_a_repair_is_one_key_and_the_finding_goes(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "slash", *"expired", "enter")
        assert "demotes it" in text_of(app)
        await press(pilot, "r")
        assert item(app, "sandbox-keys-until-rotation").item.status is Status.STALE
        assert "nothing matches" in text_of(app)
        await press(pilot, "u")
        assert "expired on 2026-11-15" in text_of(app)
        assert bytes_of(sample) == before


async def test_the_index_is_mended_with_one_key(open_app: Open, sample: Sample) -> None:
    index = sample.bank / "MEMORY.md"
    lines = index.read_text().splitlines(keepends=True)
    broken = "".join(line for line in lines if "exit-codes.md" not in line)
    index.write_text(broken + "- [Gone](cards/gone.md) — nowhere\n")
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "slash", *"index", "enter")
        assert "1/2" in text_of(app)
        await press(pilot, "r")
        assert "nothing matches" in text_of(app)
        assert "cards/exit-codes.md" in index.read_text()
        assert "gone.md" not in index.read_text()
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_twins_are_merged_from_here(open_app: Open, sample: Sample) -> None:
    source = (sample.bank / "cards" / "exit-codes.md").read_text()
    title = next(line for line in source.splitlines() if line.startswith("description:"))[13:]
    body = source.split("---\n", 2)[2]
    write_card(sample.bank, "exit-codes-again", title.strip('"'), body)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "slash", *"twin", "enter")
        assert "exit-codes-again" in text_of(app)
        await press(pilot, "d")
        assert "Which one to demote?" in text_of(app)
        await press(pilot, "escape", "r")
        assert "Merge  2 cards" in text_of(app)
        await press(pilot, "s")
        assert item(app, "exit-codes").item.status is Status.RETIRED
        assert item(app, "exit-codes-again").item.status is Status.RETIRED


async def test_verbs_on_one_side_of_a_finding(open_app: Open, sample: Sample) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "slash", *"relative-date", "enter", "c")
        events = browse(app).view.contents.events  # type: ignore[union-attr]
        assert events[-1].verb == "confirm"
        await press(pilot, "f", *"wrong day", "enter")
        events = browse(app).view.contents.events  # type: ignore[union-attr]
        assert (events[-1].verb, events[-1].reason) == ("flag", "wrong day")
        await press(pilot, "w")
        assert "trust" in text_of(app)


async def test_facets(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "t", "j", "enter")
        assert "Health · error" in text_of(app)
        assert "warning" not in text_of(app).splitlines()[2]
        await press(pilot, "escape")
        assert "Health · error" not in text_of(app)


async def test_drift_day_confirms_with_one_key_and_comes_to_an_end(
    open_app: Open, sample: Sample
) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "at", "enter")
        assert "1 card touched" in text_of(app)
        assert "2ce795d 2026-11-16" in text_of(app)
        await press(pilot, "c")
        assert "no card is touched" in text_of(app)
        events = browse(app).view.contents.events  # type: ignore[union-attr]
        head = subprocess.run(
            ["git", "-C", sample.project, "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        assert events[-1].data["commit"] == head
        assert "drifted" not in {state.reason for state in item(app, DRIFTED).states}
        await press(pilot, "u")
        assert "1 card touched" in text_of(app)
        await press(pilot, "d")
        assert item(app, DRIFTED).item.status is Status.STALE
        assert "no card is touched" in text_of(app)
        await press(pilot, "escape")
        assert "warnings" in text_of(app)


async def test_drift_day_since_a_commit_and_since_nonsense(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "at", *"585415d", "enter")
        assert "since 585415d" in text_of(app)
        assert "1 card touched" in text_of(app)
        await press(pilot, "at", *"nowhere", "enter")
        assert "there is no commit nowhere" in text_of(app)


async def test_a_healthy_bank_has_nothing_to_complain_about(open_app: Open, sample: Sample) -> None:
    for folder in ("cards", "pages"):
        for file in (sample.bank / folder).glob("*.md"):
            file.unlink()
    (sample.bank / "MEMORY.md").write_text("# svc-order\n")
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4")
        assert "nothing to complain about" in text_of(app)
        await press(pilot, "d", "r", "enter", "C")
        assert "nothing found" in text_of(app)


def claude_bank(folder: Path, lines: int = 205) -> Path:
    """A host's memory folder whose index is longer than the host loads."""
    folder.mkdir()
    for number in range(lines):
        text = f"---\nname: note-{number}\ndescription: Note {number}\n---\nUse when: {number}.\n\nText {number}.\n"
        (folder / f"note_{number}.md").write_text(text)
    index = "".join(
        f"- [Note {number}](note_{number}.md) — about {number}\n" for number in range(lines)
    )
    (folder / "MEMORY.md").write_text("Prose stays.\n" + index + "- [Gone](gone.md)\n")
    (folder / "unlisted.md").write_text(
        "---\nname: unlisted\ndescription: Not listed\n---\nUse when: never.\n\nA topic of its own.\n"
    )
    return folder


async def test_a_hosts_folder_is_repaired_with_one_key(open_app: Open, tmp_path: Path) -> None:
    bank = claude_bank(tmp_path / "memory")
    index = bank / "MEMORY.md"
    before = index.read_bytes()
    app = open_app(bank)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "slash", *"not loaded", "enter")
        assert "puts its line first in the index" in text_of(app)
        await press(pilot, "r")
        lines = index.read_text().splitlines()
        assert lines[:2] == ["Prose stays.", "- [Note 199](note_199.md) — about 199"]
        assert len(lines) == 207
        await press(pilot, "u")
        assert index.read_bytes() == before
        await press(pilot, "slash", "ctrl+u", *"unlisted", "enter", "r")
        text = index.read_text()
        assert "(unlisted.md)" in text
        assert "(gone.md)" not in text
        await press(pilot, "u")
        assert index.read_bytes() == before


async def test_the_palette_goes_to_cards_from_here_and_says_what_belongs_elsewhere(
    open_app: Open,
) -> None:
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await app.run_by_id("drift-day")
        await settle(pilot)
        assert "a key of Health" in said(app)
        await press(pilot, "f4", "colon", *"exit code", "down", "enter")
        assert app.screen is browse(app)
        assert browse(app).cards_list.key == item(app, "exit-codes").item.id


async def test_from_beside_an_agent_a_view_opens_over_browse(open_app: Open) -> None:
    app = open_app(first=WatchScreen)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(0.5)
        assert app.find_browse() is None
        await pilot.press("f4")
        await settle(pilot)
        assert "3 errors" in text_of(app)
        await press(pilot, "escape")
        assert app.screen is browse(app)


async def test_the_clean_up_is_a_plan_and_is_done_from_there(
    open_app: Open, sample: Sample
) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f4")
        assert "index 47/200 lines  9 in, 1 out this week" in text_of(app)
        await press(pilot, "z")
        await until(pilot, "17 sessions read")
        shown = app.screen.query_one(DocView).text
        assert shown.index("what you may put away") < shown.index("what sleep would do")
        assert "1 expired card: held back already" in shown
        assert "29 proposed: " in shown
        assert "2 pages behind" in shown
        assert "z does it  d demotes 1 cold or expired card  esc closes" in text_of(app)
        assert bytes_of(sample) == before
        await press(pilot, "d")
        assert item(app, "sandbox-keys-until-rotation").item.status is Status.STALE
        await press(pilot, "u")
        assert bytes_of(sample) == before
        await press(pilot, "z")
        await until(pilot, "17 sessions read")
        await press(pilot, "z")
        await until(pilot, "slept: 17 sessions read")
        await press(pilot, "z")
        await until(pilot, "sleep has nothing to do")
        await press(pilot, "z")
        assert "sleep has nothing to do" in text_of(app)
        await press(pilot, "escape", "f3")
        assert "waiting in the inbox" in text_of(app)


async def until(pilot: Pilot[None], text: str) -> None:
    """Wait for a process of its own to be done."""
    for _ in range(400):
        await settle(pilot)
        if text in text_of(cast(MemtuiApp, pilot.app)) or text in said(cast(MemtuiApp, pilot.app)):
            return
        await pilot.pause(0.05)
    raise AssertionError(f"{text!r} is not shown:\n{text_of(cast(MemtuiApp, pilot.app))}")


@pytest.mark.parametrize("size", SIZES)
def test_clean_up_box(
    snap_compare: SnapCompare, open_app: Open, monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    """The clean-up as a plan."""
    planned = Upkeep.sleep_apart

    def plan(upkeep: Upkeep, *given: Any, **more: Any) -> Report:
        return replace(planned(upkeep, *given, **more), seconds=1.2)

    async def run(pilot: Pilot[None]) -> None:
        await settle(pilot)
        await press(pilot, "f4")
        await press(pilot, "z")
        await until(pilot, "what sleep would do")

    monkeypatch.setattr(Upkeep, "sleep_apart", plan)
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=run)
