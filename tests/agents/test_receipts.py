"""Receipts: what was planned beside what transcripts show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.agents.receipts import (
    Delivery,
    Outcome,
    deliveries,
    drain_spool,
    injection_of,
    settle,
)
from memtui.hosts.model import Entry, Kind, Span
from memtui.ledger.access import open_ledger
from memtui.ledger.model import InjectionRecord, ReceiptRecord
from memtui.ledger.store import Ledger
from memtui.safety.fence import wrap
from tests.agents.banks import NOW, World, generated, run_hook

TEXT = wrap("Project memory\n- [aaaaaa] A <fact> & more", "0123456789ab")
INJECTION = InjectionRecord(
    id="1-1", at=NOW, session="claude-code:s1", host="claude-code", source="startup", budget=600,
    tokens=20, text=TEXT, digest="0123456789ab",
)  # fmt: skip
LATER = int((NOW + timedelta(seconds=5)).timestamp() * 1000)


def entry(kind: Kind, text: str, record: str = "r1", at: int | None = LATER) -> Entry:
    return Entry(kind, record, Span(Path("/t.jsonl"), 0, 1), at=at, text=text)


def judge(*entries: Entry, injection: InjectionRecord = INJECTION) -> Delivery:
    (found,) = deliveries([injection], entries)
    return found


ANSWER = entry(Kind.ANSWER, "hello")


def test_delivered_as_previewed() -> None:
    found = judge(entry(Kind.INJECTION, TEXT, "r7"), ANSWER)
    assert (found.outcome, found.record, found.diff) == (Outcome.DELIVERED, "r7", "")


def test_other_hooks_words_around_it_do_not_matter() -> None:
    assert judge(entry(Kind.INJECTION, "other\n" + TEXT + "\nmore")).outcome is Outcome.DELIVERED


def test_gemini_escapes_and_wraps() -> None:
    escaped = TEXT.replace("<", "&lt;").replace(">", "&gt;")
    gemini = replace(INJECTION, host="gemini-cli")
    wrapped = entry(Kind.INJECTION, f"<hook_context>{escaped}</hook_context>")
    assert judge(wrapped, injection=gemini).outcome is Outcome.DELIVERED
    assert (
        judge(entry(Kind.INJECTION, escaped.strip()), injection=gemini).outcome is Outcome.DELIVERED
    )
    assert judge(wrapped).outcome is Outcome.DIFFERS


def test_another_text_differs_with_the_diff() -> None:
    found = judge(entry(Kind.INJECTION, TEXT.replace("fact", "lie")), ANSWER)
    assert found.outcome is Outcome.DIFFERS
    assert "-- [aaaaaa] A <fact> & more" in found.diff
    assert "+- [aaaaaa] A <lie> & more" in found.diff


def test_a_text_over_the_cap_is_explained() -> None:
    found = judge(entry(Kind.INJECTION, f"<persisted-output>\n{TEXT[:60]}"), ANSWER)
    assert found.outcome is Outcome.DIFFERS
    assert "cap" in found.detail


@pytest.mark.parametrize(
    ("entries", "outcome", "says"),
    [
        ((), Outcome.WAITING, "no transcript"),
        ((entry(Kind.PROMPT, "hi"),), Outcome.WAITING, "said nothing"),
        ((entry(Kind.ANSWER, "old", at=1000),), Outcome.WAITING, "said nothing"),
        ((ANSWER,), Outcome.MISSING, "no trace"),
        ((entry(Kind.NOTICE, "SessionStart hook error: boom"), ANSWER), Outcome.MISSING, "boom"),
    ],
)
def test_what_never_arrived(entries: tuple[Entry, ...], outcome: Outcome, says: str) -> None:
    found = judge(*entries)
    assert found.outcome is outcome
    assert says in found.detail


def test_a_session_that_got_the_same_text_twice_needs_it_twice() -> None:
    second = replace(INJECTION, id="2-1", at=NOW + timedelta(seconds=1), source="clear")
    once = deliveries([second, INJECTION], [entry(Kind.INJECTION, TEXT), ANSWER])
    assert [found.outcome for found in once] == [Outcome.DELIVERED, Outcome.MISSING]
    twice = deliveries([INJECTION, second], [entry(Kind.INJECTION, TEXT)] * 2)
    assert [found.outcome for found in twice] == [Outcome.DELIVERED, Outcome.DELIVERED]


def test_nothing_to_send_is_no_loss() -> None:
    assert judge(ANSWER, injection=replace(INJECTION, text="")).outcome is Outcome.NOTHING


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    found = open_ledger(tmp_path / "ledger")
    yield found
    found.close()


def test_a_receipt_outlives_the_transcript(ledger: Ledger) -> None:
    ledger.add_injection(INJECTION)
    found = deliveries([INJECTION], [entry(Kind.INJECTION, TEXT)], ledger.receipts())
    assert settle(ledger, found, NOW) == 1
    assert ledger.receipts()["1-1"].outcome == "delivered"
    again = deliveries([INJECTION], [], ledger.receipts())
    assert [one.outcome for one in again] == [Outcome.DELIVERED]
    assert settle(ledger, deliveries([INJECTION], []), NOW) == 0


def test_a_late_transcript_turns_missing_into_delivered(ledger: Ledger) -> None:
    kept = {"1-1": ReceiptRecord("1-1", NOW, "missing", "", "gone")}
    (found,) = deliveries([INJECTION], [entry(Kind.INJECTION, TEXT)], kept)
    assert found.outcome is Outcome.DELIVERED


def test_injections_move_from_the_spool_to_the_ledger(tmp_path: Path, ledger: Ledger) -> None:
    world = generated(tmp_path, seed=4, size=900)
    run_hook(world, "session-start", {"source": "startup"})
    run_hook(world, "prompt", {"prompt": "hello"})
    key = world.refresh().key
    snapshot = world.snapshot()
    drain_spool(world.spool, key, ledger, lambda _: snapshot, lambda _: False)
    (record,) = ledger.injections("claude-code:s1")
    assert record.text == world.preview().text
    assert record.source == "startup"
    assert [handle for handle, _ in record.lines] == [line.handle for line in world.preview().lines]
    decided = {decision["handle"]: decision["reason"] for decision in record.decisions}
    assert decided == {d.handle: d.reason for d in world.preview().decisions}
    assert len(decided) == len(world.contents().cards)
    assert [one["event"] for one in world.records()] == ["prompt"]


def _start_record(world: World) -> dict[str, Any]:
    run_hook(world, "session-start")
    return world.records()[0]


def test_a_bank_that_changed_since_keeps_the_hooks_own_decisions(tmp_path: Path) -> None:
    world = generated(tmp_path, seed=4, size=900)
    record = _start_record(world)
    kept = record["injection"]["decisions"]
    assert list(injection_of(record, lambda _: None).decisions) == kept
    other = generated(tmp_path / "other", seed=5, size=5).snapshot()
    assert list(injection_of(record, lambda _: other).decisions) == kept
