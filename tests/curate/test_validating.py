"""A check that passed after the fact: which one counts, and the card that it validates."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.bank.model import Event, Evidence, Scope, Tier
from memtui.bank.trust import trust_by_id
from memtui.capture.passing import Passed, passed_after
from memtui.capture.transcripts import clean
from memtui.capture.turns import Turn, turns_of
from memtui.curate import verbs
from memtui.curate.candidates import Candidate, candidates
from memtui.curate.cited import checks_after, fact_of
from memtui.curate.create import CitedRecord
from memtui.curate.draft import Draft
from memtui.hosts.model import Entry, Kind, SourceFile
from memtui.hosts.read import parse_file
from memtui.hosts.registry import sniff_file
from memtui.workspace.sample import Sample
from tests.curate.bench import NOW, Bench

OK = "== 3 passed in 0.1s =="
BAD = "== 1 failed, 2 passed in 0.2s =="
POOL = "871e05e3"


def ran(number: int, command: str, code: int | None = 0, output: str = "done") -> Turn:
    return Turn(Kind.CALL, f"h:s#{number}", "", command, output, code, is_error=bool(code))


def said(number: int) -> Turn:
    return Turn(Kind.ANSWER, f"h:s#{number}", text="So it is.")


@pytest.mark.parametrize(
    ("command", "code", "output", "counts"),
    [
        ("pytest", 0, OK, True),
        ("cd app && npm run build", 0, "built", True),
        ("make", 0, "", True),
        ("npm run build", None, "built", True),
        ("pytest -q | tail -3", 0, "3 passed in 0.2s", True),
        ("pytest 2>&1", 0, OK, True),
        ("pytest", 1, BAD, False),
        ("pytest -q | tail -3", 0, "FAILED tests/a.py::test_a\n1 failed, 2 passed", False),
        ("npm run build | tail -3", 0, "built", False),
        ("make build || true", 0, "Error 1", False),
        ("make build; echo done", 0, "done", False),
        ("make test", None, "", False),
        ("make test", None, "Command running in background with ID: b1", False),
        ("npm test", None, "The user doesn't want to proceed with this tool use", False),
        ("ls", 0, "a", False),
        ("", None, "Hello", False),
    ],
)
def test_what_passes_beyond_doubt(
    command: str, code: int | None, output: str, counts: bool
) -> None:
    found = passed_after([said(1), ran(2, command, code, output)], ["h:s#1"])
    assert (found is not None and found.ref == "h:s#2") is counts


def test_a_failure_is_answered_by_its_own_command_only() -> None:
    turns = [
        ran(1, "pytest tests/a.py", 1, BAD),
        said(2),
        ran(3, "ruff check ."),
        ran(4, "pytest tests/b.py", 0, OK),
        ran(5, "pytest tests", 0, OK),
    ]
    assert passed_after(turns, ["h:s#1"]) == Passed("h:s#5", "pytest tests")
    assert passed_after(turns, ["h:s#1", "h:s#2"]) == Passed("h:s#5", "pytest tests")
    assert passed_after(turns, ["h:s#2"]) == Passed("h:s#3", "ruff check .")
    assert passed_after(turns, ["h:s#1", "h:s#5"]) is None
    assert passed_after(turns, ["elsewhere"]) is None


def test_a_fact_about_the_surroundings_is_checked_by_what_concerns_it() -> None:
    turns = [
        said(1),
        ran(2, "pytest", 0, OK),
        ran(3, "ruff check .", 0, "All checks passed!"),
        ran(4, "DB_PORT=5433 pytest", 0, OK),
    ]
    env = Draft("The database listens on DB_PORT", "Use when: `pytest` runs.\n\nIt is 5433.", "env")
    assert checks_after(["h:s#1"], turns, fact_of(env)) == {
        "h:s": Passed("h:s#4", "pytest"),
    }
    assert checks_after(["h:s#1"], turns[:3], fact_of(env)) == {}
    pitfall = replace(env, type="pitfall")
    assert checks_after(["h:s#1"], turns[:3], fact_of(pitfall)) == {
        "h:s": Passed("h:s#2", "pytest")
    }
    red = [ran(0, "pytest", 1, BAD), *turns]
    assert checks_after(["h:s#0"], red, fact_of(env)) == {"h:s": Passed("h:s#2", "pytest")}


def test_what_a_sub_agent_ran_before_the_fact_does_not_count() -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    fact = replace(said(1), at=noon)
    early = replace(ran(2, "pytest", 0, OK), at=noon.replace(hour=11))
    late = replace(ran(3, "pytest", 0, OK), at=noon.replace(hour=13))
    assert passed_after([fact, early], ["h:s#1"]) is None
    assert passed_after([fact, early, late], ["h:s#1"]) == Passed("h:s#3", "pytest")


def test_each_session_is_looked_at_by_itself() -> None:
    other = replace(ran(9, "pytest", 0, OK), ref="h:other#9")
    assert checks_after(["h:s#1"], [said(1), other]) == {}
    assert checks_after(["h:s#1"], [said(1), other, ran(2, "pytest", 0, OK)]) == {
        "h:s": Passed("h:s#2", "pytest")
    }


def recorded(sample: Sample) -> dict[str, tuple[list[Turn], list[Candidate]]]:
    found = {}
    for path in sorted(sample.home.rglob("*.jsonl")):
        host = sniff_file(path)
        if host is not None:
            source = SourceFile(host.name, path)
            entries = [event for event in parse_file(source) if isinstance(event, Entry)]
            turns = clean(turns_of(host.name, path.stem, entries))
            found[path.stem] = turns, candidates(turns, Scope("svc-order"))
    return found


def records_of(draft: Draft, turns: list[Turn]) -> list[CitedRecord]:
    passed = checks_after([cited.ref for cited in draft.evidence], turns)
    return [
        CitedRecord(cited.ref, "seen", "1:x", "answer", NOW, next(iter(passed.values()), None))
        for cited in draft.evidence
    ]


def test_recorded_sessions_validate_what_was_run_again(sample: Sample) -> None:
    found = recorded(sample)
    counts = {
        name: sum(
            bool(checks_after([cited.ref for cited in one.draft.evidence], turns)) for one in offers
        )
        for name, (turns, offers) in found.items()
    }
    assert sum(counts.values()) == 26
    assert next(count for name, count in counts.items() if name.startswith(POOL)) == 2
    for turns, offers in found.values():
        for one in offers:
            for passed in checks_after([c.ref for c in one.draft.evidence], turns).values():
                place = next(i for i, turn in enumerate(turns) if turn.cited == passed.ref)
                assert place > max(one.places)
                assert not turns[place].is_error


def validated(bench: Bench) -> list[Event]:
    return [event for event in bench.events() if event.verb == "validated"]


def test_a_card_from_a_recorded_session_is_checked_and_undone(
    tmp_path: Path, sample: Sample
) -> None:
    turns, offers = next(found for name, found in recorded(sample).items() if name.startswith(POOL))
    draft = offers[0].draft
    bench = Bench(tmp_path / "bench").build()
    curator = bench.curator()
    before = bench.files()
    made = verbs.create(curator, draft, records_of(draft, turns))
    [event] = validated(bench)
    card = bench.item(made.details["id"])
    trust = trust_by_id(bench.events())[card.id]
    assert (trust.tier, trust.validated, trust.confirmed) == (Tier.CHECKED, 1, 0)
    assert event.by == "job"
    assert event.data["act"] == made.act
    assert event.data["digest"] == card.digest
    assert event.data["ref"] not in {cited.ref for cited in card.evidence}
    assert event.reason == "unittest"
    after = bench.files()
    verbs.undo(curator)
    assert bench.files() == before
    assert trust_by_id(bench.events()) == {}
    verbs.redo(curator)
    assert bench.files() == after
    assert trust_by_id(bench.events())[card.id].tier is Tier.CHECKED
    bench.close()


def test_what_is_no_longer_cited_validates_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path).build()
    curator = bench.curator()
    passed = Passed("h:s#2", "pytest")
    records = [
        CitedRecord("h:s#1", "seen", "1:x", "answer", NOW, passed),
        CitedRecord("h:t#1", "seen", "1:y", "answer", NOW),
    ]
    draft = Draft("It is so", "Use when: always.\n\nIt is so.", "fact")
    verbs.create(curator, replace(draft, evidence=(Evidence("h:t#1"),)), records)
    assert validated(bench) == []
    both = replace(draft, title="It is not", evidence=(Evidence("h:s#1"), Evidence("h:t#1")))
    verbs.create(curator, both, records)
    assert [event.data["ref"] for event in validated(bench)] == ["h:s#2"]
    bench.close()


def test_new_evidence_of_an_updated_card_validates_it(tmp_path: Path) -> None:
    from memtui.curate.rewrite import update

    bench = Bench(tmp_path).build()
    curator = bench.curator()
    [card] = bench.cards("own-env")
    record = CitedRecord("h:s#1", "seen", "1:x", "answer", NOW, Passed("h:s#2", "pytest"))
    draft = Draft(card.title, card.body, card.type, evidence=(Evidence("h:s#1"),))
    before = bench.files()
    update(curator, card, draft, [record])
    assert trust_by_id(bench.events())[card.id].tier is Tier.CHECKED
    assert validated(bench)[0].data["digest"] == bench.item("own-env").digest
    verbs.undo(curator)
    assert bench.files() == before
    assert trust_by_id(bench.events()) == {}
    bench.close()
