"""Questions that commands ask, and the editor that they open."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memtui.cli.command import CommandError
from memtui.safety.sanitize import sanitize


def agreed(question: str, yes: bool) -> bool:
    """Whether the person agrees. Without a terminal only `--yes` does. Raises CommandError."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise CommandError(f"{question} Nobody is here to answer", "add --yes")
    sys.stderr.write(f"{sanitize(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


class EditorFile:
    """A text in the user's editor. The file stays when something goes wrong with what was written."""

    def __init__(self, name: str, text: bytes) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="memtui-")) / f"{name}.md"
        self.path.write_bytes(text)

    def edit(self, environ: Mapping[str, str]) -> bytes:
        """Open the editor and wait. Raises CommandError; the file stays then."""
        command = environ.get("VISUAL") or environ.get("EDITOR") or "vi"
        if not sys.stdin.isatty() and not (environ.get("VISUAL") or environ.get("EDITOR")):
            self.forget()
            raise CommandError(
                "no terminal for an editor", "set EDITOR, or give the text with --from"
            )
        try:
            with _deaf_to_interrupts():
                words = [*shlex.split(command), str(self.path)]
                code = subprocess.run(words, check=False).returncode
        except (OSError, ValueError) as error:
            self.forget()
            raise CommandError(
                f"the editor {command!r} cannot be run: {error}", "set EDITOR"
            ) from error
        if code:
            raise CommandError(
                f"the editor ended with exit code {code}: nothing was saved",
                f"the text is in {self.path}",
            )
        return self.path.read_bytes()

    def forget(self) -> None:
        """Remove the file: its text is saved, or was never changed."""
        self.path.unlink(missing_ok=True)
        self.path.parent.rmdir()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Ctrl+C in the editor is the editor's: it must not end memtui and leave the text behind."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def text_from(source: str) -> bytes:
    """The bytes of a file, or of standard input for `-`. Raises CommandError."""
    try:
        return sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise CommandError(f"{source} cannot be read: {error.strerror or error}", "") from error
