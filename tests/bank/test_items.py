"""Cards and pages from the bytes of memory files, in every shape that is met, and back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.bank.cards import parse_card, render_card
from memtui.bank.handles import derived_id, new_id
from memtui.bank.model import Card, Evidence, Page, Scope, Status
from memtui.bank.pages import parse_page, render_page
from tests.bank.test_frontmatter import CARD, TEXT, WORD

PATH = Path("cards/pool.md")


def card(text: str | bytes, path: Path = PATH) -> Card:
    return parse_card(path, text if isinstance(text, bytes) else text.encode())


def messages(item: Card | Page) -> list[str]:
    return [problem.message for problem in item.problems]


def test_the_card_of_the_design() -> None:
    found = card(CARD)
    assert (found.id, found.assigned) == ("k3f9qa", False)
    assert found.name == "pool-timeout-unset-env"
    assert found.title.startswith("Pool timeouts in tests")
    assert (found.type, found.status, found.tags) == ("pitfall", Status.ACTIVE, ("test", "env"))
    assert found.scope == Scope("svc-order", None, ("order/pool.py",))
    assert found.importance == 0.7
    assert found.created == datetime(2026, 8, 26, 9, 12, 31, tzinfo=UTC)
    assert found.evidence == (
        Evidence("claude-code:871e05e3#b764", "1:9f2c", "77ab", "within 30s (size=0)"),
    )
    assert (found.problems, found.conflict, dict(found.extra)) == ((), False, {})


@pytest.mark.parametrize(
    "front",
    [
        "name: n\ndescription: Says so\ntype: feedback\n",
        "name: n\ndescription: Says so\nmetadata:\n  node_type: memory\n  type: feedback\n",
        "name: n\ndescription: Says so\nmetadata: \n  type: feedback\n  pinned: true\n",
        "description: Says so\nmetadata: {type: feedback}\nmodified: 2026-08-26T09:12:31.123Z\n",
    ],
)
def test_the_host_shapes_read_alike(front: str) -> None:
    found = card(f"---\n{front}---\nbody\n", Path("n.md"))
    assert (found.name, found.title, found.type) == ("n", "Says so", "feedback")
    assert (found.assigned, found.id) == (True, derived_id("n.md"))
    assert found.problems == ()
    assert dict(found.extra) == {}
    assert found.pinned == ("pinned" in front)


def test_a_name_that_is_a_sentence() -> None:
    said = "Bento grid — don't wrap components"
    found = card(f"---\nname: {said}\ndescription: Two attempts broke it.\n---\n", Path("grid.md"))
    assert (found.name, found.title) == ("grid", "Two attempts broke it.")
    assert found.extra["name"] == said
    assert card(f"---\nname: {said}\n---\n").title == said


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Heading\ntext", "Heading"),
        ("\n\nfirst line\nsecond", "first line"),
        ("", "pool"),
        ("---\n---\n", "pool"),
    ],
)
def test_missing_fields(text: str, title: str) -> None:
    found = card(text)
    assert (found.name, found.title, found.type) == ("pool", title, "")
    assert (found.status, found.importance, found.created) == (Status.ACTIVE, 0.5, None)


@pytest.mark.parametrize(
    ("line", "field", "value", "problem"),
    [
        ("status: Stale", "status", Status.STALE, ""),
        ("status: archived", "status", Status.STALE, "`status` is none of active, stale, retired: 'archived'"),
        ("importance: high", "importance", 0.5, "`importance` is not a number: 'high'"),
        ("importance: 7", "importance", 1.0, ""),
        ("importance: true", "importance", 0.5, "`importance` is not a number: 'true'"),
        ("importance: nan", "importance", 0.5, "`importance` is not a number: 'nan'"),
        ("created: yesterday", "created", None, "`created` is not a time: 'yesterday'"),
        ("created: 2026-08-26", "created", datetime(2026, 8, 26, tzinfo=UTC), ""),
        ("created: 2026-08-26T11:00:00+02:00", "created", datetime(2026, 8, 26, 9, tzinfo=UTC), ""),
        ("pinned: yes", "pinned", True, ""),
        ("pinned: maybe", "pinned", False, "`pinned` is neither true nor false: 'maybe'"),
        ("tags: a, b", "tags", ("a", "b"), ""),
        ("tags: one", "tags", ("one",), ""),
        ("tags: {a: 1}", "tags", (), "`tags` is not a list"),
        ("tags: [1, true, null]", "tags", ("1", "true"), ""),
        ("id: 123456", "id", "123456", ""),
        ("id: 012345", "id", "012345", ""),
        ("id: 1e5678", "id", "1e5678", ""),
        ("scope: other", "scope", Scope("other"), ""),
        ("scope: {paths: a.py}", "scope", Scope(None, None, ("a.py",)), ""),
        ("evidence: ['h:s#r']", "evidence", (Evidence("h:s#r"),), ""),
        ("evidence: [{quote: x}]", "evidence", (), "an entry of `evidence` has no `ref`"),
    ],
)  # fmt: skip
def test_values_read_as_meant_or_are_said(
    line: str, field: str, value: object, problem: str
) -> None:
    found = card(f"---\nmetadata:\n  {line}\n---\n")
    assert getattr(found, field) == value
    assert messages(found) == ([problem] if problem else [])


def test_a_status_of_the_host_is_not_ours() -> None:
    found = card("---\nstatus: done\n---\n")
    assert (found.status, found.extra["status"], found.problems) == (Status.ACTIVE, "done", ())
    assert card("---\nstatus: retired\n---\n").status is Status.RETIRED


def test_unknown_keys_are_kept_where_they_stood() -> None:
    found = card("---\nowner: {a: 1}\nmetadata:\n  id: abc234\n  since: v2\n---\n")
    assert dict(found.extra) == {"owner": {"a": 1}, "metadata": {"since": "v2"}}


def test_problems_name_their_line() -> None:
    found = card("---\nname: x\nnonsense\n---\n")
    assert [(p.line, p.path) for p in found.problems] == [(3, PATH)]
    assert messages(card("---\nname: x\n")) == ["the front matter is never closed"]
    assert messages(card("---\r\nname: x\r\n")) == ["the front matter is never closed"]
    assert messages(card("---\nmetadata: 7\n---\n")) == ["`metadata` is not a map"]


def test_git_conflict_markers() -> None:
    text = (
        "---\nname: x\n<<<<<<< HEAD\ndescription: a\n=======\ndescription: b\n>>>>>>> other\n---\n"
    )
    found = card(text)
    assert found.conflict
    assert messages(found) == ["git conflict markers"]
    assert card(text.replace("\n", "\r\n")).conflict
    assert not card("quoting `<<<<<<< HEAD` and `>>>>>>> x`\n=======\n").conflict


def test_bytes_that_are_not_utf8() -> None:
    found = card(b"---\nname: x\n---\ncaf\xe9\n")
    assert found.body == "caf\ufffd\n"
    assert messages(found) == ["byte 19 is not UTF-8"]
    assert found.problems[0].line == 4


def test_links() -> None:
    found = card("see [[a]], [[b|the b]], [[a#part]], [[ c ]], [[]], [[x\ny]], [[[d]]]")
    assert found.links == ("a", "b", "c", "d")


@given(st.binary(max_size=300))
def test_no_bytes_stop_the_parsers(data: bytes) -> None:
    for text in (
        data,
        b"---\n" + data + b"\n---\n" + data,
        b"---\nmetadata:\n " + data + b"\n---\n",
    ):
        assert parse_card(PATH, text).path == PATH
        assert parse_page(PATH, text).path == PATH


NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True)
TIMES = st.integers(0, 4_000_000_000).map(lambda second: datetime.fromtimestamp(second, UTC))
LINE = TEXT.map(lambda text: text.strip())
CARDS = st.builds(
    Card,
    id=st.builds(new_id),
    name=NAMES,
    title=LINE.filter(bool),
    type=WORD,
    body=st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=80),
    path=st.just(PATH),
    digest=st.just(""),
    status=st.sampled_from(Status),
    tags=st.lists(WORD, max_size=3).map(tuple),
    scope=st.builds(
        Scope, st.none() | WORD, st.none() | WORD, st.lists(LINE, max_size=2).map(tuple)
    ),
    importance=st.integers(0, 100).map(lambda n: n / 100),
    origin=WORD,
    author=LINE,
    created=st.none() | TIMES,
    modified=st.none() | TIMES,
    expires=st.none() | TIMES,
    pinned=st.booleans(),
    supersedes=st.lists(NAMES, max_size=2).map(tuple),
    evidence=st.lists(st.builds(Evidence, LINE.filter(bool), LINE, LINE, LINE), max_size=2).map(
        tuple
    ),
    extra=st.fixed_dictionaries({}, optional={"owner": WORD, "metadata": st.just({"since": "v2"})}),
)


def comparable(item: Card) -> Card:
    return replace(item, digest="", links=(), problems=(), conflict=False)


@given(CARDS)
def test_a_rendered_card_reads_back(made: Card) -> None:
    found = card(render_card(made))
    assert comparable(found) == comparable(made)
    assert found.problems == () or found.conflict
    assert render_card(found) == render_card(made)


def test_a_card_is_written_as_the_design_shows() -> None:
    written = render_card(card(CARD))
    plain = CARD.replace('"claude-code:871e05e3#b764"', "claude-code:871e05e3#b764")
    plain = plain.replace('"within 30s (size=0)"', "within 30s (size=0)")
    assert written == plain.replace("0.7\n", '0.7\n  origin: ""\n  author: ""\n')


def test_a_rendered_page_reads_back() -> None:
    page = Page(
        "abc234", "start", "Start", "procedure", "Do it. [[pool]]\n", Path("pages/start.md"), "",
        sources={"k3f9qa": "9f" * 32, "x2f9qa": "77" * 32},
        compiled_at=datetime(2026, 8, 1, tzinfo=UTC),
        generation=3,
    )  # fmt: skip
    found = parse_page(page.path, render_page(page).encode())
    assert (found.sources, found.compiled_at, found.generation) == (
        page.sources,
        page.compiled_at,
        3,
    )
    assert [claim.cards for claim in found.claims] == [("pool",)]


@pytest.mark.parametrize(
    ("line", "sources", "problem"),
    [
        ("sources: [a, b]", {"a": "", "b": ""}, ""),
        ("sources: text", {}, "`sources` is not a map of card ids to digests"),
        ("generation: many", {}, "`generation` is not a number: 'many'"),
        ("compiled_at: soon", {}, "`compiled_at` is not a time: 'soon'"),
    ],
)
def test_a_page_with_odd_values(line: str, sources: dict[str, str], problem: str) -> None:
    page = parse_page(PATH, f"---\nmetadata:\n  {line}\n---\n".encode())
    assert page.sources == sources
    assert messages(page) == ([problem] if problem else [])


def test_real_memory_files_read_without_a_problem(samples_folder: Path) -> None:
    files = sorted((samples_folder / "claude-memory").glob("*.md"))
    assert files
    for path in files:
        found = parse_card(path, path.read_bytes())
        assert (found.type, found.problems) == ("feedback", ())
        assert found.title
        assert path.read_bytes().endswith(found.body.encode())
