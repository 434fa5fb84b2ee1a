"""What becomes one row, what its flags say, and which facets show it."""

from __future__ import annotations

import pytest

from memtui.hosts.model import Kind
from memtui.sessions.fold import command_key, error_line, failure_preview
from memtui.sessions.rows import Facet, Flag, facets_of
from memtui.sessions.timeline import TurnRow
from memtui.sessions.turn import read_turn
from tests.sessions.session_fixtures import Talk, World


def kinds(rows: list[TurnRow]) -> list[str]:
    return [str(row.kind) for row in rows]


def test_blocks_of_one_message_are_one_answer(world: World) -> None:
    talk = Talk().prompt("why?").say("First part.", message="m1", output=3)
    talk.say("Second part.", message="m1", output=70)
    world.write(talk)
    world.scan()
    rows = world.turns()
    assert kinds(rows) == ["prompt", "answer"]
    assert rows[1].preview == "First part. Second part."
    assert rows[1].tokens_out == 70
    detail = read_turn(world.catalogue, rows[1].session, rows[1].seq)
    assert detail.text.text == "First part.\n\nSecond part."
    assert len(detail.spans) == 2


def test_a_streamed_answer_shows_its_last_state(world: World) -> None:
    talk = Talk().prompt("why?")
    for text in ("It is", "It is the pool", "It is the pool size."):
        talk.say(text, message="m1")
    world.write(talk)
    world.scan()
    row = world.turns()[1]
    assert row.preview == "It is the pool size."
    assert read_turn(world.catalogue, row.session, row.seq).text.text == "It is the pool size."


def test_a_result_joins_its_call_however_late_it_comes(world: World) -> None:
    talk = Talk().prompt("run both")
    slow, quick = talk.call("sleep 9"), talk.call("true")
    talk.result(quick, "done").prompt("and?").result(slow, "slept")
    world.write(talk)
    world.scan()
    rows = world.turns()
    assert kinds(rows) == ["prompt", "call", "call", "prompt"]
    assert all(row.flags & Flag.FOLDED_OK for row in rows[1:3])
    detail = read_turn(world.catalogue, rows[1].session, rows[1].seq)
    assert detail.text.text == "sleep 9"
    assert detail.result is not None
    assert detail.result.text == "slept"
    assert len(detail.spans) == 2


def test_an_answer_counts_the_calls_after_it_and_the_failures(world: World) -> None:
    talk = Talk().prompt("fix it").run("ls").say("I run the tests.").run("pytest", "1 failed", True)
    talk.run("cat x").say("Now again.").run("pytest")
    world.write(talk)
    world.scan()
    rows = [row for row in world.turns() if row.kind in (Kind.PROMPT, Kind.ANSWER)]
    assert [(row.calls, row.failed) for row in rows] == [(1, 0), (2, 1), (1, 0)]


def test_a_failure_shows_its_command_and_what_went_wrong(world: World) -> None:
    talk = Talk().prompt("x").run("pytest -q", "Exit code 2\nE  no connection (size=0)\nmore", True)
    world.write(talk)
    world.scan()
    (row,) = world.turns(Facet.ERRORS)
    assert row.preview == "pytest -q → E no connection (size=0)"
    assert row.exit_code == 2
    assert read_turn(world.catalogue, row.session, row.seq).is_error


def test_the_success_after_a_failure_is_shown_once(world: World) -> None:
    talk = Talk().prompt("x").run("pytest", "bad", True).run("pytest").run("pytest").run("ls")
    world.write(talk)
    world.scan()
    shown = [row for row in world.turns(Facet.TURNS) if row.kind is Kind.CALL]
    assert [bool(row.flags & Flag.RECOVERED) for row in shown] == [False, True]
    assert len(world.turns(Facet.CALLS)) == 4


def test_a_call_without_a_result_stays_in_sight(world: World) -> None:
    talk = Talk().prompt("x")
    talk.call("make deploy")
    world.write(talk)
    world.scan()
    row = world.turns(Facet.TURNS)[-1]
    assert row.flags & Flag.PENDING
    detail = read_turn(world.catalogue, row.session, row.seq)
    assert (detail.result, detail.problem) == (None, "")


def test_a_result_without_its_call_is_a_row(world: World) -> None:
    world.write(Talk().prompt("x").result("toolu_nowhere", "what it said", True))
    world.scan()
    rows = world.turns()
    assert kinds(rows) == ["prompt", "call"]
    assert rows[1].preview == "what it said"
    detail = read_turn(world.catalogue, rows[1].session, rows[1].seq)
    assert detail.text.text == ""
    assert detail.result is not None


