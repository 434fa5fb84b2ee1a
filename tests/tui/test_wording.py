"""The drafter in the editor of a card: a real program, asked by a key; good, empty, hostile, slow and absent."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.tui.app import MemtuiApp
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import bytes_of, changed, press
from tests.tui.test_promote import ABOUT, editor, go_to_turn, without_cards
from tests.tui.test_snapshots import SIZES, SnapCompare

GOOD = {
    "type": "pitfall",
    "title": "The order suite needs its pool size",
    "records": ["r1"],
    "use_when": "the order tests are red",
    "claims": [{"text": "Set the pool size before the tests.", "records": ["r1", "r2"]}],
}
SECOND = {**GOOD, "title": "Another fact about the same turns"}
LYING = {**GOOD, "records": ["r99"]}


def drafter(sample: Sample, folder: Path, answer: Any, before: str = "") -> Path:
    """A program that keeps what it was asked, set as the drafter. Returns where it keeps that."""
    asked, script = folder / "asked", folder / "fake-drafter"
    text = answer if isinstance(answer, str) else json.dumps({"cards": answer})
    script.write_text(
        "#!/usr/bin/env python3\nimport sys, time\n"
        f"open({str(asked)!r}, 'w').write(sys.stdin.read())\n"
        f"{before}\nsys.stdout.buffer.write({text.encode('utf-8', 'surrogatepass')!r})\n"
    )
    script.chmod(0o755)
    place = Path(sample.environ()["MEMTUI_CONFIG_HOME"])
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.toml").write_text(f"[drafter]\ncommand = {json.dumps(str(script))}\n")
    return asked


async def begin(pilot: Pilot[None], app: MemtuiApp) -> str:
    """Open the editor on a turn; gives its title."""
    await settle(pilot)
    await go_to_turn(pilot, app, "One write path")
    await press(pilot, "p")
    return editor(app).draft.title


def cost(sample: Sample) -> str:
    with open_workspace(None, sample.project, sample.environ()) as core:
        return core.upkeep.inbox().drafted


async def test_its_cards_beside_the_text_as_it_was(
    sample: Sample, open_app: Open, tmp_path: Path
) -> None:
    without_cards(sample, *ABOUT)
    asked = drafter(sample, tmp_path, [GOOD, SECOND, LYING])
    app = open_app()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        by_rules = await begin(pilot, app)
        assert "^g ask fake-drafter" in text_of(app)
        assert not asked.exists(), "nobody is asked unless a person wants it"
        await press(pilot, "ctrl+g")
        assert editor(app).draft.title == GOOD["title"]
        shown = text_of(app)
        assert "draft 1 of 2  fake-drafter, ~" in shown
        assert "fake-drafter drafted 2 cards: ~" in " ".join(shown.replace("▌", " ").split())
        assert "cites r99, which it was not given" in " ".join(shown.replace("▌", " ").split())
        await press(pilot, "home", *"Now ")
        mine = editor(app).draft.body
        assert "Now " in mine
        await press(pilot, "ctrl+g")
        assert editor(app).draft.title == SECOND["title"]
        await press(pilot, "ctrl+g")
        assert editor(app).draft.title == by_rules
        await press(pilot, "ctrl+g")
        assert editor(app).draft.body == mine, "what was typed into a draft is kept with it"
        assert len(editor(app).material().records) == 2
        before = bytes_of(sample)
        await press(pilot, "ctrl+s")
        made = [name for name in changed(before, bytes_of(sample)) if name.startswith("cards/")]
        assert made == ["cards/the-order-suite-needs-its-pool-size.md"]
        assert "evidence:" in (sample.bank / made[0]).read_text()
    assert "One write path" in asked.read_text()
    assert asked.read_text().count("\n[r") <= 6, "only the turns around what was marked are sent"
    assert cost(sample).startswith("drafter: 1 session, ~")


@pytest.mark.parametrize(
    ("answer", "before", "said"),
    [
        ("no JSON at all", "", "its answer holds no JSON object; the draft by rules stays"),
        ([], "", "it found nothing that lasts; the draft by rules stays"),
        ([LYING], "", "cites r99, which it was not given; the draft by rules stays"),
        ("", "sys.stderr.write('[red]x[/] \\x1b[31m no credit'); sys.exit(3)", "exit code 3"),
    ],
)
async def test_what_cannot_be_used_leaves_the_draft_by_rules_and_is_said(
    sample: Sample, open_app: Open, tmp_path: Path, answer: Any, before: str, said: str
) -> None:
    drafter(sample, tmp_path, answer, before)
    app = open_app()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        by_rules = await begin(pilot, app)
        await press(pilot, "ctrl+g")
        shown = " ".join(text_of(app).replace("▌", " ").replace("│", " ").split())
        assert said in shown
        assert "fake-drafter: nothing, ~" in shown
        assert "\x1b" not in shown
        assert editor(app).draft.title == by_rules
        assert "^g ask fake-drafter" in shown, "it can be asked again"
    assert cost(sample).endswith("0 cards")
    with open_workspace(None, sample.project, sample.environ()) as core:
        assert core.upkeep.inbox().fell_back == (), "no sleep fell back"


async def test_esc_stops_it_and_the_editor_stays(
    sample: Sample, open_app: Open, tmp_path: Path
) -> None:
    asked = drafter(sample, tmp_path, [GOOD], "time.sleep(60)")
    app = open_app()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        by_rules = await begin(pilot, app)
        await pilot.press("ctrl+g")
        while not asked.exists():
            await asyncio.sleep(0.02)
        assert "asking fake-drafter" in text_of(app)
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert "is being asked" in " ".join(text_of(app).replace("▌", " ").split())
        await pilot.press("escape")
        await settle(pilot)
        assert editor(app).draft.title == by_rules
        assert "was stopped" in " ".join(text_of(app).replace("▌", " ").split())
        await press(pilot, "escape")
        assert app.screen is app.browse


async def test_without_a_drafter_the_key_says_how_to_set_one(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await begin(pilot, app)
        assert "^g" not in text_of(app)
        await press(pilot, "ctrl+g")
        assert "no drafter is set: drafter.command" in " ".join(
            text_of(app).replace("▌", " ").split()
        )


@pytest.mark.parametrize("size", SIZES)
def test_worded(
    snap_compare: SnapCompare,
    sample: Sample,
    open_app: Open,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    size: str,
) -> None:
    """A draft in the drafter's words."""
    drafter(sample, tmp_path, [GOOD, SECOND])
    still = SimpleNamespace(monotonic=lambda: 0.0)
    monkeypatch.setattr("memtui.curate.drafter.drafting.time", still)
    app = open_app()

    async def run(pilot: Pilot[None]) -> None:
        await begin(pilot, app)
        await press(pilot, "ctrl+g")

    assert snap_compare(app, terminal_size=SIZES[size], run_before=run)
