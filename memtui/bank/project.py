"""The project of a folder, read from git's own files: no process is started.

A project is its git common directory and remote; all work trees of a repository are one project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.bank.find import project_root
from memtui.bank.gitfiles import common_dir, current_branch, remote_of

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
