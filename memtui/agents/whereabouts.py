"""Where a hook finds things: memtui's folders, the project of a working folder, its branch.

Standard library only and no pathlib, because every agent start pays for this import. The folders equal
those of `memtui.paths`, the project root equals that of `memtui.sessions.project`.
"""

# A hook has no time for pathlib.
# ruff: noqa: PTH112, PTH117, PTH118, PTH119, PTH120, PTH123
from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SMALL = 64 * 1024
"""No file of git that is read here is larger, in bytes."""


def state_folder(environ: Mapping[str, str]) -> str:
    """The folder of what is durable and local. Raises RuntimeError when there is no home."""
    return _folder(environ, "STATE", ".local/state", "Library/Application Support")


def cache_folder(environ: Mapping[str, str]) -> str:
    """The folder of what is derived. Raises RuntimeError when there is no home."""
    return _folder(environ, "CACHE", ".cache", "Library/Caches")


def config_folder(environ: Mapping[str, str]) -> str:
    """The folder of the settings. Raises RuntimeError when there is no home."""
    return _folder(environ, "CONFIG", ".config", "Library/Application Support")


def _folder(environ: Mapping[str, str], name: str, linux: str, mac: str) -> str:
    own = environ.get(f"MEMTUI_{name}_HOME")
    if own:
        return os.path.normpath(own)
    if sys.platform == "win32" or hasattr(sys, "getandroidapilevel"):
        return _slow_folder(environ, name)
    xdg = environ.get(f"XDG_{name}_HOME", "")
    base = xdg if os.path.isabs(xdg) else _home(environ) + "/" + _default(linux, mac)
    return os.path.normpath(os.path.join(base, "memtui"))


def _default(linux: str, mac: str) -> str:
    return mac if sys.platform == "darwin" else linux


def _home(environ: Mapping[str, str]) -> str:
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        import pwd

        home = pwd.getpwuid(os.getuid()).pw_dir
    if not os.path.isabs(home):
        raise RuntimeError("there is no home folder: HOME is not set")
    return home.rstrip("/")


def _slow_folder(environ: Mapping[str, str], name: str) -> str:
    from memtui.paths import places

    found = places(environ)
    return str({"STATE": found.state, "CACHE": found.cache}.get(name, found.config))


class Checkout:
    """A working folder seen through git, read without running git.

    `root` is the root of the main work tree (the folder itself where there is no git), `""` for the
    home folder and `/`, which are no projects. `git` is the git folder of this very work tree.
    """

    __slots__ = ("git", "root")

    def __init__(self, root: str, git: str) -> None:
        self.root = root
        self.git = git

    @property
    def branch(self) -> str:
        """The branch checked out, "" when detached or unknown."""
        try:
            head = _read(self.git + "/HEAD") if self.git else ""
        except OSError:
            return ""
        prefix = "ref: refs/heads/"
        return head[len(prefix) :].strip() if head.startswith(prefix) else ""


def checkout(cwd: str, environ: Mapping[str, str]) -> Checkout:
    """The project of a working folder; one that no longer exists counts to the nearest git above it."""
    cwd = os.path.normpath(cwd) if cwd else ""
    refused = {"/", _quiet_home(environ)}
    if not os.path.isabs(cwd) or "\0" in cwd:
        return Checkout("", "")
    for place in ancestors(cwd):
        if place in refused:
            break
        common, own = _git_folders(place)
        if common:
            whole = os.path.basename(common) == ".git"
            return Checkout(os.path.dirname(common) if whole else place, own)
    return Checkout("" if cwd in refused else cwd, "")


def ancestors(folder: str) -> list[str]:
    """The folder and those above it, nearest first."""
    found = [folder]
    while (above := os.path.dirname(found[-1])) != found[-1]:
        found.append(above)
    return found


def _quiet_home(environ: Mapping[str, str]) -> str:
    try:
        return os.path.normpath(_home(environ))
    except (RuntimeError, KeyError, ImportError):
        return "/"


def _git_folders(place: str) -> tuple[str, str]:
    """The git folder shared by all work trees, and that of this one; both "" when there is no git."""
    git = place + "/.git"
    if os.path.isdir(git):
        return git, git
    try:
        text = _read(git)
    except OSError:
        return "", ""
    if not text.startswith("gitdir:"):
        return "", ""
    own = _resolve(place, text[len("gitdir:") :].strip())
    try:
        common = _resolve(own, _read(own + "/commondir").strip())
    except OSError:
        return (own, own) if os.path.isdir(own) else ("", "")
    return (common, own) if os.path.isdir(common) else ("", "")


def _resolve(base: str, text: str) -> str:
    return os.path.realpath(os.path.join(base, text)) if text else base


def _read(path: str) -> str:
    with open(path, "rb") as stream:
        return stream.read(SMALL).decode("utf-8", "replace")
