"""Where a project without a bank can begin one, and beginning it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memtui.bank.create import create_bank
from memtui.bank.find import SHARED, data_bank
from memtui.bank.layout import detect_layout
from memtui.bank.load import BankError
from memtui.bank.project import claude_memory, project_of
from memtui.curate.act import CurateError

if TYPE_CHECKING:
    from memtui.workspace.setting import Setting

Kind = Literal["own", "shared", "named", "host"]


@dataclass(frozen=True, slots=True)
class Beginning:
    """One place for a bank. `exists` tells a host's memory folder, which is opened as it stands."""

    kind: Kind
    path: Path
    what: str
    exists: bool = False


def beginnings(setting: Setting) -> tuple[Beginning, ...]:
    """The places for a bank of this project, the usual one first; none outside a project."""
    project = setting.project_root
    if project is None:
        return ()
    own = data_bank(setting.places.data, project)
    found = [
        Beginning("own", own, "your own"),
        Beginning("shared", project / SHARED, "shared through git"),
    ]
    memory = claude_memory(project, setting.home.home, setting.home.environ)
    if memory is not None and detect_layout(memory) is not None:
        found.append(Beginning("host", memory, "Claude Code's own memory", exists=True))
    return tuple(found)


def begin(setting: Setting, at: Beginning) -> Path:
    """Make the bank, or take the folder that is there. Blocks. Raises CurateError, OSError."""
    if at.exists:
        return at.path
    project = project_of(setting.cwd, Path.home())
    if project is None:
        raise CurateError(
            f"{setting.cwd} is no project", "begin the bank in the folder where your agent works"
        )
    try:
        create_bank(at.path, project)
    except BankError as error:
        raise CurateError(str(error), "name another folder with --bank") from error
    return at.path
