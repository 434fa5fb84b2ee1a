"""Where the files of a bank lie, in memtui's own layout and in a host's flat memory folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memtui.bank.model import Layout

CONFIG = "bank.toml"
INDEX = "MEMORY.md"


class NoStateError(OSError):
    """Something that lies in the state folder was asked of a bank opened without one."""


@dataclass(frozen=True, slots=True)
class BankFiles:
    """The places of one bank. `state` is the bank's own folder in the state home, None where unknown.

    In a host's folder everything of memtui's own lies in `state`: places there raise NoStateError when
    the bank was opened without one.
    """

    root: Path
    layout: Layout
    state: Path | None = None

    @property
    def cards(self) -> Path:
        """The folder of the cards."""
        return self.root if self.layout is Layout.CLAUDE else self.root / "cards"

    @property
    def pages(self) -> Path:
        """The folder of the pages."""
        return self.root if self.layout is Layout.CLAUDE else self.root / "pages"

    @property
    def index(self) -> Path:
        """`MEMORY.md`."""
        return self.root / INDEX

    @property
    def config(self) -> Path:
        """`bank.toml`, whether it exists or not."""
        return self.own / CONFIG

    @property
    def events(self) -> Path:
        """The folder of the events."""
        return self.own / "events"

    @property
    def evidence(self) -> Path:
        """The folder of evidence that is kept with the bank."""
        return self.own / "evidence"

    @property
    def archive(self) -> Path:
        """Where retired files are moved to."""
        return self.own / "archive"

    @property
    def own(self) -> Path:
        """The folder of what is memtui's own. Raises NoStateError."""
        return self.local if self.layout is Layout.CLAUDE else self.root

    @property
    def local(self) -> Path:
        """The durable folder of what is one person's alone. Raises NoStateError."""
        if self.state is None:
            raise NoStateError(f"{self.root}: the bank was opened without a state folder")
        return self.state

    def card_path(self, name: str) -> Path:
        """The file of the card called `name`. Raises ValueError for a name that is no file stem."""
        return self.cards / f"{checked_name(name)}.md"

    def page_path(self, name: str) -> Path:
        """The file of the page called `name`. Raises ValueError for a name that is no file stem."""
        return self.pages / f"{checked_name(name)}.md"


def checked_name(name: str) -> str:
    """`name` if it can be a file stem and a link target. Raises ValueError."""
    if not is_name(name):
        raise ValueError(f"not a name for a card or page: {name!r}")
    return name


def is_name(text: str) -> bool:
    """Whether `text` can be a file stem and a link target: no spaces, brackets, slashes or dots first."""
    return (
        0 < len(text) <= 120
        and text[0] not in ".-"
        and text.isprintable()
        and not any(char in ' /\\[]|#:*?"<>' for char in text)
    )


def detect_layout(root: Path) -> Layout | None:
    """The layout of the folder, by what lies in it; None when it is no bank."""
    if (root / CONFIG).is_file() or (root / "cards").is_dir():
        return Layout.MEMTUI
    if not root.is_dir():
        return None
    if (root / INDEX).is_file() or any(_is_memory(path) for path in root.glob("*.md")):
        return Layout.CLAUDE
    return None


def is_host_folder(root: Path) -> bool:
    """Whether the path is that of Claude Code's auto memory: `projects/<slug>/memory`."""
    return root.name == "memory" and root.parent.parent.name == "projects"


def _is_memory(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            head = stream.read(2048)
    except OSError:
        return False
    return head.lstrip(b"\xef\xbb\xbf").startswith(b"---") and b"\nname:" in head
