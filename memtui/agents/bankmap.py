"""Which bank belongs to a project, as one small file each, so that a hook finds it in one read.

The app and the commands call `remember` when they open or refresh a bank. A hook only ever reads banks
found here: one that no person has opened with memtui (a bank that came with a cloned repository) says
nothing to an agent. Derived: in the cache folder, and made anew at the next opening.
"""

# A hook has no time for pathlib.
# ruff: noqa: PTH103, PTH105, PTH108, PTH111, PTH112, PTH116, PTH118, PTH123
from __future__ import annotations

import json
import os
from _thread import get_ident

from memtui.agents.whereabouts import ancestors, checkout
from memtui.safety.digest import sha256

FOLDER = "known"
FORMAT = 1
SHARED = ".memtui-bank"
LIMIT = 16 * 1024

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Known:
    """Where the parts of one bank lie. `key` is its `<id>-<digest>` in state and cache."""

    __slots__ = ("bank", "index", "key", "state")

    def __init__(self, bank: str, key: str, index: str, state: str) -> None:
        self.bank = bank
        self.key = key
        self.index = index
        self.state = state


class Search:
    """The outcome of looking for a bank: the bank, or a bank that was asked for and is not known.

    Both empty means that this project has no bank: nothing to say and nothing wrong.
    """

    __slots__ = ("known", "unknown")

    def __init__(self, known: Known | None, unknown: str = "") -> None:
        self.known = known
        self.unknown = unknown


def remember(cache: str, known: Known, project: str = "") -> None:
    """Note a bank under its own folder and, when given, under the root of its project.

    Raises OSError. Safe beside other processes: each note is one file, replaced whole. A note that says
    the same stays, so that its time tells since when hooks know the bank.
    """
    folder = os.path.join(cache, FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for place in filter(None, (known.bank, project)):
        record = {
            "format": FORMAT,
            "place": os.path.realpath(place),
            "bank": known.bank,
            "key": known.key,
            "index": known.index,
            "state": known.state,
        }
        path, text = _path(cache, place), json.dumps(record)
        if _same(path, text):
            continue
        temporary = f"{path}.{os.getpid()}.{get_ident()}"
        with open(
            os.open(temporary, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8"
        ) as stream:
            stream.write(text)
        os.replace(temporary, path)


def since(cache: str, place: str) -> float | None:
    """When the bank was noted under a folder, in seconds since the epoch; None when it is not."""
    try:
        return os.stat(_path(cache, place)).st_mtime
    except OSError:
        return None


def _same(path: str, text: str) -> bool:
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read(LIMIT) == text
    except (OSError, UnicodeDecodeError):
        return False


def forget(cache: str, place: str) -> None:
    """Drop the note of a bank folder or project root; none is fine. Raises OSError."""
    try:
        os.unlink(_path(cache, place))
    except FileNotFoundError:
        return


def find(cache: str, cwd: str, environ: Mapping[str, str]) -> Search:
    """The bank for a session in `cwd`: `MEMTUI_BANK`, `.memtui-bank/` up the tree, then the project."""
    asked = environ.get("MEMTUI_BANK", "")
    if asked:
        place = os.path.join(cwd, os.path.expanduser(asked))
        found = look_up(cache, place)
        return Search(found, "" if found else place)
    project = checkout(cwd, environ).root
    if not project:
        return Search(None)
    shared = _shared_bank(cwd, project)
    if shared:
        found = look_up(cache, shared)
        return Search(found, "" if found else shared)
    return Search(look_up(cache, project))


def look_up(cache: str, place: str) -> Known | None:
    """The bank noted for a bank folder or project root; None when there is none or it is not readable."""
    try:
        with open(_path(cache, place), "rb") as stream:
            record = json.loads(stream.read(LIMIT))
        if record["format"] != FORMAT or record["place"] != os.path.realpath(place):
            return None
        return Known(record["bank"], record["key"], record["index"], record["state"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _shared_bank(cwd: str, project: str) -> str:
    """The folder `.memtui-bank` from `cwd` up to the project's root; the root's own in a work tree."""
    inside = project.rstrip("/") + "/"
    places = [
        place for place in ancestors(os.path.normpath(cwd)) if (place + "/").startswith(inside)
    ]
    for place in places or [project]:
        found = os.path.join(place, SHARED)
        if os.path.isdir(found):
            return found
    return ""


def _path(cache: str, place: str) -> str:
    digest: str = sha256(os.fsencode(os.path.realpath(place))).hexdigest()[:24]
    return os.path.join(cache, FOLDER, digest + ".json")
