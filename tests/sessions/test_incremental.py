"""Reading what changed gives what reading everything gives."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS
from memtui.sessions.rows import FACETS
from memtui.sessions.scan import Progress, Scanner
from tests.sessions.session_fixtures import NOON, Talk, World, content, session_id

_STEPS = ("append", "append", "append", "tear", "truncate", "replace", "nothing")


def long_talk(number: int, length: int, salt: int = 0) -> Talk:
    """A talk with everything that carries state from one row to a later one."""
    rng = random.Random(number * 1000 + salt)
    talk = Talk(session_id(number), at=NOON + number * 10_000_000 + salt)
    waiting: list[str] = []
    while len(talk.rows) < length:
        choice = rng.randrange(8)
        message = f"m{len(talk.rows) // 3}"
        if choice == 0:
            talk.prompt(f"prompt {rng.random()}")
        elif choice == 1:
            talk.say({"type": "thinking", "thinking": "hm", "signature": "s"}, message=message)
        elif choice in (2, 3):
            talk.say(f"text {rng.randrange(9)}", message=message, output=rng.randrange(99))
        elif choice == 4:
            waiting.append(talk.call(f"cmd {rng.randrange(3)}", message=message))
        elif waiting:
            call = waiting.pop(rng.randrange(len(waiting)))
            talk.result(call, "out", failed=rng.random() < 0.4)
        else:
            talk.row("attachment", attachment={"type": "unheard-of"})
    return talk


class _File:
    """A transcript that grows, shrinks and is replaced."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.number = world, number
        self.data = long_talk(number, 40).data
        self.size = 0
        self.path = world.folder / f"{session_id(number)}.jsonl"

    def step(self, what: str, share: float) -> None:
        lines = [m for m in range(len(self.data)) if self.data[m : m + 1] == b"\n"]
        if what == "append":
            self._to(max(self.size, lines[int(share * (len(lines) - 1))] + 1))
        elif what == "tear":
            self._to(max(self.size, int(share * len(self.data))))
        elif what == "truncate" and self.size:
            with self.path.open("r+b") as stream:
                self.size = int(share * self.size)
                stream.truncate(self.size)
        elif what == "replace":
            self.data = long_talk(self.number, 30, salt=1 + int(share * 1000)).data
            new = self.path.with_suffix(".new")
            self.size = lines[int(share * (len(lines) - 1))] + 1
            self.size = min(self.size, len(self.data))
            new.write_bytes(self.data[: self.size])
            os.replace(new, self.path)

    def _to(self, size: int) -> None:
        size = min(size, len(self.data))
        with self.path.open("ab") as stream:
            stream.write(self.data[self.size : size])
        self.size = size


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(_STEPS), st.floats(0, 1)), min_size=2, max_size=2),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from((1, 3, 7, 1000)),
)
def test_any_history_of_a_file_ends_in_the_same_catalogue(
    rounds: list[list[tuple[str, float]]], batch: int
) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        world = World(root)
        files = [_File(world, number) for number in (1, 2)]
        for steps in rounds:
            for file, (what, share) in zip(files, steps, strict=True):
                file.step(what, share)
            world.scan(batch=batch)
        fresh = world.fresh()
        fresh.scan()
        assert content(world.catalogue) == content(fresh.catalogue)
        assert_counts(world)
    finally:
        shutil.rmtree(root)


def assert_counts(world: World) -> None:
    """The stored counts are the counts of the rows."""
    db = world.catalogue.reader()
    try:
        for number, facet in enumerate(FACETS):
            rows: list[Any] = db.execute(
                "SELECT id >> 24, SUM(facets >> ? & 1) FROM turns GROUP BY 1 ORDER BY 1", (number,)
            ).fetchall()
            stored = db.execute(f"SELECT id, n_{facet} FROM sessions WHERE n_all > 0 ORDER BY id")
            assert stored.fetchall() == rows
            blocks = db.execute(
                f"SELECT session, SUM(n_{facet}) FROM blocks GROUP BY 1 HAVING SUM(n_all) > 0 ORDER BY 1"
            )
            assert blocks.fetchall() == rows
    finally:
        db.close()


