"""The Inbox by keyboard: triage, undo, sleep in the background."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot

from memtui.curate.decide import verbs_of
from memtui.curate.proposals import to_record
from memtui.tui.app import MemtuiApp
from memtui.tui.docs.inbox_docs import SAYS
from memtui.tui.screens.inbox import InboxScreen
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample
from tests.sessions.session_fixtures import Talk, session_id
from tests.tui.conftest import PATIENCE, Open, settle, text_of
from tests.tui.test_snapshots import SIZES, SnapCompare, keys


@pytest.fixture
def slept(sample: Sample) -> Sample:
    """The sample after a sleep."""
    with open_workspace(None, sample.project, sample.environ()) as core:
        core.scan()
        core.upkeep.sleep(apply=True)
    return sample


async def press(pilot: Pilot[None], *names: str) -> str:
    for name in names:
        await pilot.press(name)
        await settle(pilot)
    return text_of(pilot.app)  # type: ignore[arg-type]


def waiting(app: MemtuiApp) -> list[str]:
    return [entry.proposal.title for entry in app.upkeep.inbox.waiting]


async def test_accept_reject_switch_and_undo(slept: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        titles = waiting(app)
        assert f"{len(titles)} waiting in the inbox" in text_of(app)
        shown = await press(pilot, "f3")
        assert titles[0][:40] in shown
        assert "becomes a card" in shown
        cards = set((slept.bank / "cards").glob("*.md"))
        await press(pilot, "p")
        assert app.browse.last.startswith("created: ")
        made = set((slept.bank / "cards").glob("*.md")) - cards
        assert len(made) == 1
        assert titles[0] not in waiting(app)
        await press(pilot, "d")
        assert len(waiting(app)) == len(titles) - 2
        await press(pilot, "u")
        assert waiting(app) == titles[1:]
        await press(pilot, "u")
        assert waiting(app) == titles
        assert set((slept.bank / "cards").glob("*.md")) == cards
        await press(pilot, "g")
        possible = verbs_of(app.upkeep.inbox.waiting[0].proposal)
        shown = await press(pilot, "v")
        assert app.upkeep.inbox.waiting[0].proposal.verb is possible[1]
        assert f"{possible[1]}: {SAYS[possible[1]]}" in shown
        shown = await press(pilot, "escape")
        assert "1 Sessions" in shown


async def test_marks_and_groups_are_decided_together(slept: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        count = len(waiting(app))
        shown = await press(pilot, "f3", "space", "space", "space")
        assert "3 marked" in shown
        await press(pilot, "d")
        assert app.browse.last.startswith("rejected: 3 proposals")
        assert len(waiting(app)) == count - 3
        screen = app.screen
        assert isinstance(screen, InboxScreen)
        entry = screen.entry()
        assert entry is not None
        group = [e for e in screen.inbox.waiting if e.proposal.group == entry.proposal.group]
        await press(pilot, "A")
        assert len(waiting(app)) == count - 3 - len(group)


class Typing:
    """An editor that changes a text."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def edit(self, _app: object, path: Path) -> None:
        text = path.read_text()
        assert self.old in text
        path.write_text(text.replace(self.old, self.new))


async def test_edit_then_accept(slept: Sample, open_app: Open) -> None:
    app = open_app(editor=Typing("description: ", "description: Said better, "))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f3", "e")
        assert app.browse.last.startswith("created: Said better, ")
        cards = [path.read_text() for path in (slept.bank / "cards").glob("*said-better*.md")]
        assert len(cards) == 1
        broken = open_app(editor=Typing("description: ", "description: [\n"))
    async with broken.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = waiting(broken)
        shown = await press(pilot, "f3", "e")
        assert "Not accepted: " in shown
        assert "edit it again" in shown
        inbox = broken.screen_stack[-2]
        assert isinstance(inbox, InboxScreen)
        assert inbox.last.endswith("mend it and save again")
        assert waiting(broken) == before
        broken.editor = Typing("description: [\n", "description: Mended, ")
        await press(pilot, "e")
        assert broken.browse.last.startswith("created: Mended, ")


