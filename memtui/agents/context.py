"""What a session's context has already received, from the spool and the ledger.

A context begins with every source but `resume`, and with that too in a host that forgets: Gemini CLI
0.61.0 leaves the message with its hooks' texts out when it resumes (seen on the wire). Lines of an
injection that a receipt says never arrived are not in the context. Read with `sqlite3`
alone, because the hook cannot wait for SQLModel.
"""

# A hook has no time for pathlib.
# ruff: noqa: PTH110, PTH118
from __future__ import annotations

import json
import os
import sqlite3

from memtui.agents.payload import RESUME
from memtui.capture import spool

FORGETFUL = ("gemini-cli",)
LEDGER = "ledger.db"
MISSING = "missing"
_BUSY_SECONDS = 0.2
_SQL = (
    "SELECT i.at, i.id, i.source, i.lines FROM injections i"
    " LEFT JOIN receipts r ON r.injection = i.id"
    " WHERE i.session = ? AND i.host = ? AND coalesce(r.outcome, '') <> ?"
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Sent = tuple[str, str, str, tuple[str, ...]]


class Ask:
    """Whose context: the spool and the bank's state folder, the bank's key, the host and its session."""

    __slots__ = ("bank", "host", "session", "spool", "state")

    def __init__(self, spool_folder: str, state: str, bank: str, host: str, session: str) -> None:
        self.spool = spool_folder
        self.state = state
        self.bank = bank
        self.host = host
        self.session = session


def session_key(host: str, session: str) -> str:
    """How the ledger names a session."""
    return f"{host}:{session}"


def continues(host: str, source: str) -> bool:
    """Whether what happens by `source` finds the earlier lines still in the context."""
    return source == spool.PROMPT or (source == RESUME and host not in FORGETFUL)


def seen_lines(ask: Ask) -> frozenset[str]:
    """The lines that the present context of a session holds, exactly as they were sent.

    Raises sqlite3.Error when the ledger exists and cannot be read.
    """
    if not ask.session:
        return frozenset()
    sent = {record[1]: record for record in [*_from_ledger(ask), *_from_spool(ask)]}
    lines: set[str] = set()
    for _, _, source, texts in sorted(sent.values()):
        if not continues(ask.host, source):
            lines.clear()
        lines.update(texts)
    return frozenset(lines)


def _from_spool(ask: Ask) -> list[Sent]:
    return [
        _sent(record) for record in spool.injections(ask.spool, ask.bank, ask.host, ask.session)
    ]


def _sent(record: dict[str, Any]) -> Sent:
    texts = tuple(text for _, text in record["injection"]["lines"])
    return record["at"], record["id"], spool.source_of(record), texts


def _from_ledger(ask: Ask) -> list[Sent]:
    path = os.path.join(ask.state, LEDGER)
    if not os.path.exists(path):
        return []
    address = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = sqlite3.connect(f"file:{address}?mode=ro", uri=True, timeout=_BUSY_SECONDS)
    try:
        key = session_key(ask.host, ask.session)
        rows = connection.execute(_SQL, (key, ask.host, MISSING)).fetchall()
    finally:
        connection.close()
    return [
        (str(at), str(found), str(source), tuple(str(text) for _, text in json.loads(lines)))
        for at, found, source, lines in rows
    ]
