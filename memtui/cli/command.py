"""What every command twin shares: its place in the parser, its context, and how it answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

OK = 0
NOT_FOUND = 1
ERROR = 2
CONFLICT = 3


class CommandError(Exception):
    """Something the user can act on: what happened, to what, and what to do.

    `more` is added to the JSON form, `lines` to the plain one.
    """

    def __init__(
        self,
        what: str,
        do: str = "",
        code: int = ERROR,
        more: Mapping[str, Any] | None = None,
        lines: Sequence[str] = (),
    ) -> None:
        super().__init__(what)
        self.what = what
        self.do = do
        self.code = code
        self.more = dict(more or {})
        self.lines = tuple(lines)


@dataclass(frozen=True, slots=True)
class Context:
    """What the options before the command said. `json` asks for machine-readable answers."""

    bank: Path | None
    json: bool
    environ: Mapping[str, str]
    cwd: Path

    def open(self, path: Path | None = None) -> Workspace:
        """The workspace of this folder. Raises CommandError when the bank asked for cannot be opened."""
        from memtui.workspace.open import OpenError, open_workspace

        try:
            return open_workspace(bank=path or self.bank, cwd=self.cwd, environ=self.environ)
        except OpenError as error:
            raise CommandError(error.what, error.do) from error


def no_bank() -> CommandError:
    """What a command says that needs a bank where there is none."""
    from memtui.curate.act import NoBankError

    error = NoBankError()
    return CommandError(error.what, error.do)


def answer(context: Context, data: Any, lines: Iterable[str]) -> None:
    """Print `data` as JSON where asked for, else `lines` made safe for a terminal."""
    from memtui.safety.sanitize import sanitize

    out = sys.stdout
    if context.json:
        json.dump(data, out, indent=2, ensure_ascii=True, default=str)
        out.write("\n")
        return
    for line in lines:
        out.write(sanitize(line) + "\n")


def remark(context: Context, line: str) -> None:
    """Say on standard error why an answer is empty; JSON says it by itself."""
    from memtui.safety.sanitize import sanitize

    if not context.json:
        sys.stderr.write(f"memtui: {sanitize(line)}\n")


def complain(error: CommandError, as_json: bool) -> None:
    """Say an error on standard error: what happened, what to do, and what belongs to it."""
    from memtui.safety.sanitize import sanitize

    if as_json:
        json.dump({"error": error.what, "do": error.do, **error.more}, sys.stderr, default=str)
        sys.stderr.write("\n")
        return
    lines = [f"memtui: {error.what}", *([f"        {error.do}"] if error.do else []), *error.lines]
    for line in lines:
        sys.stderr.write(sanitize(line) + "\n")
