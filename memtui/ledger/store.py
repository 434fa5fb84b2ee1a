"""The ledger: acts with their undo bytes. Every method is one transaction, durable when it returns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import ColumnElement, delete, update
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from memtui.clock import format_time, parse_time
from memtui.ledger.captures import Captures
from memtui.ledger.engine import connect, shrink, writing
from memtui.ledger.model import ActRecord, ActState, FileRecord
from memtui.ledger.records import Records
from memtui.ledger.schema import ActRow, FileRow

ERASED = ""
"""What stands in the place of a text that a purge erased."""


class Ledger(Records, Captures):
    """One `ledger.db`. Usable from several threads and beside other processes; close it when done."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = connect(path)
        self._writer = writing(self._engine)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with Session(self._engine) as session, session.begin():
            yield session

    @contextmanager
    def _writing(self) -> Iterator[Session]:
        with Session(self._writer) as session, session.begin():
            yield session

    def intend(self, act: ActRecord) -> int:
        """Write down an act with all its bytes before any file is touched. Returns its number."""
        with self._writing() as session:
            row = _act_row(act)
            session.add(row)
            session.flush()
            session.add_all(_file_row(act.id, record) for record in act.files)
            assert row.seq is not None
            return row.seq

    def finish(self, act: ActRecord) -> None:
        """The act is wholly in the bank. What it does to other acts (undo, redo) happens here."""
        with self._writing() as session:
            _set(session, act.id, state=ActState.DONE.value, events="[]")
            _settle(session, act)

    def abort(self, act_id: str) -> None:
        """The act is wholly out of the bank and its bytes are dropped."""
        with self._writing() as session:
            session.exec(delete(FileRow).where(col(FileRow.act) == act_id))
            _set(session, act_id, state=ActState.ABORTED.value, events="[]")

    def unfinished(self) -> list[ActRecord]:
        """Intents that a process left behind, oldest first."""
        with self._reading() as session:
            open_states = (ActState.INTENT.value, ActState.NOTED.value)
            return _acts(session, col(ActRow.state).in_(open_states))

    def act(self, act_id: str) -> ActRecord | None:
        """One act with its files, or None."""
        with self._reading() as session:
            found = _acts(session, col(ActRow.id) == act_id)
            return found[0] if found else None

    def history(self, limit: int | None = 100, before: int | None = None) -> list[ActRecord]:
        """Finished acts, newest first, without their files; `before` continues below that number.

        `limit` None means all.
        """
        with self._reading() as session:
            query = (
                select(ActRow)
                .where(col(ActRow.state) == ActState.DONE.value)
                .order_by(col(ActRow.seq).desc())
                .limit(limit)
            )
            if before is not None:
                query = query.where(col(ActRow.seq) < before)
            return [_act_record(row, ()) for row in session.exec(query)]

    def last_undoable(self, writer: str, fixed: Sequence[str]) -> ActRecord | None:
        """The writer's newest act that stands, leaving out the verbs `fixed`."""
        with self._reading() as session:
            query = _of(writer, fixed).where(col(ActRow.undone_by).is_(None))
            row = session.exec(query.order_by(col(ActRow.seq).desc()).limit(1)).first()
            return None if row is None else _act_record(row, _files(session, row.id))

    def next_redoable(self, writer: str) -> ActRecord | None:
        """The act that the writer took back last and has not replaced by something new."""
        with self._reading() as session:
            query = _of(writer, ()).where(col(ActRow.redoable).is_(True))
            row = session.exec(query.order_by(col(ActRow.seq)).limit(1)).first()
            return None if row is None else _act_record(row, _files(session, row.id))

    def versions(self, path: str) -> list[tuple[ActRecord, FileRecord]]:
        """What each finished act did to one file, oldest first."""
        with self._reading() as session:
            query = (
                select(ActRow, FileRow)
                .where(col(FileRow.path) == path, col(FileRow.act) == col(ActRow.id))
                .where(col(ActRow.state) == ActState.DONE.value)
                .order_by(col(ActRow.seq))
            )
            return [(_act_record(act, ()), _file_record(file)) for act, file in session.exec(query)]

    def paths(self) -> list[str]:
        """Every path that an act of this ledger touched."""
        with self._reading() as session:
            return list(session.exec(select(FileRow.path).distinct()))

    def bytes_of(self, digest: str) -> bytes | None:
        """The whole file with this sha256, if an act kept it."""
        with self._reading() as session:
            for digests, blobs in (
                (FileRow.after_digest, FileRow.after),
                (FileRow.before_digest, FileRow.before),
            ):
                query = select(blobs).where(
                    col(digests) == digest, col(FileRow.start).is_(None), col(blobs).is_not(None)
                )
                found = session.exec(query.limit(1)).first()
                if found is not None:
                    return found
        return None

    def left(self, path: str) -> str | None:
        """The digest with which the last act on `path` left it; None when no act touched it."""
        with self._reading() as session:
            query = (
                select(FileRow.after_digest)
                .where(col(FileRow.path) == path, col(FileRow.act) == col(ActRow.id))
                .where(col(ActRow.state) == ActState.DONE.value)
                .order_by(col(ActRow.seq).desc())
                .limit(1)
            )
            return session.exec(query).first()

    def all_left(self) -> dict[str, str]:
        """`left` of every path that an act touched."""
        with self._reading() as session:
            query = (
                select(FileRow.path, FileRow.after_digest)
                .where(col(FileRow.act) == col(ActRow.id))
                .where(col(ActRow.state) == ActState.DONE.value)
                .order_by(col(ActRow.seq))
            )
            return dict(session.exec(query).all())

    def erase(
        self, matches: Callable[[str], bool], items: Iterable[str], paths: Iterable[str]
    ) -> int:
        """Erase every text of the ledger that belongs to `items`, lies at `paths` or `matches`.

        Acts keep their row (who, when, which verb) and lose their content; other records that match
        are deleted. Returns how many rows were changed. `shrink` afterwards removes the bytes.
        """
        wanted, places = set(items), set(paths)
        with self._writing() as session:
            acts = {
                row.act
                for row in session.exec(select(FileRow))
                if row.path in places
                or matches(row.path)
                or any(matches(_text(b)) for b in (row.before, row.after))
            }
            changed = 0
            for row in session.exec(select(ActRow)):
                texts = (row.title, row.summary, row.events)
                if (
                    row.id in acts
                    or wanted & set(json.loads(row.items))
                    or any(map(matches, texts))
                ):
                    _erase_act(session, row)
                    changed += 1
            return changed + self._erase_records(session, matches, wanted)

    def shrink(self) -> None:
        """Leave no byte of what was erased in the file. Raises OSError while others are reading."""
        self._engine.dispose()
        shrink(self._engine)


