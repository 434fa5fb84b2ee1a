"""The first scan: what was used last is there first, and what was read once is not read again."""

from __future__ import annotations

import json
import os
from pathlib import Path

from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS
from memtui.sessions.scan import Progress, Scanner
from tests.sessions.session_fixtures import NOON, Talk, World, content, session_id

HOUR = 3_600_000


def write_talks(world: World, hours: list[int], prompts: int = 3) -> dict[int, Path]:
    """Sessions of Claude Code by how many hours they are old, in no order."""
    written = {}
    for hour in hours:
        at = NOON - hour * HOUR
        talk = Talk(session_id(hour), at=at)
        for number in range(prompts):
            talk.prompt(f"{hour} hours old, {number}").say("done " * 40)
        written[hour] = world.write(talk, mtime=at)
    return written


def write_rollout(world: World, hour: int) -> Path:
    """A session of Codex."""
    name = f"rollout-2026-11-20T10-00-{hour:02}-{session_id(100 + hour)}.jsonl"
    path = world.home / ".codex" / "sessions" / "2026" / "11" / "20" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    stamp = "2026-11-20T10:00:00.000Z"
    content = [{"type": "input_text", "text": f"{hour} hours old"}]
    rows = [
        ("session_meta", {"id": session_id(100 + hour), "timestamp": stamp, "cwd": "/w/shop"}),
        ("response_item", {"type": "message", "role": "user", "content": content}),
    ]
    lines = [
        json.dumps({"timestamp": stamp, "type": kind, "payload": payload}) for kind, payload in rows
    ]
    path.write_text("\n".join(lines) + "\n")
    at = NOON - hour * HOUR
    os.utime(path, ns=(at * 1_000_000, at * 1_000_000))
    return path


def read_order(seen: list[Progress]) -> list[Path]:
    """The files in the order in which they were read."""
    return list(dict.fromkeys(step.current for step in seen if step.current is not None))


def test_the_newest_sessions_of_all_hosts_are_read_first(world: World) -> None:
    by_age = {**write_talks(world, [5, 1, 9, 3])}
    by_age |= {hour: write_rollout(world, hour) for hour in (8, 2, 4)}
    seen: list[Progress] = []
    scanner = Scanner(world.catalogue, HOSTS, HostHome(world.home), gentle=True)
    scanner.run(seen.append)
    scanner.close()
    assert read_order(seen) == [by_age[hour] for hour in sorted(by_age)]


def test_a_scan_that_ended_early_goes_on_after_a_restart_with_what_is_left(world: World) -> None:
    files = write_talks(world, [1, 2, 3, 4, 5], prompts=30)
    total = sum(path.stat().st_size for path in files.values())
    seen: list[Progress] = []
    first = Scanner(world.catalogue, HOSTS, HostHome(world.home), batch=20)
    one = first.run(seen.append, cancelled=lambda: len(read_order(seen)) == 3)
    first.close()
    half = seen[-1].current
    assert half == files[3], "the newest two are through, the third is being read"
    assert 0 < one.bytes < total

    again: list[Progress] = []
    second = Scanner(world.catalogue, HOSTS, HostHome(world.home), batch=20)
    two = second.run(again.append)
    second.close()
    assert one.bytes + two.bytes == total, "each byte was read once"
    assert read_order(again) == [files[3], files[4], files[5]]
    fresh = world.fresh()
    fresh.scan()
    assert content(world.catalogue) == content(fresh.catalogue)


def test_a_scan_that_rests_reads_nothing_until_it_goes_on(world: World) -> None:
    files = write_talks(world, [1, 2, 3], prompts=30)
    scanner = Scanner(world.catalogue, HOSTS, HostHome(world.home), batch=20)
    seen: list[Progress] = []
    rested: list[int] = []

    def paused() -> bool:
        """True three times once the first file is through."""
        resting = len(read_order(seen)) == 2 and len(rested) < 3
        if resting:
            rested.append(seen[-1].bytes_done)
        return resting

    report = scanner.run(seen.append, paused=paused)
    scanner.close()
    assert len(rested) == 3
    assert len(set(rested)) == 1, "nothing was read meanwhile"
    assert report.complete
    assert report.bytes == sum(path.stat().st_size for path in files.values())
