"""Editing front matter: the keys asked for change, every other byte stays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.bank.frontmatter import (
    REMOVE,
    FrontMatterError,
    parse,
    set_keys,
    set_keys_bytes,
    split,
)
from tests.bank.test_frontmatter import CARD, TEXT, VALUE, WORD

MESSY = """\
---
# by hand
name:   spaced-out
description: "old: title"   # why
metadata: \n\
  type: pitfall   # kind
  tags:
  - a
  - b

  note: |
    # not a comment

    end
  # last words
unknown: {x: 1}
---
body: not front
"""


def front(text: str) -> dict[str, Any]:
    data, problems = parse(split(text)[0])
    assert problems == []
    return data


def changed_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    before, after = old.split("\n"), new.split("\n")
    return [x for x in before if x not in after], [x for x in after if x not in before]


@pytest.mark.parametrize(
    ("path", "value", "gone", "come"),
    [
        (("metadata", "status"), "stale", [], ["  status: stale"]),
        (("metadata", "type"), "fact", ["  type: pitfall   # kind"], ["  type: fact   # kind"]),
        (("metadata", "tags"), ["c"], ["  tags:", "  - a", "  - b"], ["  tags: [c]"]),
        (
            ("metadata", "note"),
            REMOVE,
            ["  note: |", "    # not a comment", "    end"],
            [],
        ),
        (("metadata", "scope", "branch"), "x", [], ["  scope: {branch: x}"]),
        (("unknown", "z"), 2, ["unknown: {x: 1}"], ["unknown:", "  x: 1", "  z: 2"]),
        (("unknown", "x"), REMOVE, ["unknown: {x: 1}"], ["unknown: {}"]),
        (("unknown",), REMOVE, ["unknown: {x: 1}"], []),
        (("new",), "v", [], ["new: v"]),
        (("metadata", "absent"), REMOVE, [], []),
        (("absent", "deeper"), REMOVE, [], []),
    ],
)
def test_an_edit_touches_its_own_lines(
    path: tuple[str, ...], value: Any, gone: list[str], come: list[str]
) -> None:
    new = set_keys(MESSY, {path: value})
    assert changed_lines(MESSY, new) == (gone, come)
    if value is not REMOVE:
        data = front(new)
        for key in path:
            data = data[key]
        assert data == value


def test_setting_what_is_there_changes_nothing() -> None:
    same = {
        ("name",): "spaced-out",
        ("metadata", "tags"): ["a", "b"],
        ("metadata", "note"): "# not a comment\n\nend\n",
        ("unknown",): {"x": 1},
    }
    assert set_keys(MESSY, same) == MESSY


def test_a_comment_with_quotes_near_is_not_taken_for_text() -> None:
    new = set_keys(MESSY, {("description",): "new # title"})
    assert front(new)["description"] == "new # title"


def test_crlf_stays_crlf() -> None:
    text = CARD.replace("\n", "\r\n")
    new = set_keys(
        text, {("metadata", "status"): "stale", ("metadata", "by"): "me", ("x",): {"y": 1}}
    )
    assert new.count("\n") == new.count("\r\n")
    assert front(new)["metadata"]["by"] == "me"


def test_a_file_without_front_matter_gets_one() -> None:
    assert set_keys("body\n", {("metadata", "id"): "abc234"}) == (
        "---\nmetadata:\n  id: abc234\n---\nbody\n"
    )
    assert set_keys("body\n", {("metadata", "id"): REMOVE}) == "body\n"
    assert set_keys("\ufeffbody\r\n", {("a",): 1}) == "\ufeff---\r\na: 1\r\n---\r\nbody\r\n"


@pytest.mark.parametrize(
    "empty", ["metadata:", "metadata: ", "metadata: {}", "metadata: null", "metadata: ~"]
)
def test_an_empty_map_opens(empty: str) -> None:
    new = set_keys(f"---\n{empty}\nb: 1\n---\n", {("metadata", "id"): "x"})
    assert front(new) == {"metadata": {"id": "x"}, "b": 1}


@pytest.mark.parametrize("held", ["text", "[a]", "7", "false", '""'])
def test_a_text_is_never_destroyed_for_a_map(held: str) -> None:
    text = f"---\nmetadata: {held}\n---\n"
    with pytest.raises(FrontMatterError, match="metadata"):
        set_keys(text, {("metadata", "id"): "x"})


def test_the_last_of_two_equal_keys_is_the_one() -> None:
    new = set_keys("---\na: 1\na: 2\n---\n", {("a",): 3})
    assert new == "---\na: 1\na: 3\n---\n"


def test_bytes_that_are_not_utf8_survive() -> None:
    data = b"---\nname: caf\xe9\nstatus: x\n---\nbody \xff\n"
    assert set_keys_bytes(data, {("status",): "z"}) == data.replace(b"status: x", b"status: z")


PATH = st.lists(st.sampled_from(["a", "b", "metadata", "tags", "x-y"]), min_size=1, max_size=3).map(
    tuple
)
CHANGES = st.dictionaries(PATH, VALUE | st.just(REMOVE), max_size=4)
LINES = st.lists(
    st.sampled_from(
        [
            "a: 1", "b: text # c", "metadata:", "  a: [1, 2]", "  tags:", "    - x", "  - y", "# note",
            "", "    b: |", "      z", "x-y: {a: 1}", 'a: "q', "junk", "metadata: {b: {a: 1}}", "  x-y: >-",
            "    folded", "\tb: tab",
        ]
    ),
    max_size=10,
)  # fmt: skip


@given(LINES, CHANGES, st.sampled_from(["\n", "\r\n"]), st.text(max_size=20))
def test_edits_read_back_and_leave_the_rest(
    lines: list[str], changes: dict[tuple[str, ...], Any], newline: str, body: str
) -> None:
    text = newline.join(["---", *lines, "---", body])
    old = parse(split(text)[0])[0]
    for path, value in changes.items():
        try:
            new = set_keys(text, {path: value})
        except FrontMatterError:
            continue
        assert split(new)[1] == body
        data = parse(split(new)[0])[0]
        assert without(data, path) == without(old, path)
        found = value_at(data, path)
        assert found is REMOVE if value is REMOVE else found == value
        assert set_keys(new, {path: value}) == new


def value_at(data: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        if not isinstance(data, dict) or key not in data:
            return REMOVE
        data = data[key]
    return data


def without(data: dict[str, Any], path: tuple[str, ...]) -> Any:
    """`data` without what lies at `path`, and without maps that hold nothing else."""
    result = dict(data)
    if path[0] in result:
        inner = result[path[0]]
        if len(path) > 1 and isinstance(inner, dict):
            result[path[0]] = without(inner, path[1:])
        elif len(path) == 1 or inner is None:
            del result[path[0]]
    return {k: v for k, v in result.items() if v not in ({}, None)}


@given(st.text(), st.dictionaries(st.tuples(WORD), TEXT, max_size=3))
def test_any_text_can_be_edited(text: str, changes: dict[tuple[str, ...], Any]) -> None:
    try:
        new = set_keys(text, changes)
    except FrontMatterError:
        return
    data = parse(split(new)[0])[0]
    assert {key: data.get(key) for (key,) in changes} == {key: v for (key,), v in changes.items()}


@given(st.binary(max_size=200), st.sampled_from(["stale", "a: b", "ü"]))
def test_any_bytes_keep_their_body(data: bytes, status: str) -> None:
    data = b"---\nname: x\n---\n" + data
    try:
        new = set_keys_bytes(data, {("metadata", "status"): status})
    except FrontMatterError:
        return
    assert new.endswith(data.partition(b"\n---\n")[2])
