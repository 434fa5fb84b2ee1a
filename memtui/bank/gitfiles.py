"""What git's own files say: the shared folder, the branch, the remote. No process is started."""

from __future__ import annotations

from pathlib import Path

MAX_READ = 64 * 1024
"""Bytes of one of git's files that are read: whoever may write them may also make them huge."""


def common_dir(folder: Path) -> Path | None:
    """The git folder shared by all work trees of the one at `folder`; None when there is none to read."""
    git = folder / ".git"
    try:
        if git.is_dir():
            return git
        own = _gitdir(git)
        if own is None:
            return None
        common = read_start(own / "commondir").strip()
        found = (own / common).resolve() if common else own
        return found if found.is_dir() else None
    except (OSError, ValueError):  # ValueError: a NUL in a path
        return None


def current_branch(root: Path) -> str:
    """The branch checked out at `root`, "" when detached or no repository."""
    git = root / ".git"
    try:
        folder = git if git.is_dir() else _gitdir(git)
    except (OSError, ValueError):
        return ""
    head = read_start(folder / "HEAD") if folder is not None else ""
    prefix = "ref: refs/heads/"
    return head[len(prefix) :].strip() if head.startswith(prefix) else ""


def remote_of(common: Path) -> str:
    """The normalized URL of `origin`, else of the first remote; "" where there is none."""
    urls = _configured(common / "config")
    for old in ("remotes", "branches"):
        legacy = _legacy(common / old / "origin")
        if legacy:
            urls.setdefault("origin", legacy)
    if not urls:
        return ""
    return normal_remote(urls.get("origin") or next(iter(urls.values())))


def normal_remote(url: str) -> str:
    """`host/path` of a remote URL, whatever its protocol: no user, password, port or `.git`.

    A path on this machine stays a path.
    """
    text = url.strip().rstrip("/")
    scheme, separator, rest = text.partition("://")
    if separator:
        if scheme.lower() == "file":
            return rest.removesuffix(".git")
        host, _, path = rest.rpartition("@")[2].partition("/")
        host = host.partition(":")[0]
    else:
        host, colon, path = text.rpartition("@")[2].partition(":")
        drive = len(host) == 1 and path[:1] in ("/", "\\")
        if not colon or "/" in host or drive:
            return text.removesuffix(".git")
    return f"{host.lower()}/{path.strip('/').removesuffix('.git')}"


def _gitdir(file: Path) -> Path | None:
    """The folder that a `.git` file names. Raises OSError, ValueError for a path that cannot be one."""
    text = read_start(file)
    named = text.removeprefix("gitdir:").strip()
    if not text.startswith("gitdir:") or not named:
        return None
    return (file.parent / named).resolve()


def _configured(config: Path) -> dict[str, str]:
    """Remote name -> URL of a git config file, in its order."""
    urls: dict[str, str] = {}
    section = ""
    for raw in read_start(config).split("\n"):
        line = raw.strip()
        if line.startswith("["):
            section = line
            continue
        key, equals, value = line.partition("=")
        if equals and key.strip().lower() == "url" and section.lower().startswith("[remote "):
            name = section.partition('"')[2].rpartition('"')[0]
            urls.setdefault(name, value.strip().strip('"'))
    return urls


def _legacy(file: Path) -> str:
    """The URL in an old `remotes/<name>` or `branches/<name>` file."""
    for line in read_start(file).split("\n"):
        if line.startswith("URL:"):
            return line[4:].strip()
    return read_start(file).strip().partition("#")[0] if file.parent.name == "branches" else ""


def read_start(file: Path) -> str:
    """The beginning of a regular file; "" for anything else, such as a pipe that would never end."""
    try:
        if not file.is_file():
            return ""
        with file.open("rb") as stream:
            return stream.read(MAX_READ).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
