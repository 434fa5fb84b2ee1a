"""Full text over the transcripts: words of the first 8 KB of each record, redacted.

Filled after the catalogue, newest files first. The index holds no texts: they are read again from
the hosts' files where a passage is shown.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass

from memtui.hosts.access import open_lines
from memtui.hosts.model import Entry, RawLine
from memtui.hosts.protocol import Host
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.files import dump_state, load_file
from memtui.sessions.keys import record_key
from memtui.sessions.rows import KIND_NUMBER, split_id
from memtui.sessions.schema import open_writer
from memtui.sessions.spans import Piece, pieces_of, read_piece
from memtui.sessions.texts import words

_BATCH = 500
_GENTLE_BATCH = 60
"""Lines in one transaction while a person works: an appended record must not wait long for the lock."""
_BEHIND = (
    "SELECT id FROM files WHERE gone = 0 AND text_offset < offset ORDER BY mtime_ns DESC, id DESC"
)
_WORD = re.compile(r"\w+")
_AROUND = 80
_MIN_PREFIX = 3


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that holds the words. `score` is BM25, smaller is better.

    `passage` is a redacted part of its text around the first match and `marks` the places of the
    words in it (start, end); both are empty when the file is gone.
    """

    session: int
    seq: int
    score: float
    passage: str = ""
    marks: tuple[tuple[int, int], ...] = ()


