"""Find in the sessions: in the whole text of records, with what is not read yet said."""

from __future__ import annotations

from pathlib import Path

from memtui.tui.screens.find import TextRead
from memtui.workspace.sample import Sample
from tests.sessions.session_fixtures import Talk, session_id
from tests.tui.conftest import Open, settle, text_of
from tests.tui.test_timeline import browse, here, press, shows

LONG = "Nothing of note. " * 90


def begin(sample: Sample) -> tuple[Talk, Path]:
    """A session whose second answer and whose tool result hold a word far behind every preview."""
    talk = Talk(session_id(5), at=1_800_000_000_000, cwd="/home/dev/svc-order")
    talk.prompt("look around").say("At first nothing.")
    talk.run("cat notes.txt", f"{LONG} quagmire [b]x[/b]")
    talk.say(f"{LONG} The quagmire, at last.")
    path = sample.home / ".claude" / "projects" / "-home-dev-svc-order" / f"{talk.session}.jsonl"
    path.write_bytes(talk.data)
    return talk, path


async def test_words_deep_inside_records_are_found(open_app: Open, sample: Sample) -> None:
    begin(sample)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "t", "a", "g", "slash", *"quagmire", "enter")
        turn = here(app).turn
        assert turn is not None
        assert "quagmire" not in turn.preview
        assert turn.tool == "Bash"
        assert "find quagmire 1/2" in text_of(app)
        await press(pilot, "n")
        answer = here(app).turn
        assert answer is not None
        assert answer.seq > turn.seq
        assert "find quagmire 2/2" in text_of(app)
        await press(pilot, "n")
        assert here(app).turn == turn
        await press(pilot, "N")
        assert here(app).turn == answer
        await press(pilot, "escape")
        assert "find quagmire" not in text_of(app)


async def test_a_match_in_a_hidden_row_is_shown_where_it_is_folded(
    open_app: Open, sample: Sample
) -> None:
    begin(sample)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "g", "slash", *"quagmire", "enter")
        assert "find quagmire 1/2" in text_of(app)
        first = here(app)
        await press(pilot, "n")
        assert "find quagmire 2/2" in text_of(app)
        assert here(app) != first
        await press(pilot, "n")
        assert "find quagmire 1/2" in text_of(app)


async def test_parts_of_words_titles_and_words_of_several_records_are_found(
    open_app: Open, sample: Sample
) -> None:
    begin(sample)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "slash", *"ook aro", "enter")
        found = here(app)
        assert "look around" in (found.turn.preview if found.turn else found.session.title)
        await press(pilot, "slash", "ctrl+u", *"notes.txt quagmire", "enter")
        assert "1/1" in text_of(app)  # one word in the call, the other in its result


async def test_what_is_not_read_yet_is_said_and_found_by_its_preview(
    open_app: Open, sample: Sample
) -> None:
    begin(sample)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        assert "full text" not in text_of(app)
        browse(app).post_message(TextRead(0.4))
        await shows(pilot, app, "full text: 40% read")
        await press(pilot, "slash", *"nowhere at all", "enter")
        assert "40% of the full text is read" in browse(app).last
        await press(pilot, "slash", "ctrl+u", *"look around", "enter")
        assert "find look around" in text_of(app)
        assert here(app).session.title or here(app).turn


async def test_the_text_of_what_is_appended_is_read_too(open_app: Open, sample: Sample) -> None:
    talk, path = begin(sample)
    app = open_app(watches=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "F")
        done = len(talk.data)
        talk.say(f"{LONG} zanzibar").say("That was it.")
        with path.open("ab") as stream:
            stream.write(talk.data[done:])
        await shows(pilot, app, "That was it.")
        while browse(app)._recheck is not None:
            await pilot.pause(0.05)
        await settle(pilot)
        await press(pilot, "g", "slash", *"zanzibar", "enter")
        assert "find zanzibar 1/1" in text_of(app)
