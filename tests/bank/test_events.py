"""Events: appended durably, read whatever happened to the file, and never counted twice or when undone."""

from __future__ import annotations

import json
import multiprocessing
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.bank.events import append, from_json, ids, read_all, to_json, writer_name
from memtui.bank.model import Event, Tier
from memtui.bank.standing import effective, standing, undone_acts
from memtui.bank.trust import NO_EVENTS, add_up, formula, trust_by_id, trust_of

NOON = datetime(2026, 8, 26, 12, tzinfo=UTC)


def event(
    number: int = 0, verb: str = "confirm", item: str = "card:abc234", **values: Any
) -> Event:
    data: dict[str, Any] = {
        "id": f"e{number:04}",
        "at": NOON + timedelta(seconds=number),
        "writer": "dana-laptop",
        "kind": "verdict",
        "verb": verb,
        "item": item,
    }
    return Event(**(data | values))


def test_what_is_appended_reads_back(tmp_path: Path) -> None:
    made = [
        event(1, title="Pool\ntimeouts", reason="ü", data={"act": "a1", "n": 1}),
        event(2, by="agent", writer="bot"),
        event(3),
    ]
    for each in reversed(made):
        append(tmp_path / "events", each)
    assert read_all(tmp_path / "events") == (made, [])
    assert sorted(os.listdir(tmp_path / "events")) == ["bot.jsonl", "dana-laptop.jsonl"]
    assert ids(tmp_path / "events", ["bot", "absent"]) == {"e0002"}
    assert read_all(tmp_path / "absent") == ([], [])


def test_secrets_are_masked_before_they_are_written(tmp_path: Path) -> None:
    append(tmp_path, event(title="DB_PASSWORD=hunter2-x9", reason="mail dana@example.com"))
    text = (tmp_path / "dana-laptop.jsonl").read_text()
    assert "hunter2" not in text
    assert "dana@" not in text


def test_a_cut_last_line_costs_only_itself(tmp_path: Path) -> None:
    append(tmp_path, event(1))
    path = tmp_path / "dana-laptop.jsonl"
    path.write_bytes(path.read_bytes() + b'{"v":1,"id":"cut')
    append(tmp_path, event(2))
    events, problems = read_all(tmp_path)
    assert [each.id for each in events] == ["e0001", "e0002"]
    assert [(problem.path, problem.line) for problem in problems] == [(path, 2)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "not an event"),
        ("[1]", "not a JSON object"),
        ('{"id":"x"}', "at is None, wanted a text"),
        ('{"id":"x","at":"soon","kind":"act","verb":"v"}', "at is 'soon', wanted an ISO 8601 time"),
        ('{"id":7,"at":"2026-01-01","kind":"act","verb":"v"}', "id is 7, wanted a text"),
        ('{"v":2,"id":"x"}', "version 2; this memtui reads up to 1"),
        ('{"v":"new","id":"x"}', "version 'new'"),
        ("[" * 100_000, "not an event"),
        ("\xff", "not an event"),
    ],
)
def test_bad_lines_are_said(tmp_path: Path, line: str, message: str) -> None:
    append(tmp_path, event(1))
    (tmp_path / "other.jsonl").write_bytes(line.encode("latin-1") + b"\n\n")
    events, problems = read_all(tmp_path)
    assert len(events) == 1
    assert [problem.line for problem in problems] == [1]
    assert message in problems[0].message


def test_unknown_keys_are_kept() -> None:
    line = to_json(event(data={"a": 1})) | {"later": [1]}
    assert from_json(line).data == {"a": 1, "later": [1]}


