"""Refreshing: only what changed is written, and a damaged or foreign index is rebuilt."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memtui.index import refresh as refreshing
from memtui.index.reader import VERSION, injection_rows
from memtui.index.states import State
from memtui.index.words import parts
from tests.index import banks


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "bank"
    banks.write(root, *(banks.card(f"h{n}", body=f"Body {n} orderPool{n}.\n") for n in range(4)))
    banks.settle(root)
    return root


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "index.db"


def found(db: Path, table: str, query: str) -> list[str]:
    sql = f"SELECT name FROM {table} WHERE {table} MATCH ? ORDER BY name"
    with closing(sqlite3.connect(db)) as connection:
        return [row[0] for row in connection.execute(sql, (query,))]


def meta(db: Path) -> dict[str, str]:
    with closing(sqlite3.connect(db)) as connection:
        return dict(connection.execute("SELECT key, value FROM meta"))


def test_first_and_second_refresh(root: Path, db: Path) -> None:
    first = banks.index(root, db)
    assert (first.items, first.written, first.removed, first.generation) == (4, 4, 0, 1)
    again = banks.index(root, db)
    assert (again.written, again.removed, again.generation) == (0, 0, 1)
    assert meta(db)["version"] == first.version == again.version


def test_only_the_changed_row_is_written(root: Path, db: Path) -> None:
    banks.index(root, db)
    banks.write(root, banks.card("h1", body="Now about a zebra.\n"))
    done = banks.index(root, db)
    assert (done.written, done.removed, done.generation) == (1, 0, 2)
    assert found(db, "words", "zebra") == ["card-h1"]
    assert found(db, "words", "body") == ["card-h0", "card-h2", "card-h3"]
    assert found(db, "grams", '"zebr"') == ["card-h1"]


def test_a_removed_file_takes_its_rows_along(root: Path, db: Path) -> None:
    banks.index(root, db)
    (root / "cards" / "card-h2.md").unlink()
    assert banks.index(root, db).removed == 1
    assert "card-h2" not in found(db, "words", "body")
    assert len(injection_rows(db).items) == 3


@pytest.mark.parametrize("bulk", [0, 1500])
def test_full_text_is_in_step_either_way(
    root: Path, db: Path, bulk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refreshing, "BULK", bulk)
    banks.index(root, db)
    banks.write(root, banks.card("h1", body="Now about a zebra.\n"), banks.card("h9"))
    (root / "cards" / "card-h2.md").unlink()
    banks.index(root, db)
    with closing(sqlite3.connect(db)) as connection:
        for table in ("words", "grams"):
            check = f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)"
            connection.execute(check)
        triggers = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"
        assert connection.execute(triggers).fetchone()[0] == 2
    assert found(db, "words", "body") == ["card-h0", "card-h3", "card-h9"]


def test_identifiers_are_found_by_their_parts(root: Path, db: Path) -> None:
    banks.index(root, db)
    assert found(db, "words", 'parts:"order pool 3"') == ["card-h3"]
    assert parts("see getUserById2 and order_pool, HTTPServer") == "get user by id 2 http server"
    assert parts("plain words only") == ""


def test_new_facts_change_rows(root: Path, db: Path) -> None:
    banks.index(root, db)
    done = banks.index(
        root,
        db,
        drift={"h0": "order/pool.py changed in 3fa2c1"},
        evidence_states={"h1": (State("evidence gone", "deleted"),)},
    )
    assert done.written == 2
    states = {row[0]: row[15] for row in injection_rows(db).items}
    assert (states["h0"], states["h1"], states["h2"]) == (("drifted",), ("evidence gone",), ())


def test_a_touched_file_is_seen_again(root: Path, db: Path) -> None:
    banks.index(root, db)
    os.utime(root / "cards" / "card-h0.md", (1_700_000_000, 1_700_000_000))
    assert banks.index(root, db).written == 1
    assert banks.index(root, db).written == 0


def test_a_file_that_differs_from_what_was_loaded_is_not_trusted(root: Path, db: Path) -> None:
    from memtui.bank.load import load
    from memtui.index.refresh import refresh

    contents = load(root)
    banks.write(root, banks.card("h0", body="Changed after loading.\n"))
    refresh(db, contents, clock=banks.CLOCK)
    with closing(sqlite3.connect(db)) as connection:
        rows = dict(connection.execute("SELECT handle, mtime_ns FROM item"))
    assert rows["h0"] == 0
    assert rows["h1"] > 0


@pytest.mark.parametrize("damage", ["version", "bytes"])
def test_an_unfit_index_is_rebuilt(root: Path, db: Path, damage: str) -> None:
    banks.index(root, db)
    if damage == "version":
        with closing(sqlite3.connect(db)) as connection:
            connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    else:
        db.write_bytes(b"no database at all" * 500)
    assert banks.index(root, db).written == 4
    assert len(injection_rows(db).items) == 4


def test_an_index_can_be_deleted_and_nothing_is_lost(root: Path, db: Path) -> None:
    banks.index(root, db)
    before = injection_rows(db)
    db.unlink()
    banks.index(root, db)
    assert injection_rows(db) == before


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_only_the_user_reads_the_index(root: Path, db: Path) -> None:
    banks.index(root, db)
    assert db.stat().st_mode & 0o077 == 0


def test_a_failed_refresh_leaves_the_old_index(
    root: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    banks.index(root, db)
    before = injection_rows(db)
    banks.write(root, banks.card("h1", body="Other.\n"))

    def fail(*_: object) -> tuple[str, ...]:
        raise RuntimeError("in the middle")

    monkeypatch.setattr(refreshing, "text_row", fail)
    with pytest.raises(RuntimeError):
        banks.index(root, db)
    assert injection_rows(db) == before