def _of(writer: str, fixed: Sequence[str]) -> SelectOfScalar[ActRow]:
    return select(ActRow).where(
        col(ActRow.writer) == writer,
        col(ActRow.state) == ActState.DONE.value,
        col(ActRow.erased).is_(False),
        col(ActRow.undoes).is_(None),
        col(ActRow.verb).not_in(fixed),
    )


def _settle(session: Session, act: ActRecord) -> None:
    """Move the undo and redo marks: an undo marks its act, a redo unmarks it, a new act ends redo."""
    if act.undoes is None:
        stale = (col(ActRow.writer) == act.writer) & col(ActRow.redoable).is_(True)
        session.exec(update(ActRow).where(stale).values(redoable=False))
    elif act.verb == "redo":
        _set(session, act.undoes, undone_by=None, redoable=False)
    else:
        _set(session, act.undoes, undone_by=act.id, redoable=True)


def _set(session: Session, act_id: str, **values: object) -> None:
    session.exec(update(ActRow).where(col(ActRow.id) == act_id).values(**values))


def _erase_act(session: Session, row: ActRow) -> None:
    row.title = row.summary = ERASED
    row.events = "[]"
    row.erased, row.redoable = True, False
    session.add(row)
    session.exec(delete(FileRow).where(col(FileRow.act) == row.id))


def _acts(session: Session, condition: ColumnElement[bool]) -> list[ActRecord]:
    rows = session.exec(select(ActRow).where(condition).order_by(col(ActRow.seq))).all()
    return [_act_record(row, _files(session, row.id)) for row in rows]


def _files(session: Session, act_id: str) -> tuple[FileRecord, ...]:
    query = select(FileRow).where(col(FileRow.act) == act_id).order_by(col(FileRow.seq))
    return tuple(_file_record(row) for row in session.exec(query))


def _act_row(act: ActRecord) -> ActRow:
    return ActRow(
        id=act.id,
        at=format_time(act.at),
        writer=act.writer,
        verb=act.verb,
        items=_dump(act.items),
        title=act.title,
        summary=act.summary,
        state=act.state.value,
        undoes=act.undoes,
        undone_by=act.undone_by,
        redoable=act.redoable,
        erased=act.erased,
        events=_dump([dict(event) for event in act.events]),
    )


def _act_record(row: ActRow, files: tuple[FileRecord, ...]) -> ActRecord:
    return ActRecord(
        id=row.id,
        at=parse_time(row.at),
        writer=row.writer,
        verb=row.verb,
        items=tuple(json.loads(row.items)),
        title=row.title,
        summary=row.summary,
        files=files,
        events=tuple(json.loads(row.events)),
        undoes=row.undoes,
        undone_by=row.undone_by,
        redoable=row.redoable,
        erased=row.erased,
        state=ActState(row.state),
        seq=row.seq or 0,
    )


def _file_row(act_id: str, record: FileRecord) -> FileRow:
    return FileRow(
        act=act_id,
        path=record.path,
        start=record.start,
        before=record.before,
        after=record.after,
        before_digest=record.before_digest,
        after_digest=record.after_digest,
    )


def _file_record(row: FileRow) -> FileRecord:
    return FileRecord(
        row.path, row.before, row.after, row.before_digest, row.after_digest, row.start
    )


def _dump(value: object) -> str:
    # Unescaped, so that a purge finds a text by its own characters.
    return json.dumps(value, ensure_ascii=False)


def _text(blob: bytes | None) -> str:
    return "" if blob is None else blob.decode("utf-8", "replace")
