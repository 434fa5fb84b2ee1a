"""Everything that can be typed is understood, and nothing of it is FTS syntax."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtui.recall.query import (
    Filters,
    is_identifier,
    parse,
    split_identifier,
    trigram_match,
    words_match,
)
from tests.recall.recall_fixtures import NOW


@pytest.mark.parametrize(
    ("text", "words", "identifiers"),
    [
        ("why does the pool time out?", ("pool", "time"), ()),
        ("ORDER_POOL_SIZE", (), ("ORDER_POOL_SIZE",)),
        ("error E1042 in order/pool.py", ("error",), ("E1042", "order/pool.py")),
        ("getUserById --no-cache", (), ("getUserById", "--no-cache")),
        ("std::vector, HTTPServer.", (), ("std::vector", "HTTPServer")),
        ("the CSV of 2026", ("csv",), ("2026",)),
        ("to be or not to be", ("to", "be", "or", "not"), ()),
        ("node:internal fails", ("node", "internal", "fails"), ()),
    ],
)
def test_words_and_identifiers(
    text: str, words: tuple[str, ...], identifiers: tuple[str, ...]
) -> None:
    query = parse(text, NOW)
    assert query.words == words
    assert query.identifiers == identifiers


def test_filters_are_taken_out() -> None:
    query = parse(
        'type:pitfall,env tag:db trust:confirmed status:stale project:"my shop" branch:main '
        'since:7d "no connection" pool',
        NOW,
    )
    assert query.filters == Filters(
        types=frozenset({"pitfall", "env"}),
        tags=frozenset({"db"}),
        tiers=frozenset({"confirmed"}),
        statuses=frozenset({"stale"}),
        projects=frozenset({"my shop"}),
        branches=frozenset({"main"}),
        since=datetime(2026, 11, 13, 12, 0, tzinfo=UTC),
    )
    assert query.phrases == ("no connection",)
    assert query.words == ("pool",)
    assert query.text == "pool no connection"
    assert not query.problems


def test_a_filter_that_is_not_understood_is_said() -> None:
    query = parse("type:pitfal since:soon status:gone x1", NOW)
    assert len(query.problems) == 3
    assert "pitfal" in query.problems[0]


def test_a_filter_that_is_being_typed_is_no_condition() -> None:
    query = parse("pool type:", NOW)
    assert query.words == ("pool",)
    assert query.identifiers == ()
    assert not query.filters


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("getUserById2", ["get", "user", "by", "id", "2"]),
        ("HTTPServerConnection", ["http", "server", "connection"]),
        ("ORDER_POOL_SIZE", ["order", "pool", "size"]),
        ("order/pool.py", ["order", "pool", "py"]),
        ("pool", ["pool"]),
        ("E1042", ["e", "1042"]),
    ],
)
def test_identifiers_are_taken_apart(word: str, parts: list[str]) -> None:
    assert split_identifier(word) == parts


@pytest.mark.parametrize("word", ["E1042", "a_b", "x/y", "--flag", "-v", "fooBar", "a.b", "0x7f"])
def test_names_are_identifiers(word: str) -> None:
    assert is_identifier(word)


@pytest.mark.parametrize("word", ["pool", "Pool", "API", "", "-", "7", "e", "Order"])
def test_prose_is_no_identifier(word: str) -> None:
    assert not is_identifier(word)


@pytest.fixture(scope="module")
def tables() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE words USING fts5 (a, b, tokenize='porter unicode61')")
    db.execute("CREATE VIRTUAL TABLE grams USING fts5 (a, b, tokenize='trigram')")
    for table in ("words", "grams"):
        db.execute(f"INSERT INTO {table} VALUES ('a pool', 'NEAR AND \"quoted\" col:x')")
    yield db
    db.close()


@settings(max_examples=600, deadline=None)
@given(
    st.one_of(
        st.text(max_size=80),
        st.text(alphabet="\"*^:(){}+-~ \\'ANDORTNEAR\0\ud800aé_/.", max_size=60),
    )
)
@example('" OR words MATCH "')
@example("NEAR(a b, 2) AND NOT * ^x {a b}: c")
@example('type:"')
@example("\0\ud800")
def test_nothing_typed_is_a_syntax_error(tables: sqlite3.Connection, text: str) -> None:
    query = parse(text, NOW)
    for table, match in (("words", words_match(query)), ("grams", trigram_match(query))):
        if match is not None:
            tables.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (match,)).fetchall()


def test_the_number_of_terms_is_bounded() -> None:
    query = parse(" ".join(f"word{chr(97 + n % 26)}x{n}" for n in range(2000)), NOW)
    match = words_match(query)
    assert match is not None
    assert match.count(" OR ") < 50
