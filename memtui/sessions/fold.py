"""From the entries of a transcript to the rows that a reader sees."""

from __future__ import annotations

import hashlib
import re

from memtui.hosts.model import Entry, Kind
from memtui.sessions.rows import KIND_FLAG, KIND_NUMBER, Flag, split_id, turn_id
from memtui.sessions.store import Place, Row, Session, Store
from memtui.sessions.texts import PREVIEW, clean, preview, redacted_head

# Plain integers: combining members of an IntFlag costs more than all else here.
_CALL, _ERROR, _DIFF = int(Flag.CALL), int(Flag.ERROR), int(Flag.DIFF)
_PENDING, _FOLDED_OK, _RECOVERED = int(Flag.PENDING), int(Flag.FOLDED_OK), int(Flag.RECOVERED)
_KIND_FLAG = {kind: int(flag) for kind, flag in KIND_FLAG.items()}

_COMMAND_SHOWN = 120
_ERROR_WINDOW = 2048
_KEPT = {"calls": 1000, "messages": 64, "failures": 500}
_MERGED = (Kind.ANSWER, Kind.THINKING)
_CARRIERS = (Kind.PROMPT, Kind.ANSWER)
_FIRST_LINE = re.compile(r"\S[^\r\n]*")
_SPACE = re.compile(r"\s+")


