"""Which items hold, in what an injection would say of them, something that the redaction rules mask.

What memtui writes is redacted before; a host, an editor or a new rule can leave a secret all the same.
Answers are kept in `index.db` by what was looked at and the name of the rules.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from memtui.bank.model import BankContents, Item
from memtui.index.schema import open_index
from memtui.safety.redact import Redaction, redact, rules_name


def find_secrets(contents: BankContents, index: Path) -> dict[str, str]:
    """By item id why it is held back. Looks only at what is new. Raises OSError, sqlite3.Error."""
    with closing(open_index(index)) as connection:
        return secrets_in(connection, contents)


def secrets_in(connection: sqlite3.Connection, contents: BankContents) -> dict[str, str]:
    """As `find_secrets`, with an open index. Raises sqlite3.Error."""
    rules = rules_name()
    sql = "SELECT line, kinds FROM audited WHERE rules = ?"
    known: dict[str, str] = dict(connection.execute(sql, (rules,)))
    found, fresh, wanted = {}, [], set()
    for item, text in _lines(contents):
        line = sha256(text.encode("utf-8", "replace")).hexdigest()
        wanted.add(line)
        if line not in known:
            known[line] = kinds_of(redact(text))
            fresh.append((line, rules, known[line]))
        if known[line]:
            found[item.id] = f"its line would say a secret: {known[line]}; edit it, or purge it"
    gone = [(line,) for line in known.keys() - wanted]
    if fresh or gone:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DELETE FROM audited WHERE rules <> ?", (rules,))
        connection.executemany("DELETE FROM audited WHERE line = ?", gone)
        connection.executemany("INSERT OR REPLACE INTO audited VALUES (?, ?, ?)", fresh)
        connection.execute("COMMIT")
    return found


def kinds_of(redaction: Redaction) -> str:
    """What was masked, in words: `2 github-token, 1 email`; "" for nothing."""
    return ", ".join(f"{count} {kind}" for kind, count in redaction.hits)


def _lines(contents: BankContents) -> Iterator[tuple[Item, str]]:
    for item in (*contents.cards, *contents.pages):
        yield item, "\n".join((item.name, item.title, *item.tags))
