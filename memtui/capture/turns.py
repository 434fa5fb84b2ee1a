"""What drafting and pairing read: one session's turns, without the host they came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memtui.hosts.model import Entry, Kind
from memtui.safety.redact import redact
from memtui.sessions.turn import TurnDetail


@dataclass(frozen=True, slots=True)
class Turn:
    """One row of a session. `ref` is what evidence cites: `<host>:<session>#<record>`.

    `text` is the prompt, answer or reasoning; a tool call has its `command` and what it gave back.
    `result_ref` cites the record of the result where that is another one than the call's.
    """

    kind: Kind
    ref: str
    text: str = ""
    command: str = ""
    output: str = ""
    exit_code: int | None = None
    is_error: bool = False
    at: datetime | None = None
    paths: tuple[str, ...] = ()
    result_ref: str = ""

    @property
    def cited(self) -> str:
        """The record in which the outcome is seen."""
        return self.result_ref or self.ref

    @property
    def said(self) -> bool:
        """Whether a person or the agent said this, in words."""
        return self.kind in (Kind.PROMPT, Kind.ANSWER)


def turn_of(detail: TurnDetail) -> Turn:
    """A row of the timeline, read in full, as a turn without secrets: drafts cut what they take."""
    action = detail.kind in (Kind.CALL, Kind.RESULT)
    runs = detail.kind is Kind.CALL and _is_shell(detail.input)
    return Turn(
        kind=detail.kind,
        ref=detail.ref,
        text="" if action else redact(detail.text.text).text,
        command=redact(detail.text.text).text if runs else "",
        output=redact(detail.result.text).text if detail.result else "",
        exit_code=detail.exit_code,
        is_error=detail.is_error,
        at=_time(detail.at),
        paths=detail.paths,
    )


def turns_of(host: str, session: str, entries: Iterable[Entry]) -> list[Turn]:
    """The turns of one session: a call and its result become one turn, injections are left out."""
    turns: list[Turn] = []
    calls: dict[str, int] = {}
    for entry in entries:
        ref = f"{host}:{session}#{entry.record}"
        if entry.kind is Kind.RESULT and entry.call in calls:
            place = calls[entry.call]
            turns[place] = _joined(turns[place], entry, ref)
        elif entry.kind not in (Kind.INJECTION, Kind.NOTICE):
            if entry.kind is Kind.CALL and entry.call:
                calls[entry.call] = len(turns)
            turns.append(_turn(entry, ref))
    return turns


def _turn(entry: Entry, ref: str) -> Turn:
    action = entry.kind in (Kind.CALL, Kind.RESULT)
    return Turn(
        kind=entry.kind,
        ref=ref,
        text="" if action else entry.text,
        command=entry.text if entry.kind is Kind.CALL and _is_shell(entry.input) else "",
        output=entry.text if entry.kind is Kind.RESULT else "",
        exit_code=entry.exit_code,
        is_error=entry.is_error,
        at=_time(entry.at),
        paths=entry.paths,
    )


def _is_shell(given: Mapping[str, Any] | None) -> bool:
    """Whether a call runs something, and does not read or write a file."""
    return given is None or any(key in given for key in ("command", "cmd", "script"))


def _time(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)


def _joined(call: Turn, result: Entry, ref: str) -> Turn:
    return Turn(
        kind=Kind.CALL,
        ref=call.ref,
        command=call.command,
        output=result.text,
        exit_code=result.exit_code,
        is_error=result.is_error,
        at=call.at,
        paths=call.paths or result.paths,
        result_ref=ref,
    )
