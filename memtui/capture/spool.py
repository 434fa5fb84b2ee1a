"""The spool: one small file per hook event, written by hooks and drained by the app.

Written with the standard library only (a hook pays for every import). A record is validated against
`schema/spool.schema.json` when it is read; the writer keeps to the schema by construction. Names sort by
time: `<nanoseconds>-<process>.<bank>.<session>.<event>.json`, bank and session as 8 hex digits.
"""

# A hook has no time for pathlib.
# ruff: noqa: PTH103, PTH105, PTH108, PTH118, PTH120, PTH123, PTH208
from __future__ import annotations

import json
import os
import time

from memtui.safety.digest import sha256

FORMAT = 1
MAX_BYTES = 256 * 1024
"""A larger file is no record of ours."""
MAX_FILES = 4000
"""More are not kept: the oldest prompts and tool events go first."""
START = "session-start"
PROMPT = "prompt"
EVENTS = (START, PROMPT, "pre-tool", "post-tool", "session-end")
INJECTING = (START, PROMPT)
REJECTED = "rejected"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Record = dict[str, Any]


class Drained:
    """What one drain did: how many records it handled, and (file name, why) of what it put aside."""

    __slots__ = ("handled", "rejected")

    def __init__(self) -> None:
        self.handled = 0
        self.rejected: list[tuple[str, str]] = []


def new_id() -> str:
    """An id that sorts by time: nanoseconds since the epoch and the process."""
    return f"{time.time_ns():019d}-{os.getpid()}"


def write(folder: str, record: Mapping[str, Any]) -> str:
    """Leave `record` in the spool, whole or not at all. Returns the file's path. Raises OSError."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    name = _name(record)
    path, temporary = os.path.join(folder, name), os.path.join(folder, f".{name}")
    data = json.dumps(record, separators=(",", ":")).encode()
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            _write_all(handle, data)
        finally:
            os.close(handle)
        os.replace(temporary, path)
    except OSError:
        _remove(temporary)
        raise
    return path


def discard(path: str) -> None:
    """Take back a record that turned out not to be true. Raises OSError unless it is gone already."""
    _remove(path)


def injections(folder: str, bank: str, host: str, session: str) -> list[Record]:
    """What was injected into one session of a host and is not drained yet, oldest first.

    `bank` is the bank's name in the state folder. Unreadable and foreign files are left out.
    """
    wanted = (short(bank), short(f"{host}:{session}"))
    found = []
    for name in _names(folder):
        parts = name.split(".")
        if tuple(parts[1:3]) != wanted or parts[3] not in INJECTING:
            continue
        record = _own(os.path.join(folder, name))
        if record.get("host") == host and record.get("session") == session:
            found.append(record)
    return [record for record in found if "injection" in record]


def source_of(record: Mapping[str, Any]) -> str:
    """How the context of an injection began; `PROMPT` where a prompt hit lines of a context that goes on."""
    source = str(record.get("source", ""))
    return PROMPT if record["event"] == PROMPT and source == "resume" else source


def newest_session(folder: str, bank: str, host: str) -> str:
    """The session of a host that began last in one bank, of what is not drained yet; "" for none."""
    for name in reversed(_names(folder)):
        parts = name.split(".")
        if parts[1] == short(bank) and parts[3] == START:
            record = _own(os.path.join(folder, name))
            if record.get("host") == host and record.get("bank") == bank:
                return str(record.get("session", ""))
    return ""


def _own(path: str) -> Record:
    """A record that this program wrote, read without the schema, for which a hook has no time.

    Empty when it is none.
    """
    try:
        with open(path, "rb") as stream:
            record = json.loads(stream.read(MAX_BYTES))
    except (OSError, ValueError):
        return {}
    whole = isinstance(record, dict) and record.get("format") == FORMAT
    return record if whole else {}


def drain(folder: str, handle: Callable[[Record], bool], bank: str | None = None) -> Drained:
    """Hand every record to `handle`, oldest first, and delete those for which it returns true.

    `bank` limits this to one bank's records. What is not valid is moved to the folder `rejected`; what
    `handle` raises ends the drain with that record still in the spool, so `handle` must be idempotent
    by the record's id.
    """
    done = Drained()
    for name in _names(folder):
        if bank is not None and name.split(".")[1] != short(bank):
            continue
        path = os.path.join(folder, name)
        record, why = _load(path)
        if record is None:
            if why:
                _put_aside(folder, name)
                done.rejected.append((name, why))
            continue
        if bank is not None and record["bank"] != bank:
            continue
        if handle(record):
            _remove(path)
            done.handled += 1
    return done


def prune(folder: str, keep: int = MAX_FILES) -> int:
    """Delete the oldest records beyond `keep`, starts of sessions last. Returns how many went."""
    names = _names(folder)
    surplus = len(names) - keep
    if surplus <= 0:
        return 0
    names.sort(key=lambda name: (name.split(".")[3] == START, name))
    for name in names[:surplus]:
        _remove(os.path.join(folder, name))
    return surplus


def holding(folder: str, matches: Callable[[str], bool]) -> list[str]:
    """The files of records, also of rejected ones, of which any text matches: what a purge must delete.

    A file that is no JSON is matched as it is.
    """
    found = []
    for place in (folder, os.path.join(folder, REJECTED)):
        for name in _names(place):
            path = os.path.join(place, name)
            try:
                with open(path, "rb") as stream:
                    data = stream.read()
            except OSError:
                continue
            if any(map(matches, _all_texts(data))):
                found.append(path)
    return found


def _all_texts(data: bytes) -> Iterator[str]:
    try:
        waiting = [json.loads(data)]
    except (ValueError, RecursionError):
        waiting = [data.decode("utf-8", "replace")]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def short(text: str) -> str:
    """The first 8 hex digits of a text's SHA-256: how file names carry bank and session."""
    digest: str = sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    return digest


def _name(record: Mapping[str, Any]) -> str:
    session = f"{record['host']}:{record['session']}"
    place = f"{short(record['bank'])}.{short(session)}"
    return f"{record['id']}.{place}.{record['event']}.json"


def _names(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name for name in names if name[0] != "." and name.count(".") == 4)


def _load(path: str) -> tuple[Record | None, str]:
    """The record, or why it is none; neither for a file that is gone (someone else drained it)."""
    try:
        with open(path, "rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        return None, str(error)
    if len(data) > MAX_BYTES:
        return None, f"larger than {MAX_BYTES} bytes"
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        return None, f"not JSON: {error}"
    from memtui.capture.shape import faults_of

    wrong = faults_of(record, _schema())
    return (None, wrong[0]) if wrong else (record, "")


def _schema() -> dict[str, Any]:
    global _known_schema
    if not _known_schema:
        place = os.path.join(os.path.dirname(__file__), "schema", "spool.schema.json")
        with open(place, "rb") as stream:
            _known_schema = json.load(stream)
    return _known_schema


_known_schema: dict[str, Any] = {}


def _put_aside(folder: str, name: str) -> None:
    target = os.path.join(folder, REJECTED)
    try:
        os.makedirs(target, mode=0o700, exist_ok=True)
        os.replace(os.path.join(folder, name), os.path.join(target, name))
    except FileNotFoundError:
        return


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
