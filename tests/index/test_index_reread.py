"""The hook's reading of one file says what the bank's own reading says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.bank.cards import parse_card, render_card
from memtui.bank.model import BankConfig, BankContents, Card, Layout
from memtui.index.reread import reread
from memtui.index.rows import Facts, ingredients_of
from tests.index import banks

ROOT = Path("/bank")


def as_bank_reads(name: str, data: bytes) -> tuple[object, ...]:
    card = parse_card(ROOT / "cards" / name, data)
    contents = BankContents(ROOT, Layout.MEMTUI, BankConfig(id="b"), (card,), (), ())
    (values,) = ingredients_of(contents, Facts(now=banks.NOW, trust={})).items
    return values


def check(name: str, data: bytes) -> None:
    assert reread(name, "card", data, None, banks.TODAY).candidate == as_bank_reads(name, data)


@banks.bounded
@given(banks.cards("h0"))
def test_cards_written_by_memtui(made: Card) -> None:
    check(f"{made.name}.md", render_card(made).encode("utf-8", "surrogateescape"))


_LINES = st.sampled_from(
    [
        "name: other-name",
        "name: A sentence as a name",
        "description: 'quoted # title'",
        "type: feedback",
        "status: retired",
        "status: Stale",
        "status: unknown",
        "metadata:",
        "  id: abc123",
        "  type: [odd]",
        "  status: stale",
        "  status: done",
        "  tags: one, two",
        "  tags: [a, null, {x: 1}, true]",
        "  scope: svc",
        "  scope: {project: svc, branch: 7}",
        "  importance: .nan",
        "  importance: 7",
        "  importance: high",
        "  importance: true",
        "  pinned: yes",
        "  pinned: maybe",
        "  created: 2026-11-01",
        "  created: soon",
        "  modified: 2026-10-01T10:00:00+02:00",
        "  expires: 2026-12-24",
        "  expires: 1969-01-01",
        "  origin: external",
        "node_type: memory",
    ]
)


@banks.bounded
@given(st.lists(_LINES, max_size=9), st.sampled_from(["", "\n# A heading\n\nText.\n", "\n"]))
def test_front_matter_in_pieces(lines: list[str], body: str) -> None:
    check("topic.md", "\n".join(["---", *lines, "---", body]).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no front matter\n",
        b"---\nnever closed\n",
        b"\xef\xbb\xbf---\r\nname: x\r\n---\r\nbody\r\n",
        b"---\nname: \xff\xfe\n---\n",
        b"---\nname: x\n<<<<<<< a\ntype: fact\n=======\ntype: env\n>>>>>>> b\n---\n",
        b"<<<<<<< a\nonly two marks\n>>>>>>> b\n",
        b'---\ndescription: "\\ud800 lone"\n---\n',
    ],
)
def test_odd_files(data: bytes) -> None:
    check("odd.md", data)
