"""What git's own files say: the shared folder, the branch, the remote. No process is started."""

from __future__ import annotations

from pathlib import Path


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
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return None
    if not text.startswith("gitdir:"):
        return None
    return (file.parent / text.removeprefix("gitdir:").strip()).resolve()


def _configured(config: Path) -> dict[str, str]:
    """Remote name -> URL of a git config file, in its order."""
    urls: dict[str, str] = {}
    section = ""
    for raw in _text(config).split("\n"):
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
    for line in _text(file).split("\n"):
        if line.startswith("URL:"):
            return line[4:].strip()
    return _text(file).strip().partition("#")[0] if file.parent.name == "branches" else ""


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
