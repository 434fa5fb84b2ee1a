"""Which project a working folder belongs to, by reading `.git` without running git."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from memtui.bank.gitfiles import common_dir, read_start

_REMOTE = re.compile(r'^\s*\[remote "(?P<name>[^"]+)"\]\s*$')
_SECTION = re.compile(r"^\s*\[")
_URL = re.compile(r"^\s*url\s*=\s*(?P<url>\S.*?)\s*$")
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True, slots=True)
class Project:
    """`key` is the root of the main work tree, or the folder itself where there is no git."""

    key: str
    remote: str | None = None


class Projects:
    """Looks projects up by working folder and remembers them. `home` itself is no project's root."""

    def __init__(self, home: Path) -> None:
        self._refused = {home, Path(home.anchor or "/")}
        self._known: dict[str, Project] = {}

    def of(self, cwd: str) -> Project:
        """The project of `cwd`. A folder that is gone counts to the nearest one above that has git."""
        found = self._known.get(cwd)
        if found is None:
            found = self._known[cwd] = self._find(cwd)
        return found

    def _find(self, cwd: str) -> Project:
        folder = Path(cwd)
        if not cwd or "\0" in cwd or not folder.is_absolute():
            return Project(cwd)
        for place in (folder, *folder.parents):
            if place in self._refused:
                break
            common = common_dir(place)
            if common is not None:
                root = common.parent if common.name == ".git" else place
                return Project(str(root), _remote(common))
        return Project(cwd.rstrip("/") or "/")


def _remote(common: Path) -> str | None:
    """The URL of `origin`, else of the first remote, without user and password."""
    text = read_start(common / "config")
    urls: dict[str, str] = {}
    name: str | None = None
    for line in text.splitlines():
        if section := _REMOTE.match(line):
            name = section["name"]
        elif _SECTION.match(line):
            name = None
        elif name is not None and (url := _URL.match(line)):
            urls.setdefault(name, url["url"])
    found = urls.get("origin") or next(iter(urls.values()), None)
    return bare_remote(found) if found else None


def bare_remote(url: str) -> str:
    """`url` without user name and password."""
    return _CREDENTIALS.sub("", url)
