"""Records that lie in several files are shown once, and files that move stay what they were."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest
import zstandard

from memtui.sessions.citation import Citations
from memtui.sessions.timeline import SessionRow
from tests.sessions.session_fixtures import NOON, Talk, World, content, scan, session_id

pytestmark = pytest.mark.usefixtures("much")


def fork(talk: Talk, number: int, rows: int | None = None) -> Talk:
    """A session that begins with a copy of another one's rows: same UUIDs, its own session id."""
    copy = Talk(session_id(number), at=talk.at)
    copy.rows = [{**row, "sessionId": copy.session} for row in talk.rows[:rows]]
    return copy


def original() -> Talk:
    talk = Talk().prompt("first").say("done").run("pytest", "bad", True).run("pytest")
    return talk.prompt("second").say("done again")


def by_id(world: World) -> dict[str, SessionRow]:
    return {session.id: session for session in world.sessions()}


@pytest.mark.parametrize("original_first", [True, False])
@pytest.mark.parametrize("batch", [2, 4000])
def test_a_fork_shows_only_what_it_added(world: World, original_first: bool, batch: int) -> None:
    talk = original()
    forked = fork(talk, 2).prompt("another way").say("tried")
    talk.prompt("third")
    for one in (talk, forked) if original_first else (forked, talk):
        at = NOON + 1 if one is talk else NOON + 99_000_000
        world.write(one, mtime=at)
        world.scan(batch=batch)
    sessions = by_id(world)
    assert [
        row.preview for row in world.turns() if row.session == sessions[forked.session].session
    ] == [
        "another way",
        "tried",
    ]
    assert sessions[forked.session].parent == sessions[talk.session].session
    assert sessions[talk.session].counts[1] == 7
    assert sessions[talk.session].parent is None


def test_the_order_of_discovery_does_not_matter(world: World, tmp_path: Path) -> None:
    talk = original()
    second = fork(talk, 2).prompt("b").say("b")
    third = fork(second, 3).prompt("c")
    talks = [(talk, NOON), (second, NOON + 5), (third, NOON + 9)]
    results: list[Any] = []
    for number, order in enumerate(itertools.permutations(talks)):
        other = World(tmp_path / str(number))
        for one, at in order:
            other.write(one, mtime=at)
            other.scan()
        results.append(
            [[(s[1], s[11]), [turn[0][4] for turn in rows]] for s, rows in content(other.catalogue)]
        )
    assert all(result == results[0] for result in results)


def test_a_fork_from_a_later_point_knows_its_parent(world: World) -> None:
    talk = original()
    late = Talk(session_id(2), at=talk.at)
    late.rows = [{**row, "sessionId": late.session} for row in talk.rows[6:]]
    late.prompt("on my own")
    world.write(late, mtime=NOON)
    world.write(talk, mtime=NOON + 50_000)
    world.scan()
    sessions = by_id(world)
    assert sessions[late.session].counts[1] == 1
    assert sessions[late.session].parent == sessions[talk.session].session


def test_a_copy_comes_to_light_when_its_original_loses_the_record(world: World) -> None:
    talk = original()
    forked = fork(talk, 2).prompt("mine")
    path = world.write(talk, mtime=NOON)
    world.write(forked, mtime=NOON + 9)
    world.scan()
    assert by_id(world)[forked.session].counts[1] == 1
    lines = talk.data.splitlines(keepends=True)
    with path.open("r+b") as stream:
        stream.truncate(sum(map(len, lines[:2])))
    world.scan()
    sessions = by_id(world)
    assert sessions[talk.session].counts[1] == 2
    assert sessions[forked.session].counts[1] == 5


def test_a_copied_transcript_is_not_shown_twice(world: World) -> None:
    talk = original()
    path = world.write(talk)
    world.scan()
    before = len(world.turns())
    other = world.folder.with_name("-elsewhere")
    other.mkdir()
    (other / path.name).write_bytes(talk.data)
    world.scan()
    assert len(world.turns()) == before


def test_a_moved_transcript_is_not_read_again(world: World) -> None:
    path = world.write(original())
    world.scan()
    before = [row.record for row in world.turns()]
    other = world.folder.with_name("-moved")
    other.mkdir()
    os.replace(path, other / path.name)
    report = world.scan()
    assert (report.bytes, report.gone) == (0, 0)
    assert [row.record for row in world.turns()] == before
    place = Citations(world.catalogue).locate(f"claude-code:{session_id(1)}#{before[0]}")
    assert place is not None
    assert place.span.path.parent == other


