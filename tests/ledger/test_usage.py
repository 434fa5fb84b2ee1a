"""What agents fetched counts as use, what a search listed does not."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from memtui.ledger.access import open_ledger
from memtui.ledger.model import RetrievalRecord
from memtui.ledger.usage import last_fetched
from memtui.paths import places
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import SAMPLE_NOW, Sample


def log(state: Path, mode: str, shown: tuple[str, ...], days_ago: int) -> None:
    ledger = open_ledger(state)
    at = SAMPLE_NOW - timedelta(days=days_ago)
    ledger.add_retrieval(
        RetrievalRecord(f"{mode}{days_ago}", at, "mcp", "s", "q", mode, shown=shown)
    )
    ledger.close()


def test_the_newest_fetch_of_each_item_counts(tmp_path: Path) -> None:
    assert last_fetched(tmp_path) == {}
    log(tmp_path, "memory_get", ("aaaaaa",), 9)
    log(tmp_path, "memory_get", ("aaaaaa",), 3)
    log(tmp_path, "memory_evidence", ("bbbbbb",), 5)
    log(tmp_path, "memory_search", ("cccccc", "aaaaaa"), 0)
    today = int(SAMPLE_NOW.timestamp() // 86400)
    assert last_fetched(tmp_path) == {"aaaaaa": today - 3, "bbbbbb": today - 5}


def test_a_fetch_makes_a_card_younger_in_the_plan_and_in_the_index_alike(sample: Sample) -> None:
    with open_workspace(None, sample.project, sample.environ()) as workspace:
        before = {c.handle: c for c in workspace.load().snapshot.candidates}
        state = places(sample.environ()).bank_state(workspace.config.id, sample.bank)
        log(state, "memory_get", ("l8k2sv",), 0)
        after = {c.handle: c for c in workspace.load().snapshot.candidates}
        today = int(SAMPLE_NOW.timestamp() // 86400)
        assert before["l8k2sv"].used_day < today
        assert after["l8k2sv"].used_day == today
        recalling = workspace.recalling
        assert recalling is not None
        from memtui.workspace.recalling import Ask

        hit = next(
            hit for hit in recalling.search(Ask("csv", limit=9)).hits if hit.document.id == "l8k2sv"
        )
        recency = next(term for term in hit.terms if term.name == "recency")
        assert recency.raw == 12.0
