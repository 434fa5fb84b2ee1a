"""A card that exists gets another text: only what differs changes, and undo gives every byte back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.bank.cards import parse_card
from memtui.bank.model import Card, Evidence, Scope
from memtui.curate import verbs
from memtui.curate.act import CurateError
from memtui.curate.create import CitedRecord
from memtui.curate.draft import Draft
from memtui.curate.rewrite import draft_of, joined, rewritten, update
from tests.curate.bench import NOW, Bench

REF = "claude-code:s7#r3"
RECORD = CitedRecord(REF, "it said 42 again", "1:def", "answer", NOW)
DRAFT = Draft(
    title="The answer is 42",
    body="Use when: asked.\n\nIt is 42.",
    type="fact",
    tags=("answer",),
    evidence=(Evidence(REF, quote="42"),),
)


def first(bench: Bench) -> Card:
    return bench.contents().cards[0]


def test_an_update_keeps_who_the_card_is_and_joins_the_evidence(either: Bench) -> None:
    before = either.files()
    card = first(either)
    result = update(either.curator(), card, DRAFT, [RECORD])
    now = next(one for one in either.contents().cards if one.path == card.path)
    assert result.verb == "update"
    assert (now.id, now.name, now.status, now.pinned) == (
        card.id,
        card.name,
        card.status,
        card.pinned,
    )
    assert now.title == DRAFT.title
    assert now.body.rstrip("\n") == DRAFT.body
    assert set(card.tags) | {"answer"} == set(now.tags)
    assert [one.ref for one in now.evidence] == [*(one.ref for one in card.evidence), REF]
    assert now.evidence[-1].record == "1:def"
    assert now.evidence[-1].excerpt
    verbs.undo(either.curator())
    assert either.files() == before
    verbs.redo(either.curator())
    verbs.undo(either.curator())
    assert either.files() == before


def test_an_update_that_says_nothing_new_is_refused(bench: Bench) -> None:
    before = bench.files()
    card = first(bench)
    with pytest.raises(CurateError, match="says that already"):
        update(bench.curator(), card, draft_of(card))
    assert bench.files() == before


def test_secrets_are_masked(bench: Bench) -> None:
    secret = "ghp_" + "a1B2" * 9
    update(bench.curator(), first(bench), replace(DRAFT, body=f"Use when: x.\n\nToken {secret}."))
    assert all(secret.encode() not in data for data in bench.files().values())


def test_only_touched_lines_change(bench: Bench) -> None:
    card = first(bench)
    base = card.path.read_bytes()
    new = rewritten("x", base, card, replace(draft_of(card), title="Another title"))
    old_lines, new_lines = base.splitlines(), new.splitlines()
    assert len(old_lines) == len(new_lines)
    differing = [n for o, n in zip(old_lines, new_lines, strict=True) if o != n]
    assert differing == [b"description: Another title"]


def test_the_same_draft_gives_the_same_bytes(either: Bench) -> None:
    for card in either.contents().cards:
        base = card.path.read_bytes()
        assert rewritten("x", base, card, draft_of(card)) == base


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=40)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(title=TEXT, body=TEXT, tags=st.lists(TEXT, max_size=3, unique=True), newline=st.booleans())
def test_what_is_written_reads_back(
    bench: Bench, title: str, body: str, tags: list[str], newline: bool
) -> None:
    card = first(bench)
    base = card.path.read_bytes()
    if newline:
        base = base.replace(b"\n", b"\r\n")
        card = parse_card(card.path, base)
    wanted = replace(
        draft_of(card),
        title=" ".join(title.split()) or "x",
        body=f"Use when: it is.\n\n{body}\n",
        tags=tuple(tags),
        scope=Scope(card.scope.project, "main", ("a/b.py",)),
    )
    again = parse_card(card.path, rewritten("x", base, card, wanted))
    assert again.title == wanted.title
    assert again.body.replace("\r\n", "\n").rstrip("\n") == wanted.body.rstrip("\n")
    assert again.tags == wanted.tags
    assert again.scope == wanted.scope
    assert again.evidence == card.evidence


def test_joining_says_what_both_say(bench: Bench) -> None:
    card = first(bench)
    made = joined(DRAFT, card)
    assert card.body.rstrip("\n") in made.body
    assert "It is 42." in made.body
    assert made.body.lower().count("use when:") == 1
    assert made.title == card.title
    assert {one.ref for one in made.evidence} >= {REF}
