"""What became of each injection: planned text beside what the transcript shows.

`drain_spool` moves what hooks left in the spool into the ledger; `deliveries` compares it with a
session's transcript; `settle` keeps the outcome. Whole plans are made again by the one pure function, so
that every item has its decision however large the bank.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from memtui import reasons
from memtui.agents.context import session_key
from memtui.capture import spool
from memtui.clock import parse_time
from memtui.hosts.model import Entry, Kind
from memtui.inject.limits import delivered, limit_of
from memtui.inject.model import Request, Snapshot
from memtui.inject.plan import plan
from memtui.ledger.model import InjectionRecord, ReceiptRecord, RetrievalRecord
from memtui.recall.model import Stage
from memtui.safety.fence import TAG

HOOK_CONTEXT = ("<hook_context>", "</hook_context>")
PERSISTED = "<persisted-output>"
DIFF_LINES = 200
AS_PREVIEWED = "as previewed"


class Outcome(StrEnum):
    """What is known of a delivery. The first three are final and kept as receipts."""

    DELIVERED = "delivered"
    DIFFERS = "differs"
    MISSING = "missing"
    WAITING = "waiting"
    NOTHING = "nothing to send"


FINAL = (Outcome.DELIVERED, Outcome.DIFFERS, Outcome.MISSING)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One injection and what became of it. `record` is the transcript record that shows it.

    `detail` says in words what is known; `diff` is unified, from planned to delivered.
    """

    injection: InjectionRecord
    outcome: Outcome
    detail: str = ""
    diff: str = ""
    record: str = ""


class Store(Protocol):
    """The part of the ledger that is written here."""

    def add_injection(self, record: InjectionRecord) -> None:
        """Keep what was planned for a session."""

    def add_receipt(self, record: ReceiptRecord) -> None:
        """Keep what became of an injection."""

    def add_retrieval(self, record: RetrievalRecord) -> None:
        """Keep what a prompt was searched for."""


def drain_spool(
    folder: Path,
    bank: str,
    store: Store,
    snapshot: Callable[[str], Snapshot | None],
    told: Callable[[Mapping[str, Any]], bool],
) -> spool.Drained:
    """Move one bank's injections and searches from the spool to the ledger.

    `bank` is the bank's name in the state folder. `snapshot` gives the whole bank when it still is in
    the state that is named, else None. Of other records those go for which `told` is true: a transcript
    tells it all. Raises what the store raises; nothing is lost then.
    """

    def handle(record: dict[str, Any]) -> bool:
        if "retrieval" in record:
            store.add_retrieval(retrieval_of(record))
        if "injection" in record:
            store.add_injection(injection_of(record, snapshot))
        return "injection" in record or "retrieval" in record or told(record)

    return spool.drain(str(folder), handle, bank)


def retrieval_of(record: Mapping[str, Any]) -> RetrievalRecord:
    """The log's form of what the words of a prompt found."""
    looked, sent = record["retrieval"], record.get("injection")
    shown = [handle for handle, _ in sent["lines"]] if sent else []
    return RetrievalRecord(
        id=record["id"],
        at=parse_time(record["at"]),
        origin="hook",
        session=session_key(record["host"], record["session"]),
        query=" ".join(looked["words"]),
        mode="literal",
        tokens=sent["tokens"] if sent else 0,
        ms=looked["ms"],
        candidates=tuple(_candidate(hit, record["bank"], shown) for hit in looked["hits"]),
        shown=tuple(shown),
    )


def _candidate(hit: Mapping[str, Any], bank: str, shown: Sequence[str]) -> dict[str, Any]:
    handle, reason = hit["handle"], hit["reason"]
    found: dict[str, Any] = {"id": handle, "bank": bank, "score": float(hit["words"])}
    found["terms"] = {"words": float(hit["words"])}
    if handle in shown:
        return found | {"stage": Stage.SHOWN.value, "rank": shown.index(handle) + 1}
    return found | {"stage": _STAGES.get(reason, Stage.STATUS).value, "reason": reason}


_STAGES = {
    reasons.SCOPE: Stage.SCOPE,
    reasons.IN_CONTEXT: Stage.BUDGET,
    reasons.OVER_LINES: Stage.BUDGET,
    reasons.OVER_BUDGET: Stage.BUDGET,
    reasons.OVER_LIMIT: Stage.BUDGET,
}
"""At which stage of a search a hit fell out, by the reason of its plan; the others are states."""


def injection_of(
    record: Mapping[str, Any], snapshot: Callable[[str], Snapshot | None]
) -> InjectionRecord:
    """The ledger's form of a spool record, with a decision for every item where that can be told."""
    planned = record["injection"]
    decisions = planned["decisions"]
    if not planned["whole"] and spool.source_of(record) != spool.PROMPT:
        decisions = _all_decisions(record, snapshot(planned["version"])) or decisions
    return InjectionRecord(
        id=record["id"],
        at=parse_time(record["at"]),
        session=session_key(record["host"], record["session"]),
        host=record["host"],
        source=spool.source_of(record),
        budget=planned["budget"],
        tokens=planned["tokens"],
        text=planned["text"],
        digest=planned["digest"],
        bank_version=planned["version"],
        lines=tuple((handle, text) for handle, text in planned["lines"]),
        decisions=tuple(decisions),
    )