@given(st.binary(max_size=200))
def test_no_bytes_stop_the_reader(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("events")
    (folder / "x.jsonl").write_bytes(data)
    read_all(folder)


def _append_many(folder: str, start: int) -> None:
    for number in range(start, start + 50):
        append(Path(folder), event(number, reason="x" * 500))


def test_three_writers_of_one_file_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    jobs = [context.Process(target=_append_many, args=(str(tmp_path), n * 50)) for n in range(3)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    events, problems = read_all(tmp_path)
    assert [each.id for each in events] == [f"e{n:04}" for n in range(150)]
    assert problems == []


def test_writer_name() -> None:
    assert writer_name({"MEMTUI_WRITER": "Dana / Laptop"}) == "Dana---Laptop"
    assert "/" not in writer_name({})
    assert writer_name({"MEMTUI_WRITER": "../x"}) == "-x"


def verdict(number: int, verb: str, day: int = 0, **values: Any) -> Event:
    return event(number, verb, **({"at": NOON + timedelta(days=day, seconds=number)} | values))


@pytest.mark.parametrize(
    ("verdicts", "tier", "counts", "score"),
    [
        ([], Tier.UNCHECKED, (0, 0, 0), 1 / 2),
        ([verdict(1, "validated", by="job")], Tier.CHECKED, (0, 1, 0), 2 / 3),
        ([verdict(1, "confirm")], Tier.CONFIRMED, (1, 0, 0), 3 / 4),
        ([verdict(1, "confirm"), verdict(2, "confirm")], Tier.CONFIRMED, (1, 0, 0), 3 / 4),
        ([verdict(1, "confirm"), verdict(2, "confirm", day=1)], Tier.CONFIRMED, (2, 0, 0), 5 / 6),
        ([verdict(1, "confirm"), verdict(2, "confirm", writer="lee")], Tier.CONFIRMED, (2, 0, 0), 5 / 6),
        ([verdict(1, "confirm", by="agent")], Tier.UNCHECKED, (0, 0, 0), 1 / 2),
        ([verdict(1, "flag", by="agent")], Tier.UNCHECKED, (0, 0, 1), 1 / 5),
        ([verdict(1, "confirm"), verdict(2, "flag")], Tier.DISPUTED, (1, 0, 1), 3 / 7),
        ([verdict(1, "flag"), verdict(2, "confirm")], Tier.CONFIRMED, (1, 0, 1), 3 / 7),
        ([verdict(1, "confirm"), verdict(2, "flag", by="agent")], Tier.CONFIRMED, (1, 0, 1), 3 / 7),
    ],
)  # fmt: skip
def test_trust(
    verdicts: list[Event], tier: Tier, counts: tuple[int, int, int], score: float
) -> None:
    trust = add_up(verdicts)
    assert trust.tier is tier
    assert trust.score == pytest.approx(score)
    assert (trust.confirmed, trust.validated, trust.flagged) == counts


def test_the_formula_prints_its_numbers() -> None:
    trust = add_up([verdict(1, "confirm"), verdict(2, "validated"), verdict(3, "flag")])
    assert formula(trust) == "(1 + 2*1 + 1) / (2 + 2*1 + 1 + 3*1) = 0.50"
    assert formula(NO_EVENTS) == "(1 + 2*0 + 0) / (2 + 2*0 + 0 + 3*0) = 0.50"


@given(st.lists(st.sampled_from(["confirm", "flag", "validated", "promote"]), max_size=20))
def test_the_score_stays_between_nothing_and_everything(verbs: list[str]) -> None:
    trust = add_up([verdict(n, verb, day=n) for n, verb in enumerate(verbs)])
    assert 0 < trust.score < 1


def acted(number: int, act: str, verb: str = "confirm", of: str = "", **values: Any) -> Event:
    data = {"act": act} | ({"of": of} if of else {})
    return event(number, verb, data=data, **values)


@pytest.mark.parametrize(
    ("words", "undone"),
    [
        ([], set()),
        ([("u", "undo", "a")], {"a"}),
        ([("u", "undo", "a"), ("r", "redo", "a")], set()),
        ([("u", "undo", "a"), ("r", "redo", "a"), ("w", "revert", "a")], {"a"}),
        ([("w", "revert", "a"), ("u", "undo", "w")], {"w"}),
        ([("w", "revert", "a"), ("u", "undo", "w"), ("x", "redo", "w")], {"a"}),
        ([("u", "undo", "u")], {"u"}),
    ],
)
def test_an_undone_verdict_does_not_count(
    words: list[tuple[str, str, str]], undone: set[str]
) -> None:
    events = [
        acted(0, "a"),
        *(acted(n, act, verb, of) for n, (act, verb, of) in enumerate(words, 1)),
    ]
    assert undone_acts(events) == undone
    stands = "a" not in undone
    assert [each.id for each in standing(events)] == (["e0000"] if stands else [])
    assert trust_by_id(events).get("abc234", NO_EVENTS).confirmed == int(stands)


def test_a_merge_hands_the_verdicts_on_once() -> None:
    old = event(1, item="card:old234")
    merge = event(
        2, "merge", "card:new234", kind="act", data={"act": "m", "verdicts": [to_json(old), 7]}
    )
    events = [old, merge]
    assert trust_of(events)["card:new234"].confirmed == 1
    assert effective(effective(events)) == effective(events)
    gone = [*events, acted(3, "u", "undo", "m")]
    assert "card:new234" not in trust_of(gone)


def test_equal_times_keep_the_order_of_ids() -> None:
    flag = replace(event(2, "flag"), at=NOON)
    confirm = replace(event(1), at=NOON)
    assert trust_by_id([flag, confirm])["abc234"].tier is Tier.DISPUTED


def test_the_lines_are_plain_json(tmp_path: Path) -> None:
    append(tmp_path, event(1, title="a\u2028b"))
    data = (tmp_path / "dana-laptop.jsonl").read_bytes()
    assert data.isascii()
    assert json.loads(data)["v"] == 1
