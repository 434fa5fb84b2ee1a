"""A new bank: a folder with `bank.toml` and room for cards and pages."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

from memtui.bank.config import FORMAT
from memtui.bank.layout import CONFIG, detect_layout
from memtui.bank.load import BankError
from memtui.bank.project import ProjectIdentity
from memtui.bank.write import atomic_write

_HEAD = "# A bank of memtui: what is remembered of one project, as text.\n"


def create_bank(root: Path, project: ProjectIdentity) -> None:
    """Begin an empty bank of `project` at `root`. Raises BankError where something is in the way, OSError."""
    if detect_layout(root) is not None:
        raise BankError(f"{root}: a bank is there already")
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise BankError(f"{root}: something else is there already")
    scope: dict[str, str | list[str]] = {
        "project": project.name,
        "aliases": list(project.aliases),
        "remote": project.remote,
    }
    lines = [f"format = {FORMAT}", f"id = {_toml(_identity(project.name))}", "", "[scope]"]
    lines += [f"{key} = {_toml(value)}" for key, value in scope.items() if value]
    for name in ("cards", "pages"):
        (root / name).mkdir(parents=True, exist_ok=True)
    # The config comes last: with it the folder is a bank.
    atomic_write(root / CONFIG, f"{_HEAD}{chr(10).join(lines)}\n".encode())


def _identity(project: str) -> str:
    """A new id: the banks of two clones stay two."""
    stem = "".join(c if c.isascii() and c.isalnum() else "-" for c in project).strip("-")
    return f"{stem[:40] or 'bank'}-{secrets.token_hex(3)}"


def _toml(value: str | list[str]) -> str:
    """A text or a list of texts in TOML: as in JSON, but that it knows no lone surrogates and no raw DEL."""
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    clean = value.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(clean, ensure_ascii=False).replace("\x7f", "\\u007f")