def _all_decisions(
    record: Mapping[str, Any], snapshot: Snapshot | None
) -> list[dict[str, Any]] | None:
    """The decisions of the whole bank's plan, if that plan gives the very text that was sent."""
    if snapshot is None:
        return None
    planned = record["injection"]
    request = Request(
        host=record["host"],
        source=record["source"],
        project=planned["project"],
        branch=planned["branch"],
        today=planned["today"],
        session=record["session"],
        seen=frozenset(planned["seen"]),
    )
    again = plan(snapshot, request)
    if again.text != planned["text"]:
        return None
    return [decision._asdict() for decision in again.decisions]


def deliveries(
    injections: Sequence[InjectionRecord],
    entries: Iterable[Entry],
    kept: Mapping[str, ReceiptRecord] | None = None,
) -> tuple[Delivery, ...]:
    """What became of the injections of one session, oldest first, by the session's entries.

    A receipt that is kept and says more than the transcript does (it was deleted) stays as it is.
    """
    told = list(entries)
    shown = _Shown(told)
    found = []
    for injection in sorted(injections, key=lambda one: (one.at, one.id)):
        delivery = _judge(injection, told, shown)
        receipt = (kept or {}).get(injection.id)
        if receipt is not None and delivery.outcome not in (Outcome.DELIVERED, Outcome.DIFFERS):
            delivery = Delivery(injection, Outcome(receipt.outcome), receipt.detail)
        found.append(delivery)
    return tuple(found)


def settle(store: Store, found: Iterable[Delivery], now: datetime) -> int:
    """Keep the final outcomes as receipts. Returns how many. Raises what the store raises."""
    final = [delivery for delivery in found if delivery.outcome in FINAL]
    for delivery in final:
        injection = delivery.injection
        detail = delivery.diff or delivery.detail
        digest = injection.digest if delivery.outcome is Outcome.DELIVERED else ""
        store.add_receipt(ReceiptRecord(injection.id, now, delivery.outcome.value, digest, detail))
    return len(final)


class _Shown:
    """The injected texts of a transcript; each stands for one injection only."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.left = [entry for entry in entries if _may_show(entry)]

    def take(self, fits: Callable[[str], bool]) -> Entry | None:
        """The first text that fits, which then is taken."""
        for number, entry in enumerate(self.left):
            if fits(entry.text):
                return self.left.pop(number)
        return None


def _may_show(entry: Entry) -> bool:
    return entry.kind is Kind.INJECTION or (entry.kind is Kind.NOTICE and TAG in entry.text)


def _judge(injection: InjectionRecord, entries: Sequence[Entry], shown: _Shown) -> Delivery:
    if not injection.text:
        return Delivery(injection, Outcome.NOTHING, "every line was in this context already")
    expected = delivered(injection.text, limit_of(injection.host))
    same = shown.take(lambda text: expected in text or expected.rstrip() == unwrapped(text).strip())
    if same is not None:
        return Delivery(injection, Outcome.DELIVERED, AS_PREVIEWED, record=same.record)
    other = shown.take(lambda text: injection.digest in text)
    if other is not None:
        diff = _diff(expected, unwrapped(other.text))
        return Delivery(injection, Outcome.DIFFERS, _why_differs(other), diff, other.record)
    return _not_there(injection, entries)


def unwrapped(text: str) -> str:
    """An injected text without the tags that Gemini CLI puts around it."""
    inner = text.strip()
    start, end = HOOK_CONTEXT
    if inner.startswith(start) and end in inner:
        return inner[len(start) : inner.rindex(end)]
    return text


def _why_differs(entry: Entry) -> str:
    if PERSISTED in entry.text:
        return "the host put it into a file and sent only its beginning: it was over the host's cap"
    return "the host sent another text than was planned"


def _not_there(injection: InjectionRecord, entries: Sequence[Entry]) -> Delivery:
    """Never arrived, or not yet: a transcript is written behind the session."""
    if not entries:
        return Delivery(injection, Outcome.WAITING, "no transcript of this session is known yet")
    since = int(injection.at.timestamp() * 1000)
    later = [entry for entry in entries if entry.at is not None and entry.at >= since]
    answers = [entry for entry in later if entry.kind in (Kind.ANSWER, Kind.CALL)]
    if not answers:
        return Delivery(injection, Outcome.WAITING, "the session has said nothing since")
    failed = next(
        (one for one in later if one.kind is Kind.NOTICE and "hook" in one.text.lower()), None
    )
    if failed is not None:
        words = " ".join(failed.text.split())[:300]
        return Delivery(injection, Outcome.MISSING, f"the host says: {words}", record=failed.record)
    count = len(answers)
    detail = f"the transcript has {count} later answers and calls and no trace of it"
    return Delivery(injection, Outcome.MISSING, detail)


def _diff(expected: str, got: str) -> str:
    lines = difflib.unified_diff(
        expected.splitlines(), got.splitlines(), "planned", "delivered", lineterm=""
    )
    return "\n".join(list(lines)[:DIFF_LINES])
