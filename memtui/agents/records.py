"""A hook's spool records: bounded, freed of injected text and redacted before they touch the disk."""

from __future__ import annotations

import json
import os

from memtui.agents.faults import stamp
from memtui.capture import spool
from memtui.safety import fence

PROMPT_CHARS = 4000
TOOL_CHARS = 2000
READ_CHARS = 64 * 1024
"""Of a longer text only the first and last halves of this are looked at, so that redaction stays cheap."""
LINES = 2000
HITS = 50
"""Hits of one prompt that a record keeps."""
GAP = "\n[...]\n"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memtui.agents.payload import Payload
    from memtui.agents.planning import Planned

    Record = dict[str, Any]


def blank(event: str, host: str, bank: str, payload: Payload) -> Record:
    """What every record has."""
    record: Record = {
        "format": spool.FORMAT,
        "id": spool.new_id(),
        "event": event,
        "host": host,
        "session": payload.session,
        "at": stamp(),
        "cwd": payload.cwd,
        "bank": bank,
    }
    if payload.agent:
        record["agent"] = payload.agent
    return record


def injected(record: Record, planned: Planned) -> Record:
    """`record` with what was planned and for which request, so that it can be planned again."""
    plan, request = planned.plan, planned.request
    record["injection"] = {
        "text": plan.text,
        "digest": plan.digest,
        "tokens": plan.tokens,
        "budget": plan.budget,
        "version": planned.version[:200],
        "project": request.project[:200],
        "branch": request.branch[:300],
        "today": request.today,
        "seen": sorted(request.seen)[:LINES],
        "whole": planned.whole,
        "lines": [[line.handle, line.text] for line in plan.lines[:LINES]],
        "decisions": [_decision(decision) for decision in plan.decisions[:LINES]],
    }
    return record


def _decision(decision: Any) -> Record:
    value = {
        "handle": decision.handle[:200],
        "reason": decision.reason,
        "rank": decision.rank,
        "score": round(decision.score, 4),
        "tokens": decision.tokens,
    }
    if decision.detail:
        value["detail"] = decision.detail[:300]
    return value


def with_prompt(record: Record, prompt: str) -> Record:
    """`record` with the user's prompt."""
    record["prompt"] = _kept(record, prompt, PROMPT_CHARS)
    return record


def with_retrieval(
    record: Record, words: Sequence[str], hits: Sequence[tuple[str, int, str]], ms: float
) -> Record:
    """`record` of a prompt with what its `words` found, hits as (handle, number of words, reason).

    Words that do not stand in the redacted prompt are not kept: they were a secret, or a part of one.
    """
    kept = [word for word in words if word in record["prompt"]]
    found = [{"handle": hit[0][:200], "words": hit[1], "reason": hit[2]} for hit in hits[:HITS]]
    record["retrieval"] = {"words": kept, "hits": found, "ms": round(ms, 3)}
    return record


def with_tool(record: Record, payload: Payload, after: bool) -> Record:
    """`record` with a tool call, and its result when it has run."""
    raw = payload.raw
    tool: Record = {"name": payload.text("tool_name")[:200] or "unknown"}
    if call := payload.text("tool_use_id"):
        tool["call"] = call[:200]
    if "tool_input" in raw:
        tool["input"] = _kept(record, _as_text(raw["tool_input"]), TOOL_CHARS)
    if after and "tool_response" in raw:
        response = raw["tool_response"]
        tool["output"] = _kept(record, _as_text(response), TOOL_CHARS)
        tool["failed"] = _failed(response)
    record["tool"] = tool
    return record


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _failed(response: Any) -> bool:
    """Whether a host says that the tool failed; most say nothing when it did not."""
    if not isinstance(response, dict):
        return False
    code = response.get("exit_code", response.get("exitCode", 0))
    return bool(response.get("is_error") or response.get("error") or code)


def _kept(record: Record, text: str, limit: int) -> str:
    """At most `limit` characters of a text: stripped of fences, redacted, then cut in the middle.

    Cutting comes last, because half a secret or half a fence would not be known as one.
    """
    from memtui.agents.own_patterns import use_own_patterns
    from memtui.safety.redact import redact

    use_own_patterns(os.environ)
    head, tail = text, ""
    if len(text) > READ_CHARS:
        record["cut"] = True
        head, tail = text[: READ_CHARS // 2], text[-READ_CHARS // 2 :]
    # A cut through a fence leaves an opening without an end: `strip` then drops the rest of that half.
    clean = redact(fence.strip(head)).text
    if tail:
        clean += GAP + redact(_after_close(tail)).text
    clean = clean.encode("utf-8", "replace").decode()
    if len(clean) <= limit:
        return clean
    record["cut"] = True
    half = (limit - len(GAP)) // 2
    return clean[:half] + GAP + clean[-half:]


def _after_close(tail: str) -> str:
    """The tail of a long text without a fenced block, also one whose opening was cut away."""
    for closing, opening in (
        (fence.CLOSE, fence.OPEN),
        ("&lt;/memtui-memory&gt;", "&lt;memtui-memory"),
    ):
        end, start = tail.find(closing), tail.find(opening)
        if end >= 0 and (start < 0 or end < start):
            tail = tail[end + len(closing) :]
    return fence.strip(tail)
