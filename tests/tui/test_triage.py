"""The Inbox in a hurry: keys faster than the disk, the way down to a record and back, what has expired."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot

from memtui.curate.act import CurateError
from memtui.curate.decide import verbs_of
from memtui.curate.proposals import LIFETIME, Proposal, Status, to_record
from memtui.curate.sleep.model import Progress, Report, Tell
from memtui.ledger.model import CapturedRecord
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.draft import DraftScreen
from memtui.tui.screens.inbox import InboxScreen
from memtui.tui.screens.near import NearScreen
from memtui.tui.upkeep import SleepTold
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample
from memtui.workspace.upkeep import Upkeep
from tests.tui.conftest import Open, settle
from tests.tui.test_inbox import press, slept, waiting
from tests.tui.test_snapshots import SIZES, SnapCompare, keys

__all__ = ["slept"]


def cards(sample: Sample) -> set[Path]:
    return set((sample.bank / "cards").glob("*.md"))


def inbox(app: MemtuiApp) -> InboxScreen:
    return cast(InboxScreen, app.screen)


async def burst(pilot: Pilot[None], *names: str) -> None:
    """Keys one after the other, without waiting for what they do."""
    await pilot.press(*names)
    await settle(pilot)


async def test_three_quick_keys_accept_three_proposals(slept: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        titles, before = waiting(app), cards(slept)
        await press(pilot, "f3")
        await burst(pilot, "p", "p", "p")
        assert waiting(app) == titles[3:]
        assert len(cards(slept) - before) == 3
        await burst(pilot, "u", "u", "u")
        assert waiting(app) == titles
        assert cards(slept) == before


async def test_what_was_decided_meanwhile_is_not_done_again(slept: Sample) -> None:
    with open_workspace(None, slept.project, slept.environ()) as core:
        core.scan()
        core.load()
        proposal = core.upkeep.inbox().waiting[0].proposal
        core.upkeep.accept(proposal)
        before = cards(slept)
        with pytest.raises(CurateError, match="already accepted"):
            core.upkeep.accept(proposal)  # as it was read before
        with pytest.raises(CurateError, match="already accepted"):
            core.upkeep.reject((proposal,))
        assert cards(slept) == before


async def to_a_change(pilot: Pilot[None], app: MemtuiApp) -> tuple[InboxScreen, Proposal]:
    """The Inbox with the cursor on a proposal that is about cards that exist."""
    await press(pilot, "f3")
    screen = inbox(app)
    found = next(e.proposal for e in screen.inbox.waiting if e.proposal.targets)
    assert screen.rows.go_key(found.id)
    await settle(pilot)
    return screen, found


async def test_quick_switching_goes_round_all_verbs(slept: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen, found = await to_a_change(pilot, app)
        possible = verbs_of(found)
        place = possible.index(found.verb)
        seen = []
        for _ in possible:
            await pilot.press("v")
            entry = screen.entry()
            assert entry is not None
            assert entry.proposal.id == found.id
            seen.append(entry.proposal.verb)
        assert seen == [possible[(place + n) % len(possible)] for n in range(1, len(possible) + 1)]
        await settle(pilot)
        await burst(pilot, "v", "v")
    kept = open_app()
    async with kept.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        again = next(e for e in kept.upkeep.inbox.waiting if e.proposal.id == found.id)
        assert again.proposal.verb is possible[(place + 2) % len(possible)]


async def test_what_is_the_only_verb_is_said(slept: Sample, open_app: Open) -> None:
    with open_workspace(None, slept.project, slept.environ()) as core:
        first = core.upkeep.inbox().waiting[0].proposal
        odd = replace(first, draft=None, targets=(), verb=verbs_of(replace(first, draft=None))[-1])
        core.curating.ask(lambda curator: curator.ledger.put_proposal(to_record(odd)))
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f3")
        assert inbox(app).rows.go_key(first.id)
        await press(pilot, "v")
        assert inbox(app).last.startswith("nothing is all that can be done with it; d rejects")


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (50, 40), (200, 50)])
async def test_the_way_down_to_the_record_and_back(
    slept: Sample, open_app: Open, size: tuple[int, int]
) -> None:
    app = open_app()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "f3", "j", "j")
        entry = inbox(app).entry()
        assert entry is not None
        shown = await press(pilot, "enter")
        assert "verified" in shown
        await press(pilot, "G", "enter")
        browse = app.screen
        assert isinstance(browse, BrowseScreen)
        assert browse.focused is browse.sessions_list
        assert entry.proposal.records[-1].text.split()[0] in browse.detail_pane.text.text
        assert "of a proposal: ✓ verified" in " ".join(browse.detail_pane.text.text.split())
        if size[0] > 100:
            shown = await press(pilot)
            assert "Inbox › turn" in shown
        await press(pilot, "escape")
        back = inbox(app)
        assert isinstance(back, InboxScreen)
        assert back.entry() == entry
        assert back.focused is back.beside_pane.listed
        await press(pilot, "escape")
        assert back.focused is back.rows
        await press(pilot, "escape")
        assert isinstance(app.screen, BrowseScreen)
        await press(pilot, "escape")
        assert isinstance(app.screen, BrowseScreen), "the way back is gone once one is back"


async def test_the_way_down_to_the_nearest_card_and_back(slept: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen, found = await to_a_change(pilot, app)
        shown = await press(pilot, "enter", "enter")
        assert isinstance(app.screen, BrowseScreen)
        assert app.screen.cards_list.key == found.targets[0].partition(":")[2]
        assert "Inbox › " in shown
        await press(pilot, "escape")
        assert inbox(app) is screen
        assert screen.rows.key == found.id


async def test_a_record_that_is_gone_is_said_and_what_was_kept_is_shown(
    slept: Sample, open_app: Open
) -> None:
    with open_workspace(None, slept.project, slept.environ()) as core:
        first = core.upkeep.inbox().waiting[0].proposal
        lost = replace(first.records[0], ref="claude-code:nowhere#1", text="what was kept of it")
        odd = replace(first, records=(lost,))
        core.curating.ask(lambda curator: curator.ledger.put_proposal(to_record(odd)))
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        shown = await press(pilot, "f3", "enter", "enter")
        assert isinstance(app.screen, InboxScreen)
        assert "gone" in shown
        assert "what was kept of it" in shown
        assert inbox(app).last.endswith("no longer holds this record; what was kept stands here")


async def test_undo_brings_the_cursor_to_what_waits_again(slept: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f3", "j", "j")
        screen = inbox(app)
        first = screen.rows.key
        await press(pilot, "d")
        assert screen.rows.key != first
        await press(pilot, "G", "u")
        assert screen.rows.key == first
        await press(pilot, "ctrl+r")
        assert first not in [e.proposal.id for e in screen.inbox.waiting]


async def test_a_group_is_counted_before_it_is_accepted_and_told_after(
    slept: Sample, open_app: Open
) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f3")
        screen = inbox(app)
        groups = [e.proposal.group for e in screen.inbox.waiting]
        many = next(e for e in screen.inbox.waiting if groups.count(e.proposal.group) == 3)
        assert screen.rows.go_key(many.proposal.id)
        shown = await press(pilot, "tab", "pagedown")
        assert "3 wait from the same session; A accepts them" in " ".join(shown.split())
        before = cards(slept)
        await press(pilot, "A")
        assert screen.last.startswith("accepted 3 proposals. u undoes them")
        assert len(cards(slept) - before) == 3
        await burst(pilot, "u", "u", "u")
        assert cards(slept) == before


@pytest.fixture
def late(slept: Sample) -> Sample:
    """Four weeks later: two proposals expired, two have two days left, two sessions could not be read."""
    with open_workspace(None, slept.project, slept.environ()) as core:

        def age(curator):  # type: ignore[no-untyped-def]
            now = curator.clock()
            found = [entry.proposal for entry in core.upkeep.inbox().waiting]
            for number, one in enumerate(found):
                at = now - LIFETIME + timedelta(days=2 if number < 4 else 27)
                if number < 2:
                    at = now - LIFETIME - timedelta(hours=1)
                curator.ledger.put_proposal(to_record(replace(one, at=at)))
            failed = [
                CapturedRecord(f"claude-code:{name * 8}", "mark", now, "failed", why)
                for name, why in (("a", "line 3 holds no JSON"), ("b", "[red]gone[/] \x1b[31m"))
            ]
            curator.ledger.capture(failed, (), ())

        core.curating.ask(age)
        core.upkeep.sleep(apply=True)
    return slept


async def test_what_expires_is_louder_and_what_expired_can_still_be_accepted(
    late: Sample, open_app: Open
) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        shown = await press(pilot, "f3")
        assert "2 expired" in shown
        assert "2d" in shown.splitlines()[2]
        old = [entry.proposal for entry in app.upkeep.inbox.expired]
        assert [one.status for one in old] == [Status.EXPIRED] * 2
        shown = await press(pilot, "t", "e")
        assert "Inbox · expired" in shown
        assert old[0].title[:40] in shown
        assert "it can be accepted still" in " ".join(shown.split())
        await press(pilot, "d")
        assert inbox(app).last.endswith("p accepts it still")
        before = cards(late)
        await press(pilot, "p")
        assert len(cards(late) - before) == 1
        assert [e.proposal.id for e in app.upkeep.inbox.expired] == [old[1].id]
        shown = await press(pilot, "escape")
        assert "Inbox · expired" not in shown
        await press(pilot, "u")
        assert cards(late) == before


async def test_which_sessions_failed_and_why(late: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        browse = await press(pilot, "f2")
        assert "2 of 19 sessions failed" in browse
        shown = await press(pilot, "f3")
        assert "17 sessions read" in shown
        assert "2 failed" in shown
        shown = await press(pilot, "exclamation_mark")
        assert "claude-code aaaaaaaa: line 3 holds no JSON" in shown
        assert "claude-code bbbbbbbb: [red]gone[/]" in shown
        assert "\x1b" not in shown


@pytest.mark.parametrize("size", SIZES)
def test_expired(snap_compare: SnapCompare, late: Sample, open_app: Open, size: str) -> None:
    """What has expired, in place of what waits."""
    run = keys("f3", "t", "e", "j")
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=run)


@pytest.mark.parametrize("size", SIZES)
def test_record_rows(snap_compare: SnapCompare, slept: Sample, open_app: Open, size: str) -> None:
    """On the way down: the rows of the nearest card and of the records."""
    run = keys("f3", "G", "k", "enter", "j")
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=run)


@pytest.mark.parametrize("size", ["80x24", "50x40"])
def test_failed_sessions(
    snap_compare: SnapCompare, late: Sample, open_app: Open, size: str
) -> None:
    """Which sessions failed."""
    run = keys("f3", "exclamation_mark")
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=run)


async def test_how_much_was_read_is_on_screen_in_every_view(slept: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in ("f2", "f3", "f4", "f8"):
            shown = await press(pilot, key)
            assert "17 sessions read" in shown, key
    narrow = open_app()
    async with narrow.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in ("f2", "f4", "f8"):
            shown = await press(pilot, key)
            assert " 17 read" in shown, key


async def test_esc_leaves_a_text_before_it_stops_a_sleep(slept: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f3", "tab")
        await pilot.press("z")
        await pilot.press("escape")
        assert inbox(app).focused is inbox(app).rows
        assert app.upkeep.sleeping
        await pilot.press("escape")
        while app.upkeep.sleeping:
            await pilot.pause(0.02)
        await settle(pilot)
        assert inbox(app).last.startswith("sleep was stopped: ")
        assert "proposed waits in the inbox" in inbox(app).last


async def test_marked_proposals_become_one_card_and_wait_again(
    slept: Sample, open_app: Open
) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        titles, before = waiting(app), cards(slept)
        await press(pilot, "f3", "m")
        screen = inbox(app)
        assert screen.last.startswith("one card is made of two proposals or more")
        await press(pilot, "space", "space", "m")
        editor = app.screen
        assert isinstance(editor, DraftScreen)
        first, second = (e.proposal.draft for e in screen.inbox.waiting[:2])
        assert first is not None
        assert second is not None
        made = editor.draft
        assert made.title == first.title
        assert second.body.splitlines()[-1] in made.body
        assert made.body.lower().count("use when:") == 1
        assert set(made.evidence) == {*first.evidence, *second.evidence}
        await press(pilot, "ctrl+s")
        if isinstance(app.screen, NearScreen):
            await press(pilot, "b")
        assert waiting(app) == titles[2:]
        assert len(cards(slept) - before) == 1
        assert screen.rows.marks == set()
        await press(pilot, "u")
        assert waiting(app) == titles
        assert cards(slept) == before
        await press(pilot, "space", "space", "m", "escape")
        assert waiting(app) == titles


async def test_help_begins_with_the_keys_of_this_view(slept: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shown = await press(pilot, "f3", "question_mark")
        assert (
            [line for line in shown.splitlines() if "───" in line][1]
            .strip("│ ")
            .startswith("Inbox")
        )
        assert "Do what the proposal suggests" in shown


async def test_a_quick_sleep_is_told_a_few_times_a_second(
    slept: Sample, open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sleep(_: Upkeep, tell: Tell, __: object) -> Report:
        for done in range(501):
            tell(Progress(done, 500, "a session"))
        return Report((), True, 500, 0, 0.0, 0)

    monkeypatch.setattr(Upkeep, "sleep_apart", sleep)
    app = open_app()
    shown: list[int] = []
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f3")
        monkeypatch.setattr(app.upkeep, "take_progress", lambda step: shown.append(step.done))
        await press(pilot, "z")
        assert inbox(app).last.startswith("slept: 500 sessions read")
    assert shown[0] == 0
    assert shown[-1] == 500
    assert len(shown) < 50


async def test_leaving_while_a_sleep_runs_ends_the_app(sample: Sample, open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f3")
        await pilot.press("z", "q")
    app.on_sleep_told(
        SleepTold(Progress(1, 2, "a session"))
    )  # on its way when the last screen went
    assert app.return_code == 0
