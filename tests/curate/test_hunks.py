"""Line changes apply where they belong, turn round exactly, and refuse what does not fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.curate.act import digest
from memtui.curate.acts import _different, moved
from memtui.curate.hunks import apply, dump, follow, hunks, load, merge, turned, unified
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
    assert follow("b\nq\nb\n", hunks("a\nb\n", "a\n")) == "q\nb\n"


def test_unified_names_a_missing_file() -> None:
    assert unified(None, b"a\n", "cards/x.md").startswith("--- absent\n+++ cards/x.md")
