"""The instruction files that a host sends before anything else, in its order: sizes only.

The orders were seen on the wire: Claude Code 2.1.197, Codex CLI 0.171.0, Gemini CLI 0.61.0.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from memtui.agents.imports import imported

CLAUDE_HOPS = 4
GEMINI_HOPS = 5
CLAUDE_LIMIT = 4 * 1024 * 1024
CODEX_LIMIT = 32 * 1024
AGENTS_SINCE = (2, 1, 277)
"""The first Claude Code that reads AGENTS.md where there is no CLAUDE.md."""
READ_LIMIT = 8 * 1024 * 1024
KEPT_LIMIT = 64 * 1024
"""Bytes up to which a file's text is kept until it changes."""


@dataclass(frozen=True, slots=True)
class Where:
    """For whose session: working folder, home folder, project root, environment, the host's version."""

    cwd: Path
    home: Path
    project: Path | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    version: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of what a session starts with. `size` is the file's, `sent` what goes out, in bytes.

    `depth` is 1 and more for imports. `cut` is the character at which the text is cut, None when it is
    not; `before` and `after` are the ends of the lines around it. `note` says what a reader could not
    guess.
    """

    kind: str
    label: str
    path: Path | None
    size: int
    sent: int
    depth: int = 0
    cut: int | None = None
    note: str = ""
    before: str = ""
    after: str = ""

    @property
    def tokens(self) -> int:
        """About what it costs."""
        return -(-self.sent // 4)


INSTRUCTIONS = "instructions"
AROUND = 200
"""Characters of the lines at a cut that are kept to be shown."""


def cut_at(part: Part, text: str, cut: int) -> Part:
    """The part with the place where its text is cut, and what stands around it."""
    before = text[max(0, cut - AROUND) : cut].rpartition("\n")[2]
    after = text[cut : cut + AROUND].removeprefix("\n").partition("\n")[0]
    return replace(part, cut=cut, before=before, after=after)


def instructions(host: str, where: Where) -> tuple[Part, ...]:
    """The instruction files of a host, none for a host that is not known. Unreadable files are left out."""
    found = _CHAINS.get(host)
    return tuple(found(where)) if found else ()


def claude_code(where: Where) -> Iterator[Part]:
    """Managed, the user's, then every folder from the file system's root down to the working folder."""
    chain = _ClaudeChain(where)
    yield from chain.file(_managed() / "CLAUDE.md", "managed", external=True)
    own = claude_folder(where)
    yield from chain.file(own / "CLAUDE.md", "user", external=True)
    yield from chain.rules(own / "rules", "user rule")
    for folder in _downward(where.cwd):
        before = len(chain.done)
        yield from chain.file(folder / "CLAUDE.md", "project")
        yield from chain.file(folder / ".claude" / "CLAUDE.md", "project")
        if len(chain.done) == before:
            yield from chain.agents(folder / "AGENTS.md")
        yield from chain.rules(folder / ".claude" / "rules", "project rule")
        yield from chain.file(folder / "CLAUDE.local.md", "local")


def claude_folder(where: Where) -> Path:
    """Claude Code's own folder."""
    moved = where.environ.get("CLAUDE_CONFIG_DIR", "")
    return Path(moved) if moved else where.home / ".claude"


class _ClaudeChain:
    """Reads each file once, with its imports behind it, four hops deep."""

    def __init__(self, where: Where) -> None:
        self.where = where
        self.done: set[Path] = set()
        self.approved = _external_imports_approved(where)

    def file(
        self, path: Path, label: str, external: bool = False, depth: int = 0
    ) -> Iterator[Part]:
        """A file and what it imports. `external`: imports from outside the working folder count."""
        text = self._read(path)
        if text is None:
            return
        size = len(text.encode())
        if size > CLAUDE_LIMIT:
            yield Part(INSTRUCTIONS, label, path, size, 0, depth, note="over 4 MiB: left out")
            return
        yield Part(INSTRUCTIONS, label, path, size, size, depth)
        if depth >= CLAUDE_HOPS:
            return
        for target in imported(text, path, self.where.home):
            yield from self._imported(target, label, external, depth + 1)

    def _imported(self, target: Path, label: str, external: bool, depth: int) -> Iterator[Part]:
        inside = (
            external or self.approved or _resolved(target).is_relative_to(_resolved(self.where.cwd))
        )
        if inside:
            yield from self.file(target, label, external, depth)
        elif (text := self._read(target)) is not None:
            note = "outside the working folder: sent only once you approved it"
            yield Part(INSTRUCTIONS, label, target, len(text.encode()), 0, depth, note=note)

    def rules(self, folder: Path, label: str) -> Iterator[Part]:
        """The rules of a folder that hold for all paths: its own files first, then those below."""
        files = sorted(folder.rglob("*.md"), key=lambda path: (len(path.parts), str(path)))
        for path in files:
            text = _text(path)
            if text is not None and not _limited_to_paths(text):
                yield from self.file(path, label)

    def agents(self, path: Path) -> Iterator[Part]:
        """AGENTS.md, which newer versions read where there is no CLAUDE.md."""
        if self.where.version >= AGENTS_SINCE:
            yield from self.file(path, "project")
        elif (text := self._read(path)) is not None:
            note = "read by Claude Code 2.1.277 and later"
            yield Part(INSTRUCTIONS, "project", path, len(text.encode()), 0, note=note)

    def _read(self, path: Path) -> str | None:
        place = _resolved(path)
        text = None if place in self.done else _text(path)
        if text is not None:
            self.done.add(place)
        return text


