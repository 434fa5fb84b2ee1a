"""Sleep: a plan that changes nothing, work done once, nothing lost, nothing leaked."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.bank.model import Scope, Status
from memtui.curate import verbs
from memtui.curate.act import CurateError
from memtui.curate.curator import Curator
from memtui.curate.decide import accept, waiting
from memtui.curate.draft import Draft
from memtui.curate.proposals import Verb
from memtui.curate.sleep.archive import archived, restore
from memtui.curate.sleep.model import Progress, Report, to_json
from memtui.curate.sleep.run import LOCK, in_flow, sleep
from memtui.curate.sleep.upkeep import weekly
from memtui.safety import fence
from memtui.safety.locks import FileLock, LockedError
from tests.curate.counts import FAULTS
from tests.curate.nights import Night, counts
from tests.safety.test_redact import IN_CONTEXT, SECRETS


def everything(root: Path) -> dict[str, bytes]:
    """Every byte of a folder, the ledger by what it holds."""
    skip = ("-wal", "-shm", ".lock")
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.endswith(skip) and path.name != "ledger.db"
    }


def kept(curator: Curator) -> tuple[object, ...]:
    ledger = curator.ledger
    return (ledger.proposals(), ledger.captured(), ledger.sightings(), ledger.history(1000))


def test_a_plan_changes_nothing_and_a_second_sleep_neither(night: Night, curator: Curator) -> None:
    night.write(night.pitfall(1), night.pitfall(2))
    before, had = everything(night.bench.root), kept(curator)
    plan = night.sleep(curator, apply=False)
    assert counts(plan) == {"read": 2, "propose": 1}
    assert (everything(night.bench.root), kept(curator)) == (before, had)
    done = night.sleep(curator)
    assert counts(done) == counts(plan)
    assert done.read == 2
    assert done.bytes > 0
    before, had = everything(night.bench.root), kept(curator)
    again = night.sleep(curator)
    assert counts(again) == {}
    assert (everything(night.bench.root), kept(curator)) == (before, had)


def test_a_session_that_goes_on_is_read_again_without_repeating(
    night: Night, curator: Curator
) -> None:
    talk = night.pitfall(1)
    night.write(talk)
    night.sleep(curator)
    first = [found.id for found in waiting(curator)]
    talk.prompt("and now?").say("We decided to keep the pool even because odd sizes hang.")
    night.write(talk)
    assert counts(night.sleep(curator)) == {"read": 1, "propose": 1}
    assert set(first) < {found.id for found in waiting(curator)}


def test_a_fork_is_no_second_sighting(night: Night, curator: Curator) -> None:
    """It takes the records of its parent along, with their ids, and then goes its own way."""
    first, other = night.pitfall(1), night.pitfall(2)
    fork = night.talk(3)
    fork.rows = [
        {**row, "sessionId": fork.session, "forkedFrom": {"sessionId": first.session}}
        for row in first.rows
    ]
    fork.at = first.at
    night.write(first, fork.prompt("and another way?").say("No."))
    assert night.sleep(curator).read == 2
    (found,) = waiting(curator)
    assert len(curator.ledger.sightings(found.subject)[found.subject]) == 1
    accept(curator, found, night.contents())
    again = night.talk(4)
    again.rows = [{**row, "sessionId": again.session} for row in first.rows]
    night.write(other, again.prompt("one more").say("No."))
    night.sleep(curator)
    card = next(iter(waiting(curator)), None)
    assert card is None
    made = curator.ledger.decisions()[found.id].item
    sessions = {seen.session for seen in curator.ledger.sightings(made)[made]}
    assert sessions == {f"claude-code:{one.session}" for one in (first, other)}


def test_a_session_at_work_is_left_alone(night: Night, curator: Curator) -> None:
    talk = night.pitfall(1)
    talk.at = int(night.now.timestamp() * 1000) - 60_000
    night.write(talk.say("Still at it, and here is more to say."))
    assert night.sleep(curator).read == 0


def test_only_when_due(night: Night, curator: Curator) -> None:
    night.write(*(night.pitfall(number) for number in range(4)))
    early = night.sleep(curator, if_due=True)
    assert (early.due, early.why_not) == (False, "4 new sessions, 5 are needed")
    night.write(night.pitfall(4))
    assert night.sleep(curator, if_due=True).read == 5
    night.write(*(night.pitfall(number) for number in range(5, 10)))
    soon = night.sleep(curator, if_due=True)
    assert not soon.due
    assert "less than 24 h ago" in soon.why_not
    curator.clock = lambda: night.now + timedelta(hours=25)
    assert night.sleep(curator, if_due=True).read == 5


def test_cancelled_half_way_every_session_is_whole(night: Night, curator: Curator) -> None:
    night.write(*(night.pitfall(number) for number in range(6)))
    told: list[Progress] = []
    stopped = night.sleep(curator, tell=told.append, cancelled=lambda: len(told) >= 3)
    assert stopped.cancelled
    assert len(curator.ledger.captured()) == stopped.read == 3
    assert [step.total for step in told] == [6] * 4
    assert night.sleep(curator).read == 3


def test_a_transcript_that_cannot_be_read_is_counted(night: Night, curator: Curator) -> None:
    night.write(night.pitfall(1), night.pitfall(2))
    file = night.world.folder / f"{night.pitfall(1).session}.jsonl"
    file.unlink()
    file.mkdir()
    report = night.sleep(curator)
    assert [name for name, _ in report.failed] == [f"claude-code:{night.pitfall(1).session}"]
    assert "Is a directory" in report.failed[0][1]
    statuses = {record.status for record in curator.ledger.captured().values()}
    assert statuses == {"read", "failed"}


def test_each_session_gets_a_title_and_an_outcome(night: Night, curator: Curator) -> None:
    night.write(night.pitfall(1))
    night.sleep(curator)
    record = curator.ledger.captured()[f"claude-code:{night.pitfall(1).session}"]
    assert record.title == "the order suite is red again, please look"
    assert record.outcome.startswith("learned: The cause is the odd pool size")


def test_twins_and_overdue_cards_are_proposed_once(night: Night, curator: Curator) -> None:
    told = Draft(
        title="Tests set their own environment in tests/__init__.py",
        body="Use when: a test asks for a variable.\n\nUse setdefault, never a shell profile.",
        type="convention",
        scope=Scope("svc-order"),
    )
    twin = verbs.create(curator, told).details["id"]
    night.sleep(curator)
    twins = waiting(curator)
    assert [(found.verb, set(found.targets)) for found in twins] == [
        (Verb.MERGE, {"card:bbbbb2", f"card:{twin}"})
    ]
    curator.clock = lambda: night.now + timedelta(days=20)
    night.sleep(curator)
    overdue = next(found for found in waiting(curator) if found.verb is Verb.STALE)
    assert overdue.targets == ("card:ccccc2",)
    assert overdue.reason == "env card, not confirmed since 2026-11-02"
    accept(curator, overdue, night.contents())
    night.sleep(curator)
    assert [found.verb for found in waiting(curator)] == [Verb.MERGE]
    accept(curator, twins[0], night.contents())
    assert waiting(curator) == []
    assert {c.name for c in night.contents().cards if c.status is Status.RETIRED} == {
        "own-env",
        "tests-set-their-own-environment-in-tests-init-py",
    }


def test_a_procedure_is_seen_in_three_sessions(night: Night, curator: Curator) -> None:
    for number in range(3):
        talk = night.talk(number).prompt("bring it up")
        for command in ("make build", "docker compose up -d", "alembic upgrade head"):
            talk.run(command)
        night.write(talk)
    night.sleep(curator)
    found = next(one for one in waiting(curator) if one.group == "procedures")
    assert "`make build`, then `docker compose up`, then `alembic upgrade head`" in found.title
    assert found.reason == "the same commands in 3 sessions"
    assert found.draft is not None
    assert {one.ref for one in found.records} == {one.ref for one in found.draft.evidence}
    made = accept(curator, found, night.contents())
    card = next(one for one in night.contents().cards if one.id == made.details["id"])
    assert len(card.evidence) == len(found.records)
    assert all(cited.record and cited.excerpt for cited in card.evidence), (
        "sealed: it outlives them"
    )


def test_retired_cards_are_archived_and_come_back_byte_for_byte(
    night: Night, curator: Curator
) -> None:
    card = next(card for card in night.contents().cards if card.id == "ddddd2")
    verbs.demote(curator, [card])
    verbs.demote(curator, [replace(card, status=Status.STALE)])
    file = night.bench.bank / "cards" / "pool-hangs.md"
    data = file.read_bytes()
    assert night.sleep(curator).changed == 0
    curator.clock = lambda: night.now + timedelta(days=29)
    assert counts(night.sleep(curator))["archive"] == 1
    assert not file.exists()
    assert archived(curator) == ["pool-hangs"]
    packed = night.bench.bank / "archive" / "pool-hangs.md.zst"
    assert packed.read_bytes() != data
    assert "archive" not in counts(night.sleep(curator))
    restore(curator, "pool-hangs")
    assert file.read_bytes() == data
    assert archived(curator) == []
    verbs.undo(curator)
    verbs.undo(curator)
    assert file.read_bytes() == data
    with pytest.raises(CurateError, match="not in the archive"):
        restore(curator, "nobody")
    came, went = weekly(night.contents(), curator.clock())
    assert (came, went) == (0, 0)


def test_two_sleeps_at_once_do_the_work_once(night: Night, curator: Curator) -> None:
    night.write(*(night.pitfall(number) for number in range(5)))
    reports = []

    def one() -> None:
        with night.curator() as own:
            reports.append(night.sleep(own).read)

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(reports) == [0, 5]
    assert len([found for found in waiting(curator) if found.draft]) == 1


def test_a_sleep_that_cannot_wait_says_who_is_at_work(night: Night, curator: Curator) -> None:
    with FileLock(curator.state / LOCK, 0), pytest.raises(LockedError, match="sleep"):
        sleep(curator, night.around(), apply=True, wait=0)


def test_chained_sessions_capture_nothing_of_their_own(night: Night, curator: Curator) -> None:
    """Each session receives what the one before it left; said again in our fence it is not captured."""
    night.write(night.pitfall(0))
    night.sleep(curator)
    accept(curator, waiting(curator)[0], night.contents())
    for number in range(1, 11):
        block = fence.wrap(
            "\n".join(f"[m:{card.id}] {card.title}" for card in night.contents().cards), "ab12"
        )
        talk = night.talk(number).prompt(f"{block}\nwhat is next?")
        talk.run("memtui inject", block)
        talk.say(f"{block}\nNothing is open.")
        night.write(talk)
        assert counts(night.sleep(curator)) == {"read": 1}
    assert len(night.contents().cards) == 5
    assert len(curator.ledger.sightings()) == 2


def test_no_planted_secret_is_anywhere_on_disk(night: Night, curator: Curator) -> None:
    planted = [*((text, text) for text in SECRETS), *IN_CONTEXT]
    assert len(planted) >= 60
    for number, (secret, _) in enumerate(planted):
        talk = night.talk(number).prompt(f"never use {secret} in this project again please")
        talk.run(f"deploy --with {secret}", f"Error: {secret} was rejected by policy", failed=True)
        talk.say(f"The root cause is {secret} which is missing in the vault.")
        talk.run(f"git commit -m 'Rotate {secret}'", "[main 1a2b3c4] Rotate")
        talk.run(f"deploy --with {secret}", "deployed")
        night.write(talk)
    report = night.sleep(curator)
    assert report.read == len(planted)
    for proposal in waiting(curator)[:40]:
        accept(curator, proposal, night.contents())
    curator.close()
    blobs = [
        path.read_bytes()
        for folder in (night.bench.root / "bank", night.bench.root / "state")
        for path in folder.rglob("*")
        if path.is_file()
    ]
    told = json.dumps(to_json(report), ensure_ascii=False)
    for _, secret in planted:
        assert not any(secret.encode() in blob for blob in blobs), secret
        assert secret not in told


def test_real_transcripts_go_through(night: Night, curator: Curator, samples_folder: Path) -> None:
    number = 0
    for path in sorted(samples_folder.rglob("*.jsonl")):
        if path.stat().st_size < 3_000_000:
            target = night.world.folder / f"{number:04}.jsonl"
            target.write_bytes(path.read_bytes())
            number += 1
    night.world.scan()
    with closing(night.world.catalogue.reader()) as db:
        projects = tuple(view.key for view in night.world.catalogue.projects(db))

    def once() -> Report:
        return sleep(curator, replace(night.around(), projects=projects), apply=True)

    report = once()
    assert report.read >= 20
    assert report.failed == ()
    assert 10 <= report.proposed <= 3 * report.read + 10
    assert counts(once()) == {}


@pytest.mark.timeout(1800)
def test_killed_at_random_instants(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    runs = max(3, FAULTS // 3)
    words = [str(tmp_path), str(runs), str(seed)]
    command = [sys.executable, "-m", "tests.curate.sleep_faults", *words]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["problems"] == [], f"seed {seed}"
    assert found["killed"] == runs


def test_in_flow_a_candidate_is_proposed_once(night: Night, curator: Curator) -> None:
    talk = night.pitfall(1)
    talk.at = int(night.now.timestamp() * 1000) - 60_000
    path = night.world.write(talk.say("Still at it."))
    night.world.scan()
    assert in_flow(curator, night.around(), {night.world.folder / "other.jsonl"}) == 0
    assert in_flow(curator, night.around(), {path}) == 1
    assert in_flow(curator, night.around(), {path}) == 0
    night.world.write(talk.say("We decided to keep the pool even because odd sizes hang."))
    night.world.scan()
    assert in_flow(curator, night.around(), {path}) == 1
    with FileLock(curator.state / LOCK, 0):
        assert in_flow(curator, night.around(), {path}) == 0
    curator.clock = lambda: night.now + timedelta(hours=1)
    assert counts(night.sleep(curator)) == {}
    assert len([found for found in waiting(curator) if found.draft]) == 2
