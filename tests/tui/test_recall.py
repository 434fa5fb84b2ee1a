"""The Recall view by keyboard, on the sample bank: real index, real ledger, the model a fake."""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Sequence

import pytest
from textual.pilot import Pilot

from memtui.recall.embed import pack
from memtui.recall.embed_process import ModelProcess
from memtui.recall.model import DEFAULTS, Fusion, SemanticState
from memtui.recall.vectors import ModelKey
from memtui.tui.app import MemtuiApp
from memtui.tui.laboratory import KNOBS, summary
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.paper import PaperScreen
from memtui.tui.trail import ItemSubject, TurnSubject
from memtui.tui.widgets.doc_view import DocView
from memtui.workspace import recalling as recalling_module
from memtui.workspace import semantic
from memtui.workspace.sample import Sample
from tests.recall.recall_fixtures import HashEmbedder
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import press, said
from tests.tui.recalling import QUERY, TO_FUSION, begin, enter, open_recall, recall_of, titles

SIZE = (120, 40)


def paper(pilot: Pilot[None]) -> str:
    assert isinstance(pilot.app.screen, PaperScreen)
    return pilot.app.screen.query_one(DocView).text


async def test_results_come_as_typed_and_enter_opens_the_card(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await open_recall(pilot, "pool timeout")
        assert titles(screen)[0] == "pool-timeout-unset-env"
        assert screen.focused is screen.field
        await press(pilot, "backspace")
        assert screen.found is not None
        assert screen.found.query == "pool timeou"
        await press(pilot, "t", "enter", "enter")
        assert isinstance(app.screen, BrowseScreen)
        assert app.screen.subject == ItemSubject("k3f9qa")
        await press(pilot, "f5")
        assert recall_of(pilot).is_current
        assert screen.query_text == "pool timeout"
        await press(pilot, "escape")
        assert isinstance(app.screen, BrowseScreen)


async def test_who_types_looks_at_the_best_and_who_reads_keeps_the_place(open_app: Open) -> None:
    async with open_app().run_test(size=SIZE) as pilot:
        screen = await open_recall(pilot, "pool")
        first = screen.results_list.key
        await press(pilot, "space", *"cents")
        assert titles(screen)[0] not in str(first)
        assert screen.results_list.cursor == 0
        await press(pilot, "enter", "j", "j")
        kept = screen.results_list.key
        await press(pilot, *TO_FUSION, "equals_sign")
        assert screen.results_list.key == kept


async def test_why_the_third_is_third_and_a_setting_moves_it_and_is_saved(
    open_app: Open, sample: Sample
) -> None:
    before = (sample.bank / "bank.toml").read_bytes()
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await open_recall(pilot, QUERY, "enter", "j", "j")
        third = titles(screen)[2]
        assert screen.found is not None
        hit = screen.found.hits[2]
        shown = screen.score_pane.query_one(DocView).text
        assert f"rank 3 of {len(screen.found.hits)}" in shown
        assert f"{hit.score:.3f}" in shown.split("sum")[1]
        assert sum(term.value for term in hit.terms) == pytest.approx(hit.score)
        assert "to rank 2" in shown
        await press(pilot, *TO_FUSION, "equals_sign")
        assert screen.tried.fusion is Fusion.RRF
        assert titles(screen).index(third) == 1
        row = next(line for line in text_of(app).splitlines() if line.startswith("│▌ 2"))
        assert "↑1" in row
        await press(pilot, "S")
        assert said(app).startswith("saved to bank.toml: fusion scores to rrf")
        table = tomllib.loads((sample.bank / "bank.toml").read_text())["recall"]
        assert table == {"fusion": "rrf"}
        assert screen.own.fusion is Fusion.RRF
        assert summary(screen.own, screen.tried) == ""
        await press(pilot, "u")
        assert (sample.bank / "bank.toml").read_bytes() == before
        await settle(pilot)
        assert screen.own == DEFAULTS
        assert screen.tried == DEFAULTS
        assert screen.last == "undid policy: fusion scores to rrf"


async def test_settings_are_turned_reset_and_compared(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await open_recall(pilot, QUERY, "enter", "minus", "minus")
        assert screen.tried.dense_weight == pytest.approx(0.3)
        await press(pilot, "right_square_bracket", "equals_sign")
        assert screen.tried.trigram_weight == pytest.approx(0.35)
        await press(pilot, "0")
        assert screen.tried.trigram_weight == DEFAULTS.trigram_weight
        assert screen.compared is not None
        await press(pilot, "x")
        assert screen.before_pane.display
        assert screen.results_pane.display
        assert len(screen.before_list) == len(screen.results_list)
        await press(pilot, "escape", "backspace")
        assert screen.tried == DEFAULTS
        assert screen.compared is None
        assert not screen.before_pane.display


async def test_small_screens_toggle_the_two_rankings(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_recall(pilot, QUERY, "enter", *TO_FUSION, "equals_sign", "x")
        assert screen.before_pane.display
        assert not screen.results_pane.display
        assert screen.focused is screen.before_list
        await press(pilot, "x")
        assert screen.results_pane.display
        assert screen.focused is screen.results_list


async def test_why_names_the_stage_also_for_a_card_that_is_not_listed(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await open_recall(pilot, "retry delays", "enter", "w")
        assert "shown" in paper(pilot)
        await press(pilot, "escape", "a")
        await enter(pilot, "retry-fixed-delays")
        assert "status: superseded" in paper(pilot)
        await press(pilot, "escape", "a")
        await enter(pilot, "csv-line-ends")
        assert "not a candidate" in paper(pilot)
        await press(pilot, "escape", "a")
        await enter(pilot, "nothing-such")
        assert "unknown" in paper(pilot)


async def test_sessions_are_searched_and_enter_goes_to_the_turn(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await open_recall(pilot, "ORDER_POOL_SIZE", "enter", "v")
        assert screen.turns is not None
        assert screen.turns.turns
        assert "ORDER_POOL_SIZE" in text_of(app).replace("search  ORDER_POOL_SIZE", "")
        first = screen.turns.turns[0]
        await press(pilot, "enter")
        assert isinstance(app.screen, BrowseScreen)
        subject = app.screen.subject
        assert isinstance(subject, TurnSubject)
        assert (subject.session, subject.seq) == (first.session, first.seq)


async def test_the_log_lists_what_was_meant_and_the_gaps(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await open_recall(pilot, "zzqq", "enter")
        assert "nothing found" in text_of(app)
        await pilot.press("slash", *["backspace"] * 4)
        await enter(pilot, "csv")
        await press(pilot, "L")
        assert [(record.query, bool(record.shown)) for record in screen.records] == [
            ("csv", True),
            ("zzqq", False),
        ]
        await press(pilot, "t", "n")
        assert [record.query for record in screen.logged()] == ["zzqq"]
        assert "a gap in the bank" in text_of(app)
        await press(pilot, "t", "a", "g", "enter")
        assert screen.what == "memory"
        assert screen.query_text == "csv"


async def test_answers_to_what_was_typed_before_are_dropped(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await open_recall(pilot, "csv")
        recalling = app.core.recalling
        assert recalling is not None
        real = recalling.search

        def slow(ask: recalling_module.Ask) -> object:
            if ask.query.endswith("slow"):
                release.wait(30)
            return real(ask)

        monkeypatch.setattr(recalling, "search", slow)
        await pilot.press("space", *"slow")
        while not screen.jobs.running("search"):
            await pilot.pause(0.02)
        await pilot.press("backspace")
        await pilot.pause(0.3)
        release.set()
        await settle(pilot)
        assert screen.found is not None
        assert screen.found.query == "csv slo"


async def test_without_a_model_it_says_so_and_how_to_get_it(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await open_recall(pilot, "csv", "enter")
        assert "semantic search is off" in text_of(app).splitlines()[-2]
        await press(pilot, "exclamation_mark")
        assert "pip install" in paper(pilot)


class Model(HashEmbedder):
    """A model that waits to be let in, and says what it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.let_in = threading.Event()

    def load(self) -> HashEmbedder:
        self.let_in.wait(30)
        return self


async def test_the_model_loads_beside_the_keys_and_then_meaning_takes_part(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model()
    monkeypatch.setattr(semantic, "installed", lambda: True)
    monkeypatch.setattr(ModelProcess, "load", lambda _: model.load())
    app = open_app(environ={"MEMTUI_SEMANTIC_CHROMA": "off"})
    async with app.run_test(size=SIZE) as pilot:
        screen = await begin(pilot)
        await pilot.press(*"csv")
        while screen.found is None or screen.found.query != "csv":
            await pilot.pause(0.02)
        assert screen.model_loading
        assert "loading the model" in text_of(app)
        assert screen.found.mode.value == "lexical"
        model.let_in.set()
        await settle(pilot)
        recalling = app.core.recalling
        assert recalling is not None
        assert recalling.state is SemanticState.READY
        assert screen.found.mode.value == "hybrid"
        assert any("vectors" in hit.sources for hit in screen.found.hits)
        assert model.texts > 30
        assert not [note for note in screen.found.degraded if note.topic != "scope"]


async def test_vectors_of_two_models_and_a_missing_index_are_said(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(semantic, "installed", lambda: True)
    monkeypatch.setattr(ModelProcess, "load", lambda _: HashEmbedder())
    app = open_app(environ={"MEMTUI_SEMANTIC_CHROMA": "off"})
    async with app.run_test(size=SIZE) as pilot:
        screen = await begin(pilot)
        recalling = app.core.recalling
        assert recalling is not None
        (vectors,) = recalling.engine.vectors.values()
        older = ModelKey("older-model", "r1")
        vectors.store.add(older, {"0" * 64: pack([1.0, 0.0])})
        await pilot.press(*"csv")
        await settle(pilot)
        assert screen.found is not None
        (mixed,) = (note for note in screen.found.degraded if note.topic == "models")
        assert mixed.message == "1 vectors of another model take no part: older-model (r1)"
        assert "delete vectors.db" in mixed.fix
        assert "another model" in text_of(app)
        recalling.home.bank.index.unlink()
        await pilot.press("t")
        await settle(pilot)
        assert "there is no index yet" in text_of(app)
        assert "memtui rebuilds it" in screen.found.degraded[0].fix


async def test_embedding_is_stopped_by_escape_and_goes_on_with_r(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> list[bytes]:
            assert gate.acquire(timeout=60)
            return super().embed(texts)

    gate = threading.Semaphore(1)
    model = Slow()
    monkeypatch.setattr(semantic, "installed", lambda: True)
    monkeypatch.setattr(ModelProcess, "load", lambda _: model)
    app = open_app(environ={"MEMTUI_SEMANTIC_CHROMA": "off"})
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await begin(pilot)
        while screen.embedding is None:
            await pilot.pause(0.02)
        assert screen.embedding == (8, 41)
        while "embedding 8/41" not in text_of(app):
            await pilot.pause(0.02)
        await pilot.press("escape")
        gate.release(100)
        await settle(pilot)
        assert said(app).startswith("embedding was stopped")
        assert model.texts <= 24
        await press(pilot, "tab", "R")
        assert model.texts >= 41


async def test_hostile_queries_and_cards_are_drawn_as_text(open_app: Open, sample: Sample) -> None:
    hostile = "x[/]y \x1b]52;c;eA==\x07 \u202e \u2028 \ud800"
    card = sample.bank / "cards" / "hostile.md"
    text = f"---\nname: hostile\ndescription: '{hostile}'\n---\nhostileword {hostile}\n"
    card.write_bytes(text.encode("utf-8", "surrogatepass"))
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        screen = await open_recall(pilot, "hostileword", "enter", "w")
        assert screen.found is not None
        assert screen.found.hits
        assert "\x1b" not in text_of(app)
        await press(pilot, "escape")
        screen.field.value = hostile
        await settle(pilot)
        assert isinstance(app, MemtuiApp)
        assert "\x1b" not in text_of(app)


def test_every_setting_turns_within_its_values_and_back() -> None:
    for knob in KNOBS:
        settings = DEFAULTS
        for _ in range(60):
            settings = knob.turned(settings, 1)
        assert knob.of(settings) == knob.values[-1]
        for _ in range(60):
            settings = knob.turned(settings, -1)
        assert knob.of(settings) == knob.values[0]
        up_and_down = knob.turned(knob.turned(DEFAULTS, -1), 1)
        assert up_and_down == DEFAULTS or knob.of(DEFAULTS) in (knob.values[0], knob.values[-1])
