"""What the tests of the verbs share: a bank's bytes, and keys one after the other."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.workspace.model import ItemView
from memtui.workspace.sample import Sample
from tests.tui.conftest import settle


def bytes_of(sample: Sample) -> dict[str, bytes]:
    """Every file of the bank but its events, by path."""
    files = (file for file in sample.bank.rglob("*") if file.is_file())
    return {
        str(file.relative_to(sample.bank)): file.read_bytes()
        for file in files
        if file.parent.name != "events"
    }


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    """The paths that differ."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the screen has come to rest; the letters of a text come as one types them."""
    for key, after in zip(keys, (*keys[1:], ""), strict=True):
        typed = isinstance(pilot.app.focused, Input | TextArea) and len(key) == 1
        await pilot.press(key)
        if not (typed and len(after) == 1):
            await settle(pilot)


def browse(app: MemtuiApp) -> BrowseScreen:
    """The Browse screen, wherever it is on the stack."""
    return next(screen for screen in app.screen_stack if isinstance(screen, BrowseScreen))


def item(app: MemtuiApp, word: str) -> ItemView:
    """A card or page of the bank as the screen sees it."""
    view = browse(app).view
    assert view is not None
    found = view.find(word)
    assert found is not None, word
    return found


async def go_to(pilot: Pilot[None], app: MemtuiApp, word: str) -> None:
    """Put the cursor on a card or page."""
    browse(app).go_to_item(item(app, word))
    await settle(pilot)


def write_card(folder: Path, name: str, title: str, body: str = "Use when: always.\n") -> Path:
    """A card as another program would write it."""
    path = folder / "cards" / f"{name}.md"
    path.write_text(f'---\nname: {name}\ndescription: "{title}"\n---\n{body}')
    return path


def said(app: MemtuiApp) -> str:
    """The newest toast; "" before the first."""
    return all_said(app).rpartition("\n")[2]


def all_said(app: MemtuiApp) -> str:
    """The toasts that are on screen, a line each."""
    return "\n".join(notification.message for notification in app._notifications)
