"""Words found in the transcripts."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memtui.sessions.find import find_places
from memtui.sessions.fulltext import FullText, passage_of
from tests.sessions.session_fixtures import NOON, Talk, World, session_id


@pytest.fixture
def filled(world: World) -> World:
    one = Talk(cwd="/w/one").prompt("why do the pool timeouts happen?")
    one.run("pytest -q", "E  no connection within 30s (size=0)", True)
    one.say("ORDER_POOL_SIZE is unset, so every acquire times out.")
    two = Talk(session_id(2), at=NOON + 9_000_000, cwd="/w/two").prompt("rename the pool module")
    world.write(one)
    world.write(two)
    world.scan()
    assert FullText(world.catalogue).fill()
    return world


def found(world: World, query: str, **options: object) -> list[str]:
    hits = FullText(world.catalogue).search(query, **options)  # type: ignore[arg-type]
    by_place = {(row.session, row.seq): row.preview for row in world.turns()}
    return [by_place[hit.session, hit.seq] for hit in hits]


def test_words_are_found_in_any_part_of_a_row(filled: World) -> None:
    assert found(filled, "pool timeout") == ["why do the pool timeouts happen?"]
    assert found(filled, "connection within 30s") == [
        "pytest -q → E no connection within 30s (size=0)"
    ]
    assert found(filled, "ORDER_POOL_SIZE") == [
        "ORDER_POOL_SIZE is unset, so every acquire times out."
    ]
    assert found(filled, "renam") == ["rename the pool module"]
    assert found(filled, "nowhere to be found") == []


@pytest.mark.parametrize(
    "query", ["", "  ", '"', "' OR 1", "a AND (", "pool*", "NEAR(", "text:x", "-"]
)
def test_no_query_is_an_error(filled: World, query: str) -> None:
    found(filled, query)


def test_a_search_keeps_to_its_project(filled: World) -> None:
    assert found(filled, "pool", projects="/w/two") == ["rename the pool module"]
    assert found(filled, "pool", projects=["/w/one", "/w/two"], limit=1) != []
    assert found(filled, "rename", hidden=[f"claude-code:{session_id(2)}"]) == []


def test_a_passage_marks_the_words(filled: World) -> None:
    (hit,) = FullText(filled.catalogue).search("connection within")
    assert [hit.passage[a:b] for a, b in hit.marks] == ["connection", "within"]
    passage, marks = passage_of("x " * 100 + "the timeouts came\n\tback " + "y " * 100, ["timeout"])
    assert [passage[a:b] for a, b in marks] == ["timeouts"]
    assert len(passage) < 180
    assert "came back" in passage


def test_a_passage_of_a_vanished_file_is_empty(filled: World) -> None:
    (filled.folder / f"{session_id(1)}.jsonl").unlink()
    (hit,) = FullText(filled.catalogue).search("connection within")
    assert (hit.passage, hit.marks) == ("", ())


def test_rows_of_some_sessions_in_order(filled: World) -> None:
    text = FullText(filled.catalogue)
    sessions = [session.session for session in filled.sessions()]
    assert len(text.find(sessions, "pool")) == 3
    assert len(text.find(sessions[:1], "pool")) == 2
    assert text.find(sessions, "pool") == sorted(text.find(sessions, "pool"))
    assert text.find([], "pool") == []


def test_what_is_appended_is_found_after_the_next_fill(filled: World) -> None:
    talk = Talk(session_id(2), at=NOON + 20_000_000, cwd="/w/two")
    with (filled.folder / f"{session_id(2)}.jsonl").open("ab") as stream:
        stream.write(talk.prompt("now the zebra").data)
    filled.scan()
    assert found(filled, "zebra") == []
    db = filled.catalogue.reader()
    assert filled.catalogue.view(db).text_behind > 0
    db.close()
    assert FullText(filled.catalogue).fill()
    assert found(filled, "zebra") == ["now the zebra"]
    assert found(filled, "rename") == ["rename the pool module"]


def test_what_was_replaced_is_not_found_any_more(filled: World) -> None:
    path = filled.folder / f"{session_id(2)}.jsonl"
    path.unlink()
    path.write_bytes(Talk(session_id(2), at=NOON, cwd="/w/two").prompt("something else").data)
    filled.scan()
    FullText(filled.catalogue).fill()
    assert found(filled, "rename") == []
    assert found(filled, "something else") == ["something else"]


def test_filling_stops_when_told_and_goes_on(world: World) -> None:
    for number in range(1, 4):
        talk = Talk(session_id(number))
        for word in range(700):
            talk.prompt(f"word{number}x{word}")
        world.write(talk)
    world.scan()
    text = FullText(world.catalogue)
    calls = 0

    def soon() -> bool:
        nonlocal calls
        calls += 1
        return calls > 2

    assert not text.fill(soon)
    assert not text.fill(seconds=0)
    assert text.fill(gentle=True)
    db = world.catalogue.reader()
    assert db.execute("SELECT COUNT(*) FROM words").fetchone() == (2100,)
    db.close()
    for number in range(1, 4):
        assert len(text.search(f"word{number}x699")) == 1


def test_copies_are_indexed_once(world: World) -> None:
    talk = Talk().prompt("only once")
    copy = Talk(session_id(2), at=talk.at + 1)
    copy.rows = [{**talk.rows[0], "sessionId": copy.session}]
    world.write(talk, mtime=NOON)
    world.write(copy.prompt("mine"), mtime=NOON + 9)
    world.scan()
    FullText(world.catalogue).fill()
    assert found(world, "once") == ["only once"]


def test_a_catalogue_that_was_never_made(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.Error):
        FullText(World(tmp_path).catalogue).search("x")


def test_filling_tells_how_far_it_is_and_goes_on_where_it_stopped(world: World) -> None:
    for number in range(1, 5):
        talk = Talk(session_id(number), at=NOON + number * 1_000_000)
        for line in range(70):
            talk.prompt(f"word{number} in line {line}")
        world.write(talk)
    world.scan()
    text, told = FullText(world.catalogue), list[float]()
    assert not text.fill(lambda: len(told) > 3, gentle=True, told=told.append)
    assert told[0] == 0.0
    assert told == sorted(told)
    assert 0.2 < told[-1] < 0.9
    stopped = told[-1]
    assert text.fill(gentle=True, told=told.append)
    assert told[4] == pytest.approx(stopped)
    assert told[-1] == 1.0
    sessions = [row.session for row in world.sessions()]
    assert all(len(text.find(sessions, f"word{number}")) == 70 for number in range(1, 5))
    told.clear()
    assert text.fill(told=told.append)
    assert told == [1.0]


def test_places_hold_every_word_somewhere_in_their_row(filled: World) -> None:
    sessions = {row.session for row in filled.sessions()}
    by_place = {(row.session, row.seq): row.preview for row in filled.turns()}

    def places(*words: str) -> set[str]:
        found = find_places(filled.catalogue, sessions, words)
        return {by_place.get(place, "heading") for place in found}

    failed = "pytest -q → E no connection within 30s (size=0)"
    assert places("30s") == {failed}
    assert places("pytest", "connection") == {failed}
    assert places("ytest -") == {failed}
    assert "ORDER_POOL_SIZE is unset, so every acquire times out." in places("pool_size")
    assert places("100%") == places("_x_") == places("\\") == set()
    assert "rename the pool module" in places("ename")
    assert find_places(filled.catalogue, sessions, ("",)) == frozenset()
    assert find_places(filled.catalogue, (), ("pool",)) == frozenset()


def test_letters_beyond_ascii_are_found_in_any_case(world: World) -> None:
    world.write(Talk().prompt("Über die Straße gehen"))
    world.scan()
    sessions = {row.session for row in world.sessions()}
    assert find_places(world.catalogue, sessions, ("über",))
    assert find_places(world.catalogue, sessions, ("STRAßE",))