class Folder:
    """Adds entries to sessions: blocks of one answer become one row, a result joins its call."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, session: Session, key: int, place: Place, entry: Entry) -> None:
        """Take in one entry, whose record has this key and lies at `place`."""
        session.meet(entry.at)
        session.dirty = True
        if entry.kind is Kind.RESULT:
            row = self._result(session, place.file, entry)
        else:
            row = self._merge(session, entry) or self._new(session, place.file, entry)
        self._store.add_record(key, row.id, entry.part, KIND_NUMBER[entry.kind], place)

    def _new(self, session: Session, file: int, entry: Entry) -> Row:
        flags = _KIND_FLAG[entry.kind]
        if entry.is_error:
            flags |= _ERROR
        if entry.diff:
            flags |= _DIFF
        seq = session.next_seq
        session.next_seq += 1
        row = Row(
            turn_id(session.id, seq), KIND_NUMBER[entry.kind], flags, 0, file,
            entry.record, entry.part, entry.at, entry.message, entry.call, clean(entry.tool, 80),
            entry.exit_code, entry.agent if entry.kind is Kind.SUBAGENT else None,
            preview=preview(entry.text),
        )  # fmt: skip
        self._tokens(row, entry)
        self._store.add(row)
        self._remember(session, seq, row, entry)
        return row

    def _remember(self, session: Session, seq: int, row: Row, entry: Entry) -> None:
        fold = session.fold
        if entry.kind is Kind.CALL:
            self._call(session, seq, row, entry)
        elif entry.kind in _CARRIERS:
            fold.carrier = seq
        elif entry.kind is Kind.THINKING:
            session.thinking += 1
        if entry.message and entry.kind in _MERGED:
            _keep(fold.messages, f"{entry.kind}:{entry.message}", seq, _KEPT["messages"])

    def _call(self, session: Session, seq: int, row: Row, entry: Entry) -> None:
        fold = session.fold
        row.command = command_key(entry.tool, entry.text)
        row.carrier = fold.carrier
        if fold.carrier is not None:
            carrier = self._store.row(session, fold.carrier)
            carrier.calls += 1
            carrier.failed += bool(row.flags & _ERROR)
        if entry.call and not row.flags & _ERROR:
            row.flags |= _PENDING
            _keep(fold.calls, entry.call, seq, _KEPT["calls"])
        elif row.flags & _ERROR:
            _keep(fold.failures, str(row.command), seq, _KEPT["failures"])
        else:
            row.flags |= _FOLDED_OK

    def _merge(self, session: Session, entry: Entry) -> Row | None:
        """The row of an earlier block of the same answer, with this one added to it."""
        if entry.kind not in _MERGED or not entry.message:
            return None
        seq = session.fold.messages.get(f"{entry.kind}:{entry.message}")
        if seq is None:
            return None
        row = self._store.row(session, seq)
        if len(row.preview) < PREVIEW:
            row.preview = _joined(row.preview, preview(entry.text))
        self._tokens(row, entry)
        return row

    def _result(self, session: Session, file: int, entry: Entry) -> Row:
        row = self._called(session, entry)
        if row is None:
            return self._orphan(session, file, entry)
        failed = failed_result(entry)
        was_failed = bool(row.flags & _ERROR)
        row.flags &= ~(_PENDING | _FOLDED_OK)
        if entry.diff:
            row.flags |= _DIFF
        row.exit_code = entry.exit_code if entry.exit_code is not None else row.exit_code
        row.tool = row.tool or clean(entry.tool, 80)
        if failed or was_failed:
            row.flags |= _ERROR
            self._failed(session, row, entry, counted=was_failed)
        else:
            row.flags |= _FOLDED_OK
            if session.fold.failures.pop(str(row.command), None) is not None:
                row.flags |= _RECOVERED
        return row

    def _called(self, session: Session, entry: Entry) -> Row | None:
        if not entry.call:
            return None
        seq = session.fold.calls.pop(entry.call, None)
        if seq is not None:
            return self._store.row(session, seq)
        return self._store.row_of_call(session, entry.call)

    def _failed(self, session: Session, row: Row, entry: Entry, *, counted: bool) -> None:
        row.flags &= ~_RECOVERED
        if counted:
            return
        row.preview = failure_preview(row.preview, entry.text)
        _keep(session.fold.failures, str(row.command), split_id(row.id)[1], _KEPT["failures"])
        if row.carrier is not None:
            self._store.row(session, row.carrier).failed += 1

    def _orphan(self, session: Session, file: int, entry: Entry) -> Row:
        """A result whose call is nowhere: shown as a call of which only the result is known."""
        failed = failed_result(entry)
        seq = session.next_seq
        session.next_seq += 1
        flags = _CALL | (_ERROR if failed else _FOLDED_OK)
        if entry.diff:
            flags |= _DIFF
        row = Row(
            turn_id(session.id, seq), KIND_NUMBER[Kind.CALL], flags, 0, file,
            entry.record, entry.part, entry.at, None, entry.call, clean(entry.tool, 80),
            entry.exit_code, preview=preview(entry.text),
        )  # fmt: skip
        self._store.add(row)
        return row

    def _tokens(self, row: Row, entry: Entry) -> None:
        """Rows of one message repeat its tokens while they grow: the largest counts."""
        if entry.tokens is not None and entry.kind in (Kind.ANSWER, Kind.NOTICE):
            row.tokens_in = max(row.tokens_in, entry.tokens.input)
            row.tokens_out = max(row.tokens_out, entry.tokens.output)
            row.tokens_cached = max(row.tokens_cached, entry.tokens.cached)


def failed_result(entry: Entry) -> bool:
    """Whether a result says that its call failed."""
    return entry.is_error or entry.exit_code not in (None, 0)


def command_key(tool: str | None, text: str) -> int:
    """A number by which calls of the same command are found: tool and text, spaces aside."""
    words = f"{tool or ''}\0{_SPACE.sub(' ', text[:4096]).strip()}"
    digest = hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def failure_preview(command: str, output: str) -> str:
    """The command and the line of its output that says what went wrong."""
    said = preview(error_line(redacted_head(output, _ERROR_WINDOW)))
    if not said:
        return command
    return f"{command[:_COMMAND_SHOWN]} → {said}"[:PREVIEW]


def error_line(output: str) -> str:
    """The first line of `output` that is not just an exit code; the first line if there is no other."""
    first = ""
    for found in _FIRST_LINE.finditer(output):
        line = found.group()
        first = first or line
        if not line.lower().startswith(("exit code", "error: exit code", "<")):
            return line
    return first


def _joined(before: str, more: str) -> str:
    """Two previews of one answer. A host that streams repeats the beginning: shown once."""
    if more.startswith(before):
        return more
    return f"{before} {more}"[:PREVIEW] if more else before


def _keep(known: dict[str, int], key: str, seq: int, limit: int) -> None:
    known.pop(key, None)
    known[key] = seq
    if len(known) > limit:
        del known[next(iter(known))]
