"""Reading front matter: the YAML that memory files use, and what hand-written ones break."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from memtui.bank.frontmatter import has_front, parse, split
from memtui.bank.yaml_write import block, entry

CARD = """\
---
name: pool-timeout-unset-env
description: Pool timeouts in tests come from an unset ORDER_POOL_SIZE, not from the database
metadata:
  id: k3f9qa
  type: pitfall
  status: active
  tags: [test, env]
  scope: {project: svc-order, branch: null, paths: [order/pool.py]}
  importance: 0.7
  created: 2026-08-26T09:12:31Z
  expires: null
  pinned: false
  supersedes: []
  evidence:
    - {ref: "claude-code:871e05e3#b764", record: 1:9f2c, excerpt: 77ab, quote: "within 30s (size=0)"}
---
Use when: order tests fail.
"""


def read(front: str) -> dict[str, Any]:
    data, problems = parse(front)
    assert problems == []
    return data


def test_the_card_of_the_design() -> None:
    front, body = split(CARD)
    data = read(front)
    assert body == "Use when: order tests fail.\n"
    assert data["description"].endswith("not from the database")
    assert data["metadata"] == {
        "id": "k3f9qa",
        "type": "pitfall",
        "status": "active",
        "tags": ["test", "env"],
        "scope": {"project": "svc-order", "branch": None, "paths": ["order/pool.py"]},
        "importance": 0.7,
        "created": "2026-08-26T09:12:31Z",
        "expires": None,
        "pinned": False,
        "supersedes": [],
        "evidence": [
            {
                "ref": "claude-code:871e05e3#b764",
                "record": "1:9f2c",
                "excerpt": "77ab",
                "quote": "within 30s (size=0)",
            }
        ],
    }


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("a: Fix: do this first", "Fix: do this first"),
        ("a: fixes #12 in the pool", "fixes #12 in the pool"),
        ("a: text # a comment", "text"),
        ('a: "quoted: #1"   # comment', "quoted: #1"),
        ('a: "quoted" and more', '"quoted" and more'),
        ("a: 'it''s'", "it's"),
        ("a: don't", "don't"),
        ("a: [WIP] pool", "[WIP] pool"),
        ("a: {braces} first", "{braces} first"),
        ("a: *important* thing", "*important* thing"),
        ("a: `code` first", "`code` first"),
        ("a: > 30s is slow", "> 30s is slow"),
        ("a: | or", "| or"),
        ("a: - dash", "- dash"),
        ("a: http://x.y/z", "http://x.y/z"),
        ("a:", None),
        ("a: ~", None),
        ("a: Null", None),
        ("a: True", True),
        ("a: 12", 12),
        ("a: -3", -3),
        ("a: 0.5", 0.5),
        ("a: 012345", "012345"),
        ("a: 1e5678", "1e5678"),
        ("a: 1.50", "1.50"),
        ("a: 1_000", "1_000"),
        ("a: 2026-08-26", "2026-08-26"),
        (r'a: "\u00e9\x41\ud83d\ude00\n\q\\"', "éA😀\n\\q\\"),
        ("a: [x, 'y, z', \"]\", {k: v}]", ["x", "y, z", "]", {"k": "v"}]),
        ('a: {"k":1, l: [], m: }', {"k": 1, "l": [], "m": None}),
        ("a: [1, 2,]", [1, 2]),
        ("a:  spaced out \t ", "spaced out"),
        ('"a": b', "b"),
        ("a:\tb", "b"),
    ],
)
def test_one_line(line: str, value: object) -> None:
    assert read(line) == {"a": value}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: one\n  two\n\n  three\n", "one two\nthree"),
        ('a: "one\n  two \\\n  \\ three"\n', "one two  three"),
        ("a: 'one\n\n  two'\n", "one\ntwo"),
        ("a:\n  one\n  two\n", "one two"),
        ("a: |\n  x\n    y\n\n  z\n", "x\n  y\n\nz\n"),
        ("a: |-\n  x\n\n", "x"),
        ("a: |+\n  x\n\n", "x\n\n"),
        ("a: |2\n    x\n", "  x\n"),
        ("a: >\n  x\n  y\n\n  z\n", "x y\nz\n"),
        ("a: >-  # folded\n  x\n   y\n  z\n", "x\n y\nz"),
        ("a: |\n  # not a comment\n", "# not a comment\n"),
        ("a:\n- x\n- y\n", ["x", "y"]),
        (
            "a:\n  - k: v\n    l: w\n  - - p\n    - q\n  -\n    r\n",
            [{"k": "v", "l": "w"}, ["p", "q"], "r"],
        ),
        ("a: [\n  x,  # why\n  y\n]\n", ["x", "y"]),
        ("a: {k: v,\n  l: 'w\n  z'}\n", {"k": "v", "l": "w z"}),
        ("a:\n  # first\n\n  b: c\n", {"b": "c"}),
        ("a: \n  b:\n    c: d\n", {"b": {"c": "d"}}),
        ("a:\r\n  b: c\r\n", {"b": "c"}),
        ("a:\n  - |\n    x\n    y\n  - z\n", ["x\ny\n", "z"]),
    ],
)
def test_many_lines(text: str, value: object) -> None:
    assert read(text) == {"a": value}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\nnonsense\nb: 2\n", 3, "not a `key: value` line"),
        ("a: 1\n    b: 2\nc: 3\n", 3, "unexpected indentation"),
        ('a: "open\nb: 2\n', 2, "a quote is never closed"),
        ("a: [x, y\nb: 2\n", 2, ""),
        ("a: [x, {y]\nb: 2\n", 2, "unexpected ']'"),
        ("\ta: 1\n", 2, "tab in the indentation"),
        ("- a\n- b\n", 2, "not a `key: value` line"),
        ("a: " + "[" * 99 + "]" * 99, 2, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text: str, line: int, message: str) -> None:
    _, problems = parse(text)
    if message:
        assert (line, message) in problems


def test_a_bad_line_costs_only_itself() -> None:
    data, _ = parse("a: 1\nnonsense\nb: 2\n")
    assert data == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("text", "front", "body"),
    [
        ("---\na: 1\n---\nbody", "a: 1\n", "body"),
        ("\ufeff---\na: 1\n---\nbody", "a: 1\n", "body"),
        ("---  \r\na: 1\r\n--- \r\nbody\r\n", "a: 1\r\n", "body\r\n"),
        ("---\na: 1\n...\nbody", "a: 1\n", "body"),
        ("---\na: 1\n---", "a: 1\n", ""),
        ("---\n---\nbody", "", "body"),
        ("---\na: 1\n----\nbody", "", "---\na: 1\n----\nbody"),
        ("# title\n---\n", "", "# title\n---\n"),
        ("", "", ""),
    ],
)
def test_split(text: str, front: str, body: str) -> None:
    assert split(text) == (front, body)


@given(st.text())
def test_parse_never_raises(text: str) -> None:
    data, problems = parse(text)
    assert isinstance(data, dict)
    assert len(problems) <= 20


@given(st.lists(st.sampled_from(["a: ", "- ", "  ", "[", "]", "{", "}", '"', "'", "\n", "|", ">", "#", "x", ": ", "\\", ","])).map("".join))  # fmt: skip
def test_parse_never_raises_on_broken_yaml(text: str) -> None:
    parse(text)
    has_front("---\n" + text)


@pytest.mark.parametrize(
    "unit", ["a: [", "- ", "'", '"', "\\", "a:\n ", "{a: ", "x\n", "a: |\n", '["\\']
)
def test_hostile_input_takes_linear_time(unit: str) -> None:
    parse("a: " + unit * (300_000 // len(unit)))
    parse(unit * (300_000 // len(unit)))


WORD = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,12}", fullmatch=True)
TEXT = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"), include_characters="\n\t"),
    max_size=60,
)
SCALAR = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**9), 10**9), TEXT, WORD,
    st.sampled_from([0.5, 0.25, 3.0]),
)  # fmt: skip
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORD, inner, max_size=4),
    max_leaves=12,
)
MAPPING = st.dictionaries(WORD, VALUE, max_size=6)


def by_ruamel(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(io.StringIO(text)) or {}


@given(MAPPING)
def test_what_is_written_reads_back(mapping: dict[str, Any]) -> None:
    text = "".join(line + "\n" for line in block(mapping, 0))
    assert read(text) == mapping
    assert by_ruamel(text) == mapping


@given(MAPPING, st.booleans(), st.sampled_from([2, 4]), st.sampled_from([30, 80, 4096]))
def test_what_ruamel_writes_reads_the_same(
    mapping: dict[str, Any], flow: bool, indent: int, width: int
) -> None:
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = flow
    writer.indent = indent
    writer.width = width
    writer.allow_unicode = True
    out = io.StringIO()
    writer.dump(mapping, out)
    if not out.getvalue().startswith("{"):
        assert read(out.getvalue()) == mapping


PLAIN = st.from_regex(r"[a-z][a-z0-9 .,:/()'-]{0,30}[a-z]", fullmatch=True).filter(
    lambda text: ": " not in text and text.strip().lower() not in ("null", "true", "false")
)


@given(
    st.lists(st.tuples(WORD, PLAIN, st.sampled_from(["", "  # why", "\n\n# alone"])), max_size=6)
)
def test_plain_scalars_and_comments_read_as_ruamel_reads_them(
    rows: list[tuple[str, str, str]],
) -> None:
    text = "".join(
        f"{key}: {value}{comment}\n" for key, value, comment in {r[0]: r for r in rows}.values()
    )
    assert read(text) == by_ruamel(text)


@given(st.lists(st.sampled_from(["x", " y", "", "z z", "  w"]), max_size=6), st.sampled_from(["|", ">", "|-", ">-", "|+", ">+"]))  # fmt: skip
def test_block_scalars_read_as_ruamel_reads_them(lines: list[str], header: str) -> None:
    text = (
        f"a: {header}\n"
        + "".join(f"  {line}\n" if line else "\n" for line in ["x", *lines])
        + "b: 1\n"
    )
    assert read(text) == by_ruamel(text)


@given(TEXT)
def test_one_scalar_survives(text: str) -> None:
    assert read("\n".join(entry("a", text, 0))) == {"a": text}
    assert read("\n".join(entry("a", [text, text], 0))) == {"a": [text, text]}


def test_the_hook_pays_for_nothing_but_strings() -> None:
    code = (
        "import sys; before = set(sys.modules); import memtui.bank.frontmatter;"
        "print(sorted(m for m in set(sys.modules) - before if not m.startswith('memtui')))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() in ("[]", "['__future__']")
