"""The project of a folder, read from git's own files: no process is started.

A project is its git common directory and remote; all work trees of a repository are one project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.bank.find import common_dir, current_branch, project_root

SLUG_LIMIT = 200
"""Characters of a Claude Code project slug before it is cut and a hash is added."""


@dataclass(frozen=True, slots=True)
class ProjectIdentity:
    """Who a project is. `remote` is `host/path`, "" without one; `branch` is "" when detached.

    `root` is the main work tree, or the folder itself outside git. `aliases` are other names under which
    memory of it may have been written: the folder's name, the remote's last part, the remote.
    """

    name: str
    root: Path
    common_dir: Path | None
    remote: str
    branch: str
    aliases: tuple[str, ...]


def project_of(cwd: Path, home: Path) -> ProjectIdentity | None:
    """The project that `cwd` is in; None for the home folder and `/`, which are no projects."""
    root = project_root(cwd, home)
    if root is None:
        return None
    tree = next((f for f in (cwd, *cwd.parents) if common_dir(f) is not None), root)
    common = common_dir(tree)
    remote = remote_of(common) if common is not None else ""
    repository = remote.rpartition("/")[2]
    name = repository or root.name
    aliases = dict.fromkeys(word for word in (root.name, repository, remote) if word != name)
    aliases.pop("", None)
    return ProjectIdentity(name, root, common, remote, current_branch(tree), tuple(aliases))


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
        if not colon or "/" in host or len(host) == 1:  # a path, or a drive letter
            return text.removesuffix(".git")
    return f"{host.lower()}/{path.strip('/').removesuffix('.git')}"


def claude_memory(root: Path, home: Path, environ: Mapping[str, str]) -> Path | None:
    """Claude Code's auto memory of the project at `root`; None where there is none.

    The slug cannot be read backwards, so that it is made from the path. One over 200 characters ends in
    a hash of the host's own: the folder is then taken when only one begins alike.
    """
    base = Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"
    slug = claude_slug(root)
    if len(slug) <= SLUG_LIMIT:
        found = base / slug / "memory"
        return found if found.is_dir() else None
    alike = [path for path in base.glob(f"{slug[:SLUG_LIMIT]}*/memory") if path.is_dir()]
    return alike[0] if len(alike) == 1 else None


def claude_slug(root: Path) -> str:
    """How Claude Code names a project's folder: every character but ASCII letters, digits and `-` is `-`."""
    return "".join(c if (c.isascii() and c.isalnum()) or c == "-" else "-" for c in str(root))


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
