"""The ledger keeps acts and their bytes, moves the undo marks, erases, and never hands out rows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import inspect
from sqlmodel import SQLModel

from memtui.ledger import schema
from memtui.ledger.access import open_ledger
from memtui.ledger.engine import connect, writing
from memtui.ledger.migrations import STEPS, LedgerTooNewError
from memtui.ledger.model import (
    ActRecord,
    ActState,
    FileRecord,
    InjectionRecord,
    ProposalRecord,
    ReceiptRecord,
    RetrievalRecord,
)
from memtui.ledger.store import Ledger

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger(tmp_path / "state")
    yield opened
    opened.close()


def act(number: int, writer: str = "ada", verb: str = "demote", **changes: object) -> ActRecord:
    record = ActRecord(
        id=f"act{number}",
        at=NOW + timedelta(minutes=number),
        writer=writer,
        verb=verb,
        items=("card:aaaaaa",),
        title="Pool timeouts",
        summary="demoted",
        files=(FileRecord("cards/a.md", b"before", b"after", "d1", "d2"),),
        events=({"id": f"e{number}"},),
    )
    return replace(record, **changes)  # type: ignore[arg-type]


def do(ledger: Ledger, record: ActRecord) -> None:
    ledger.intend(record)
    ledger.finish(record)


def test_an_intent_is_found_until_it_is_finished(ledger: Ledger) -> None:
    record = act(1)
    ledger.intend(record)
    [left] = ledger.unfinished()
    assert left == replace(record, seq=left.seq)
    ledger.finish(record)
    assert ledger.unfinished() == []
    kept = ledger.act("act1")
    assert kept is not None
    assert (kept.state, kept.events, kept.files) == (ActState.DONE, (), record.files)


def test_an_aborted_act_keeps_no_bytes_and_is_not_history(ledger: Ledger) -> None:
    ledger.intend(act(1))
    ledger.abort("act1")
    kept = ledger.act("act1")
    assert kept is not None
    assert kept.files == ()
    assert ledger.history() == []
    assert ledger.last_undoable("ada", ()) is None


def test_undo_and_redo_marks_follow_the_writer(ledger: Ledger) -> None:
    for number in (1, 2):
        do(ledger, act(number))
    do(ledger, act(3, writer="bob"))
    assert undoable(ledger) == "act2"
    do(ledger, act(4, verb="undo", undoes="act2"))
    assert undoable(ledger) == "act1"
    do(ledger, act(5, verb="undo", undoes="act1"))
    assert undoable(ledger) is None
    assert redoable(ledger) == "act1"
    do(ledger, act(6, verb="redo", undoes="act1"))
    assert (undoable(ledger), redoable(ledger)) == ("act1", "act2")
    do(ledger, act(7))
    assert (undoable(ledger), redoable(ledger)) == ("act7", None)


def undoable(ledger: Ledger) -> str | None:
    found = ledger.last_undoable("ada", ("purge",))
    return found.id if found else None


def redoable(ledger: Ledger) -> str | None:
    found = ledger.next_redoable("ada")
    return found.id if found else None


def test_history_pages_newest_first(ledger: Ledger) -> None:
    for number in range(5):
        do(ledger, act(number))
    first = ledger.history(limit=2)
    assert [record.id for record in first] == ["act4", "act3"]
    assert [record.id for record in ledger.history(10, before=first[-1].seq)] == [
        "act2",
        "act1",
        "act0",
    ]


def test_versions_and_bytes_are_found_by_path_and_digest(ledger: Ledger) -> None:
    do(ledger, act(1))
    do(ledger, act(2, files=(FileRecord("MEMORY.md", b"x", b"y", "m1", "m2", start=4),)))
    assert [file.after for _, file in ledger.versions("cards/a.md")] == [b"after"]
    assert ledger.bytes_of("d1") == b"before"
    assert ledger.bytes_of("d2") == b"after"
    assert ledger.bytes_of("m2") is None
    assert ledger.left("MEMORY.md") == "m2"
    assert ledger.left("cards/b.md") is None
    assert sorted(ledger.paths()) == ["MEMORY.md", "cards/a.md"]


def test_erase_and_shrink_leave_no_byte(ledger: Ledger) -> None:
    needle = "zq-unique-7f31"
    file = FileRecord("cards/b.md", needle.encode(), None, "d3", "")
    do(ledger, act(1, files=(file,), title=needle))
    do(ledger, act(2))
    ledger.add_injection(injection(f"- {needle}"))
    ledger.add_retrieval(RetrievalRecord("r1", NOW, "mcp", "s1", needle, "lexical"))
    changed = ledger.erase(lambda text: needle in text, [], [])
    ledger.shrink()
    assert changed == 3
    for place in ledger.path.parent.iterdir():
        assert needle.encode() not in place.read_bytes(), place
    erased = ledger.act("act1")
    assert erased is not None
    assert (erased.erased, erased.files, erased.title) == (True, (), "")
    assert undoable(ledger) == "act2"


def test_erase_by_item_and_by_path(ledger: Ledger) -> None:
    do(ledger, act(1, items=("card:bbbbbb",), files=()))
    do(ledger, act(2, items=("card:cccccc",), files=(FileRecord("cards/c.md", None, b"", "", ""),)))
    assert ledger.erase(lambda _: False, ["card:bbbbbb"], ["cards/c.md"]) == 2


def injection(text: str) -> InjectionRecord:
    return InjectionRecord(
        "i1", NOW, "s1", "claude-code", "startup", 600, 80, text, "d", "v1", (("aaaaaa", text),)
    )


def test_other_records_come_back_equal(ledger: Ledger) -> None:
    planned = injection("- aaaaaa Pool")
    receipt = ReceiptRecord("i1", NOW, "delivered", "d")
    search = RetrievalRecord("r1", NOW, "hook", "s1", "pool", "hybrid", 90, 1.5, ({"id": "a"},))
    proposal = ProposalRecord("p1", NOW, "k1", "sleep", "s1", "add", "Pool", payload={"a": 1})
    ledger.add_injection(planned)
    ledger.add_receipt(receipt)
    ledger.add_retrieval(search)
    ledger.put_proposal(proposal)
    assert ledger.injections() == [planned] == ledger.injections("s1")
    assert ledger.injections("other") == []
    assert ledger.receipts() == {"i1": receipt}
    assert ledger.retrievals() == [search]
    decided = replace(proposal, status="rejected", decided_at=NOW)
    ledger.put_proposal(decided)
    assert ledger.proposals() == [decided] == ledger.proposals("rejected")
    assert ledger.proposals("waiting") == []
    assert ledger.proposed_before("k1")
    assert not ledger.proposed_before("k2")


def test_migrations_make_exactly_the_tables_of_the_schema(tmp_path: Path) -> None:
    engine = connect(tmp_path / "ledger.db")
    found = inspect(engine)
    for row in (
        schema.ActRow,
        schema.FileRow,
        schema.InjectionRow,
        schema.ReceiptRow,
        schema.RetrievalRow,
        schema.ProposalRow,
    ):
        table = SQLModel.metadata.tables[str(row.__tablename__)]
        made = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
        wanted = {column.name: column.nullable for column in table.columns}
        assert made.keys() == wanted.keys()
        assert {n for n in made if not made[n]} >= {n for n in wanted if not wanted[n]} - {
            column.name for column in table.primary_key
        }
    engine.dispose()


def test_a_newer_ledger_is_refused_and_left_alone(tmp_path: Path) -> None:
    engine = connect(tmp_path / "ledger.db")
    with writing(engine).begin() as connection:
        connection.exec_driver_sql(f"PRAGMA user_version = {len(STEPS) + 1}")
    engine.dispose()
    with pytest.raises(LedgerTooNewError, match="newer than this memtui"):
        Ledger(tmp_path / "ledger.db")


def test_durable_settings(ledger: Ledger) -> None:
    with ledger._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2
        assert connection.exec_driver_sql("PRAGMA secure_delete").scalar_one() == 1


def test_four_processes_open_a_new_ledger_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memtui.ledger.access import open_ledger\n"
        "opened = open_ledger(Path(sys.argv[1])); opened.history(); opened.close()"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(4)]
    assert [process.wait() for process in running] == [0, 0, 0, 0]


def test_the_door_imports_no_sqlmodel() -> None:
    code = "import sys, memtui.ledger.access, memtui.ledger.model; print('sqlmodel' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