class FullText:
    """Fills and searches the index. The filling connection is opened when first needed."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def fill(
        self,
        cancelled: Callable[[], bool] | None = None,
        *,
        seconds: float | None = None,
        gentle: bool = False,
        told: Callable[[float], None] | None = None,
    ) -> bool:
        """Index what was catalogued but not yet indexed. True when nothing is left.

        `gentle` leaves half of the time to other threads; `told` hears at first and after each batch
        which share of all bytes is indexed, from 0 to 1. Stops when `cancelled` or after `seconds`;
        goes on there next time. Raises sqlite3.Error.
        """
        deadline = None if seconds is None else time.monotonic() + seconds

        def stop() -> bool:
            late = deadline is not None and time.monotonic() > deadline
            return late or (cancelled is not None and cancelled())

        with closing(open_writer(self._catalogue.path)) as db:
            view = self._catalogue.view(db)
            done = view.bytes - view.text_behind

            def tell(read: int) -> None:
                nonlocal done
                done += read
                if told is not None and view.bytes:
                    told(min(1.0, done / view.bytes))

            tell(0)
            for (file,) in db.execute(_BEHIND).fetchall():
                host = self._catalogue.hosts.get(load_file(db, file).host)
                if host is not None and not _Filler(db, host, file, gentle, tell).run(stop):
                    return False
        return True

    def search(
        self,
        query: str,
        projects: str | Sequence[str] | None = None,
        *,
        hidden: Collection[str] = (),
        limit: int = 20,
        passages: bool = True,
    ) -> list[Hit]:
        """The rows that hold all words of `query`, best first; the last word may be a beginning.

        `hidden` are sessions (`host:session`) that are left out. Raises sqlite3.Error if there is no
        catalogue.
        """
        terms = _WORD.findall(query)
        if not terms:
            return []
        chosen = (projects,) if isinstance(projects, str) else projects
        where, values = _restricted(chosen, hidden)
        with closing(self._catalogue.reader()) as db:
            rows = db.execute(
                "WITH m AS MATERIALIZED (SELECT rowid AS record, bm25(words) AS score FROM words "
                "WHERE words MATCH ?) "
                "SELECT r.turn, MIN(m.score) FROM m JOIN records r ON r.id = m.record "
                f"JOIN sessions s ON s.id = r.turn >> 24 {where} "
                "GROUP BY r.turn ORDER BY 2, r.turn DESC LIMIT ?",
                (_match(terms), *values, limit),
            ).fetchall()
            hits = [Hit(*split_id(turn), score) for turn, score in rows]
            return [_with_passage(db, hit, terms) for hit in hits] if passages else hits

    def find(self, sessions: Collection[int], text: str) -> list[tuple[int, int]]:
        """Session and sequence number of every row of `sessions` that holds all words of `text`.

        Sorted by both. Raises sqlite3.Error if there is no catalogue.
        """
        terms = _WORD.findall(text)
        if not terms or not sessions:
            return []
        wanted = frozenset(sessions)
        with closing(self._catalogue.reader()) as db:
            found = db.execute(
                "SELECT DISTINCT r.turn FROM words JOIN records r ON r.id = words.rowid "
                "WHERE words MATCH ? ORDER BY r.turn",
                (_match(terms),),
            )
            return [place for (turn,) in found if (place := split_id(turn))[0] in wanted]


class _Filler:
    """Reads one file again and indexes its records."""

    def __init__(
        self,
        db: sqlite3.Connection,
        host: Host,
        file: int,
        gentle: bool,
        tell: Callable[[int], None],
    ) -> None:
        self._db = db
        self._host = host
        self._file = file
        self._gentle = gentle
        self._tell = tell
        self._read = 0

    def run(self, stop: Callable[[], bool]) -> bool:
        """Index to where the catalogue stands. False when it was told to stop before."""
        while not stop():
            begun = time.monotonic()
            self._db.execute("BEGIN IMMEDIATE")
            try:
                more = self._batch()
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._tell(self._read)
            if not more:
                return True
            if self._gentle:
                time.sleep(time.monotonic() - begun)
        return False

    def _batch(self) -> bool:
        """Index some lines of the file as the database knows it now. False when none are left."""
        row = load_file(self._db, self._file)
        offset, ordinal, saved = self._db.execute(
            "SELECT text_offset, text_ordinal, text_state FROM files WHERE id = ?", (self._file,)
        ).fetchone()
        begun = offset
        parser = self._host.parser(row.source, json.loads(saved) if saved else None)
        lines = open_lines(row.source, offset, ordinal)
        texts: list[tuple[int, Entry]] = []
        size = _GENTLE_BATCH if self._gentle else _BATCH
        done = 0
        try:
            for line in lines:
                if lines.offset > row.offset or done >= size:
                    break
                if isinstance(line, RawLine):
                    events = parser.feed(line)
                    texts += [(line.offset, e) for e in events if isinstance(e, Entry)]
                offset, ordinal, done = lines.offset, lines.ordinal, done + 1
        except OSError:
            done = 0  # it vanished: what is indexed stays, the next scan marks the file
        self._put(texts)
        behind = offset < row.offset and done > 0
        if not behind:
            offset = row.offset
        self._read = offset - begun
        self._db.execute(
            "UPDATE files SET text_offset = ?, text_ordinal = ?, text_state = ? WHERE id = ?",
            (offset, ordinal, dump_state(parser.state()), self._file),
        )
        return behind

    def _put(self, texts: list[tuple[int, Entry]]) -> None:
        """Index the entries of lines; those of copies have no row and are left out."""
        if not texts:
            return
        places = [entry.span.offset for _, entry in texts]
        found = self._db.execute(
            "SELECT r.key, r.part, r.kind, r.id, s.session FROM records r "
            "JOIN sessions s ON s.id = r.turn >> 24 "
            "WHERE r.file = ? AND r.offset BETWEEN ? AND ?",
            (self._file, min(places), max(places)),
        ).fetchall()
        ids = {(key, part, kind): record for key, part, kind, record, _ in found}
        names = {name for *_, name in found}
        for _, entry in texts:
            for name in names:
                key = record_key(self._host.name, name, entry.record)
                record = ids.pop((key, entry.part, KIND_NUMBER[entry.kind]), None)
                if record is not None:
                    self._index(record, entry)
                    break

    def _index(self, record: int, entry: Entry) -> None:
        text = words(entry.text)
        if text:
            self._db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (record, text))


def _match(terms: Sequence[str]) -> str:
    """An FTS5 query for all terms; a long enough last one may be a beginning."""
    quoted = [f'"{term}"' for term in terms]
    if len(terms[-1]) >= _MIN_PREFIX:
        quoted[-1] = f"({quoted[-1]} OR {quoted[-1]}*)"
    return " AND ".join(quoted)


def _restricted(projects: Sequence[str] | None, hidden: Collection[str]) -> tuple[str, list[str]]:
    conditions: list[str] = []
    values: list[str] = []
    if projects is not None:
        conditions.append(f"s.project IN ({','.join('?' * len(projects))})")
        values += projects
    if hidden:
        conditions.append(f"s.host || ':' || s.session NOT IN ({','.join('?' * len(hidden))})")
        values += hidden
    return (f"WHERE {' AND '.join(conditions)}" if conditions else ""), values


def _with_passage(db: sqlite3.Connection, hit: Hit, terms: Sequence[str]) -> Hit:
    """The hit with the passage of its texts that holds most of the words."""
    best: tuple[int, str, tuple[tuple[int, int], ...]] = (0, "", ())
    for piece in pieces_of(db, hit.session << 24 | hit.seq):
        passage, marks = passage_of(_text(piece), terms)
        if len({passage[a:b].lower() for a, b in marks}) > best[0]:
            best = (len({passage[a:b].lower() for a, b in marks}), passage, marks)
    return Hit(hit.session, hit.seq, hit.score, best[1], best[2])


def _text(piece: Piece) -> str:
    try:
        entry = read_piece(piece)
    except (OSError, EOFError, KeyError):
        return ""
    return words(entry.text) if entry is not None else ""


def passage_of(text: str, terms: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """About 160 characters of `text` on one line around the first word, and where the words are."""
    flat = " ".join(text.split())
    stems = tuple(_stem(term.lower()) for term in terms)
    found = [m.span() for m in _WORD.finditer(flat) if m.group().lower().startswith(stems)]
    if not found:
        return "", ()
    start = max(0, found[0][0] - _AROUND)
    end = min(len(flat), found[0][1] + _AROUND)
    marks = tuple((a - start, b - start) for a, b in found if b <= end)
    return flat[start:end], marks


def _stem(term: str) -> str:
    """What the forms of a word begin with; close to what the index's stemmer leaves."""
    for ending in ("ing", "ies", "ed", "es", "s"):
        if term.endswith(ending) and len(term) - len(ending) >= _MIN_PREFIX:
            return term.removesuffix(ending)
    return term
