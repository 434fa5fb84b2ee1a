"""Line changes apply where they belong, turn round exactly, and refuse what does not fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.bank.memory_index import parse_index
from memtui.curate.act import digest
from memtui.curate.file_records import _different, moved
from memtui.curate.following import follow
from memtui.curate.hunks import apply, dump, hunks, load, merge, turned, unified
from memtui.ledger.model import FileRecord

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "dé\r\n", "e"]), max_size=12).map(
    "".join
)


@given(TEXTS, TEXTS)
def test_hunks_apply_and_turn_round(before: str, after: str) -> None:
    changes = hunks(before, after)
    assert apply(before, changes) == after
    assert apply(after, turned(changes)) == before
    assert load(dump(changes)) == changes


@given(TEXTS, TEXTS)
def test_the_part_of_a_file_that_differs_is_enough_both_ways(before: str, after: str) -> None:
    old, new = before.encode(), after.encode()
    start, old_end, new_end = _different(old, new)
    record = FileRecord(
        "M", old[start:old_end], new[start:new_end], digest(old), digest(new), start
    )
    assert moved(record, old, forward=True) == new
    assert moved(record, new, forward=False) == old


def test_merge_takes_both_sides_or_refuses() -> None:
    base, ours = b"one\ntwo\nthree\nfour\n", b"one\nTWO\nthree\nfour\n"
    assert merge(base, ours, b"zero\none\ntwo\nthree\nfour\n") == b"zero\none\nTWO\nthree\nfour\n"
    assert merge(base, ours, b"one\n2\nthree\nfour\n") is None


def test_follow_finds_another_place_and_says_nothing_twice() -> None:
    changes = hunks("a\nb\nc\n", "a\nx\nb\nc\n")
    assert follow("q\na\nz\n", changes) == "q\na\nx\nz\n"
    assert follow("q\nx\n", changes) == "q\nx\n"
    assert follow("b\nq\nb\n", hunks("a\nb\n", "a\n")) == "b\nq\nb\n"


LISTED = st.lists(st.sampled_from("abcdef"), unique=True, max_size=6)
IN_ORDER = LISTED.map(sorted)
"""Of all acts only raising a line changes the order of those that stay; it has a test of its own."""
HOOKS = st.sampled_from(["", " — old", " — new"])


@given(IN_ORDER, IN_ORDER, LISTED, st.data())
def test_an_index_followed_twice_is_as_followed_once_and_names_no_file_twice(
    before: list[str], after: list[str], there: list[str], data: st.DataObject
) -> None:
    def index(names: list[str]) -> str:
        rows = [f"- [Card {name}](cards/{name}.md){data.draw(HOOKS)}\n" for name in names]
        return "# Notes\n\n" + "".join(rows)

    changes = hunks(index(before), index(after))
    for way in (changes, turned(changes)):
        once = follow(index(there), way)
        assert follow(once, way) == once
        targets = [entry.target for entry in parse_index(once.encode())]
        assert len(targets) == len(set(targets))
    dropped = {f"cards/{name}.md" for name in set(before) - set(after)}
    added = {f"cards/{name}.md" for name in set(after) - set(before)}
    left = {entry.target for entry in parse_index(follow(index(there), changes).encode())}
    assert added <= left
    assert not dropped & left


@given(LISTED, LISTED, LISTED)
def test_lines_that_move_are_not_lost(
    before: list[str], after: list[str], there: list[str]
) -> None:
    def index(names: list[str]) -> str:
        return "# Notes\n\n" + "".join(f"- [{name}](cards/{name}.md)\n" for name in names)

    made = follow(index(there), hunks(index(before), index(after)))
    targets = [entry.title for entry in parse_index(made.encode())]
    assert len(targets) == len(set(targets))
    assert set(after) - set(before) <= set(targets)
    assert not (set(before) - set(after)) & set(targets)
    assert set(there) & set(before) & set(after) <= set(targets)


def test_words_that_somebody_changed_stay_when_a_title_follows() -> None:
    changes = hunks("- [Old](a.md) — x\n", "- [New](a.md) — x\n")
    assert follow("- [Old](a.md) — theirs\n", changes) == "- [New](a.md) — theirs\n"
    assert follow("- [Their title](a.md)\n", changes) == "- [Their title](a.md)\n"
    assert follow("# gone\n", changes) == "# gone\n"
    renamed = hunks("- [Old](a.md) — x\n", "- [Old](b.md) — x\n")
    assert follow("- [Old](a.md) — theirs\n", renamed) == "- [Old](b.md) — theirs\n"


def test_unified_names_a_missing_file() -> None:
    assert unified(None, b"a\n", "cards/x.md").startswith("--- absent\n+++ cards/x.md")


def test_a_line_that_moved_in_the_index_stands_there_once_and_is_never_lost() -> None:
    a, b, c, d = (f"- [{name}]({name}.md)\n" for name in "abcd")
    up = hunks(a + b + c, c + a + b)
    back = turned(up)
    assert follow(a + b + c, up) == c + a + b
    assert follow(d + a + b + c, up).count(c) == 1
    assert follow(c + a + b, up) == c + a + b
    assert follow(c + d + a + b, back).count(c) == 1
    assert follow(a + b, up) == a + b