def test_appended_rows_are_read_from_where_reading_stopped(world: World) -> None:
    talk = long_talk(1, 60)
    lines = talk.data.splitlines(keepends=True)
    path = world.write(talk, b"".join(lines[:50]))
    world.scan()
    with path.open("ab") as stream:
        stream.write(b"".join(lines[50:]))
    report = world.scan()
    assert report.records == 10
    assert report.bytes == sum(map(len, lines[50:]))
    fresh = world.fresh()
    fresh.scan()
    assert content(world.catalogue) == content(fresh.catalogue)


def test_a_cut_last_line_waits_for_its_end(world: World) -> None:
    talk = Talk().prompt("one").prompt("two")
    path = world.write(talk, talk.data[:-30])
    world.scan()
    assert [row.preview for row in world.turns()] == ["one"]
    with path.open("ab") as stream:
        stream.write(talk.data[-30:])
    world.scan()
    assert [row.preview for row in world.turns()] == ["one", "two"]


def test_damage_is_counted_and_skipped(world: World) -> None:
    talk = Talk().prompt("one").prompt("two").row("brand-new-type")
    lines = talk.data.splitlines(keepends=True)
    damaged = lines[0] + b'{"type":"user","mess\n' + b"\x00" * 50 + b"\n" + lines[1] + lines[2]
    world.write(talk, damaged)
    world.scan()
    assert [row.preview for row in world.turns()] == ["one", "two"]
    db = world.catalogue.reader()
    found = {(view.reason, view.label, view.count) for view in world.catalogue.skipped(db)}
    db.close()
    assert found == {
        ("not JSON", "", 1),
        ("NUL bytes", "", 1),
        ("unknown type", "brand-new-type", 1),
    }
    world.scan()
    assert [row.preview for row in world.turns()] == ["one", "two"]


def test_a_scan_can_be_cancelled_and_goes_on(world: World) -> None:
    for number in range(1, 6):
        world.write(long_talk(number, 60))
    seen: list[Progress] = []
    scanner = Scanner(world.catalogue, HOSTS, HostHome(world.home), batch=20)
    first = scanner.run(seen.append, cancelled=lambda: len(seen) >= 4)
    assert not first.complete
    assert 0 < first.records < 300
    second = scanner.run()
    assert second.complete
    assert first.records + second.records == 300
    assert [step.files_total for step in seen] == [5] * len(seen)
    assert all(step.bytes_done <= step.bytes_total for step in seen)
    scanner.close()
    fresh = world.fresh()
    fresh.scan()
    assert content(world.catalogue) == content(fresh.catalogue)


@pytest.mark.usefixtures("much")
def test_two_scanners_at_once_lose_nothing_and_show_nothing_twice(world: World) -> None:
    for number in range(1, 6):
        world.write(long_talk(number, 150))
    world.catalogue.prepare()
    failures: list[BaseException] = []

    def run(batch: int) -> None:
        scanner = Scanner(world.catalogue, HOSTS, HostHome(world.home), batch=batch)
        try:
            scanner.run()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            failures.append(error)
        finally:
            scanner.close()

    threads = [threading.Thread(target=run, args=(batch,)) for batch in (5, 8, 13)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    fresh = world.fresh()
    fresh.scan()
    assert content(world.catalogue) == content(fresh.catalogue)
    assert_counts(world)


def test_another_schema_version_is_rebuilt(world: World) -> None:
    world.write(long_talk(1, 20))
    world.scan()
    before = content(world.catalogue)
    db = sqlite3.connect(world.catalogue.path)
    db.execute("PRAGMA user_version=999")
    db.close()
    world.scan()
    assert content(world.catalogue) == before


def test_a_damaged_catalogue_is_made_anew(world: World) -> None:
    world.write(long_talk(1, 20))
    world.scan()
    before = content(world.catalogue)
    world.catalogue.delete()
    world.catalogue.path.write_bytes(b"this is no database" * 100)
    world.scan()
    assert content(world.catalogue) == before
