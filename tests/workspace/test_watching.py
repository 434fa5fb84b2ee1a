"""Changes are noticed by events or by polling, and what happens to files while they are followed."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
import zstandard

from memtui.hosts.registry import HOSTS
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.scan import Scanner
from memtui.workspace.doctor import examine
from memtui.workspace.model import Changed
from memtui.workspace.mounts import silent_type
from memtui.workspace.open import open_workspace
from memtui.workspace.polling import Poller
from memtui.workspace.workspace import Workspace
from tests.sessions.host_writers import (
    GooseStore,
    Lines,
    OpenCodeStore,
    Whole,
    Writer,
    all_writers,
    text,
)
from tests.sessions.test_every_host_live import prompts

MOUNTS = r"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:40 / /home rw - nfs4 server:/home rw
31 30 254:1 / /home/ann/local\040disk rw - xfs /dev/vdb rw
32 22 0:41 / /mnt/far rw - fuse.sshfs far:/ rw
33 22 0:42 / /mnt/c rw - 9p drvfs rw
""".strip().splitlines()
PATIENCE = 20.0


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/w/shop", ""),
        ("/home/ann/.claude", "nfs4"),
        ("/home/ann/local disk/.codex", ""),
        ("/homes", ""),
        ("/mnt/far/x", "fuse.sshfs"),
        ("/mnt/c/Users", "9p"),
    ],
)
def test_file_systems_without_events_are_known(path: str, kind: str) -> None:
    assert silent_type(Path(path), MOUNTS) == kind


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "hosts"
    (made / "shop").mkdir(parents=True)
    return made


