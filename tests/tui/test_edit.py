"""`e` and `E`: the old text is never lost, a broken text is offered again, a conflict shows its texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.app import App
from textual.widgets import Input, TextArea

from memtui.tui.screens.conflict import ConflictScreen
from memtui.tui.screens.draft import DraftScreen
from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import all_said, bytes_of, changed, go_to, item, press, said

CARD = "pool-timeout-unset-env"
SIZE = (120, 40)


class Typist:
    """An editor that does one thing to the text at each visit."""

    def __init__(self, *edits: Callable[[bytes], bytes]) -> None:
        self.edits = list(edits)
        self.seen: list[bytes] = []

    def edit(self, app: App[None], path: Path) -> None:
        text = path.read_bytes()
        self.seen.append(text)
        path.write_bytes(self.edits.pop(0)(text))


def add(text: bytes) -> Callable[[bytes], bytes]:
    return lambda old: old + text


async def test_an_edit_is_an_act(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app(editor=Typist(add(b"One more line.\n"), add(b"")))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await press(pilot, "e")
        assert "edited: Pool timeouts" in all_said(app)
        assert changed(before, bytes_of(sample)) == {f"cards/{CARD}.md"}
        assert item(app, CARD).item.body.endswith("One more line.\n")
        await press(pilot, "e")
        assert said(app) == "nothing was changed"
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_a_broken_text_is_offered_again(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    broken = Typist(
        lambda old: old.replace(b"id: k3f9qa", b"id: zzzzzz"),
        lambda old: old.replace(b"id: zzzzzz", b"id: k3f9qa") + b"Mended.\n",
        lambda old: b"",
    )
    app = open_app(editor=broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await press(pilot, "e")
        assert "Not saved" in text_of(app)
        assert bytes_of(sample) == before
        await press(pilot, "e")
        assert b"id: zzzzzz" in broken.seen[1]
        assert item(app, CARD).item.body.endswith("Mended.\n")
        mended = bytes_of(sample)
        await press(pilot, "e", "d")
        assert bytes_of(sample) == mended


async def test_a_file_that_changes_under_the_editor(open_app: Open, sample: Sample) -> None:
    card = sample.bank / "cards" / f"{CARD}.md"

    def meanwhile(old: bytes) -> bytes:
        card.write_bytes(old + b"By an agent.\n")
        return old.replace(b"Neither", b"NEITHER")

    app = open_app(editor=Typist(meanwhile, add(b"")))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        old = card.read_bytes()
        await press(pilot, "e")
        assert isinstance(app.screen, ConflictScreen), said(app)
        assert card.read_bytes() == old + b"By an agent.\n"
        await press(pilot, "e")
        assert card.read_bytes() == old.replace(b"Neither", b"NEITHER") + b"By an agent.\n"
        await press(pilot, "u")
        assert card.read_bytes() == old + b"By an agent.\n"


async def test_fields_are_edited_inline(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await press(pilot, "E")
        screen = app.screen
        assert isinstance(screen, DraftScreen)
        assert screen.query_one("#draft-title", Input).value.startswith("Pool timeouts")
        screen.query_one("#draft-tags", Input).value = "test, env, pool"
        await press(pilot, "ctrl+s")
        assert "edited: Pool timeouts" in all_said(app)
        after = bytes_of(sample)
        assert changed(before, after) == {f"cards/{CARD}.md"}
        old, new = (texts[f"cards/{CARD}.md"].splitlines() for texts in (before, after))
        assert [line for line in new if line not in old] == [b"  tags: [test, env, pool]"]
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_a_page_is_edited_inline(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "3", "E")
        screen = app.screen
        assert isinstance(screen, DraftScreen)
        text = screen.query_one("#draft-text", TextArea)
        text.text = text.text + "\nChecked again."
        await press(pilot, "ctrl+s")
        assert "edited:" in all_said(app)
        assert len([p for p in changed(before, bytes_of(sample)) if p.startswith("pages/")]) == 1
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_hostile_text_is_left_to_the_editor(open_app: Open, sample: Sample) -> None:
    path = sample.bank / "cards" / "hostile.md"
    path.write_bytes(b"---\nname: hostile\ndescription: odd\n---\nUse when: \x1b[31m red.\n")
    before = path.read_bytes()
    app = open_app(editor=Typist(add(b"More.\n")))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, "hostile")
        await press(pilot, "E")
        assert not isinstance(app.screen, DraftScreen)
        assert "e opens one" in all_said(app)
        await press(pilot, "e")
        assert path.read_bytes() == before + b"More.\n"


async def test_blame_says_who_and_from_what(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await press(pilot, "c", "b")
        shown = text_of(app)
        assert "Blame" in shown
        assert "approved by" in shown
        assert "confirm" in shown
        assert "claude-code:871e05e3" in shown
        await press(pilot, "escape", "u", "f", *"wrong", "enter", "b")
        shown = text_of(app)
        assert "undone" in shown
        assert "wrong" in shown
