"""What drafting and pairing read: one session's turns, without the host they came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from memtui.hosts.model import Entry, Kind


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
        command=entry.text if _is_command(entry) else "",
        output=entry.text if entry.kind is Kind.RESULT else "",
        exit_code=entry.exit_code,
        is_error=entry.is_error,
        at=None if entry.at is None else datetime.fromtimestamp(entry.at / 1000, UTC),
        paths=entry.paths,
    )


def _is_command(entry: Entry) -> bool:
    """Whether a call runs something, and does not read or write a file."""
    shell = entry.input is None or any(key in entry.input for key in ("command", "cmd", "script"))
    return entry.kind is Kind.CALL and shell


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