def codex(where: Where) -> Iterator[Part]:
    """The user's file, then one per folder from the project's root down, 32 KiB of these together."""
    moved = where.environ.get("CODEX_HOME", "")
    own = Path(moved) if moved else where.home / ".codex"
    settings = _toml(own / "config.toml")
    fallbacks = settings.get("project_doc_fallback_filenames")
    more = (
        [name for name in fallbacks if isinstance(name, str)] if isinstance(fallbacks, list) else []
    )
    names = ("AGENTS.override.md", "AGENTS.md", *more)
    limit = settings.get("project_doc_max_bytes")
    left = limit if isinstance(limit, int) and limit >= 0 else CODEX_LIMIT
    yield from _first_of(own, names[:2], "user", None)
    for folder in _downward(where.cwd, where.project or where.cwd):
        for part in _first_of(folder, names, "project", left):
            left -= part.sent
            yield part


def _first_of(folder: Path, names: tuple[str, ...], label: str, left: int | None) -> Iterator[Part]:
    """The first of these files that is not empty, within what is left in bytes."""
    for name in names:
        text = _text(folder / name)
        if text is None or not text.strip():
            continue
        size = len(text.encode())
        if left is None or size <= left:
            yield Part(INSTRUCTIONS, label, folder / name, size, size)
        else:
            kept = text.encode()[: max(0, left)].decode("utf-8", "ignore")
            note = "over the limit of all project files together (project_doc_max_bytes)"
            part = Part(INSTRUCTIONS, label, folder / name, size, len(kept.encode()), note=note)
            yield cut_at(part, text, len(kept))
        return


def gemini_cli(where: Where) -> Iterator[Part]:
    """The user's file, then one per folder from the project's root down, each with its imports in it."""
    moved = where.environ.get("GEMINI_CLI_HOME", "")
    own = (Path(moved) if moved else where.home) / ".gemini"
    names = _gemini_names(own / "settings.json")
    folders = [(own, "user")]
    folders += [(folder, "project") for folder in _downward(where.cwd, where.project or where.cwd)]
    done: set[Path] = set()
    for folder, label in folders:
        for name in names:
            yield from _with_imports(folder / name, label, where.home, done, 0)


def _with_imports(
    path: Path, label: str, home: Path, done: set[Path], depth: int
) -> Iterator[Part]:
    text = None if _resolved(path) in done else _text(path)
    if text is None:
        return
    done.add(_resolved(path))
    size = len(text.encode())
    yield Part(INSTRUCTIONS, label, path, size, size, depth)
    if depth < GEMINI_HOPS:
        for target in imported(text, path, home):
            yield from _with_imports(target, label, home, done, depth + 1)


def _gemini_names(settings: Path) -> tuple[str, ...]:
    """The names of context files: `context.fileName`, a text or a list."""
    from memtui.agents.settings_edit.jsonc import BrokenError, parse

    try:
        root = parse(settings.read_text("utf-8-sig"), True)
        value: Any = root.plain() if root else {}
    except (OSError, UnicodeDecodeError, BrokenError):
        value = {}
    context = value.get("context") if isinstance(value, dict) else None
    given = context.get("fileName") if isinstance(context, dict) else None
    found = [given] if isinstance(given, str) else given
    names = [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
    return tuple(names) or ("GEMINI.md",)


def _downward(cwd: Path, top: Path | None = None) -> list[Path]:
    """The folders from `top` (the file system's root) down to `cwd`; `cwd` alone outside of `top`."""
    folders = [
        folder for folder in (cwd, *cwd.parents) if top is None or folder.is_relative_to(top)
    ]
    return list(reversed(folders)) or [cwd]


def _managed() -> Path:
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode")
    return Path("/etc/claude-code")


def _external_imports_approved(where: Where) -> bool:
    moved = where.environ.get("CLAUDE_CONFIG_DIR", "")
    path = (Path(moved) if moved else where.home) / ".claude.json"
    try:
        projects = json.loads(path.read_bytes()).get("projects", {})
        own = projects.get(str(where.project or where.cwd)) or projects.get(str(where.cwd)) or {}
        return own.get("hasClaudeMdExternalIncludesApproved") is True
    except (OSError, ValueError, AttributeError):
        return False


def _limited_to_paths(text: str) -> bool:
    """Whether a rule's front matter names paths: it is sent only when such a file is touched."""
    if not text.startswith("---\n"):
        return False
    head = text[4:].partition("\n---")[0]
    return any(line.startswith("paths:") for line in head.splitlines())


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def _text(path: Path) -> str | None:
    """A file's text; a small one is read again only when its time or size changed."""
    try:
        stat = path.stat()
        if stat.st_size > KEPT_LIMIT:
            return _read(path)
        return _kept(path, stat.st_mtime_ns, stat.st_size)
    except OSError:
        return None


@lru_cache(maxsize=512)
def _kept(path: Path, mtime_ns: int, size: int) -> str:
    return _read(path)


def _read(path: Path) -> str:
    with path.open("rb") as stream:
        return stream.read(READ_LIMIT).decode("utf-8", "replace")


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


_CHAINS = {"claude-code": claude_code, "codex": codex, "gemini-cli": gemini_cli}