async def test_sleep_runs_in_the_background(sample: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shown = await press(pilot, "f3")
        assert "Nothing waits." in shown
        await press(pilot, "z")
        assert cast(InboxScreen, app.screen).last.startswith("slept: 17 sessions read")
        assert len(waiting(app)) >= 15
        await press(pilot, "z")
        assert cast(InboxScreen, app.screen).last == "slept: 0 sessions read, 0 proposed"
        assert "waiting" in await press(pilot, "f2")


async def test_hostile_proposals_are_literal(slept: Sample, open_app: Open) -> None:
    hostile = "[red]x[/] \x1b]52;c;aGk=\x07 \u2028 \u202e abc"
    with open_workspace(None, slept.project, slept.environ()) as core:
        first = core.upkeep.inbox().waiting[0].proposal
        assert first.draft is not None
        draft = replace(first.draft, title=hostile, body=f"Use when: {hostile}")
        odd = replace(first, title=hostile, draft=draft, reason=hostile, session=hostile)
        core.curating.ask(lambda curator: curator.ledger.put_proposal(to_record(odd)))
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        shown = await press(pilot, "f3")
        assert shown.count("[red]x[/]") >= 4
        assert not set(shown) & {"\x1b", "\x07", "\u2028", "\u202e"}


async def test_both_sides_on_a_narrow_screen(slept: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shown = await press(pilot, "f3")
        assert "Proposed" in shown
        assert "Nearest and evidence" not in shown
        shown = await press(pilot, "tab", "tab")
        assert "Nearest and evidence" in shown
        assert "evidence" in shown
        shown = await press(pilot, "tab")
        assert "Proposed" in shown


@pytest.mark.parametrize("size", SIZES)
def test_inbox(snap_compare: SnapCompare, slept: Sample, open_app: Open, size: str) -> None:
    """Proposals at every size; the third is close to a card."""
    run = keys("f3", "G", "k")
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=run)


@pytest.mark.parametrize("size", SIZES)
def test_empty_inbox(snap_compare: SnapCompare, open_app: Open, size: str) -> None:
    """Nothing waits."""
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=keys("f3"))


async def test_a_candidate_appears_while_the_agent_runs(sample: Sample, open_app: Open) -> None:
    app = open_app(watches=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert waiting(app) == []
        talk = Talk(session=session_id(77), cwd="/home/dev/svc-order").prompt("the suite is red")
        talk.run("pytest tests/test_a.py", "E   ValueError: odd pool size", failed=True)
        talk.say("The cause is the odd pool size: the pool only takes even numbers.")
        talk.run("POOL=8 pytest tests/test_a.py", "=== 1 passed in 0.01s ===")
        folder = sample.home / ".claude" / "projects" / "-home-dev-svc-order"
        (folder / f"{talk.session}.jsonl").write_bytes(talk.data)
        for _ in range(int(PATIENCE / 0.1)):
            await asyncio.sleep(0.1)
            if waiting(app):
                break
        assert waiting(app) == ["The cause is the odd pool size: the pool only takes even numbers"]
        await pilot.pause()
        assert "1 waiting in the inbox" in text_of(app)


async def test_what_waits_is_on_screen_in_every_view(open_app: Open, slept: Sample) -> None:
    app = open_app()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        count = len(app.upkeep.inbox.waiting)
        assert count > 20
        for key in ("f2", "f3", "f4", "f5"):
            await press(pilot, key)
            assert f" {count} waiting " in text_of(app).splitlines()[-2] + " ", key
        app.action_view("history")
        await settle(pilot)
        assert f" {count} waiting " in text_of(app).splitlines()[-2] + " "


def row_under_cursor(app: MemtuiApp) -> str:
    """The title of the proposal that both sides should be about."""
    entry = cast(InboxScreen, app.screen).entry()
    assert entry is not None
    return entry.proposal.title


@pytest.mark.parametrize("size", [(80, 24), (50, 40)])
async def test_a_side_that_was_hidden_shows_what_the_cursor_is_on(
    slept: Sample, open_app: Open, size: tuple[int, int]
) -> None:
    app = open_app()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "f3", "j", "enter")
        before = row_under_cursor(app)
        await press(pilot, "p")
        assert row_under_cursor(app) != before
        shown = await press(pilot, "escape")
        proposed = shown.partition(" Proposed ")[2]
        assert row_under_cursor(app)[:30] in " ".join(proposed.replace("│", " ").split())
