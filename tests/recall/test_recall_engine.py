"""The engine over a real index: filters, stages, explanations, degradation, log."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from memtui import reasons
from memtui.bank.model import Card, Status
from memtui.clock import fixed_clock
from memtui.ledger.model import RetrievalRecord
from memtui.recall.corpus import Bank
from memtui.recall.embed import Embedder, EmbedderError
from memtui.recall.engine import Origin, Recall
from memtui.recall.model import Mode, Preset, SearchScope, SemanticState, Settings, Stage
from memtui.recall.vectors import ModelKey
from tests.recall.recall_fixtures import NOW, HashEmbedder, make_bank, make_card, write_index


def cards() -> list[Card]:
    return [
        make_card("aaaaaa", "Pool timeouts in tests come from an unset ORDER_POOL_SIZE",
                  "Use when: order tests fail with E1042.", type="pitfall", tags=("test", "env")),
        make_card("bbbbbb", "The pool is closed in the teardown of each test",
                  "See order/pool.py, closePool().", type="convention", tags=("test",)),
        make_card("cccccc", "Run postgres on port 5433", "The other one is taken.", type="env",
                  branch="legacy", importance=0.9),
        make_card("dddddd", "Old: the pool size is 4", status=Status.STALE),
        make_card("eeeeee", "The pool of workers in billing", project="billing"),
        make_card("ffffff", "Export writes CSV with a BOM", "Excel needs it.", importance=0.2,
                  created=NOW - timedelta(days=90)),
        make_card("gggggg", "The pool moves house", expires=NOW - timedelta(days=1)),
    ]  # fmt: skip


def engine(
    bank: Bank, *more: Bank, load: Callable[[], Embedder] | None = None, **kwargs: object
) -> Recall:
    return Recall([bank, *more], load=load, clock=fixed_clock(NOW), **kwargs)  # type: ignore[arg-type]


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return make_bank(tmp_path / "home", cards())


def ids(recall: Recall, query: str, scope: SearchScope = SearchScope()) -> list[str]:  # noqa: B008
    return [hit.document.id for hit in recall.search(query, scope=scope).hits]


def test_words_identifiers_and_parts_hit(bank: Bank) -> None:
    recall = engine(bank)
    for query in ("E1042", "ORDER_POOL_SIZE", "pool_size", "unset pool size", "ORDER_POO"):
        assert ids(recall, query)[0] == "aaaaaa", query
    for query in ("closePool", "order/pool.py", "pool.py", "teardown", "closepool()"):
        assert ids(recall, query)[0] == "bbbbbb", query


def test_stale_expired_and_foreign_are_absent_with_their_reasons(bank: Bank) -> None:
    results = engine(bank).search("pool")
    assert {hit.document.id for hit in results.hits} == {"aaaaaa", "bbbbbb"}
    fell = {dropped.document.id: (dropped.stage, dropped.reason) for dropped in results.dropped}
    assert fell == {
        "dddddd": (Stage.STATUS, reasons.STALE),
        "eeeeee": (Stage.SCOPE, reasons.SCOPE),
        "gggggg": (Stage.STATUS, reasons.EXPIRED),
    }
    assert results.candidates == 5


def test_filters(bank: Bank) -> None:
    recall = engine(bank)
    assert ids(recall, "pool status:stale") == ["dddddd"]
    assert ids(recall, "pool status:expired") == ["gggggg"]
    assert ids(recall, "pool type:convention") == ["bbbbbb"]
    assert ids(recall, "tag:env tag:test") == ["aaaaaa"]
    assert ids(recall, "since:30d type:fact") == []
    assert ids(recall, "since:200d type:fact") == ["ffffff"]
    assert ids(recall, "pool project:billing") == ["eeeeee"]
    assert ids(recall, "branch:legacy") == ["cccccc"]
    assert ids(recall, "trust:confirmed") == []
    assert set(ids(recall, "pool", SearchScope(everywhere=True))) == {"aaaaaa", "bbbbbb", "eeeeee"}
    assert "cccccc" not in ids(recall, "postgres", SearchScope(branch="main"))
    assert ids(recall, "postgres", SearchScope(branch="legacy")) == ["cccccc"]


def test_an_agent_never_gets_what_is_absent(bank: Bank) -> None:
    agent = SearchScope(for_agent=True)
    assert ids(engine(bank), "pool status:stale", agent) == []
    assert set(ids(engine(bank), "pool status:active", agent)) == {"aaaaaa", "bbbbbb"}


def test_without_words_the_start_ranking_counts(bank: Bank) -> None:
    results = engine(bank).search("", limit=2)
    assert results.hits[0].document.id == "cccccc"
    assert [term.name for term in results.hits[0].terms] == ["importance", "trust", "recency"]
    assert len(results.dropped) == 2
    assert not results.degraded or results.mode is Mode.LEXICAL


def test_terms_add_up_and_settings_move_the_ranking(bank: Bank) -> None:
    recall = engine(bank)
    for preset in Preset:
        for hit in recall.search("pool size test", settings=Settings(preset=preset)).hits:
            assert hit.score == pytest.approx(math.fsum(term.value for term in hit.terms))
    heavy = Settings(budget=25)
    results = recall.search("pool", settings=heavy)
    assert results.tokens <= 25
    assert Stage.BUDGET in {dropped.stage for dropped in results.dropped}


def test_compare_says_how_each_moved(bank: Bank) -> None:
    compared = engine(bank).compare(Settings(), Settings(budget=25), "pool")
    assert {(move.before > 0, move.after > 0) for move in compared.moves} >= {(True, False)}
    assert len(compared.moves) == 2


@pytest.mark.parametrize(
    ("word", "query", "stage"),
    [
        ("aaaaaa", "pool timeouts", Stage.SHOWN),
        ("card-dddddd", "pool", Stage.STATUS),
        ("eeeeee", "pool", Stage.SCOPE),
        ("bbbbbb", "pool type:env", Stage.FILTER),
        ("ffffff", "pool", Stage.NOT_A_CANDIDATE),
        ("nobody", "pool", Stage.UNKNOWN),
    ],
)
def test_explain_names_the_stage(bank: Bank, word: str, query: str, stage: Stage) -> None:
    assert engine(bank).explain(word, query).stage is stage


def test_explain_gives_the_numbers_below_the_cut(bank: Bank) -> None:
    found = engine(bank).explain("bbbbbb", "pool size timeouts", limit=1)
    assert (found.stage, found.reason) == (Stage.CUT, reasons.OVER_LINES)
    assert found.score is not None
    assert found.cut_score is not None
    assert found.score < found.cut_score
    assert sum(term.value for term in found.terms) == pytest.approx(found.score)
    assert "below the last" in found.detail


def test_explain_of_no_candidate_tells_the_lists(tmp_path: Path) -> None:
    many = [make_card(f"m{n:05}", f"pool pool pool number {n}") for n in range(60)]
    far = make_card("zzzzzz", "long " * 200, "one pool at the end")
    recall = engine(make_bank(tmp_path / "home", [*many, far]))
    found = recall.explain("zzzzzz", "pool", settings=Settings(candidates=10))
    assert found.stage is Stage.NOT_A_CANDIDATE
    assert "below the first 10" in found.detail
    assert "none of the words" in recall.explain("zzzzzz", "elephant").detail


def test_a_selective_filter_reaches_below_the_candidate_list(tmp_path: Path) -> None:
    many = [make_card(f"m{n:05}", f"pool pool pool number {n}") for n in range(400)]
    rare = make_card("zzzzzz", "words " * 50, "a pool somewhere", type="decision", tags=("deep",))
    recall = engine(make_bank(tmp_path / "home", [*many, rare]))
    assert ids(recall, "pool tag:deep") == ["zzzzzz"]


def test_meaning_finds_what_words_do_not(bank: Bank) -> None:
    recall = engine(bank, load=HashEmbedder)
    assert recall.semantic_ready is SemanticState.COLD
    before = recall.search("database crash")
    assert before.mode is Mode.LEXICAL
    assert any(note.topic == "semantic" for note in before.degraded)
    done = recall.semantic.refresh()
    assert (done.embedded, done.kept) == (7, 0)
    assert recall.semantic.state.value == "ready"
    after = recall.search("database")
    assert after.mode is Mode.HYBRID
    assert after.hits[0].document.id == "cccccc"
    assert after.hits[0].sources == ("vectors",)
    assert not after.degraded
    assert "dddddd" not in [hit.document.id for hit in recall.search("pool").hits]
    assert recall.search("database", mode=Mode.LEXICAL).hits == ()
    recall.close()


def test_unchanged_text_is_never_embedded_again(bank: Bank) -> None:
    model = HashEmbedder()
    recall = engine(bank, load=lambda: model)
    recall.semantic.refresh()
    changed = [*cards()[1:], make_card("aaaaaa", "Pool timeouts: a new title", importance=0.1)]
    changed[0] = make_card("bbbbbb", cards()[1].title, cards()[1].body, status=Status.RETIRED)
    write_index(bank.cache, changed)
    done = recall.semantic.refresh()
    assert (done.embedded, done.kept, done.pruned) == (1, 6, 0)
    assert model.texts == 8
    assert recall.semantic.prune("home") == 1
    assert recall.vectors["home"].store.count(ModelKey("hash", "1")) == 7


def test_vectors_of_old_texts_go_once_they_are_many(tmp_path: Path) -> None:
    bank = make_bank(tmp_path / "home", [make_card(f"m{n:05}", f"text {n}") for n in range(60)])
    recall = engine(bank, load=HashEmbedder)
    recall.semantic.refresh()
    write_index(bank.cache, [make_card(f"m{n:05}", f"other {n}") for n in range(60)])
    assert recall.semantic.refresh().pruned == 60


def test_a_thread_that_fails_says_so_and_is_silent(
    bank: Bank, capfd: pytest.CaptureFixture[str]
) -> None:
    def explode() -> Embedder:
        raise MemoryError("too big")

    recall = engine(bank, load=explode)
    recall.semantic.start()
    recall.semantic.close()
    assert recall.semantic_ready is SemanticState.FAILED
    assert "too big" in recall.search("pool").degraded[0].message
    assert capfd.readouterr() == ("", "")


def test_the_background_thread_makes_it_ready(bank: Bank) -> None:
    recall = engine(bank, load=HashEmbedder)
    recall.semantic.start()
    recall.semantic.start()
    deadline = time.monotonic() + 20
    while recall.search("database").mode is not Mode.HYBRID or recall.search("pool").degraded:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    recall.close()


def test_a_cancelled_refresh_keeps_what_it_did(tmp_path: Path) -> None:
    bank = make_bank(tmp_path / "home", [make_card(f"m{n:05}", f"text {n}") for n in range(30)])
    recall = engine(bank, load=HashEmbedder)
    done = recall.semantic.refresh(lambda at, of: at < 16)
    assert done.cancelled
    assert done.embedded == 16
    notes = recall.search("text").degraded
    assert any("14 of 30 texts have no vector" in note.message for note in notes)
    assert recall.semantic.refresh().embedded == 14


def test_two_models_are_said_and_never_mixed(bank: Bank) -> None:
    first = engine(bank, load=HashEmbedder)
    first.semantic.refresh()
    second = engine(bank, load=lambda: HashEmbedder("other", "2", 32))
    second.semantic.load()
    results = second.search("database")
    topics = {note.topic for note in results.degraded}
    assert {"models", "vectors"} <= topics
    assert all("vectors" not in hit.sources for hit in results.hits)


def test_a_model_that_does_not_load_is_said(bank: Bank) -> None:
    def fail() -> Embedder:
        raise EmbedderError("no weights", "install them")

    recall = engine(bank, load=fail)
    recall.semantic.refresh()
    results = recall.search("pool")
    assert len(results.hits) == 2
    assert [(note.message, note.fix) for note in results.degraded] == [
        ("no weights", "install them")
    ]


def test_no_index_a_damaged_one_and_a_late_one(bank: Bank, tmp_path: Path) -> None:
    nowhere = engine(Bank("none", tmp_path / "nowhere"))
    assert nowhere.search("pool").degraded[0].topic == "index"
    assert nowhere.search("").hits == ()
    assert nowhere.explain("x", "pool").stage is Stage.UNKNOWN
    late = engine(bank, behind=lambda: "3 files changed since")
    assert late.search("pool").degraded[0].message == "3 files changed since"
    bank.index.write_bytes(b"this is no database" * 500)
    results = engine(bank).search("pool")
    assert results.hits == ()
    assert results.degraded[0].topic == "index"


def test_deleting_every_store_loses_nothing(bank: Bank) -> None:
    recall = engine(bank, load=HashEmbedder)
    recall.semantic.refresh()
    expected = [hit.document.id for hit in recall.search("database pool").hits]
    for name in ("vectors.db", "vectors.db-wal", "vectors.db-shm"):
        (bank.cache / name).unlink(missing_ok=True)
    assert recall.search("pool").hits
    recall.semantic.refresh()
    assert [hit.document.id for hit in recall.search("database pool").hits] == expected
    (bank.cache / "vectors.db").write_bytes(b"garbage" * 1000)
    assert recall.search("pool").hits
    recall.semantic.refresh()
    assert [hit.document.id for hit in recall.search("database pool").hits] == expected


def test_similar_and_duplicates(tmp_path: Path) -> None:
    text = "Export ORDER_POOL_SIZE before the order tests run"
    bank = make_bank(
        tmp_path / "home",
        [
            make_card("aaaaaa", text),
            make_card("bbbbbb", text + " today"),
            make_card("cccccc", "Colours of the release banner are decided by marketing"),
            make_card("dddddd", text, status=Status.RETIRED),
        ],
    )
    for load in (None, HashEmbedder):
        recall = engine(bank, load=load)
        recall.semantic.refresh()
        assert [item.document.id for item in recall.similar("aaaaaa")] == ["bbbbbb"]
        assert recall.nearest(text)[0].duplicate
        assert [(p.left.id, p.right.id) for p in recall.duplicates()] == [("aaaaaa", "bbbbbb")]
        assert recall.nearest("entirely different subject") == []
    with pytest.raises(KeyError):
        recall.similar("nobody")


def test_every_retrieval_is_logged_when_asked(bank: Bank) -> None:
    kept: list[RetrievalRecord] = []

    class Log:
        def add_retrieval(self, record: RetrievalRecord) -> None:
            kept.append(record)

    recall = engine(bank, log=Log())
    recall.search("pool")
    recall.search("pool", origin=Origin("mcp", "s1"), limit=1)
    recall.search("elephant", origin=Origin())
    assert [(record.origin, record.session, record.query) for record in kept] == [
        ("mcp", "s1", "pool"),
        ("terminal", "", "elephant"),
    ]
    assert kept[0].shown == (kept[0].candidates[0]["id"],)
    assert {c["stage"] for c in kept[0].candidates} == {"shown", "below the cut", "status", "scope"}
    assert kept[1].shown == ()


def test_shared_words_are_dropped_from_the_dense_query(tmp_path: Path) -> None:
    seen: list[str] = []

    class Listening(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> list[bytes]:
            seen.extend(texts)
            return super().embed(texts)

    bank = make_bank(
        tmp_path / "home", [make_card(f"m{n:05}", f"svc-order rule {n} of x{n}") for n in range(20)]
    )
    recall = engine(bank, load=Listening)
    recall.semantic.refresh()
    seen.clear()
    recall.search("what does svc-order say about x7")
    assert seen == ["what does say about x7"]


def test_the_light_install_imports_nothing_heavy() -> None:
    code = (
        "import sys, memtui.recall.engine, memtui.recall.indexes\n"
        "bad = {'numpy', 'torch', 'chromadb', 'sentence_transformers', 'textual', 'rich', 'sqlmodel'}\n"
        "sys.exit(','.join(sorted(bad & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
