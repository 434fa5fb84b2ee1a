"""Sessions that a host keeps in one rewritten document, through the catalogue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS
from memtui.sessions.citation import Citations
from memtui.sessions.fulltext import FullText
from memtui.sessions.scan import Scanner
from memtui.sessions.turn import read_raw, read_turn
from tests.hosts.test_hosts_gemini import HEADER, answered, said, tool
from tests.sessions.session_fixtures import World, content

RUN = tool("run_shell_command", {"command": "make test"})
ASK = said("user", "u1", "fix the pool")
CALLED = said("gemini", "g1", "I look.", toolCalls=[RUN])
ENDED = said("gemini", "g1", "I look.", toolCalls=[{**RUN, **answered("boom\nExit Code: 2")}])
DONE = said("gemini", "g2", "Done.")


class Chat:
    """A Gemini CLI chat in the older format, written as the host does: whole, in its place."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.path = world.home / ".gemini/tmp/shop/chats/session-2026-01-10T02-08-faff42ab.json"
        self.path.parent.mkdir(parents=True)
        self.scanner = Scanner(world.catalogue, HOSTS, HostHome(world.home))

    def write(self, *messages: dict[str, Any], **fields: Any) -> None:
        self.path.write_text(json.dumps({**HEADER, "messages": messages, **fields}, indent=1))

    def update(self) -> None:
        assert self.scanner.update([self.path]).failed == ()

    def seen(self) -> list[tuple[int, str]]:
        return [(turn.seq, turn.preview) for turn in self.world.turns()]


def test_a_growing_document_is_read_on_not_again(world: World) -> None:
    chat = Chat(world)
    chat.write(ASK)
    chat.scanner.run()
    chat.write(ASK, CALLED)
    chat.update()
    assert chat.seen() == [(0, "fix the pool"), (1, "I look."), (2, "make test")]
    chat.write(ASK, ENDED, lastUpdated="2027-01-01T00:00:00Z")
    chat.update()
    chat.write(ASK, ENDED, DONE)
    chat.update()
    assert chat.seen() == [
        (0, "fix the pool"), (1, "I look."), (2, "make test → boom"), (3, "Done."),
    ]  # fmt: skip
    again = world.fresh()
    again.scan()
    assert content(again.catalogue) == content(world.catalogue)


def test_a_document_that_changed_before_its_end_is_read_again(world: World) -> None:
    chat = Chat(world)
    chat.write(ASK, CALLED, DONE)
    chat.scanner.run()
    chat.write(said("user", "u1", "another question"), DONE)
    chat.update()
    assert [text for _, text in chat.seen()] == ["another question", "Done."]
    again = world.fresh()
    again.scan()
    assert content(again.catalogue) == content(world.catalogue)


def test_a_half_written_document_hides_nothing_and_is_read_when_whole(world: World) -> None:
    chat = Chat(world)
    chat.write(ASK, CALLED)
    chat.scanner.run()
    before = chat.seen()
    whole = chat.path.read_bytes()
    chat.path.write_bytes(whole[: len(whole) // 2])
    chat.update()
    assert chat.seen() == before
    chat.write(ASK, CALLED, DONE)
    chat.update()
    assert [text for _, text in chat.seen()][-1] == "Done."


def test_a_document_that_is_none_is_counted(world: World) -> None:
    chat = Chat(world)
    chat.path.write_bytes(b'{"sessionId": "x", "projectHash"')
    chat.scanner.run()
    db = world.catalogue.reader()
    skipped = world.catalogue.skipped(db)
    db.close()
    assert [(s.host, s.reason, s.count) for s in skipped] == [("gemini-cli", "not JSON", 1)]
    chat.write(ASK)
    chat.update()
    assert [text for _, text in chat.seen()] == ["fix the pool"]


def test_records_of_a_document_are_read_found_and_cited(world: World) -> None:
    chat = Chat(world)
    chat.write(ASK, ENDED, DONE)
    chat.scanner.run()
    assert FullText(world.catalogue).fill()
    hits = FullText(world.catalogue).search("boom")
    (hit,) = hits
    detail = read_turn(world.catalogue, hit.session, hit.seq)
    assert detail.problem == ""
    assert (detail.text.text, detail.exit_code) == ("make test", 2)
    assert [json.loads(raw)["id"] for raw in read_raw(world.catalogue, detail)] == ["g1", "g1"]
    citations = Citations(world.catalogue, HostHome(world.home))
    location = citations.locate(detail.ref)
    assert location is not None
    assert location.span.path == chat.path


def test_reading_leaves_the_hosts_file_as_it_was(world: World) -> None:
    chat = Chat(world)
    chat.write(ASK, DONE)
    before = (chat.path.read_bytes(), chat.path.stat().st_mtime_ns, _tree(world.home))
    chat.scanner.run()
    FullText(world.catalogue).fill()
    assert (chat.path.read_bytes(), chat.path.stat().st_mtime_ns, _tree(world.home)) == before


def _tree(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))
