"""kill -9 anywhere loses nothing acknowledged; three writers lose nothing; conflicts overwrite nothing."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.bank.events import from_json, read_all
from memtui.curate import verbs
from memtui.curate.act import ConflictError
from memtui.curate.curator import Curator
from memtui.curate.healing import heal
from memtui.ledger.model import ActRecord
from tests.curate.bench import Bench
from tests.curate.counts import ACTS, FAULTS, LIMIT
from tests.curate.faults import wrong_with


def run(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def answer(process: subprocess.Popen[str]) -> dict[str, object]:
    out, _ = process.communicate()
    assert process.returncode == 0
    found: dict[str, object] = json.loads(out.splitlines()[-1])
    return found


@pytest.mark.timeout(LIMIT)
def test_killed_at_random_instants(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    found = answer(run("tests.curate.faults", "random", str(tmp_path), str(FAULTS), str(seed)))
    assert found["problems"] == [], f"seed {seed}"


@pytest.mark.timeout(600)
def test_killed_before_and_after_each_step(tmp_path: Path) -> None:
    found = answer(run("tests.curate.faults", "steps", str(tmp_path)))
    assert found["problems"] == []
    assert int(str(found["forward"])) >= 60


@pytest.mark.timeout(LIMIT)
def test_three_processes_lose_no_act(tmp_path: Path) -> None:
    bench = Bench(tmp_path).build()
    running = [run("tests.curate.racing", str(tmp_path), f"w{n}", str(ACTS)) for n in range(3)]
    told: set[str] = set()
    for process in running:
        done = answer(process)["acts"]
        assert isinstance(done, list)
        assert len(done) == ACTS
        told |= set(done)
    assert len(told) == 3 * ACTS
    with bench.curator() as curator:
        assert wrong_with(bench, curator.ledger, told) == []


def test_a_half_done_act_goes_back_when_somebody_edited_in_between(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = bench.files()
    _die_before_the_second_file(monkeypatch)
    curator = bench.curator()
    with pytest.raises(KeyboardInterrupt):
        verbs.demote(curator, bench.items("own-env", "pool-timeout"))
    monkeypatch.undo()
    assert bench.files() != before
    theirs = bench.bank / "cards" / "pool-timeout.md"
    theirs.write_text(theirs.read_text() + "Theirs.\n")
    assert len(heal(bench.curator()).undone) == 1
    expected = {**before, "bank/cards/pool-timeout.md": theirs.read_bytes()}
    assert bench.files() == expected
    assert bench.events() == ()


def test_a_half_done_act_goes_on_when_nobody_did(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    _die_before_the_second_file(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        verbs.demote(bench.curator(), bench.items("own-env", "pool-timeout"))
    monkeypatch.undo()
    verbs.confirm(bench.curator(), bench.items("port-8417"))
    assert [event.verb for event in bench.events()] == ["demote", "demote", "confirm"]
    with bench.curator() as curator:
        assert wrong_with(bench, curator.ledger, set()) == []


def _die_before_the_second_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write, count = Curator.write, [0]

    def dying(self: Curator, path: str, data: bytes | None) -> None:
        count[0] += 1
        if count[0] == 2:
            raise KeyboardInterrupt
        write(self, path, data)

    monkeypatch.setattr(Curator, "write", dying)


def test_a_full_disk_takes_the_act_back(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    before = bench.files()

    def full(_self: Curator, _event: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Curator, "append_event", full)
    with pytest.raises(OSError, match="No space"):
        verbs.demote(bench.curator(), bench.items("own-env"))
    assert bench.files() == before
    with bench.curator() as curator:
        assert curator.ledger.unfinished() == []


def test_an_edit_in_the_last_moment_is_not_overwritten(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.bank / "cards" / "own-env.md"
    theirs = path.read_bytes() + b"Theirs.\n"
    curator = bench.curator()
    intend = curator.ledger.intend

    def meanwhile(record: ActRecord) -> int:
        number = intend(record)
        path.write_bytes(theirs)
        return number

    monkeypatch.setattr(curator.ledger, "intend", meanwhile)
    with pytest.raises(ConflictError) as caught:
        verbs.demote(curator, bench.items("own-env"))
    assert path.read_bytes() == theirs
    assert caught.value.conflicts[0].theirs == theirs
    assert bench.events() == ()


def test_two_writers_conflict_with_three_texts(bench: Bench) -> None:
    item = bench.item("own-env")
    base = item.path.read_bytes()
    ours, theirs = base + b"Ours.\n", base + b"Theirs.\n"
    verbs.edit(bench.curator("bob"), item, base, theirs)
    with pytest.raises(ConflictError) as caught:
        verbs.edit(bench.curator("ada"), item, base, ours)
    [conflict] = caught.value.conflicts
    assert (conflict.theirs, conflict.ours, conflict.base) == (theirs, ours, base)
    assert item.path.read_bytes() == theirs


def test_undo_asks_where_the_file_changed_since(bench: Bench) -> None:
    curator = bench.curator()
    path = bench.bank / "cards" / "own-env.md"
    base = path.read_bytes()
    verbs.demote(curator, bench.items("own-env"))
    left = path.read_bytes()
    path.write_bytes(left + b"Theirs.\n")
    with pytest.raises(ConflictError) as caught:
        verbs.undo(curator)
    [conflict] = caught.value.conflicts
    assert (conflict.theirs, conflict.ours, conflict.base) == (left + b"Theirs.\n", base, left)
    verbs.undo(curator, {conflict.path: base + b"Both.\n"})
    assert path.read_bytes() == base + b"Both.\n"


def test_undo_is_per_writer(bench: Bench) -> None:
    ada, bob = bench.curator("ada"), bench.curator("bob")
    verbs.demote(ada, bench.items("own-env"))
    verbs.demote(bob, bench.items("port-8417"))
    verbs.undo(ada)
    assert bench.item("own-env").status.value == "active"
    assert bench.item("port-8417").status.value == "stale"


def test_git_merge_of_two_peoples_confirms_has_no_conflict(bench: Bench) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(
            ["git", "-C", str(bench.bank), *who, *words], check=True, capture_output=True
        )

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "base")
    git("checkout", "-q", "-b", "bob")
    verbs.confirm(bench.curator("bob-desktop"), bench.items("own-env"))
    git("add", "-A")
    git("commit", "-q", "-m", "bob")
    git("checkout", "-q", "main")
    verbs.confirm(bench.curator("ada-laptop"), bench.items("port-8417"))
    git("add", "-A")
    git("commit", "-q", "-m", "ada")
    git("merge", "-q", "--no-edit", "bob")
    events, problems = read_all(bench.bank / "events")
    assert sorted(event.writer for event in events) == ["ada-laptop", "bob-desktop"]
    assert problems == []


def test_event_ids_keep_the_order_of_one_second(bench: Bench) -> None:
    curator = bench.curator()
    curator.clock = lambda: bench.contents().cards[0].created or bench.clock()
    for _ in range(20):
        verbs.confirm(curator, bench.items("own-env"))
    lines = next((bench.bank / "events").iterdir()).read_text().splitlines()
    assert [from_json(json.loads(line)).id for line in lines] == [e.id for e in bench.events()]
