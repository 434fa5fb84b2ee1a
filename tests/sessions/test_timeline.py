"""The virtual list: positions, jumps, folding away, and staying put while sessions grow."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from memtui.hosts.model import Kind
from memtui.sessions.rows import BLOCK_BITS, Facet, Flag
from memtui.sessions.timeline import Step, Timeline, TimelineRow
from tests.bench.corpus import fill_catalogue
from tests.sessions.session_fixtures import NOON, Talk, World, session_id


def labels(timeline: Timeline) -> list[str]:
    rows = timeline.rows(0, len(timeline))
    return [row.turn.preview if row.turn else f"# {row.session.title}" for row in rows]


@pytest.fixture
def three(world: World) -> World:
    """Three sessions, the second with a sub-agent."""
    for number in (1, 2, 3):
        talk = Talk(session_id(number), at=NOON + number * 1_000_000, cwd=f"/w/p{number % 2}")
        talk.prompt(f"s{number} one").run(f"cmd {number}", "bad", True).run(f"cmd {number}")
        talk.prompt(f"s{number} two").say(f"s{number} answer")
        world.write(talk)
    agent = Talk(session_id(2), at=NOON + 2_500_000, cwd="/w/p0", agent="a2")
    world.write(agent.prompt("sub task").say("sub answer"))
    world.scan()
    return world


def test_newest_last_and_sub_agents_under_their_parent(three: World) -> None:
    timeline = three.timeline(Facet.PROMPTS)
    assert labels(timeline) == [
        "# s1 one", "s1 one", "s1 two",
        "# s2 one", "s2 one", "s2 two",
        "# sub task", "sub task",
        "# s3 one", "s3 one", "s3 two",
    ]  # fmt: skip
    assert [session.depth for session in timeline.sessions()] == [0, 0, 1, 0]
    timeline.close()


def test_every_position_is_found_again(three: World) -> None:
    for facet in Facet:
        timeline = three.timeline(facet)
        for index in range(len(timeline)):
            row = timeline.row(index)
            assert row.index == index
            if row.turn is None:
                assert timeline.position_of(row.session.session) == index
                continue
            assert timeline.position_of(row.turn.session, row.turn.seq) == index
            found = timeline.position_of(row.turn.session, record=row.turn.record)
            assert found is not None
            assert abs(found - index) <= 1
        with pytest.raises(IndexError):
            timeline.row(len(timeline))
        assert len(timeline.rows(-5, 10_000)) == len(timeline)
        timeline.close()


def test_a_row_that_is_not_shown_leads_to_the_one_before(three: World) -> None:
    whole, prompts = three.timeline(), three.timeline(Facet.PROMPTS)
    answer = next(r for r in whole.rows(0, 99) if r.turn and r.turn.kind is Kind.ANSWER)
    assert answer.turn is not None
    index = prompts.position_of(answer.turn.session, answer.turn.seq)
    assert index is not None
    assert labels(prompts)[index] == "s1 two"
    assert prompts.position_of(answer.turn.session, record="unknown") is None
    assert prompts.position_of(999) is None
    whole.close()
    prompts.close()


def test_projects_and_hidden_sessions(three: World) -> None:
    path = three.catalogue.path
    one = Timeline(path, "/w/p1", Facet.PROMPTS)
    assert [session.title for session in one.sessions()] == ["s1 one", "s3 one"]
    one.close()
    both = Timeline(
        path, ["/w/p1", "/w/p0"], Facet.PROMPTS, hidden=[f"claude-code:{session_id(2)}"]
    )
    assert [session.title for session in both.sessions()] == ["s1 one", "s3 one"]
    both.close()
    none = Timeline(path, "/nowhere")
    assert (len(none), none.rows(0, 5)) == (0, [])
    assert none.at_time(NOON) == 0
    none.close()


def at(timeline: Timeline, index: int | None) -> str:
    assert index is not None
    return labels(timeline)[index]


def test_jumps(three: World) -> None:
    timeline = three.timeline(Facet.TURNS)
    assert at(timeline, timeline.next(0, Step.SESSION)) == "# s2 one"
    assert timeline.next(0, Step.SESSION, -1) is None
    prompt = timeline.next(0, Step.PROMPT)
    assert at(timeline, prompt) == "s1 one"
    last = len(timeline) - 1
    assert at(timeline, timeline.next(last, Step.PROMPT, -1)) == "s3 two"
    assert timeline.next(last, Step.PROMPT) is None
    failure = timeline.next(0, Step.FAILURE)
    assert failure is not None
    assert at(timeline, failure) == "cmd 1 → bad"
    success = timeline.next(failure, Step.PAIR)
    assert success is not None
    assert at(timeline, success) == "cmd 1"
    assert timeline.next(success, Step.PAIR) == failure
    assert timeline.next(0, Step.PAIR) is None
    second = timeline.next(failure, Step.FAILURE)
    assert at(timeline, second) == "cmd 2 → bad"
    assert second is not None
    assert timeline.next(second, Step.FAILURE, -1) == failure
    timeline.close()


def test_a_time_leads_to_the_last_row_before_it(three: World) -> None:
    timeline = three.timeline()
    for index, row in enumerate(timeline.rows(0, len(timeline))):
        if row.turn is not None and row.turn.at is not None:
            assert timeline.at_time(row.turn.at) == index
    assert timeline.at_time(0) == 0
    assert timeline.at_time(NOON * 2) == len(timeline) - 1
    timeline.close()


def test_collapsing_hides_rows_and_sub_agents(three: World) -> None:
    timeline = three.timeline(Facet.PROMPTS)
    second = timeline.sessions()[1].session
    timeline.collapse(second)
    assert labels(timeline)[3:5] == ["# s2 one", "# s3 one"]
    assert timeline.row(3).session.collapsed
    assert timeline.position_of(second, 0) == 3
    assert at(timeline, timeline.next(3, Step.PROMPT)) == "s3 one"
    timeline.collapse(second, False)
    assert len(timeline) == 11
    timeline.close()


def test_what_grows_changes_nothing_before_it(three: World) -> None:
    timeline = three.timeline(Facet.PROMPTS)
    before = labels(timeline)
    talk = Talk(session_id(2), at=NOON + 90_000_000)
    path = three.folder / f"{session_id(2)}.jsonl"
    with path.open("ab") as stream:
        stream.write(talk.prompt("s2 three").data)
    third = Talk(session_id(4), at=NOON + 95_000_000).prompt("s4 one")
    three.write(third)
    three.scan()
    assert labels(timeline) == before, "nothing changes without a refresh"
    change = timeline.refresh()
    assert labels(timeline) == [*before[:6], "s2 three", *before[6:], "# s4 one", "s4 one"]
    assert (change.first, change.before, change.after) == (3, 11, 14)
    assert len(change.added) == 1
    assert timeline.refresh().first is None
    timeline.close()


def test_a_call_that_succeeds_leaves_the_list(world: World) -> None:
    talk = Talk().prompt("x")
    call = talk.call("make")
    path = world.write(talk)
    world.scan()
    timeline = world.timeline(Facet.TURNS)
    assert labels(timeline) == ["# x", "x", "make"]
    done = len(talk.data)
    talk.result(call)
    with path.open("ab") as stream:
        stream.write(talk.data[done:])
    world.scan()
    timeline.refresh()
    assert labels(timeline) == ["# x", "x"]
    timeline.close()


def test_one_session_of_many_blocks(world: World) -> None:
    talk = Talk()
    size = 5 << BLOCK_BITS
    for number in range(size):
        talk.prompt(f"p{number}") if number % 3 else talk.say(f"a{number}")
    world.write(talk)
    world.scan()
    timeline = world.timeline(Facet.PROMPTS)
    assert len(timeline) == 1 + sum(1 for n in range(size) if n % 3)
    assert labels(timeline)[1:] == [f"p{n}" for n in range(size) if n % 3]
    timeline.close()


def test_a_list_of_many_rows_is_read_a_page_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    fill_catalogue(path, rows=60_000, sessions=600)
    begun = time.process_time()
    timeline = Timeline(path, None, Facet.ALL)
    assert time.process_time() - begun < 1.0
    assert len(timeline) == 60_600
    rows: list[TimelineRow] = []
    for start in range(0, 60_600, 5_050):
        rows += timeline.rows(start, start + 20)
    assert [row.index for row in rows[:21]] == [*range(20), 5_050]
    failure = timeline.next(30_000, Step.FAILURE)
    assert failure is not None
    turn = timeline.row(failure).turn
    assert turn is not None
    assert turn.flags & Flag.ERROR
    timeline.close()
