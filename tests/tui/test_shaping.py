"""Merge, compile, rebuild, supersede and purge by keyboard, and everything but a purge back by `u`."""

from __future__ import annotations

from threading import Event

import pytest

from memtui.bank.model import Page, Status
from memtui.curate.curator import Curator
from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import browse, bytes_of, go_to, item, press, said

ONE, TWO = "pool-timeout-unset-env", "order-pool-size-required"
SIZE = (130, 40)


async def mark(pilot: object, app: object, *words: str) -> None:
    for word in words:
        await go_to(pilot, app, word)  # type: ignore[arg-type]
        await press(pilot, "space")  # type: ignore[arg-type]


async def test_two_cards_are_merged_field_by_field(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        one, two = item(app, ONE), item(app, TWO)
        await mark(pilot, app, ONE, TWO)
        await press(pilot, "m")
        shown = text_of(app)
        assert ONE in shown
        assert TWO in shown
        assert "the merged card" in shown
        await press(pilot, "e", "ctrl+u", *"Set the pool size", "enter", "j", "1", "j", "plus", "s")
        made = browse(app).cards_list.key
        new = item(app, str(made)).item
        assert new.title == "Set the pool size"
        assert set(new.tags) == {*one.item.tags, *two.item.tags}
        assert set(new.supersedes) == {one.item.id, two.item.id}
        assert len(new.evidence) == len(
            {(e.ref, e.quote) for v in (one, two) for e in v.item.evidence}
        )
        together = one.trust.confirmed + two.trust.confirmed
        assert 0 < item(app, str(made)).trust.confirmed <= together
        assert item(app, ONE).item.status is Status.RETIRED
        assert not browse(app).cards_list.marks
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_a_body_is_written_in_place_and_leaving_asks_twice(
    open_app: Open, sample: Sample
) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await mark(pilot, app, ONE, TWO)
        await press(pilot, "m", "j", "j", "j", "e", *"Mine. ", "escape")
        assert "esc again drops it" in text_of(app)
        await press(pilot, "ctrl+s")
        assert "body  edited" in text_of(app)
        await press(pilot, "ctrl+s")
        assert item(app, str(browse(app).cards_list.key)).item.body.startswith("Mine. ")
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_a_merge_that_is_refused_stays_open(open_app: Open, sample: Sample) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await mark(pilot, app, ONE, TWO)
        await press(pilot, "m")
        (sample.bank / "cards" / f"{ONE}.md").unlink()
        await press(pilot, "s")
        assert "Merge  2 cards" in text_of(app)
        assert "gone" in text_of(app).splitlines()[-2]


async def test_pages_are_merged_into_one(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "3", "space", "space", "m")
        assert "drifted" in text_of(app)
        assert "Merge  2 pages into one" in text_of(app)
        for title in ("Change the database schema", "Get a red test suite green"):
            assert f"{title} ──" in text_of(app)
        await press(pilot, "s")
        new = item(app, str(browse(app).pages_list.key)).item
        assert isinstance(new, Page)
        assert len(new.supersedes) == 2
        assert all(item(app, one).item.status is Status.RETIRED for one in new.supersedes)
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_a_suggested_cluster_becomes_a_page(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "2", "C")
        assert "5 cards, 3 sessions" in text_of(app)
        await press(pilot, "enter", "space", "t", "n", "ctrl+u", *"Our env", "enter")
        assert "handbook, from 4 cards" in text_of(app)
        await press(pilot, "s")
        new = item(app, str(browse(app).pages_list.key)).item
        assert isinstance(new, Page)
        assert (new.title, new.type, len(new.sources)) == ("Our env", "handbook", 4)
        assert all(claim.cards for claim in new.claims)
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_a_page_of_few_cards_needs_a_reason_which_is_kept(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await mark(pilot, app, ONE, TWO)
        await press(pilot, "C", "s", "enter")
        assert "needs a reason" in text_of(app)
        await press(pilot, "s", *"only two", "enter")
        events = browse(app).view.contents.events  # type: ignore[union-attr]
        assert (events[-1].verb, events[-1].data["override"]) == ("compile", "only two")


async def test_an_edited_page_keeps_its_text_and_says_what_cites_nothing(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "2", "C", "enter", "e", *"- Bare claim.", "enter", "ctrl+s")
        assert 'cites no card: "Bare claim."' in text_of(app)
        await press(pilot, "t", "escape")
        assert "edited by hand" in text_of(app)
        await press(pilot, "u")
        assert "Bare claim" not in text_of(app)


async def test_staling_a_card_marks_its_page_and_rebuilding_shows_the_diff(
    open_app: Open, sample: Sample
) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        assert not item(app, "how-we-retry").behind
        source = item(app, "retry-full-jitter")
        await go_to(pilot, app, "retry-full-jitter")
        await press(pilot, "d")
        assert "How we retry lost the support of" in said(app)
        assert "u undoes" in browse(app).last
        page = item(app, "how-we-retry")
        assert page.behind == 1
        await go_to(pilot, app, "how-we-retry")
        await press(pilot, "w")
        shown = text_of(app)
        assert "lost their support" in shown
        assert "retry-full-jitter stale" in shown
        await press(pilot, "escape", "C")
        shown = text_of(app)
        assert "left out: retry-full-jitter stale" in shown
        assert "what changes" in shown
        await press(pilot, "escape")
        assert item(app, "how-we-retry").behind == 1
        await press(pilot, "C", "y")
        rebuilt = item(app, "how-we-retry")
        assert not rebuilt.behind
        assert isinstance(rebuilt.item, Page)
        assert source.item.id not in rebuilt.item.sources
        await press(pilot, "u", "u")
        assert bytes_of(sample) == before


async def test_a_card_is_superseded_by_another(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to(pilot, app, ONE)
        await press(pilot, "x")
        assert "a new card: write it" in text_of(app)
        await press(pilot, *"must be set", "enter")
        old = item(app, ONE)
        assert next(state.reason for state in old.states) == "superseded"
        assert old.item.id in item(app, TWO).item.supersedes
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_a_card_is_superseded_by_a_new_one(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to(pilot, app, ONE)
        await press(pilot, "x", "enter", "shift+tab", "shift+tab", "shift+tab", "shift+tab")
        await press(pilot, "home", *"Newer: ", "ctrl+s")
        new = item(app, str(browse(app).cards_list.key)).item
        assert new.title.startswith("Newer: Pool timeouts")
        assert new.supersedes == (item(app, ONE).item.id,)
        await press(pilot, "u")
        assert bytes_of(sample) == before


@pytest.mark.parametrize("size", [(130, 40), (50, 40)])
async def test_a_purge_lists_asks_erases_and_tells(
    open_app: Open, sample: Sample, size: tuple[int, int]
) -> None:
    unique = b"ConfigError at once"
    app = open_app()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await go_to(pilot, app, TWO)
        handle = item(app, TWO).item.id
        await press(pilot, "D")
        assert (
            "undo will not bring it back" in " ".join(text_of(app).split("│")).replace("\n", " ")
            or size[0] < 60
        )
        assert "state/ledger.db" in text_of(app)
        await press(pilot, "y", "enter")
        assert "that is not the handle" in text_of(app)
        assert browse(app).view.find(handle) is not None  # type: ignore[union-attr]
        await press(pilot, "backspace", *handle, "enter")
        assert f"purged card:{handle}" in text_of(app)
        await press(pilot, "escape")
        view = browse(app).view
        assert view is not None
        assert view.find(handle) is None
        holding = [
            file
            for file in sample.bank.rglob("*")
            if file.is_file() and unique in file.read_bytes()
        ]
        assert holding == []
        await press(pilot, "u")
        assert browse(app).last.startswith("nothing to undo")


async def test_a_purge_takes_all_that_is_marked(open_app: Open, sample: Sample) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        handles = [item(app, word).item.id for word in (ONE, TWO)]
        await mark(pilot, app, ONE, TWO)
        await press(pilot, "D")
        assert "Purge  2 items" in text_of(app)
        await press(pilot, *handles[0], "enter")
        assert "that is not it: type purge 2" in text_of(app)
        await press(pilot, "ctrl+u", *"purge", "space", "2", "enter")
        shown = next(line for line in text_of(app).splitlines() if "purged card:" in line)
        assert all(f"card:{handle}" in shown for handle in handles)
        await press(pilot, "escape")
        view = browse(app).view
        assert view is not None
        assert [view.find(handle) for handle in handles] == [None, None]
        assert browse(app).last.startswith("purged 2 items: ")
        assert not browse(app).cards_list.marks


async def test_a_purge_is_stopped_before_anything_is_erased(
    open_app: Open, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was half done is healed first: the purge waits, esc stops it, and it can be done again."""
    waiting, go_on = Event(), Event()

    def slow(_curator: Curator) -> None:
        waiting.set()
        go_on.wait(20)

    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to(pilot, app, TWO)
        handle = item(app, TWO).item.id
        await press(pilot, "D")
        with monkeypatch.context() as patch:
            patch.setattr("memtui.curate.purge.heal_locked", slow)
            await pilot.press(*handle, "enter")
            for _ in range(1000):
                await pilot.pause(0.02)
                if waiting.is_set():
                    break
            await pilot.pause()
            assert "waiting for other processes" in text_of(app)
            assert "esc stops, erases nothing" in text_of(app)
            await pilot.press("escape")
            go_on.set()
            await settle(pilot)
        assert "stopped: nothing was erased" in text_of(app)
        assert bytes_of(sample) == before
        await press(pilot, "enter")
        assert f"purged card:{handle}" in text_of(app)


async def test_what_is_missing_is_said(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "2", "m")
        assert "two or more marked" in browse(app).last
        await press(pilot, "1", "D")
        assert "D purges cards and pages" in browse(app).last
        await press(pilot, "x")
        assert "put the cursor on one" in browse(app).last