def test_a_vanished_transcript_may_come_back(world: World) -> None:
    talk = original()
    path = world.write(talk)
    world.scan()
    path.unlink()
    assert world.scan().gone == 1
    (session,) = world.sessions()
    assert session.gone
    assert len(world.turns()) == 6
    talk.prompt("back again")
    world.write(talk)
    world.scan()
    (session,) = world.sessions()
    assert not session.gone
    assert world.turns()[-1].preview == "back again"


def codex_rows(count: int) -> list[dict[str, Any]]:
    name = "019ed50c-2fb3-7002-a384-360bea6e7f04"
    at = "2026-06-17T10:06:46.240Z"
    rows: list[dict[str, Any]] = [
        {
            "timestamp": at,
            "type": "session_meta",
            "payload": {"id": name, "timestamp": at, "cwd": "/w/x"},
        }
    ]
    for number in range(count):
        content = [{"type": "input_text", "text": f"prompt {number}"}]
        payload = {"type": "message", "role": "user", "content": content}
        rows.append({"timestamp": at, "type": "response_item", "payload": payload})
    return rows


def lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_a_rollout_is_compressed_and_unpacked_again(world: World) -> None:
    folder = world.home / ".codex/sessions/2026/06/17"
    folder.mkdir(parents=True)
    path = folder / "rollout-2026-06-17T10-06-46-019ed50c-2fb3-7002-a384-360bea6e7f04.jsonl"
    rows = codex_rows(30)
    path.write_bytes(lines(rows[:20]))
    world.scan(batch=7)
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress(lines(rows[:20])))
    path.unlink()
    report = world.scan()
    assert (report.records, report.gone) == (0, 0)
    path.write_bytes(lines(rows))
    packed.unlink()
    report = world.scan()
    assert report.records == 11
    assert [row.preview for row in world.turns()] == [f"prompt {n}" for n in range(30)]


def test_an_archived_rollout_stays_the_same_session(world: World) -> None:
    folder = world.home / ".codex/sessions/2026/06/17"
    folder.mkdir(parents=True)
    name = "rollout-2026-06-17T10-06-46-019ed50c-2fb3-7002-a384-360bea6e7f04.jsonl"
    (folder / name).write_bytes(lines(codex_rows(5)))
    scan(world.home, world.catalogue)
    archive = world.home / ".codex/archived_sessions"
    archive.mkdir()
    os.replace(folder / name, archive / name)
    report = scan(world.home, world.catalogue)
    assert (report.records, report.gone) == (0, 0)
    assert len(world.sessions()) == 1


def test_a_sub_agent_read_before_its_parent_finds_it(world: World) -> None:
    talk = Talk().prompt("look")
    world.write(Talk(agent="a17", at=talk.at + 10).prompt("find it"))
    world.scan()
    (child,) = world.sessions()
    assert (child.depth, child.parent) == (0, None)
    world.write(talk)
    world.scan()
    parent, child = world.sessions()
    assert (child.depth, child.parent, child.agent) == (1, parent.session, "a17")


def test_rows_of_an_old_sub_agent_inside_the_main_file(world: World) -> None:
    talk = Talk().prompt("look")
    talk.row("user", isSidechain=True, message={"role": "user", "content": "sub task"})
    talk.prompt("thanks")
    world.write(talk)
    world.scan()
    main, side = world.sessions()
    assert (main.counts[1], side.counts[1]) == (2, 1)
    assert (side.depth, side.parent, side.project) == (1, main.session, main.project)


def test_a_codex_sub_agent_is_named_by_its_thread(world: World) -> None:
    parent, child = (f"019ed50c-2fb3-7002-a384-360bea6e7f0{n}" for n in (4, 5))
    at = "2026-06-17T10:06:46.240Z"
    folder = world.home / ".codex/sessions/2026/06/17"
    folder.mkdir(parents=True)

    def write(name: str, *rows: dict[str, Any], **meta: Any) -> None:
        first = {"id": name, "timestamp": at, "cwd": "/w/x", **meta}
        records = [{"timestamp": at, "type": "session_meta", "payload": first}, *rows]
        (folder / f"rollout-2026-06-17T10-06-46-{name}.jsonl").write_bytes(lines(records))

    def said(text: str) -> dict[str, Any]:
        payload = {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": text}],
        }
        return {"timestamp": at, "type": "response_item", "payload": payload}

    spawned = {
        "type": "collab_agent_spawn_end",
        "call_id": "c1",
        "new_thread_id": child,
        "prompt": "look",
    }
    write(parent, said("please"), {"timestamp": at, "type": "event_msg", "payload": spawned})
    write(child, said("look"), parent_thread_id=parent, agent_nickname="Ada")
    world.scan()
    main, agent = world.sessions()
    assert (agent.agent, agent.depth, agent.parent) == ("Ada", 1, main.session)
    assert [row.child for row in world.turns() if row.child] == [agent.session]
