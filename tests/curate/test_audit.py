"""The audit: a secret in each place that memtui writes to is found there, and nothing else is."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import zstandard

from memtui.curate.audit.model import Audit, last, to_json
from memtui.curate.audit.places import Kept
from memtui.curate.audit.run import MOST, audit, clean, spots_of
from memtui.curate.audit.texts import strings_of
from memtui.curate.curator import Curator
from memtui.curate.decide import accept, waiting
from memtui.curate.purge import plan_purge, purge
from memtui.index.refresh import refresh
from memtui.safety.redact import rules_name, use_patterns
from tests.curate.nights import Night

SECRET = "zebra-4711"
RULE = (re.compile(r"zebra-\d+"),)


def looked(night: Night, curator: Curator) -> Audit:
    return audit(curator, night.contents(), night.world.catalogue.path, curator.cache / "index.db")


def planted(night: Night, curator: Curator) -> None:
    """Work with a word that becomes a secret later: it comes into every place by the ordinary way."""
    talk = night.pitfall(1).prompt(f"what is {SECRET}?")
    talk.say(f"The cause is the key {SECRET}: the pool only takes odd numbers with it.")
    night.write(talk)
    night.sleep(curator)
    for found in waiting(curator):
        accept(curator, found, night.contents())
    retired = night.contents().cards[-1]
    packed = zstandard.ZstdCompressor().compress(f"# old\n\nIt was {SECRET}.\n".encode())
    curator.files.archive.mkdir(parents=True, exist_ok=True)
    (curator.files.archive / f"{retired.name}.md.zst").write_bytes(packed)
    curator.places.spool.mkdir(parents=True, exist_ok=True)
    record = {"prompt": f"say {SECRET}"}
    (curator.places.spool / "1-1.aaaaaaaa.bbbbbbbb.prompt.json").write_text(json.dumps(record))
    refresh(curator.cache / "index.db", night.contents(), clock=lambda: night.now)


def test_what_becomes_a_secret_is_found_in_every_place(night: Night, curator: Curator) -> None:
    planted(night, curator)
    before = looked(night, curator)
    assert before.clean
    assert before.looked > 12
    told = last(curator.state)
    assert told is not None
    assert (told["rules"], told["found"]) == (rules_name(), 0)
    use_patterns(RULE)
    assert told["rules"] != rules_name()
    found = looked(night, curator)
    assert {spot.kind for spot in found.spots} == {
        "card", "index file", "events", "evidence", "archive", "ledger", "spool", "index", "catalogue",
    }  # fmt: skip
    assert not found.clean
    assert {spot.kinds for spot in found.spots if spot.kind == "spool"} == {"1 custom"}
    assert all(spot.do for spot in found.spots)
    assert SECRET not in json.dumps(to_json(found))
    (card,) = [one for one in night.contents().cards if SECRET in one.title]
    spots = [spot for spot in found.spots if spot.kind == "card"]
    lines = card.path.read_text("utf-8").split("\n")
    held = [f"line {number}" for number, line in enumerate(lines, start=1) if SECRET in line]
    assert [spot.where for spot in spots] == [*held, "its name"]
    assert spots[0].path.endswith(
        "the-cause-is-the-key-[redacted:custom]-the-pool-only-takes-odd.md"
    )
    assert f"`memtui purge {card.id}`" in spots[0].do
    assert {spot.item for spot in found.spots if spot.kind == "evidence"} == {card.id}


def test_clean_erases_what_is_derived_or_local_and_leaves_the_bank(
    night: Night, curator: Curator
) -> None:
    planted(night, curator)
    use_patterns(RULE)
    bank = {path: path.read_bytes() for path in night.bench.bank.rglob("*") if path.is_file()}
    catalogue, index = night.world.catalogue.path, curator.cache / "index.db"
    done = clean(curator, looked(night, curator), catalogue, index)
    assert len(done.cleaned) == 4
    left = {spot.kind for spot in looked(night, curator).spots}
    assert left == {"card", "index file", "events", "evidence", "archive"}
    assert SECRET.encode() not in (curator.state / "ledger.db").read_bytes()
    assert {path: path.read_bytes() for path in bank} == bank
    assert not catalogue.exists()
    for card in night.contents().cards:
        if SECRET in card.path.read_text("utf-8"):
            purge(curator, plan_purge(curator, [card], night.contents(), [SECRET]))
    left = {spot.where for spot in looked(night, curator).spots if spot.kind == "ledger"}
    assert len(left) == 1  # the purge's own act names the file
    clean(curator, looked(night, curator), catalogue, index)
    assert looked(night, curator).clean


def test_a_damaged_database_is_told_and_no_clean_audit(night: Night, curator: Curator) -> None:
    curator.state.mkdir(parents=True, exist_ok=True)
    (curator.state / "ledger.db").write_bytes(b"SQLite format 3\x00" + b"\x07" * 4000)
    found = looked(night, curator)
    assert [Path(path).name for path, _ in found.unread] == ["ledger.db"]
    assert not found.clean
    assert last(curator.state) is None


def test_many_spots_of_a_file_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "many.md"
    path.write_text("\n".join(["token: ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAabcd"] * 99))
    found = spots_of(Kept("card", path, "edit it"))
    assert len(found) == MOST
    assert found[-1].where == "and 80 more places"
    assert found[0].where == "line 1"


def test_a_writer_like_a_mailbox_is_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"writer": "dana@laptop.local"}\n{"writer": "eve@other.example"}\n')
    found = spots_of(Kept("events", path, "x"), ["dana@laptop.local"])
    assert [(spot.where, spot.kinds) for spot in found] == [("line 2", "1 email")]


def test_rows_of_any_database_and_blobs(tmp_path: Path) -> None:
    use_patterns(RULE)
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t (a TEXT, b BLOB, c INTEGER)")
        db.execute("CREATE VIRTUAL TABLE words USING fts5 (a)")
        db.execute("INSERT INTO words VALUES (?)", (SECRET,))
        db.execute("INSERT INTO t VALUES (?, ?, 1)", ("x", b"\xff" + SECRET.encode()))
        db.execute("INSERT INTO t VALUES (?, NULL, 1)", (json.dumps({"k": ["\n" + SECRET]}),))
        db.commit()
    found = spots_of(Kept("ledger", path, "x"))
    assert [spot.where for spot in found] == ["t row 1", "t row 2"]


def test_a_name_and_its_value_stay_together() -> None:
    assert sorted(strings_of('{"password": "a", "n": {"k": ["b", 1]}}')) == [
        "b", "k", "n", "password: a",
    ]  # fmt: skip
    assert list(strings_of("[broken")) == ["[broken"]
    assert list(strings_of("plain")) == ["plain"]
