"""Finding the bank of a working folder, and the project that it is part of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from memtui.bank.layout import detect_layout

SHARED = ".memtui-bank"
BANKS = "banks"


@dataclass(frozen=True, slots=True)
class Place:
    """One place that was looked at: `found` tells whether a bank is there."""

    what: str
    path: Path
    found: bool


@dataclass(frozen=True, slots=True)
class Found:
    """The bank's folder, or None, and every place that was looked at, in order."""

    root: Path | None
    looked: tuple[Place, ...]


def find_bank(
    cwd: Path,
    environ: Mapping[str, str],
    data: Path,
    project: Path | None,
    asked: Path | None = None,
) -> Found:
    """The bank for `cwd`: `asked`, `MEMTUI_BANK`, `.memtui-bank/` up the tree, the data folder.

    `project` is the root of the project, None where the folder is no project (the home folder, `/`).
    A bank that was asked for by name is returned whether it is one or not: opening it says why not.
    """
    if asked is not None:
        return Found(asked, (Place("the folder asked for", asked, asked.exists()),))
    variable = environ.get("MEMTUI_BANK")
    if variable:
        path = cwd / Path(variable).expanduser()
        return Found(path, (Place("MEMTUI_BANK", path, path.exists()),))
    looked: list[Place] = []
    for folder in _upward(cwd, project):
        path = folder / SHARED
        looked.append(Place("a bank shared through git", path, detect_layout(path) is not None))
        if looked[-1].found:
            return Found(path, tuple(looked))
    if project is not None:
        path = data_bank(data, project)
        looked.append(Place("your own bank of this project", path, detect_layout(path) is not None))
        if looked[-1].found:
            return Found(path, tuple(looked))
    return Found(None, tuple(looked))


def data_bank(data: Path, project: Path) -> Path:
    """Where the user's own bank of a project lies: named after the folder, told apart by its path."""
    digest = sha256(str(project).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return data / BANKS / f"{project.name or 'root'}-{digest}"


def project_root(cwd: Path, home: Path) -> Path | None:
    """The root of the main work tree that `cwd` is in, else `cwd`; None for the home folder and `/`."""
    for folder in (cwd, *cwd.parents):
        if folder == home or folder == Path(folder.anchor):
            break
        common = common_dir(folder)
        if common is not None:
            return common.parent if common.name == ".git" else folder
    return None if cwd in (home, Path(cwd.anchor)) else cwd


def common_dir(folder: Path) -> Path | None:
    """The git folder shared by all work trees of the one at `folder`; None when there is no git."""
    git = folder / ".git"
    if git.is_dir():
        return git
    own = _gitdir(git)
    if own is None:
        return None
    try:
        common = (own / "commondir").read_text("utf-8", "replace").strip()
    except OSError:
        return own if own.is_dir() else None
    return (own / common).resolve()


def current_branch(root: Path) -> str:
    """The branch checked out at `root`, "" when detached or no repository."""
    git = root / ".git"
    folder = git if git.is_dir() else _gitdir(git)
    if folder is None:
        return ""
    try:
        head = (folder / "HEAD").read_text("utf-8", "replace")
    except OSError:
        return ""
    prefix = "ref: refs/heads/"
    return head[len(prefix) :].strip() if head.startswith(prefix) else ""


def _gitdir(file: Path) -> Path | None:
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return None
    if not text.startswith("gitdir:"):
        return None
    return (file.parent / text.removeprefix("gitdir:").strip()).resolve()


def _upward(cwd: Path, project: Path | None) -> list[Path]:
    """The folders to look for a shared bank in: from `cwd` up to the project's root."""
    if project is None:
        return []
    folders = [folder for folder in (cwd, *cwd.parents) if folder.is_relative_to(project)]
    return folders or [project]
