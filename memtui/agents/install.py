"""Puts memtui's hooks into a host's settings and takes them out, leaving every other byte alone.

A plan only reads; `apply` writes it, if the file still is what the plan was made from. What was put in
is noted in the state folder (only our own text, never the settings), so that uninstalling gives back the
very bytes of before.
"""

from __future__ import annotations

import difflib
import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from memtui.agents.host_settings import DEFAULT_EVENTS, HOST_SETTINGS, PROJECT, USER, HostSettings
from memtui.agents.settings_edit.hooks import (
    PROGRAM,
    ShapeError,
    Span,
    add,
    empty_places,
    own_entries,
    remove,
    take_back,
)
from memtui.agents.settings_edit.jsonc import BrokenError, parse
from memtui.safety.private import private_file, private_folder

RECORDS = "installs"
LIMIT = 4 * 1024 * 1024


class InstallError(Exception):
    """Nothing was changed: `what` is the matter, and what to `do`."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__(what)
        self.what = what
        self.do = do


@dataclass(frozen=True, slots=True)
class Target:
    """What to install into. `project` is needed at the project level only."""

    host: str
    home: Path
    state: Path
    level: str = USER
    project: Path | None = None
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def settings(self) -> HostSettings:
        """The host's table. Raises InstallError for a host that is not known."""
        found = HOST_SETTINGS.get(self.host)
        if found is None:
            raise InstallError(
                f"no hooks are known for {self.host}", f"known: {', '.join(HOST_SETTINGS)}"
            )
        return found

    @property
    def path(self) -> Path:
        """The settings file. Raises InstallError."""
        try:
            return self.settings.path(self.level, self.home, self.project, self.environ)
        except ValueError as error:
            raise InstallError(str(error), "give --user, or start inside a project") from error

    @property
    def record(self) -> Path:
        """Where the state folder notes what was put into that file."""
        digest = sha256(os.fsencode(self.path.absolute())).hexdigest()[:16]
        return self.state / RECORDS / f"{digest}.json"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one file: None for the bytes of a file that is not there. `diff` is unified.

    `spans` are what an installation puts in; None for an uninstallation.
    """

    target: Target
    path: Path
    before: bytes | None
    after: bytes | None
    diff: str
    notes: tuple[str, ...]
    spans: tuple[Span, ...] | None
    kept: tuple[str, ...] = ()
    fresh: bool = False

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        return self.before == self.after


def plan_install(
    target: Target,
    program: Path | None = None,
    events: Sequence[str] = DEFAULT_EVENTS,
    hits: bool = False,
) -> Change:
    """What installing would change. Raises InstallError.

    `program` is the hook program (this environment's own by default); `hits` lets prompts receive up to
    two lines. An older entry of ours is replaced; an equal one is left as it is.
    """
    settings = target.settings
    command = str(program or find_program())
    groups = {
        settings.wirings[event].event: settings.group(
            event, _command(command, event, target.host, hits)
        )
        for event in events
        if event in settings.wirings
    }
    before = _read(target.path)
    text = _text(before, target)
    base, kept = _taken_out(text, target)
    if _installed(text, groups, settings.comments):
        return Change(target, target.path, before, before, "", _notes(target, text), ())
    after, spans = _edited(base, groups, target)
    if take_back(after, spans) != base:
        raise InstallError(
            f"{target.path}: the edit cannot be taken back exactly", "please report this"
        )
    data = after.encode()
    fresh = before is None or (_noted(target).get("fresh") is True and not base)
    notes = _notes(target, after)
    diff = _diff(target.path, text, after)
    return Change(target, target.path, before, data, diff, notes, tuple(spans), tuple(kept), fresh)


def plan_uninstall(target: Target) -> Change:
    """What uninstalling would change: our entries go, all else stays. Raises InstallError."""
    before = _read(target.path)
    text = _text(before, target)
    after, _ = _taken_out(text, target)
    data: bytes | None = after.encode()
    if before is None or (not after and _noted(target).get("fresh") is True):
        data = None
    return Change(target, target.path, before, data, _diff(target.path, text, after), (), None)


def apply(change: Change) -> None:
    """Write a planned change, whole or not at all. Raises InstallError when the file has changed since."""
    path = _real(change.path)
    if _read(path) != change.before:
        raise InstallError(
            f"{change.path} has changed meanwhile", "look at the new change and try again"
        )
    if change.empty:
        return
    try:
        made = _write(path, change.after)
        _note(change, made)
    except OSError as error:
        raise InstallError(f"{change.path}: {error}", "check the folder's permissions") from error


def find_program() -> Path:
    """The hook program of this environment. Raises InstallError when there is none."""
    beside = Path(sys.executable).parent / PROGRAM
    if beside.is_file():
        return beside
    found = shutil.which(PROGRAM)
    if found is None:
        raise InstallError(
            f"{PROGRAM} is not installed beside {sys.executable}", "install memtui again"
        )
    return Path(found).absolute()


def _command(program: str, event: str, host: str, hits: bool) -> str:
    more = ["--hits"] if hits and event == "prompt" else []
    return shlex.join([program, event, "--host", host, *more])


def _installed(text: str, groups: Mapping[str, Any], comments: bool) -> bool:
    """Whether exactly these groups of ours are there already."""
    own = own_entries(text, comments)
    if sorted(entry.event for entry in own) != sorted(groups):
        return False
    root = parse(text.removeprefix("\ufeff"), comments)
    hooks = root.plain()["hooks"] if root else {}
    return all(hooks[entry.event][entry.group] == groups[entry.event] for entry in own)


def _taken_out(text: str, target: Target) -> tuple[str, list[str]]:
    """The text without our entries, and the paths of empty places that were there before us."""
    settings, noted = target.settings, _noted(target)
    spans = [Span(at, part) for at, part in noted.get("spans", ())]
    kept = noted.get("kept", ())
    try:
        if not own_entries(text, settings.comments):
            return text, empty_places(text, settings.comments)
        exact = take_back(text, spans) if spans else None
        if exact is None or _has_ours(exact, settings.comments):
            exact = remove(text, settings.comments, kept)
        return exact, empty_places(exact, settings.comments)
    except (BrokenError, ShapeError) as error:
        raise _refused(target, error) from error


def _has_ours(text: str, comments: bool) -> bool:
    """Whether taking back by text failed: broken now, or an entry of ours is still there."""
    try:
        return bool(own_entries(text, comments))
    except BrokenError:
        return True


def _edited(base: str, groups: Mapping[str, Any], target: Target) -> tuple[str, list[Span]]:
    try:
        return add(base, groups, target.settings.comments)
    except (BrokenError, ShapeError) as error:
        raise _refused(target, error) from error


def _refused(target: Target, error: ValueError) -> InstallError:
    return InstallError(
        f"{target.path}: {error}", "correct the file, then try again; it was not changed"
    )


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as stream:
            data = stream.read(LIMIT + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InstallError(f"{path}: {error.strerror}", "check the file's permissions") from error
    if len(data) > LIMIT:
        raise InstallError(f"{path} is larger than {LIMIT} bytes", "is this the settings file?")
    return data


def _text(data: bytes | None, target: Target) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        line = (data or b"").count(b"\n", 0, error.start) + 1
        what = f"{target.path}: line {line}: not UTF-8"
        raise InstallError(what, "correct the file, then try again; it was not changed") from error


def _diff(path: Path, before: str, after: str) -> str:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, str(path), str(path))
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _notes(target: Target, text: str) -> tuple[str, ...]:
    from memtui.agents.install_check import hindrances

    notes = list(target.settings.notes)
    if target.level == PROJECT and target.settings.project_file == target.settings.user_file:
        notes.append(
            "This file may be shared through git, but the command is a path of this machine."
        )
    return (*notes, *hindrances(target, text))


def _real(path: Path) -> Path:
    """The file behind links: a linked settings file stays a link."""
    return Path(os.path.realpath(path))


def _write(path: Path, data: bytes | None) -> list[str]:
    """Replace or delete a file. Returns the folders that were made for it, outermost first."""
    if data is None:
        path.unlink()
        return []
    made = [
        folder for folder in reversed((path.parent, *path.parent.parents)) if not folder.exists()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o600
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as stream:
        temporary = Path(stream.name)
        try:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            temporary.chmod(mode)
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    return [str(folder) for folder in made]


def _noted(target: Target) -> dict[str, Any]:
    try:
        value = json.loads(target.record.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _note(change: Change, made: list[str]) -> None:
    """Keep what was put in, or forget it with the folders that were made for it."""
    record = change.target.record
    if change.spans is None:
        for folder in reversed(_noted(change.target).get("made", ())):
            _remove_empty(Path(folder))
        record.unlink(missing_ok=True)
        return
    private_folder(record.parent)
    private_file(record)
    value = {
        "path": str(change.path),
        "spans": [[span.at, span.text] for span in change.spans],
        "kept": list(change.kept),
        "fresh": change.fresh,
        "made": made or _noted(change.target).get("made", []),
    }
    record.write_text(json.dumps(value), encoding="utf-8")


def _remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return
