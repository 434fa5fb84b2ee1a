"""The few questions that drift asks of git, each one process for all cards."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 60.0
LARGE = 1024 * 1024
"""Bytes of a file beyond which it is not compared."""
MANY_PATHS = 400
"""Beyond so many paths git is asked for all, because a command line has an end."""

TOO_LARGE = "\0"
"""In place of a text that is larger than `LARGE`."""


class GitError(Exception):
    """Git is not installed, this is no repository, or a command failed: says which."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the first-parent history. `time` in seconds, `day` as ISO date."""

    id: str
    time: int
    day: str

    @property
    def short(self) -> str:
        """The first seven digits of the id."""
        return self.id[:7]


@dataclass(frozen=True, slots=True)
class Change:
    """One commit's change of one path: blob ids before and after, "" for no file. `at` counts commits."""

    at: int
    commit: Commit
    before: str
    after: str


class Git:
    """One repository, asked by the `git` command. Nothing is written, no hook and no pager runs."""

    def __init__(self, root: Path) -> None:
        found = shutil.which("git")
        if found is None:
            raise GitError("git is not installed")
        self._git = [found, "--literal-pathspecs", "-c", "core.quotepath=false"]
        self.root = root
        self.root = Path(self._run("rev-parse", "--show-toplevel").decode().rstrip("\n"))

    def head(self) -> str:
        """The commit checked out. Raises GitError where there is none."""
        return self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()

    def resolve(self, word: str) -> str:
        """The id of the commit that `word` names. Raises GitError when there is none."""
        named = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{word}^{{commit}}")
        found = self._run(*named, allowed=(0, 1, 128)).decode("ascii", "replace").strip()
        if not found:
            raise GitError(f"there is no commit {word}")
        return found

    def commits(self) -> list[Commit]:
        """The first-parent history of HEAD, oldest first."""
        out = self._run("log", "--first-parent", "--reverse", "--format=%H %ct %cs", "HEAD")
        rows = (line.split() for line in out.decode().splitlines())
        return [Commit(commit, int(time), day) for commit, time, day in rows]

    def history(
        self, commits: Sequence[Commit], since: int, paths: Sequence[str]
    ) -> dict[str, list[Change]]:
        """The changes of each path in the commits after number `since`, oldest first."""
        where = ["--", *paths] if len(paths) <= MANY_PATHS else []
        out = self._run(
            *("log", "--first-parent", "-m", "--reverse", "--raw", "-z", "--no-abbrev"),
            *("--no-renames", "--format=%x01%H", f"{commits[since].id}..HEAD", *where),
        )
        wanted, number = set(paths), {commit.id: at for at, commit in enumerate(commits)}
        found: dict[str, list[Change]] = {}
        at = since
        fields = iter(os.fsdecode(out).split("\0"))
        for field in fields:
            if field.startswith("\x01"):
                at = number[field[1:]]
            elif field.strip():
                path = next(fields)
                if path in wanted:
                    _, _, before, after, _ = field.strip().split(" ")
                    change = Change(at, commits[at], _blob(before), _blob(after))
                    found.setdefault(path, []).append(change)
        return found

    def dirty(self) -> dict[str, str]:
        """The tracked paths whose file may differ from HEAD, with their blob there ("" for none)."""
        out = self._run("diff-index", "--raw", "-z", "--no-renames", "--no-abbrev", "HEAD", "--")
        fields = os.fsdecode(out).split("\0")
        pairs = zip(fields[::2], fields[1::2], strict=False)
        return {path: _blob(meta.split()[2]) for meta, path in pairs}

    def tracked(self) -> dict[str, str]:
        """Blob id to a path of it, for all tracked files."""
        out = os.fsdecode(self._run("ls-files", "-s", "-z"))
        rows = (entry.partition("\t") for entry in out.split("\0") if entry)
        return {meta.split()[1]: path for meta, _, path in rows}

    def blobs(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of blobs by id; those that are missing or larger than `LARGE` are left out."""
        wanted = [blob for blob in dict.fromkeys(ids) if blob]
        if not wanted:
            return {}
        out = self._run("cat-file", "--batch", data="\n".join(wanted).encode() + b"\n")
        found = {}
        at = 0
        for blob in wanted:
            end = out.index(b"\n", at)
            head = out[at:end].split()
            at = end + 1
            if len(head) == 3:
                size = int(head[2])
                if head[1] == b"blob" and size <= LARGE:
                    found[blob] = out[at : at + size].decode("utf-8", "replace")
                at += size + 1
        return found

    def places(self, lines: Iterable[str]) -> dict[str, set[str]]:
        """In which tracked files of the work tree each of these lines stands, indentation aside."""
        wanted = set(lines)
        if not wanted:
            return {}
        patterns = "\n".join(sorted(wanted)).encode("utf-8", "surrogateescape") + b"\n"
        arguments = ("grep", "-I", "-F", "-z", "--no-color", "--full-name", "-f", "-")
        out = self._run(*arguments, data=patterns, allowed=(0, 1))
        found: dict[str, set[str]] = {}
        for row in out.decode("utf-8", "surrogateescape").split("\n"):
            path, _, line = row.partition("\0")
            if line.strip() in wanted:
                found.setdefault(line.strip(), set()).add(path)
        return found

    def work_file(self, path: str) -> str | None:
        """The text of a file of the work tree, None when it is not there, TOO_LARGE for a large one."""
        place = self.root / path
        try:
            if place.stat().st_size > LARGE:
                return TOO_LARGE
            return place.read_bytes().decode("utf-8", "replace")
        except (OSError, ValueError):
            return None

    def _run(
        self, *arguments: str, data: bytes | None = None, allowed: Sequence[int] = (0,)
    ) -> bytes:
        environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        environ |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        try:
            done = subprocess.run(
                [*self._git, "-C", str(self.root), *arguments],
                input=data if data is not None else b"",
                capture_output=True,
                timeout=TIMEOUT,
                env=environ,
                check=False,
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise GitError(f"git {arguments[0]} failed: {error}") from error
        if done.returncode not in allowed:
            message = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise GitError(message[0] if message else f"git {arguments[0]} failed in {self.root}")
        return done.stdout


def _blob(oid: str) -> str:
    return "" if oid.strip("0") == "" else oid
