"""Finding the bank of a working folder, and the project that it is part of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from memtui.bank.config import ConfigError, read_config
from memtui.bank.gitfiles import common_dir, current_branch, normal_remote, remote_of
from memtui.bank.layout import CONFIG, detect_layout

__all__ = (
    "Found", "Place", "common_dir", "current_branch", "data_bank", "find_bank", "project_root",
)  # fmt: skip

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

    In the data folder the project's own bank comes first, then one of the same remote.

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
        moved = _by_remote(data, project)
        if moved is not None:
            looked.append(Place("your own bank of this remote", moved, True))
            return Found(moved, tuple(looked))
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


def _upward(cwd: Path, project: Path | None) -> list[Path]:
    """The folders to look for a shared bank in: from `cwd` up to its work tree, then the project's root."""
    if project is None:
        return []
    tree = next((f for f in (cwd, *cwd.parents) if common_dir(f) is not None), project)
    folders = [folder for folder in (cwd, *cwd.parents) if folder.is_relative_to(tree)]
    return [*folders, *([] if project in folders else [project])]


def _by_remote(data: Path, project: Path) -> Path | None:
    """The bank of another clone of this project: `scope.remote` or an alias names the same remote."""
    common = common_dir(project)
    remote = remote_of(common) if common is not None else ""
    if not remote:
        return None
    for config in sorted((data / BANKS).glob(f"*/{CONFIG}")):
        try:
            known = read_config(config, config.parent.name)
        except ConfigError:
            continue  # opening that bank by name says what is wrong with it
        names = (known.remote, *known.aliases)
        if remote in {normal_remote(name) for name in names if name}:
            return config.parent
    return None
