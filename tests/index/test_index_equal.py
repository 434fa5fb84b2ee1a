"""What is planned from memory, from the index, and the fast way, is one and the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.bank.load import load
from memtui.bank.model import Card
from memtui.index.reader import IndexMissing, Reader, injection_rows
from memtui.index.recheck import Rechecked
from memtui.index.rows import Facts, KeptRows, entries_of, ingredients_of
from memtui.index.schema import ITEM_COLUMNS
from memtui.index.states import State
from memtui.inject import render, snapshot
from memtui.inject.model import Candidate, Request
from memtui.inject.plan import plan
from memtui.inject.snapshot import build, plan_best, plan_fresh
from tests.index import banks

Made = tuple[list[Card], list[tuple[str, str]]]


@banks.bounded
@given(banks.banks(), st.lists(st.sampled_from(["h0", "h1", "h2"]), max_size=2))
def test_snapshot_of_memory_is_that_of_the_index(made: Made, drifted: list[str]) -> None:
    with TemporaryDirectory() as folder:
        root, db = Path(folder, "bank"), Path(folder, "index.db")
        banks.write_bank(root, made)
        drift = dict.fromkeys(drifted, "order/pool.py changed")
        evidence = {"h3": (State("evidence gone", "deleted"),)}
        used = {"h4": banks.TODAY, "h5": 3}
        contents = load(root)
        facts = banks.facts_of(contents, drift=drift, evidence=evidence, used=used)
        banks.index(root, db, drift=drift, evidence_states=evidence, used=used)
        assert injection_rows(db) == ingredients_of(contents, facts)
        assert build(injection_rows(db)) == build(ingredients_of(contents, facts))


@banks.bounded
@given(banks.banks(), banks.requests, st.integers(1, 4), st.integers(1, 4))
def test_the_fast_plan_is_the_plan(made: Made, request: Request, chunk: int, lines: int) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "CHUNK", chunk)
        patch.setattr(snapshot, "WHOLE", 0)
        root, db = Path(folder, "bank"), Path(folder, "index.db")
        banks.write_bank(root, made)
        toml = f"{banks.CONFIG}\n[policy]\nmax_lines = {lines * 2}\nunchecked_lines = {lines}\n"
        (root / "bank.toml").write_text(toml)
        banks.index(root, db)
        whole = plan(build(injection_rows(db)), request)
        with Reader(db) as reader:
            best = plan_best(reader, request)
            assert (best.plan.text, best.plan.lines) == (whole.text, whole.lines)
            assert set(best.plan.decisions) <= set(whole.decisions)
            seen = frozenset(line.text for line in whole.lines[::2])
            again = plan_best(reader, request._replace(seen=seen)).plan
            assert again.text == plan(build(injection_rows(db)), request._replace(seen=seen)).text
            fresh = plan_fresh(Rechecked(reader, request.today), request)
            assert fresh.plan.text == whole.text


@banks.bounded
@given(banks.cards("h0"), st.sampled_from(["confirmed", "checked", "unchecked"]))
def test_room_is_a_lower_bound_of_the_line(made: Card, tier: str) -> None:
    with TemporaryDirectory() as folder:
        banks.write(Path(folder), made)
        contents = load(Path(folder))
        (entry,) = entries_of(contents, Facts(now=banks.NOW, trust={}))
        (values,) = ingredients_of(contents, Facts(now=banks.NOW, trust={})).items
        line = render.line_of(Candidate._make(values)._replace(tier=tier), banks.TODAY)
        slack = len("unchecked") - len(tier)
        assert entry.row[ITEM_COLUMNS.index("room")] - slack <= len(line.text.encode())
        assert len(line.text.encode()) >= render.MIN_LINE_BYTES - 1


def test_equal_ranks_in_great_number(tmp_path: Path) -> None:
    root, db = tmp_path / "bank", tmp_path / "index.db"
    banks.write(root, *(banks.card(f"h{n:03}") for n in range(150)))
    banks.settle(root)
    banks.index(root, db)
    with Reader(db) as reader:
        best = plan_best(reader, banks.ask()).plan
    assert best.text == plan(build(injection_rows(db)), banks.ask()).text
    assert best.lines


@pytest.mark.parametrize("chunk", [3, 8, 32])
def test_a_large_bank_at_many_budgets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    """Long titles first, so that short ones from far behind get their place."""
    monkeypatch.setattr(snapshot, "CHUNK", chunk)
    root, db = tmp_path / "bank", tmp_path / "index.db"
    for n in range(80):
        title = "long title " * (9 if n < 60 else 1)
        made = banks.card(f"h{n:02}", title=title, importance=1 - n / 100, pinned=n in (70, 71))
        banks.write(root, made)
        if n % 4:
            banks.say(root, "confirm", f"h{n:02}")
    banks.settle(root)
    banks.index(root, db)
    whole = build(injection_rows(db))
    with Reader(db) as reader:
        for budget in range(50, 700, 9):
            request = banks.ask(budget=budget)
            expected = plan(whole, request)
            assert expected.tokens <= budget
            assert plan_best(reader, request).plan.text == expected.text


def test_a_missing_or_foreign_index_is_said(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing):
        Reader(tmp_path / "index.db")
    (tmp_path / "index.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(IndexMissing):
        Reader(tmp_path / "index.db")


def test_odd_paths_are_opened(tmp_path: Path) -> None:
    root, db = tmp_path / "bank", tmp_path / "a?b#c%d ü" / "index.db"
    banks.write(root, banks.card("h0"))
    banks.index(root, db)
    with Reader(db) as reader:
        assert reader.size() == 1


@banks.bounded
@given(banks.banks(), banks.banks())
def test_kept_rows_are_those_made_anew(one: Made, other: Made) -> None:
    kept = KeptRows()
    with TemporaryDirectory() as folder:
        root = Path(folder, "bank")
        for made, day in ((one, 0), (other, 0), (other, 1), (one, 1)):
            for path in root.glob("*/*.*"):
                path.unlink()
            banks.write_bank(root, made)
            contents = load(root)
            facts = banks.facts_of(contents, drift={"h1": "changed"} if day else {})
            facts = replace(facts, now=facts.now + timedelta(days=day))
            expected = entries_of(contents, facts)
            assert entries_of(contents, facts, kept=kept) == expected
            assert entries_of(contents, facts, kept=kept) == expected
