"""The few questions that drift asks of git, each one process for all cards."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

TIMEOUT = 30.0
LARGE = 1024 * 1024
"""Bytes of a file beyond which it is not compared."""


class GitError(Exception):
    """Git is not installed, this is no repository, or a command failed: says which."""


class Git:
    """One repository, asked by the `git` command. Nothing is written, no hook and no pager runs."""

    def __init__(self, root: Path) -> None:
        found = shutil.which("git")
        if found is None:
            raise GitError("git is not installed")
        self._command = [found, "-C", str(root), "-c", "core.quotepath=false"]
        self.root = root

    def head(self) -> str:
        """The commit checked out. Raises GitError where there is none."""
        return self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()

    def commits(self) -> list[tuple[int, str]]:
        """(commit time in seconds, id) of the history of HEAD, oldest first."""
        out = self._run("log", "--format=%ct %H", "--date-order", "--reverse", "HEAD")
        pairs = (line.split() for line in out.decode().splitlines())
        return sorted((int(time), commit) for time, commit in pairs)

    def files(self, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], bytes | None]:
        """The bytes of (commit, path) pairs: None for what is not there or larger than `LARGE`."""
        keys = [key for key in dict.fromkeys(wanted) if "\n" not in key[1]]
        if not keys:
            return {}
        names = "".join(f"{commit}:{path}\n" for commit, path in keys)
        out = self._run("cat-file", "--batch", data=names.encode("utf-8", "surrogateescape"))
        return _objects(out, keys)

    def holding(self, text: str) -> str:
        """A tracked file of the work tree that holds `text`, "" when none does."""
        found = self._try("grep", "-l", "-F", "-I", "-e", text, "--", ".")
        lines = found.decode("utf-8", "replace").splitlines()
        return lines[0] if lines else ""

    def changed(self, since: str, path: str) -> tuple[str, str]:
        """(short id, day) of the last commit after `since` that touched `path`; ("", "") when none."""
        out = self._try("log", "-1", "--format=%h %cs", f"{since}..HEAD", "--", path)
        short, _, day = out.decode().strip().partition(" ")
        return short, day

    def _run(self, *arguments: str, data: bytes | None = None) -> bytes:
        done = self._ask(arguments, data)
        if done.returncode:
            message = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise GitError(message[0] if message else f"git {arguments[0]} failed in {self.root}")
        return done.stdout

    def _try(self, *arguments: str) -> bytes:
        done = self._ask(arguments, None)
        return done.stdout if done.returncode == 0 else b""

    def _ask(
        self, arguments: tuple[str, ...], data: bytes | None
    ) -> subprocess.CompletedProcess[bytes]:
        environ = {
            key: value for key, value in os.environ.items() if not key.startswith("GIT_")
        } | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        try:
            return subprocess.run(
                [*self._command, *arguments],
                input=data,
                stdin=subprocess.DEVNULL if data is None else None,
                capture_output=True,
                timeout=TIMEOUT,
                env=environ,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise GitError(f"git {arguments[0]} failed: {error}") from error


def _objects(out: bytes, keys: list[tuple[str, str]]) -> dict[tuple[str, str], bytes | None]:
    """The answer of `cat-file --batch`, object by object."""
    found: dict[tuple[str, str], bytes | None] = {}
    at = 0
    for key in keys:
        end = out.find(b"\n", at)
        head = out[at:end].split()
        at = end + 1
        if len(head) < 3 or head[-1] in (b"missing", b"ambiguous") or not head[-1].isdigit():
            found[key] = None
            continue
        size = int(head[-1])
        whole = head[-2] == b"blob" and size <= LARGE
        found[key] = out[at : at + size] if whole else None
        at += size + 1
    return found
