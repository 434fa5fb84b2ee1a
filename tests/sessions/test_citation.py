"""Citations: found, checked, changed, gone, in forks, and where the catalogue is behind."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest

from memtui.hosts.digest import record_digest
from memtui.hosts.jsonl import read_span
from memtui.hosts.model import HostHome
from memtui.sessions.citation import Citations, Ref, Standing, Verification, parse_ref
from tests.sessions.session_fixtures import Talk, World, session_id


@dataclass(frozen=True)
class Cite:
    ref: str
    record: str = ""
    quote: str = ""


def cite(talk: Talk, row: int, quote: str = "") -> Cite:
    record = talk.rows[row]
    ref = f"claude-code:{talk.session}#{record['uuid']}"
    return Cite(ref, record_digest("claude-code", record), quote)


def check(world: World, cited: Cite) -> Verification:
    return Citations(world.catalogue, HostHome(world.home)).verify(cited)


@pytest.fixture
def talk(world: World) -> Talk:
    talk = Talk().prompt("why does it time out?").run("pytest", "E  no connection (size=0)", True)
    talk.say("The pool size is 0.")
    world.write(talk)
    world.scan()
    return talk


def test_a_record_is_found_where_it_lies(world: World, talk: Talk) -> None:
    for number, row in enumerate(talk.rows):
        place = Citations(world.catalogue).locate(cite(talk, number).ref)
        assert place is not None
        assert json.loads(read_span(place.span)) == row
        assert (place.host, place.copy, place.session_id) == ("claude-code", False, talk.session)
    call = Citations(world.catalogue).locate(cite(talk, 1).ref)
    result = Citations(world.catalogue).locate(cite(talk, 2).ref)
    assert call is not None
    assert result is not None
    assert (call.session, call.seq) == (result.session, result.seq)


def test_a_record_that_still_says_it_is_verified(world: World, talk: Talk) -> None:
    found = check(world, cite(talk, 2, "no connection (size=0)"))
    assert found.state is Standing.VERIFIED
    assert found.quote_found
    assert found.record_digest == cite(talk, 2).record
    unsealed = check(world, Cite(cite(talk, 2).ref, "", "no  connection\n(size=0)"))
    assert unsealed.state is Standing.VERIFIED
    assert check(world, Cite(cite(talk, 2).ref, "", "other words")).state is Standing.CHANGED


def test_one_altered_byte_is_a_change(world: World, talk: Talk) -> None:
    cited = cite(talk, 2, "size=0")
    path = world.folder / f"{talk.session}.jsonl"
    path.write_bytes(talk.data.replace(b"(size=0)", b"(size=8)"))
    assert check(world, cited).state is Standing.CHANGED
    assert not check(world, cited).quote_found
    world.scan()
    assert check(world, cited).state is Standing.CHANGED


def test_a_vanished_file_is_gone(world: World, talk: Talk) -> None:
    (world.folder / f"{talk.session}.jsonl").unlink()
    assert check(world, cite(talk, 0)).state is Standing.GONE
    world.scan()
    assert check(world, cite(talk, 0)).state is Standing.GONE
    assert Citations(world.catalogue).locate(cite(talk, 0).ref) is None


def test_the_copy_in_a_fork_counts(world: World, talk: Talk) -> None:
    copy = Talk(session_id(2), at=talk.at + 60_000)
    copy.rows = [{**row, "sessionId": copy.session} for row in talk.rows]
    copy.prompt("on")
    fork = world.write(copy)
    world.scan()
    cited = cite(talk, 2, "size=0")
    (world.folder / f"{talk.session}.jsonl").unlink()
    for _ in range(2):
        found = check(world, cited)
        assert found.state is Standing.VERIFIED
        assert found.location is not None
        assert (found.location.span.path, found.location.copy) == (fork, True)
        assert found.location.session_id == copy.session
        world.scan()
    at_fork = check(world, Cite(f"claude-code:{copy.session}#{talk.rows[2]['uuid']}", cited.record))
    assert at_fork.state is Standing.VERIFIED


def test_a_record_is_found_before_it_is_catalogued(world: World, talk: Talk) -> None:
    path = world.folder / f"{talk.session}.jsonl"
    talk.prompt("new words")
    path.write_bytes(talk.data)
    found = check(world, cite(talk, -1, "new words"))
    assert found.state is Standing.VERIFIED
    assert found.location is not None
    assert (found.location.session, found.location.seq) == (None, None)
    other = Talk(session_id(7)).prompt("unknown session")
    world.write(other)
    assert check(world, cite(other, 0)).state is Standing.VERIFIED
    assert Citations(world.catalogue).locate(cite(other, 0).ref) is None, "no home: not looked for"


def test_a_quote_with_a_secret_matches_redacted(world: World) -> None:
    talk = Talk().prompt("use ghp_16C7e42F292c6912E7710c838347Ae178B4a here")
    world.write(talk)
    world.scan()
    assert check(world, cite(talk, 0, "use [redacted:github-token] here")).quote_found


@pytest.mark.parametrize(
    "text", ["", "x", "claude-code:#r", "claude-code:s#", ":s#r", "claude-code:s", "a:b:c"]
)
def test_what_is_no_citation(text: str, world: World, talk: Talk) -> None:
    with pytest.raises(ValueError, match="not a citation"):
        parse_ref(text)
    assert Citations(world.catalogue).locate(text) is None
    assert check(world, Cite(text)).state is Standing.GONE


def test_a_citation_reads_back(world: World, talk: Talk) -> None:
    ref = parse_ref("codex:019e#12@2026-01-01T00:00:00Z")
    assert ref == Ref("codex", "019e", "12@2026-01-01T00:00:00Z")
    assert str(ref) == "codex:019e#12@2026-01-01T00:00:00Z"
    assert check(world, Cite("other-host:s#r")).state is Standing.GONE


def test_a_catalogue_that_was_never_made(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.Error):
        Citations(World(tmp_path).catalogue).locate("claude-code:s#r")
