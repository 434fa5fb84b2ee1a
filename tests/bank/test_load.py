"""Opening banks of both layouts, and reading again only what changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.bank import load as loading
from memtui.bank.config import ConfigError
from memtui.bank.events import append
from memtui.bank.handles import FILE, LETTERS, derived_id, new_id
from memtui.bank.layout import BankFiles, NoStateError, detect_layout, is_host_folder, is_name
from memtui.bank.load import BankError, BankReader, load, open_bank
from memtui.bank.model import BankContents, Event, Layout
from memtui.bank.write import atomic_write
from tests.bank.banks import memory, memtui_bank, tree_bytes

NOON = datetime(2026, 8, 26, 12, tzinfo=UTC)


def an_event(number: int = 1) -> Event:
    return Event(f"e{number}", NOON, "dana", "verdict", "confirm", "card:abc234")


def ids(contents: BankContents) -> dict[str, str]:
    return {item.name: item.id for item in (*contents.cards, *contents.pages)}


def messages(contents: BankContents) -> list[str]:
    return [problem.message for problem in contents.problems]


def age(*paths: Path) -> None:
    """Make files older than the moment in which a change could hide."""
    for path in paths:
        os.utime(path, (1_700_000_000, 1_700_000_000))


def test_a_bank_of_memtui(tmp_path: Path) -> None:
    root = memtui_bank(tmp_path / "bank", b="bbb234", a="aaa234")
    (root / "pages" / "p.md").write_text(memory("p", "ppp234", body="Do it. [[a]]\n"))
    (root / "cards" / "notes.txt").write_text("not a card")
    (root / "cards" / ".hidden.md").write_text("not a card")
    (root / "cards" / "folder.md").mkdir()
    (root / "cards" / "gone.md").symlink_to(root / "nowhere")
    append(root / "events", an_event())
    before = tree_bytes(root)
    contents = load(root, state=tmp_path / "state")
    assert (contents.layout, contents.config.id) == (Layout.MEMTUI, "svc-order")
    assert [card.name for card in contents.cards] == ["a", "b"]
    assert [page.name for page in contents.pages] == ["p"]
    assert [event.id for event in contents.events] == ["e1"]
    assert contents.problems == ()
    assert tree_bytes(root) == before
    assert not (tmp_path / "state").exists()


def test_a_folder_of_claude_code(samples_folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "projects" / "-home-me-x" / "memory"
    root.mkdir(parents=True)
    for path in (samples_folder / "claude-memory").glob("*.md"):
        (root / path.name.partition("__")[2]).write_bytes(path.read_bytes())
    (root / "MEMORY.md").write_text("# Memory\n")
    (root / "how.md").write_text(memory("how", extra="  type: procedure\n"))
    before = tree_bytes(root)
    state = tmp_path / "state"
    contents = load(root, state=state)
    assert contents.layout is Layout.CLAUDE
    assert is_host_folder(root)
    assert [page.name for page in contents.pages] == ["how"]
    assert len(contents.cards) == 4
    assert all(card.assigned and card.type == "feedback" for card in contents.cards)
    assert contents.problems == ()
    assert ids(load(root, state=state)) == ids(contents) == ids(load(root))
    append(BankFiles(root, Layout.CLAUDE, state).events, an_event())
    assert len(load(root, state=state).events) == 1
    assert tree_bytes(root) == before


def test_without_a_state_folder_nothing_of_memtui_has_a_place_there(tmp_path: Path) -> None:
    files = BankFiles(tmp_path, Layout.CLAUDE)
    assert files.card_path("x") == files.page_path("x") == tmp_path / "x.md"
    with pytest.raises(NoStateError, match="without a state folder"):
        _ = files.events
    with pytest.raises(ValueError, match="not a name"):
        files.card_path("../x")


@pytest.mark.parametrize(
    "name", ["", "a b", ".x", "-x", "a/b", "a\\b", "[x]", "a\nb", "x" * 121, "a:b"]
)
def test_what_cannot_be_a_name(name: str) -> None:
    assert not is_name(name)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda root: None, BankError, "no such folder"),
        (lambda root: root.write_text("x"), BankError, "a file, and a bank is a folder"),
        (lambda root: root.mkdir(), BankError, "neither a bank"),
    ],
)
def test_what_is_no_bank(
    tmp_path: Path, make: object, error: type[Exception], message: str
) -> None:
    root = tmp_path / "bank"
    assert callable(make)
    make(root)
    with pytest.raises(error, match=message):
        load(root)


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    root = memtui_bank(tmp_path / "bank")
    (root / "bank.toml").write_text("format = 2\n")
    with pytest.raises(ConfigError, match="format is 2, this memtui reads up to 1"):
        load(root)


def test_cards_without_bank_toml(tmp_path: Path) -> None:
    root = memtui_bank(tmp_path / "bank", a="aaa234")
    (root / "bank.toml").unlink()
    assert detect_layout(root) is Layout.MEMTUI
    assert load(root).config.id.startswith("bank-")


def test_a_damaged_card_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = memtui_bank(tmp_path / "bank", a="aaa234")
    (root / "cards" / "b.md").write_bytes(b"\xff\xfe---\n")
    (root / "cards" / "c.md").write_bytes(b"x" * 200)
    monkeypatch.setattr(loading, "MAX_FILE", 150)
    contents = load(root)
    assert [card.name for card in contents.cards] == ["a", "b"]
    assert sorted(messages(contents)) == [
        "200 bytes: larger than 150, not read",
        "byte 0 is not UTF-8",
    ]


def test_an_unreadable_card_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = memtui_bank(tmp_path / "bank", a="aaa234", b="bbb234")

    def refuse(name: str, *args: object, **kwargs: object) -> object:
        if str(name).endswith("a.md"):
            raise PermissionError(13, "Permission denied")
        return open(name, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(loading, "open", refuse, raising=False)
    contents = load(root)
    assert [card.name for card in contents.cards] == ["b"]
    assert messages(contents) == ["cannot be read: Permission denied"]


def test_equal_names_and_ids_are_said(tmp_path: Path) -> None:
    root = memtui_bank(tmp_path / "bank", a="aaa234")
    (root / "cards" / "copy.md").write_text(memory("a", "aaa234"))
    contents = load(root, state=tmp_path / "state")
    first, second = contents.cards
    assert (first.id, first.assigned, first.path.name) == ("aaa234", False, "a.md")
    assert (second.id, second.assigned) == (derived_id("copy.md"), True)
    assert sorted(messages(contents)) == [
        "its id 'aaa234' is also that of a.md",
        "its name 'a' is also that of a.md",
    ]


def test_ids_of_files_without_one_follow_edits_and_renames(tmp_path: Path) -> None:
    root, state = memtui_bank(tmp_path / "bank"), tmp_path / "state"
    one, two = root / "cards" / "one.md", root / "cards" / "two.md"
    one.write_text(memory("one"))
    first = ids(load(root, state=state))["one"]
    assert first[0] in LETTERS
    one.write_text(memory("one", body="Edited.\n"))
    assert ids(load(root, state=state)) == {"one": first}
    one.rename(two)
    assert ids(load(root, state=state)) == {"one": first}  # `name:` still says one
    two.write_text(memory("two"))
    assert ids(load(root, state=state)) == {"two": first}
    one.write_text(memory("one"))
    assert ids(load(root, state=state))["one"] != first


def test_a_file_that_vanished_for_a_while_keeps_its_id(tmp_path: Path) -> None:
    root, state = memtui_bank(tmp_path / "bank"), tmp_path / "state"
    (root / "cards" / "one.md").write_text(memory("one"))
    first = ids(load(root, state=state))
    (root / "cards" / "one.md").unlink()
    assert ids(load(root, state=state)) == {}
    (root / "cards" / "else.md").write_text(memory("one"))
    assert ids(load(root, state=state)) == first


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"handles": 7}', b'{"handles": {"a": []}}', b"\xff"]
)
def test_a_damaged_mapping_is_made_anew(tmp_path: Path, data: bytes) -> None:
    root, state = memtui_bank(tmp_path / "bank"), tmp_path / "state"
    (root / "cards" / "one.md").write_text(memory("one"))
    state.mkdir()
    (state / FILE).write_bytes(data)
    assert ids(load(root, state=state)) == {"one": derived_id("one.md")}


def test_a_derived_id_gives_way_to_one_in_a_file(tmp_path: Path) -> None:
    root = memtui_bank(tmp_path / "bank", a=derived_id("one.md"))
    (root / "cards" / "one.md").write_text(memory("one"))
    found = ids(load(root))
    assert found["a"] == derived_id("one.md")
    assert found["one"] not in ("", found["a"])


def test_new_ids_avoid_what_is_taken() -> None:
    taken = {new_id() for _ in range(1000)}
    assert len(taken) > 990
    assert new_id(taken) not in taken
    assert all(len(word) == 6 and word[0] in LETTERS for word in taken)


def counting(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files parsed from now on."""
    parsed: list[str] = []
    real = BankReader._parse

    def parse(self: BankReader, name: str, *rest: object) -> object:
        parsed.append(Path(name).name)
        return real(self, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(BankReader, "_parse", parse)
    return parsed


def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = memtui_bank(tmp_path / "bank", a="aaa234", b="bbb234")
    age(*(root / "cards").iterdir())
    append(root / "events", an_event(1))
    reader = open_bank(root)
    first = reader.read()
    parsed = counting(monkeypatch)
    assert not reader.changed()
    assert reader.read() == first
    assert parsed == []
    atomic_write(root / "cards" / "b.md", memory("b", "bbb234", body="New.\n").encode())
    (root / "cards" / "c.md").write_text(memory("c", "ccc234"))
    assert reader.changed()
    second = reader.read()
    assert parsed == ["b.md", "c.md"]
    assert [card.body for card in second.cards] == ["Body.\n", "New.\n", "Body.\n"]
    assert second.cards[0] is first.cards[0]
    (root / "cards" / "a.md").unlink()
    assert reader.changed()
    assert [card.name for card in reader.read().cards] == ["b", "c"]


def test_new_events_are_seen(tmp_path: Path) -> None:
    root = memtui_bank(tmp_path / "bank")
    append(root / "events", an_event(1))
    reader = open_bank(root)
    reader.read()
    assert not reader.changed()
    append(root / "events", an_event(2))
    assert reader.changed()
    assert [event.id for event in reader.read().events] == ["e1", "e2"]


def test_a_change_within_one_tick_of_the_clock_is_not_missed(tmp_path: Path) -> None:
    root = memtui_bank(tmp_path / "bank", a="aaa234")
    path = root / "cards" / "a.md"
    reader = open_bank(root)
    for number in range(50):
        path.write_text(memory("a", "aaa234", body=f"Body {number:02}\n"))
        assert reader.read().cards[0].body == f"Body {number:02}\n"


def test_a_bank_that_went_away_is_said(tmp_path: Path) -> None:
    root = memtui_bank(tmp_path / "bank")
    reader = open_bank(root)
    root.rename(tmp_path / "moved")
    with pytest.raises(BankError, match="no longer there"):
        reader.read()


def test_loading_and_checking_are_quick(tmp_path: Path) -> None:
    root = memtui_bank(tmp_path / "bank")
    for number in range(2_000):
        text = memory(f"card-{number}", f"a{number:05}", "  tags: [a, b]\n  importance: 0.7\n")
        (root / "cards" / f"card-{number}.md").write_text(text)
        age(root / "cards" / f"card-{number}.md")
    reader = open_bank(root)
    began = time.process_time()
    assert len(reader.read().cards) == 2_000
    loaded = time.process_time()
    assert not reader.changed()
    assert loaded - began < 1.5
    assert time.process_time() - loaded < 0.3


def test_reading_only_what_changed_gives_the_bank_as_it_is(tmp_path: Path) -> None:
    root = memtui_bank(tmp_path / "bank", b="bbb234", a="aaa234").resolve()
    state = tmp_path / "state"
    reader = open_bank(root, state)
    assert reader.reread([root / "cards" / "a.md"]) == load(root, state=state)
    cards = root / "cards"

    def write(path: Path, text: str) -> Path:
        path.write_text(text)
        return path

    def moved(path: Path, to: Path) -> Path:
        path.rename(to)
        return path

    def removed(path: Path) -> Path:
        path.unlink()
        return path

    steps: tuple[Callable[[], Path], ...] = (
        lambda: write(cards / "a.md", memory("a", "aaa234", body="Other.\n")),
        lambda: write(cards / "c.md", memory("c")),
        lambda: write(root / "pages" / "p.md", memory("p", "ppp234", body="Do it. [[a]]\n")),
        lambda: moved(cards / "b.md", cards / "z.md"),
        lambda: write(cards / "notes.txt", "not a card"),
        lambda: write(cards / "copy.md", memory("a", "aaa234")),
        lambda: removed(cards / "c.md"),
    )
    for step in steps:
        path = step()
        contents = reader.reread([path, cards / "z.md"])
        assert contents == load(root, state=state)
    kept = contents.events
    append(root / "events", an_event())
    with_event = reader.reread([root / "events" / "dana.jsonl"])
    assert with_event == load(root, state=state)
    assert with_event.events != kept
    assert reader.reread([cards / "a.md"]).events is with_event.events


def test_only_the_files_that_are_named_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = memtui_bank(tmp_path / "bank", b="bbb234", a="aaa234").resolve()
    reader = open_bank(root)
    before = reader.read()
    (root / "cards" / "b.md").write_text(memory("b", "bbb234", body="Other.\n"))
    monkeypatch.setattr(loading, "_markdown_in", None)  # listing the folders would fail
    beside = (
        root / "MEMORY.md",
        root / "archive" / "old.md",
        root / ".git" / "index",
        root / "evidence" / "x.json",
        root / "cards" / "a.md",
    )
    assert reader.reread(beside) == before
    assert reader.reread([root / "cards" / "b.md"]) != before
    for unknown in (root / "cards", root / "bank.toml", tmp_path / "elsewhere.md"):
        with pytest.raises(TypeError):
            reader.reread([unknown])


def test_a_hosts_folder_is_read_again_file_by_file(tmp_path: Path) -> None:
    root, state = (tmp_path / "memory").resolve(), tmp_path / "state"
    root.mkdir()
    for name in ("one", "two"):
        (root / f"{name}.md").write_text(memory(name))
    reader = open_bank(root, state, Layout.CLAUDE)
    reader.read()
    (root / "two.md").write_text(memory("two", body="Other.\n"))
    (root / "three.md").write_text(memory("three"))
    again = reader.reread([root / "two.md", root / "three.md"])
    assert again == open_bank(root, state, Layout.CLAUDE).read()
    (root / "one.md").rename(root / "four.md")  # found again by its bytes, it keeps its id
    moved = reader.reread([root / "one.md", root / "four.md"])
    assert moved == open_bank(root, state, Layout.CLAUDE).read()
