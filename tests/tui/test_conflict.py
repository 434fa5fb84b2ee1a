"""Undo where the file changed since: three texts, and only what a person chose is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App

from memtui.tui.screens.conflict import ConflictScreen
from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import all_said, browse, bytes_of, changed, go_to, press

CARD = "pool-timeout-unset-env"
SIZE = (120, 40)


class Writing:
    """An editor that replaces the text."""

    def __init__(self, old: bytes, new: bytes) -> None:
        self.old, self.new = old, new
        self.seen = b""

    def edit(self, app: App[None], path: Path) -> None:
        self.seen = path.read_bytes()
        path.write_bytes(self.seen.replace(self.old, self.new))


def change_outside(sample: Sample) -> Path:
    card = sample.bank / "cards" / f"{CARD}.md"
    card.write_bytes(card.read_bytes() + b"Added by hand.\n")
    return card


@pytest.mark.parametrize("key", ["n", "w", "escape"])
async def test_a_changed_file_is_asked_about(open_app: Open, sample: Sample, key: str) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await press(pilot, "d")
        card = change_outside(sample)
        mine = card.read_bytes()
        await press(pilot, "u")
        assert isinstance(app.screen, ConflictScreen)
        shown = text_of(app)
        for text in ("as it is now", "as it would become", "as it was left", "Added by hand"):
            assert text in shown
        await press(pilot, key)
        name = f"cards/{CARD}.md"
        if key == "w":
            assert bytes_of(sample) == before
        else:
            assert card.read_bytes() == mine
        if key == "n":
            # The card stays demoted, so it stays out of the index.
            assert changed(before, bytes_of(sample)) == {name, "MEMORY.md"}
            assert b"Pool timeouts" not in bytes_of(sample)["MEMORY.md"]
            assert "undid demote" in all_said(app)
        if key == "escape":
            assert "nothing was changed" in all_said(app)
            assert "MEMORY.md" in changed(before, bytes_of(sample))


async def test_both_texts_are_joined_in_the_editor(open_app: Open, sample: Sample) -> None:
    editor = Writing(b"Added by hand.", b"Added by hand and joined.")
    app = open_app(editor=editor)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await press(pilot, "d")
        card = change_outside(sample)
        await press(pilot, "u", "e")
        assert b"status: active" in editor.seen
        assert b"Added by hand and joined.\n" in card.read_bytes()
        assert b"status: active" in card.read_bytes()


async def test_a_session_is_hidden_and_shown_again(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "1", "g")
        rows = browse(app).timeline_rows
        assert rows is not None
        session = rows.timeline.row(0).session
        count = len(rows)
        await press(pilot, "d")
        assert f"hid session: {session.title}"[:40] in all_said(app)
        rows = browse(app).timeline_rows
        assert rows is not None
        assert len(rows) < count
        assert rows.timeline.row(0).session.id != session.id
        await press(pilot, "t", "h")
        rows = browse(app).timeline_rows
        assert rows is not None
        assert len(rows) == count
        await press(pilot, "g")
        assert "hidden" in text_of(app)
        await press(pilot, "p")
        assert "showed session" in all_said(app)
        await press(pilot, "u", "u", "t", "a")
        assert bytes_of(sample) == before
        assert not app.core.hidden