def test_thinking_is_kept_and_counted_apart(world: World) -> None:
    talk = (
        Talk()
        .prompt("x")
        .say({"type": "thinking", "thinking": "hm", "signature": "s"}, message="m")
    )
    talk.say("So.", message="m")
    world.write(talk)
    world.scan()
    assert kinds(world.turns()) == ["prompt", "thinking", "answer"]
    assert kinds(world.turns(Facet.TURNS)) == ["prompt", "answer"]


def test_an_edit_is_a_diff(world: World) -> None:
    talk = Talk().prompt("x")
    block = {
        "type": "tool_use", "id": "toolu_e", "name": "Edit",
        "input": {"file_path": "/w/a.py", "old_string": "x = 1", "new_string": "x = 2"},
    }  # fmt: skip
    hunk = {
        "oldStart": 1,
        "oldLines": 1,
        "newStart": 1,
        "newLines": 1,
        "lines": ["-x = 1", "+x = 2"],
    }
    talk.say(block).result("toolu_e", "updated", filePath="/w/a.py", structuredPatch=[hunk])
    world.write(talk)
    world.scan()
    (row,) = world.turns(Facet.DIFFS)
    detail = read_turn(world.catalogue, row.session, row.seq)
    assert detail.diff is not None
    assert "+x = 2" in detail.diff.text
    assert detail.paths == ("/w/a.py",)


def test_a_sub_agent_is_a_session_under_its_parent(world: World) -> None:
    talk = Talk().prompt("look around")
    call = talk.call("(task)")
    talk.result(call, "found it", agentId="a17", prompt="find the pool")
    world.write(talk)
    world.write(Talk(agent="a17", at=talk.at).prompt("find the pool").say("in pool.py"))
    world.scan()
    parent, child = world.sessions()
    assert (parent.depth, child.depth, child.parent) == (0, 1, parent.session)
    (row,) = [row for row in world.turns() if row.kind is Kind.SUBAGENT]
    assert (row.session, row.child) == (parent.session, child.session)


def test_long_texts_are_cut_and_say_so(world: World) -> None:
    world.write(Talk().prompt("word " * 200_000))
    world.scan()
    (row,) = world.turns()
    assert len(row.preview) <= 200
    detail = read_turn(world.catalogue, row.session, row.seq, shown=1000)
    assert len(detail.text.text) == 1000
    assert detail.text.cut == detail.text.total - 1000 > 900_000


def test_what_is_gone_is_said_and_the_preview_stands_for_it(world: World) -> None:
    path = world.write(Talk().prompt("remember me"))
    world.scan()
    (row,) = world.turns()
    path.unlink()
    detail = read_turn(world.catalogue, row.session, row.seq)
    assert detail.text.text == "remember me"
    assert "gone" in detail.problem
    with pytest.raises(KeyError):
        read_turn(world.catalogue, row.session, row.seq + 99)


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (Flag.PROMPT, {Facet.TURNS, Facet.ALL, Facet.PROMPTS}),
        (Flag.ANSWER, {Facet.TURNS, Facet.ALL}),
        (Flag.CALL | Flag.FOLDED_OK, {Facet.ALL, Facet.CALLS}),
        (Flag.CALL | Flag.FOLDED_OK | Flag.DIFF, {Facet.ALL, Facet.CALLS, Facet.DIFFS}),
        (Flag.CALL | Flag.ERROR, {Facet.TURNS, Facet.ALL, Facet.CALLS, Facet.ERRORS}),
        (Flag.CALL | Flag.PENDING, {Facet.TURNS, Facet.ALL, Facet.CALLS}),
        (Flag.THINKING, {Facet.ALL}),
        (Flag.NOTICE, {Facet.ALL}),
        (Flag.NOTICE | Flag.ERROR, {Facet.TURNS, Facet.ALL, Facet.ERRORS}),
        (Flag.COMPACTION, {Facet.TURNS, Facet.ALL}),
        (Flag.INJECTION, {Facet.TURNS, Facet.ALL}),
        (Flag.SUBAGENT, {Facet.TURNS, Facet.ALL}),
    ],
)
def test_facets(flags: Flag, shown: set[Facet]) -> None:
    assert {facet for facet in Facet if facets_of(int(flags)) & facet.bit} == shown


def test_commands_are_the_same_whatever_their_spaces() -> None:
    assert command_key("Bash", "pytest  -q\n") == command_key("Bash", "pytest -q")
    assert command_key("Bash", "pytest -q") != command_key("exec", "pytest -q")


def test_the_line_that_says_what_went_wrong() -> None:
    assert error_line("Exit code 1\n\n  boom\nmore") == "boom"
    assert error_line("Exit code 1") == "Exit code 1"
    assert failure_preview("ls", "") == "ls"
