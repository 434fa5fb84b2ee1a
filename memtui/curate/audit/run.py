"""Looking at everything that is stored, and erasing what is derived or local of what was found."""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from memtui.bank.model import BankContents
from memtui.capture import spool
from memtui.curate.audit.model import Audit, Spot, Tell, keep
from memtui.curate.audit.places import Kept, kept_files
from memtui.curate.audit.texts import Text, texts_of
from memtui.curate.curator import Curator
from memtui.index.schema import delete_index
from memtui.safety.redact import redact, rules_name

BATCH = 32 * 1024
"""Characters that are looked at together; only where they hold something each is looked at alone."""
MOST = 20
"""Spots that are told of one file; further ones are counted in the last."""
_LINE = re.compile("\n")


def audit(
    curator: Curator,
    contents: BankContents,
    catalogue: Path,
    index: Path,
    tell: Tell = lambda _done, _total, _what: None,
) -> Audit:
    """Look at everything, and remember that it was looked at. Changes nothing. Raises OSError."""
    begun, size = time.monotonic(), 0
    files = list(kept_files(curator, contents, catalogue, index))
    names = _own_names(curator, contents)
    spots: list[Spot] = []
    unread: list[tuple[str, str]] = []
    for number, kept in enumerate(files):
        tell(number, len(files), kept.path.name)
        try:
            size += kept.path.stat().st_size
            spots += spots_of(kept, names)
        except (OSError, sqlite3.Error) as error:
            unread.append((str(kept.path), str(error)))
    tell(len(files), len(files), "")
    seconds = time.monotonic() - begun
    found = Audit(
        curator.clock(), rules_name(), tuple(spots), len(files), size, seconds, tuple(unread)
    )
    if not unread:
        keep(curator.state, found)
    return found


def spots_of(kept: Kept, names: Collection[str] = ()) -> list[Spot]:
    """Where a file holds what the rules mask. `names` are writers, which are no secrets."""
    found: dict[str, Counter[str]] = {}
    for where, text in _suspects(texts_of(kept.path), names):
        for place, kinds in _lines(where, text):
            found.setdefault(place, Counter()).update(kinds)
    named = redact(kept.path.name)
    if named.count:
        found["its name"] = Counter(dict(named.hits))
    path, do = redact(str(kept.path)).text, redact(kept.do).text
    told = [
        Spot(kept.kind, path, where, _said(kinds), do, kept.item) for where, kinds in found.items()
    ]
    if len(told) > MOST:
        more = len(told) - MOST + 1
        told = [*told[: MOST - 1], replace(told[MOST - 1], where=f"and {more} more places")]
    return told


def clean(curator: Curator, found: Audit, catalogue: Path, index: Path) -> Audit:
    """Erase what was found in what is derived (index, catalogue) or local (ledger, spool): the undo bytes
    of acts, proposals and records that hold it. It cannot be undone; the bank's text is left alone.

    Raises OSError.
    """
    kinds = {spot.kind for spot in found.spots}
    done = []

    def holds(text: str) -> bool:
        return bool(redact(text).count)

    with curator.locked():
        if "ledger" in kinds:
            changed = curator.ledger.erase(holds, (), ())
            curator.ledger.shrink()
            done.append(f"ledger: {changed} acts and records erased")
        if "spool" in kinds:
            files = spool.holding(str(curator.places.spool), holds)
            for path in files:
                Path(path).unlink(missing_ok=True)
            done.append(f"spool: {len(files)} records deleted")
        for kind, database in (("index", index), ("catalogue", catalogue)):
            if kind in kinds:
                delete_index(database)
                done.append(f"{kind}: deleted, it is made anew")
    return replace(found, cleaned=tuple(done))


def _suspects(texts: Iterator[Text], names: Collection[str]) -> Iterator[Text]:
    """Those of many texts that hold something: most hold nothing, and are looked at together."""
    batch: list[Text] = []
    size = 0
    for where, text in texts:
        for name in names:
            text = text.replace(name, "")
        batch.append((where, text))
        size += len(text)
        if size >= BATCH:
            yield from _holding(batch)
            batch, size = [], 0
    yield from _holding(batch)


def _holding(batch: list[Text]) -> list[Text]:
    if not batch or not redact("\n".join(text for _, text in batch)).count:
        return []
    return [(where, text) for where, text in batch if redact(text).count]


def _lines(where: str, text: str) -> Iterator[tuple[str, Counter[str]]]:
    """The lines of a text that hold something; the text as a whole where it spans lines."""
    if where or not _LINE.search(text):
        yield where, Counter(dict(redact(text).hits))
        return
    alone = False
    for number, line in enumerate(text.split("\n"), start=1):
        hits = redact(line).hits
        if hits:
            alone = True
            yield f"line {number}", Counter(dict(hits))
    if not alone:
        yield "", Counter(dict(redact(text).hits))


def _said(kinds: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


def _own_names(curator: Curator, contents: BankContents) -> frozenset[str]:
    """Who acts here: a writer may be called like a mailbox."""
    names = {event.writer for event in contents.events} | {curator.writer}
    return frozenset(name for name in names if "@" in name)
