"""From turns to a card by keyboard: drafted, checked while typed, saved with its evidence, undone to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from memtui.bank.model import Status, Tier
from memtui.tui.app import MemtuiApp
from memtui.tui.docs.timeline_rows import HEADING
from memtui.tui.screens.draft import DraftScreen
from memtui.tui.screens.near import NearScreen
from memtui.tui.screens.offers import OffersScreen
from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import all_said, browse, bytes_of, changed, item, press

SIZE = (120, 40)
FIRST = "871e05e3-48f3-4cce-90cd-e40e31ca0ec9"
KNOWN = "pool-timeout-unset-env"
ABOUT = ("pool-timeout-unset-env", "tests-bring-own-env")


def without_cards(sample: Sample, *names: str) -> None:
    """A bank that does not know these things yet."""
    for name in names:
        (sample.bank / "cards" / f"{name}.md").unlink()


async def go_to_turn(pilot: Pilot[None], app: MemtuiApp, word: str) -> None:
    """Put the cursor of Sessions on the first row of the first session that says `word`."""
    await press(pilot, "1", "g")
    screen = browse(app)
    rows = screen.timeline_rows
    assert rows is not None
    for index in range(1, len(rows)):
        turn = rows.timeline.row(index).turn
        if turn is not None and word in f"{turn.tool} {turn.preview}":
            screen.sessions_list.go(index)
            await settle(pilot)
            return
    raise AssertionError(word)


def editor(app: MemtuiApp) -> DraftScreen:
    assert isinstance(app.screen, DraftScreen)
    return app.screen


async def test_from_marked_turns_to_a_confirmed_card_and_back(
    open_app: Open, sample: Sample
) -> None:
    without_cards(sample, *ABOUT)
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to_turn(pilot, app, "unittest")
        await press(pilot, "space")
        await press(pilot, "p")
        draft = editor(app).draft
        assert draft.type == "pitfall"
        assert draft.body.startswith("Use when:")
        assert "ORDER_POOL_SIZE=8" in draft.body
        assert len(draft.evidence) == 3
        assert "nothing to object" in text_of(app)
        sent = browse(app).preview
        await press(pilot, "ctrl+s")
        assert "created: Not the database" in all_said(app)
        made = item(app, str(browse(app).cards_list.key))
        assert app.focused is browse(app).cards_list
        assert all(one.record and one.excerpt for one in made.item.evidence)
        assert made.item.evidence[0].ref.startswith(f"claude-code:{FIRST}#")
        assert not browse(app).sessions_list.marks
        assert (made.trust.tier, made.trust.validated) == (Tier.CHECKED, 1)
        await press(pilot, "w")
        assert "0 confirmed, 1 validated, 0 flagged" in text_of(app)
        await press(pilot, "escape")
        await press(pilot, "c")
        assert item(app, made.item.id).trust.confirmed == 1
        now = browse(app).preview
        assert sent is not None
        assert now is not None
        handles = {line.handle for line in now.plan.lines}
        assert made.item.id in handles
        assert made.item.id not in {line.handle for line in sent.plan.lines}
        new = changed(before, bytes_of(sample))
        assert f"cards/{made.item.name}.md" in new
        assert sum(path.startswith("evidence/") for path in new) >= 1
        await press(pilot, "u", "u")
        assert bytes_of(sample) == before
        await press(pilot, "escape")
        assert app.focused is browse(app).sessions_list


async def test_the_linter_speaks_while_one_types(open_app: Open, sample: Sample) -> None:
    without_cards(sample, *ABOUT)
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to_turn(pilot, app, "unittest")
        await press(pilot, "p")
        text = editor(app).query_one("#draft-text", TextArea)
        text.text = "Yesterday it broke."
        await settle(pilot)
        shown = text_of(app)
        assert '"Use when:"' in shown
        assert "write the date" in shown
        editor(app).query_one("#draft-type", Input).value = "nonsense"
        await settle(pilot)
        assert "no type 'nonsense'" in text_of(app)
        await press(pilot, "ctrl+s")
        assert "no type" in all_said(app)
        await press(pilot, "escape")
        assert "Not saved" in text_of(app)
        await press(pilot, "g", "f3", "ctrl+q")
        assert app.is_running
        await press(pilot, "g")
        assert text.text == "Yesterday it broke."
        await press(pilot, "escape", "d")
        assert app.screen is browse(app)
        assert bytes_of(sample) == before


async def test_a_citation_is_left_out(open_app: Open, sample: Sample) -> None:
    without_cards(sample, *ABOUT)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to_turn(pilot, app, "unittest")
        await press(pilot, "p")
        first = editor(app).draft.evidence[0].ref
        editor(app).query_one("#draft-cited").focus()
        await press(pilot, "delete")
        assert first not in {one.ref for one in editor(app).draft.evidence}
        await press(pilot, "ctrl+s")
        made = item(app, str(browse(app).cards_list.key))
        assert len(made.item.evidence) == 2


@pytest.mark.parametrize("answer", ["u", "s", "m", "b"])
async def test_what_is_close_is_asked_about(open_app: Open, sample: Sample, answer: str) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        old = item(app, KNOWN)
        await go_to_turn(pilot, app, "unittest")
        await press(pilot, "p")
        drafted = editor(app).draft
        await press(pilot, "ctrl+s")
        assert isinstance(app.screen, NearScreen)
        assert KNOWN in text_of(app)
        await press(pilot, answer)
        if answer == "m":
            joined = editor(app).draft
            assert "Neither the database nor the network" in joined.body
            assert "Fix: run it with" in joined.body
            await press(pilot, "ctrl+s")
        here = item(app, str(browse(app).cards_list.key))
        if answer == "u":
            assert here.item.id == old.item.id
            assert here.item.title == drafted.title
            assert here.trust.confirmed == old.trust.confirmed
            assert here.trust.validated == old.trust.validated + 1
            refs = [one.ref for one in here.item.evidence]
            assert [one.ref for one in old.item.evidence] == refs[: len(old.item.evidence)]
            assert len(refs) > len(old.item.evidence)
        else:
            assert here.item.id != old.item.id
            gone = any(state.reason == "superseded" for state in item(app, KNOWN).states)
            assert gone == (answer in "sm")
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_what_a_session_offers(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "1", "g")
        row = browse(app).sessions_list.key
        assert isinstance(row, tuple)
        assert row[1] == HEADING
        await press(pilot, "p")
        assert isinstance(app.screen, OffersScreen)
        shown = text_of(app)
        assert f"in {KNOWN}"[:20] in shown
        assert "a fact about the environment" in shown
        await press(pilot, "j", "j", "enter")
        assert editor(app).draft.type == "env"
        await press(pilot, "ctrl+s")
        if isinstance(app.screen, NearScreen):
            await press(pilot, "b")
        made = item(app, str(browse(app).cards_list.key))
        assert made.item.type == "env"
        assert made.item.status is Status.ACTIVE
        await press(pilot, "1", "b")
        assert made.item.title[:30] in text_of(app)
        await press(pilot, "escape", "u")
        assert bytes_of(sample) == before


async def test_the_turn_in_the_detail_pane_is_drafted(open_app: Open, sample: Sample) -> None:
    without_cards(sample, *ABOUT)
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to_turn(pilot, app, "unittest")
        await press(pilot, "enter", "p")
        assert editor(app).draft.rule == "pair"
        await press(pilot, "escape")
        assert app.screen is browse(app)


async def test_a_gone_transcript_says_so(open_app: Open, sample: Sample) -> None:
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to_turn(pilot, app, "unittest")
        next(Path(sample.home).rglob(f"{FIRST}.jsonl")).unlink()
        await press(pilot, "p")
        assert app.screen is browse(app)
        assert "no draft: " in all_said(app)


async def test_hostile_turns_are_drafted_as_text(open_app: Open, sample: Sample) -> None:
    source = next(Path(sample.home).rglob(f"{FIRST}.jsonl"))
    lines = source.read_text().replace(
        "no connection within", r"x[/]y \u001b]52;c;aGk=\u0007 [bold] no connection within"
    )
    source.write_text(lines)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to_turn(pilot, app, "unittest")
        await press(pilot, "p")
        assert "x[/]y" in editor(app).draft.body
        assert "\x1b" not in text_of(app)
        assert "\x1b" not in editor(app).draft.body
