"""The hook as a process: right when all is well, silent and quick with exit code 0 when it is not."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memtui.agents.hook import DEADLINES
from memtui.agents.outputs import HOSTS
from memtui.inject.limits import limit_of, measure
from tests.agents.banks import (
    World,
    card,
    faults,
    generated,
    hook_command,
    make_world,
    run_hook,
    sent,
)

START = "session-start"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return generated(tmp_path, seed=3)


def quiet(done: subprocess.CompletedProcess[bytes]) -> bool:
    return done.returncode == 0 and done.stdout == b"" and done.stderr == b""


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("seed", range(6))
def test_text_equals_plan_equals_preview(tmp_path: Path, host: str, seed: int) -> None:
    world = generated(tmp_path, seed)
    preview = world.preview(host)
    done = run_hook(world, START, {"source": "startup"}, host)
    assert done.returncode == 0
    assert sent(done) == preview.text
    assert measure(preview.text, limit_of(host)) <= limit_of(host).size
    if preview.decisions:
        (record,) = world.records()
        assert record["injection"]["text"] == preview.text
        assert len(record["injection"]["decisions"]) == len(preview.decisions)


@pytest.mark.parametrize("seed", range(3))
def test_text_of_a_large_bank_equals_the_whole_plan(tmp_path: Path, seed: int) -> None:
    world = generated(tmp_path, seed, size=1500)
    done = run_hook(world, START)
    assert sent(done) == world.preview().text
    (record,) = world.records()
    assert record["injection"]["whole"] is False


def test_a_large_bank_of_equals_is_planned_whole(tmp_path: Path) -> None:
    handles = [f"h{number:05}" for number in range(700)]
    world = make_world(tmp_path, {handle: card(handle, f"Fact {handle}") for handle in handles})
    assert sent(run_hook(world, START)) == world.preview().text


def test_an_empty_bank_says_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    world = make_world(tmp_path, {})
    assert quiet(run_hook(world, START))
    assert world.records() == []
    assert faults(world) == []


def test_stale_means_absent(tmp_path: Path) -> None:
    world = make_world(tmp_path, {"aaaaaa": card("aaaaaa", "Gone", status="stale")})
    assert quiet(run_hook(world, START))
    (record,) = world.records()
    assert record["injection"]["decisions"][0]["reason"] == "stale"


@pytest.mark.parametrize("size", [8, 700])
def test_files_that_changed_since_the_index_are_read_again(tmp_path: Path, size: int) -> None:
    world = generated(tmp_path, seed=2, size=size)
    handles = [line.handle for line in world.preview().lines]
    edited, demoted, removed = (
        world.bank / "cards" / f"card-{handle}.md" for handle in handles[:3]
    )
    edited.write_text(card(handles[0], "Another title by now", pinned=True))
    demoted.write_text(card(handles[1], "Stale by now", status="stale"))
    removed.unlink()
    (world.bank / "cards" / "card-newaaa.md").write_text(
        card("newaaa", "New", pinned=True, importance=1)
    )
    text = sent(run_hook(world, START))
    assert text == world.preview().text
    assert "Another title by now" in text
    assert ("[newaaa]" in text) is (size == 8)  # in the large bank it is beyond the line limit
    assert f"[{handles[1]}]" not in text
    assert f"[{handles[2]}]" not in text
    assert faults(world) == []


def test_each_line_once_per_context(world: World) -> None:
    first = sent(run_hook(world, START, {"source": "startup"}))
    assert first
    assert quiet(run_hook(world, START, {"source": "resume"}))
    for source in ("clear", "compact", "startup"):
        assert sent(run_hook(world, START, {"source": source})) == first
        assert quiet(run_hook(world, START, {"source": "resume"}))
    assert sent(run_hook(world, START, {"source": "resume", "session_id": "other"})) == first
    assert sent(run_hook(world, START, {"source": "resume"}, "codex"))


def test_the_block_of_a_fork_goes_once_with_its_first_prompt(world: World) -> None:
    first = sent(run_hook(world, START, {"source": "startup"}))
    assert quiet(run_hook(world, START, {"source": "fork"}))
    assert sent(run_hook(world, "prompt", {"prompt": "and now?"})) == first
    assert quiet(run_hook(world, "prompt", {"prompt": "go on"}))
    assert quiet(run_hook(world, START, {"source": "resume"}))
    assert [record["source"] for record in world.records("prompt") if "injection" in record] == [
        "fork"
    ]
    assert sent(run_hook(world, START, {"source": "fork"}, "codex")) == sent(
        run_hook(world, START, {"source": "clear"}, "codex")
    )


def test_a_fork_that_ends_without_a_prompt_leaves_nothing_behind(world: World) -> None:
    assert quiet(run_hook(world, START, {"source": "fork"}))
    run_hook(world, "session-end", {"reason": "exit"})
    assert quiet(run_hook(world, "prompt", {"prompt": "a new day"}))
    assert faults(world) == []


def test_a_fork_that_cannot_wait_is_told_at_once(world: World) -> None:
    state = Path(world.refresh().state)
    state.mkdir(parents=True, exist_ok=True)
    (state / "pending").write_text("a file where the folder should be")
    assert sent(run_hook(world, START, {"source": "fork"}))
    assert "cannot wait for the prompt" in str(faults(world))


def test_a_host_that_forgets_on_resume_gets_it_again(world: World) -> None:
    first = sent(run_hook(world, START, {"source": "startup"}, "gemini-cli"))
    assert sent(run_hook(world, START, {"source": "resume"}, "gemini-cli")) == first


def test_a_resume_sends_only_what_is_new(tmp_path: Path) -> None:
    world = make_world(tmp_path, {"aaaaaa": card("aaaaaa", "The first fact")})
    assert "The first fact" in sent(run_hook(world, START))
    (world.bank / "cards" / "card-bbbbbb.md").write_text(card("bbbbbb", "The second fact"))
    world.refresh()
    text = sent(run_hook(world, START, {"source": "resume"}))
    assert "The second fact" in text
    assert "The first fact" not in text
    seen = frozenset(line for _, line in world.records()[0]["injection"]["lines"])
    assert text == world.preview(source="resume", seen=seen).text
    assert quiet(run_hook(world, START, {"source": "resume"}))


def test_drained_injections_are_remembered(world: World) -> None:
    from memtui.agents.receipts import drain_spool
    from memtui.ledger.access import open_ledger

    run_hook(world, START)
    key = world.refresh().key
    ledger = open_ledger(world.root / "state" / key)
    drain_spool(world.spool, key, ledger, lambda _: None, lambda _: False)
    ledger.close()
    assert world.records() == []
    assert quiet(run_hook(world, START, {"source": "resume"}))
    assert sent(run_hook(world, START, {"source": "clear"}))


ODD = {
    "nothing": b"",
    "white space": b"   ",
    "half": b"{",
    "a list": b"[1]",
    "words": b"nonsense",
    "no text": b"\xff\xfe\x00",
    "other types": b'{"session_id": 7, "cwd": null}',
    "deep": b"{" * 9000,
}


@pytest.mark.parametrize("payload", [pytest.param(data, id=name) for name, data in ODD.items()])
def test_odd_input(world: World, payload: bytes) -> None:
    done = run_hook(world, START, payload)
    assert done.returncode == 0
    assert sent(done) == world.preview().text


def test_no_input_at_all(world: World) -> None:
    command = [*hook_command(), START, "--host", "codex"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, env=world.environ,
        cwd=world.project, timeout=20, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert sent(done) == world.preview("codex").text
    closed = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *command], capture_output=True, env=world.environ,
        cwd=world.project, timeout=20, check=False,
    )  # fmt: skip
    assert closed.returncode == 0
    assert sent(closed) == world.preview("codex").text


def test_input_that_never_ends_is_given_up(world: World) -> None:
    reader, writer = os.pipe()
    start = time.monotonic()
    done = subprocess.run(
        [*hook_command(), "session-end", "--host", "codex"], stdin=reader, capture_output=True,
        env=world.environ, cwd=world.project, timeout=20, check=False,
    )  # fmt: skip
    os.close(reader)
    os.close(writer)
    assert quiet(done)
    assert time.monotonic() - start < DEADLINES["session-end"] + 3
    assert faults(world) == [f"gave up after {DEADLINES['session-end']} s"]


def test_a_closed_standard_output_is_no_delivery(world: World) -> None:
    payload = json.dumps({"cwd": str(world.project), "session_id": "s1"}).encode()
    command = ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *hook_command(), START, "--host", "codex"]
    done = subprocess.run(
        command, input=payload, stderr=subprocess.PIPE, env=world.environ, timeout=20, check=False
    )
    assert done.returncode == 0
    assert world.records() == []
    assert sent(run_hook(world, START, {"source": "resume"}, "codex"))


def test_a_state_folder_that_cannot_be_written(world: World) -> None:
    blocker = world.root / "blocked"
    blocker.write_text("a file where a folder should be")
    environ = world.environ | {"MEMTUI_STATE_HOME": str(blocker)}
    done = run_hook(world, START, env=environ)
    assert done.returncode == 0
    assert sent(done) == world.preview().text
    assert b"spool cannot be written" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_disk(world: World) -> None:
    state = world.root / "state"
    state.mkdir(exist_ok=True)
    state.chmod(0o500)
    done = run_hook(world, START)
    state.chmod(0o700)
    assert sent(done) == world.preview().text


def index_of(world: World) -> Path:
    return Path(world.refresh().index)


@pytest.mark.parametrize(
    "content",
    [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5000],
    ids=["empty", "text", "head"],
)
def test_a_damaged_index(world: World, content: bytes) -> None:
    path = index_of(world)
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    path.write_bytes(content)
    assert quiet(run_hook(world, START))
    assert len(faults(world)) == 1


def test_a_missing_index(world: World) -> None:
    index_of(world).unlink()
    assert quiet(run_hook(world, START))
    (fault,) = faults(world)
    assert "IndexMissing" in fault


def test_an_index_that_another_process_is_writing(world: World) -> None:
    writer = sqlite3.connect(index_of(world), isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE item SET title = 'half done'")
    assert sent(run_hook(world, START)) == world.preview().text
    writer.close()


def test_an_exclusively_locked_index_is_given_up_in_time(world: World) -> None:
    path = index_of(world)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode = DELETE")
    writer.execute("BEGIN EXCLUSIVE")
    start = time.monotonic()
    assert quiet(run_hook(world, START))
    assert time.monotonic() - start < DEADLINES[START] + 3
    assert faults(world)
    writer.close()


def test_a_bank_that_nobody_opened_says_nothing(world: World) -> None:
    shared = world.project / ".memtui-bank" / "cards"
    shared.mkdir(parents=True)
    (shared / "card-zzzzzz.md").write_text(card("zzzzzz", "Came with the clone"))
    assert quiet(run_hook(world, START))
    (fault,) = faults(world)
    assert "has not opened this bank" in fault


def test_a_project_without_a_bank_is_left_alone(world: World) -> None:
    other = world.root / "work" / "other"
    other.mkdir()
    for event in DEADLINES:
        assert quiet(
            run_hook(world, event, {"cwd": str(other), "prompt": "x", "tool_name": "Bash"})
        )
    assert world.records() == []
    assert faults(world) == []


def test_ten_at_once(world: World) -> None:
    preview = world.preview().text

    def one(number: int) -> str:
        return sent(run_hook(world, START, {"session_id": f"s{number}"}))

    with ThreadPoolExecutor(10) as pool:
        assert set(pool.map(one, range(10))) == {preview}
    records = world.records()
    assert {record["session"] for record in records} == {f"s{number}" for number in range(10)}
    assert len({record["id"] for record in records}) == 10
    assert not list(world.spool.glob(".*"))


def test_odd_command_lines(world: World) -> None:
    for words in (
        [],
        ["nonsense"],
        [START],
        [START, "--host", "emacs"],
        [START, "--host=codex", "x"],
    ):
        done = subprocess.run(
            [*hook_command(), *words], input=b"{}", capture_output=True, env=world.environ,
            timeout=20, check=False,
        )  # fmt: skip
        assert quiet(done), words
    assert len(faults(world)) == 5
    usage = subprocess.run(
        [*hook_command(), "--help"], capture_output=True, env=world.environ, timeout=20, check=False
    )
    assert usage.stdout.startswith(b"usage: memtui-hook")


def test_a_pinned_clock_that_is_no_time(world: World) -> None:
    assert quiet(run_hook(world, START, env=world.environ | {"MEMTUI_NOW": "tomorrow"}))
    assert "ValueError" in faults(world)[0]


def test_without_a_home(world: World) -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": "relative", "XDG_STATE_HOME": "also/relative"}
    assert run_hook(world, START, env=environ).returncode == 0


HEAVY = {
    "argparse", "asyncio", "ast", "dataclasses", "email", "hashlib", "importlib.metadata", "inspect",
    "logging", "msgspec", "pathlib", "platformdirs", "random", "shutil", "signal", "socket", "ssl",
    "subprocess", "tempfile", "threading", "tomllib", "typing_extensions", "urllib", "uuid",
}  # fmt: skip
REPORT = """
import os, sys
from memtui.agents import hook
real = os._exit
os._exit = lambda code: (open(sys.argv[0], "w").write("\\n".join(sys.modules)), real(code))
hook.main()
"""


@pytest.mark.parametrize("size", [5, 600])
@pytest.mark.parametrize("source", ["startup", "resume"])
def test_the_start_of_a_session_loads_a_handful_of_modules(
    tmp_path: Path, size: int, source: str
) -> None:
    world = generated(tmp_path, seed=1, size=size)
    report = tmp_path / "modules"
    root = str(Path(__file__).resolve().parents[2])
    start = f"import sys; sys.path[0] = {root!r}; sys.argv[0] = {str(report)!r}\n{REPORT}"
    payload = json.dumps({"cwd": str(world.project), "session_id": "s", "source": source}).encode()
    environ = {name: value for name, value in world.environ.items() if name != "MEMTUI_NOW"}
    done = subprocess.run(
        [sys.executable, "-I", "-c", start, START, "--host", "codex"], input=payload,
        capture_output=True, env=environ, timeout=20, check=True,
    )  # fmt: skip
    assert sent(done)
    bare = subprocess.run(
        [sys.executable, "-I", "-c", "import sys; print('\\n'.join(sys.modules))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = set(report.read_text().split()) - set(bare.stdout.split())
    assert not loaded & HEAVY
    foreign = {
        name for name in loaded if name.split(".")[0] not in {*sys.stdlib_module_names, "memtui"}
    }
    assert not foreign
    assert len(loaded) < 75, sorted(loaded)