def opened(home: Path, tmp_path: Path, **settings: str) -> Workspace:
    environ = {
        "HOME": str(tmp_path), "MEMTUI_HOSTS_HOME": str(home), "PWD": str(home / "shop"), **settings,
        **{f"MEMTUI_{name}_HOME": str(tmp_path / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")},
    }  # fmt: skip
    return open_workspace(bank=None, cwd=home / "shop", environ=environ)


class Follower:
    """Reads what is told to have changed, as the screen does; keeps what was told."""

    def __init__(self, core: Workspace) -> None:
        self.core = core
        self.told: list[Changed] = []
        self.home = core.setting.home

    async def run(self) -> None:
        async for change in self.core.watching.changes():
            self.told.append(change)
            if change.kind == "sessions":
                await asyncio.to_thread(self.core.update, change.paths)

    def fresh(self) -> Counter[str]:
        """What a new catalogue over the same files says."""
        place = self.core.catalogue.path.with_name(f"fresh{time.monotonic_ns()}.db")
        catalogue = Catalogue(place, HOSTS)
        scanner = Scanner(catalogue, HOSTS, self.home)
        try:
            scanner.run()
            return prompts(catalogue)
        finally:
            scanner.close()
            catalogue.delete()

    async def agrees(self, what: str) -> Counter[str]:
        """Wait until the followed catalogue says what a new one does."""
        wanted = self.fresh()
        end = time.monotonic() + PATIENCE
        while (found := prompts(self.core.catalogue)) != wanted:
            assert time.monotonic() < end, (
                f"{what}: missing {wanted - found}, too many {found - wanted}"
            )
            await asyncio.sleep(0.03)
        return found


@asynccontextmanager
async def following(core: Workspace) -> AsyncIterator[Follower]:
    follower = Follower(core)
    task = asyncio.create_task(follower.run())
    await asyncio.to_thread(core.watching.ready.wait, PATIENCE)
    core.scan()
    try:
        yield follower
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        await asyncio.sleep(0.03)


async def test_folders_that_come_later_are_noticed(home: Path, tmp_path: Path) -> None:
    """Every host's first session ever is followed, though none had a folder when the watch began."""
    core = opened(home, tmp_path)
    async with following(core) as follower:
        assert core.watching.mode.word == ""
        with all_writers(home) as writers:
            for number in range(2):
                for name, writer in writers.items():
                    writer.write(number, text(name, number))
                found = await follower.agrees(f"prompt {number}")
                assert sum(found.values()) == len(writers) * (number + 1)
            await until(lambda: core.watching.mode.word == "events", "no events")


async def test_a_folder_that_is_replaced_is_followed_on(home: Path, tmp_path: Path) -> None:
    root = home / ".claude/projects"
    writer = Lines(root / "-w/c1.jsonl", [], _claude)
    core = opened(home, tmp_path)
    async with following(core) as follower:
        writer.write(0, "before")
        await follower.agrees("before")
        shutil.rmtree(root)
        await follower.agrees("removed")
        again = Lines(root / "-w/c2.jsonl", [], _claude)
        again.write(0, "after")
        assert "after" in await follower.agrees("after")
        again.write(1, "on and on")
        assert "on and on" in await follower.agrees("on")


async def test_files_made_together_with_their_folder_are_noticed(
    home: Path, tmp_path: Path
) -> None:
    """Between a folder's making and its watching anything may be written into it."""
    root = home / ".claude/projects"
    root.mkdir(parents=True)
    core = opened(home, tmp_path)
    async with following(core) as follower:
        for number in range(12):
            path = root / f"-w-{number}/sub/deep{number}/c.jsonl"
            Lines(root / f"-w-{number}/c{number}.jsonl", [], _claude).write(
                number, f"made {number}"
            )
            path.parent.mkdir(parents=True)
        assert sum((await follower.agrees("made")).values()) == 12


def _claude(number: int, said: str) -> dict[str, object]:
    from tests.hosts import host_fixtures as made

    return made.user(said, f"{said} {number}")


@pytest.mark.parametrize("polling", ["false", "true"])
async def test_whatever_happens_to_files_while_they_are_followed(
    home: Path, tmp_path: Path, polling: str
) -> None:
    """Cut, renamed, compressed, replaced, checkpointed: the same as if read anew each time."""
    with all_writers(home) as writers:
        core = opened(home, tmp_path, MEMTUI_WATCH_POLLING=polling)
        async with following(core) as follower:
            assert core.watching.mode.word == ("polling" if polling == "true" else "events")

            async def say(first: int) -> None:
                for number in (first, first + 1):
                    for name, writer in writers.items():
                        writer.write(number, text(name, number))
                await follower.agrees(f"written {first}")

            await say(0)
            for writer in writers.values():
                _cut(writer)
            await follower.agrees("cut")
            await say(10)
            for name, writer in writers.items():
                _move(name, writer)
            await follower.agrees("moved")
            await say(20)
            for writer in writers.values():
                _replace(writer)
            await follower.agrees("replaced")
            await say(30)
            _compress(writers["codex"])
            found = await follower.agrees("compressed")
            assert sum(found.values()) > 5 * len(writers)


def _cut(writer: Writer) -> None:
    """The end is taken back, in the middle of a record where there are lines."""
    if isinstance(writer, Whole):
        writer.said = writer.said[:1]
        writer.save()
    elif isinstance(writer, OpenCodeStore):
        writer.store.db.execute("DELETE FROM part WHERE id = 'prt_00001'")
        writer.store.db.execute("DELETE FROM message WHERE id = 'msg_00001'")
        writer.store.db.execute("UPDATE session SET time_updated = time_updated + 1")
    elif isinstance(writer, GooseStore):
        writer.db.execute("DELETE FROM messages WHERE id = 2")
    else:
        size = writer.path.stat().st_size
        os.truncate(writer.path, size - size // 4)


def _move(name: str, writer: Writer) -> None:
    """To another folder of the host, as hosts do when a project moves or a session is put away."""
    if name == "codex":
        target = writer.path.parents[1] / "archived_sessions" / writer.path.name
    elif name in ("claude-code", "qwen-code", "pi", "gemini-cli"):
        folder = writer.path.parents[1 if name in ("claude-code", "pi") else 2]
        target = (
            folder
            / "moved"
            / writer.path.relative_to(folder).relative_to(writer.path.relative_to(folder).parts[0])
        )
    else:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    writer.path.rename(target)
    writer.path = target


def _replace(writer: Writer) -> None:
    """The same content in another file; databases are checkpointed and packed."""
    if isinstance(writer, OpenCodeStore | GooseStore):
        db = writer.store.db if isinstance(writer, OpenCodeStore) else writer.db
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    elif not isinstance(writer, Whole):
        draft = writer.path.with_name("draft.tmp")
        shutil.copyfile(writer.path, draft)
        draft.replace(writer.path)


def _compress(writer: Writer) -> None:
    """As Codex does with rollouts that rest."""
    target = writer.path.with_name(writer.path.name + ".zst")
    target.write_bytes(zstandard.ZstdCompressor().compress(writer.path.read_bytes()))
    writer.path.unlink()


async def test_polling_is_what_remains_where_the_system_refuses(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from watchfiles import _rust_notify

    def refusing(*_: object) -> object:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr(_rust_notify, "RustNotify", refusing)
    writer = Lines(home / ".claude/projects/-w/c1.jsonl", [], _claude)
    core = opened(home, tmp_path)
    async with following(core) as follower:
        assert core.watching.mode.told == "polling (no events: OS file watch limit reached)"
        writer.write(0, "polled")
        assert "polled" in await follower.agrees("polled")


def test_polling_sees_every_change_of_one_second_and_goes_no_circles(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/up").symlink_to(folder)
    path = folder / "deep/c1.jsonl"
    path.write_text("0\n")
    poller = Poller([folder, tmp_path / "not there"])
    for number in range(5):
        with path.open("a") as stream:
            stream.write(f"{number}\n")
        os.utime(path, ns=(10**18, 10**18 + number))  # nanoseconds apart
        assert path in poller.look()
        assert poller.look() == set()
    path.rename(folder / "c2.jsonl")
    assert {path, folder / "c2.jsonl"} <= poller.look()


def test_doctor_says_how_changes_are_noticed(home: Path, tmp_path: Path) -> None:
    (home / ".claude/projects").mkdir(parents=True)
    told = [one.message for one in examine(opened(home, tmp_path)) if one.topic == "watching"]
    assert told == ["1 folder by events of the system"]
    polled = examine(opened(home, tmp_path, MEMTUI_WATCH_POLLING="true"))
    assert any(".claude/projects by polling: set in the settings" in one.message for one in polled)


def test_databases_are_neither_written_nor_locked(home: Path, tmp_path: Path) -> None:
    """A writer that never waits is never refused, and the files are the same after reading."""
    with all_writers(home) as writers:
        for number in range(30):
            for name in ("opencode", "goose"):
                writers[name].write(number, text(name, number))
        core = opened(home, tmp_path)
        databases = [writers[name].path for name in ("opencode", "goose")]
        files = [p for d in databases for p in (d, d.with_name(d.name + "-wal"))]
        before = [(p.read_bytes(), p.stat().st_mtime_ns) for p in files]
        core.scan()
        core.update(tuple(files))
        assert [(p.read_bytes(), p.stat().st_mtime_ns) for p in files] == before
        with closing(sqlite3.connect(databases[1], timeout=0, isolation_level=None)) as db:
            db.execute("BEGIN EXCLUSIVE")
            core.update(tuple(files))
            db.execute("ROLLBACK")
