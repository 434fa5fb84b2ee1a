"""What memtui keeps for itself is for this user alone, whatever the umask says."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.safety.private import make_folder, mode_within, private_file, private_folder
from memtui.workspace.sample import Sample
from tests.agents.banks import hook_command
from tests.cli.running import Call, run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


@pytest.fixture(autouse=True)
def open_umask(tmp_path: Path) -> Iterator[None]:
    """Everybody may read what is made without care; the tests' own folder hides nothing."""
    for folder in (tmp_path, tmp_path / "sample"):
        if folder.is_dir():
            folder.chmod(0o755)
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def loose(folder: Path) -> dict[str, str]:
    """What others may enter, read or write below a folder."""
    paths = [folder, *folder.rglob("*")]
    return {str(path): oct(mode(path)) for path in paths if mode(path) & 0o077}


def used(sample: Sample, call: Call) -> None:
    """Use every part that writes into state or cache."""
    card = "pool-timeout-unset-env"
    call("cards")
    call("flag", card, "--reason", "the default changed")
    call("undo")
    call("search", "pool timeout")
    call("sleep", "--apply")
    call("install", "claude-code", "--yes")
    for event, said in (
        ("session-start", {"source": "startup"}),
        ("prompt", {"prompt": "why is ORDER_POOL_SIZE 0?"}),
        ("post-tool", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ("session-end", None),
    ):
        whole = {"cwd": str(sample.project), "session_id": "s1", **(said or {})}
        payload = json.dumps(whole).encode() if said else b"{"
        subprocess.run(
            [*hook_command(), event, "--host", "claude-code"], input=payload, check=True, timeout=60,
            env={"HOME": str(sample.home), "PATH": os.environ["PATH"], **sample.environ()},
        )  # fmt: skip
    call("deliveries")


def test_every_file_of_state_and_cache_is_the_users_alone(
    inside: Sample, call: Call, tmp_path: Path
) -> None:
    used(inside, call)
    state, cache = inside.root / "memtui" / "state", inside.root / "memtui" / "cache"
    names = {path.name for folder in (state, cache) for path in folder.rglob("*")}
    assert {"ledger.db", "sessions.db", "index.db", "hook.log", "spool"} <= names, names
    assert loose(state) == {}
    assert loose(cache) == {}
    assert mode(tmp_path) == 0o755


def test_a_hosts_own_bank_keeps_events_and_evidence_private(inside: Sample, call: Call) -> None:
    bank = next((inside.home / ".claude" / "projects").glob("*/memory"))
    (name,) = [path.stem for path in bank.glob("*.md") if path.stem != "MEMORY"][:1]
    before = {path: mode(path) for path in bank.rglob("*")}
    assert run(inside, "--bank", str(bank), "demote", name).returncode == 0
    state = inside.root / "memtui" / "state"
    assert list(state.rglob("events/*.jsonl"))
    assert loose(state) == {}
    assert {path: mode(path) for path in bank.rglob("*")} == before


def test_a_ledger_that_everybody_could_read_is_closed(inside: Sample, call: Call) -> None:
    call("search", "pool timeout")
    (ledger,) = (inside.root / "memtui" / "state").rglob("ledger.db")
    ledger.chmod(0o644)
    call("search", "pool timeout")
    assert mode(ledger) == 0o600


def test_a_bank_in_a_repository_stays_as_open_as_it_is(inside: Sample, call: Call) -> None:
    call("flag", "pool-timeout-unset-env", "--reason", "the default changed")
    (events,) = (inside.bank / "events").glob("ada*.jsonl")
    assert mode(events) == 0o644


def test_what_is_made_is_as_open_as_its_folder(tmp_path: Path) -> None:
    private_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b" / "c" / "d")
    make_folder(tmp_path / "open" / "e")
    assert loose(tmp_path / "a") == {}
    assert mode(tmp_path / "open" / "e") == 0o755
    assert mode_within(tmp_path / "a", 0o644) == 0o600
    assert mode_within(tmp_path / "open", 0o644) == 0o644
    private_file(tmp_path / "open" / "f")
    assert mode(tmp_path / "open" / "f") == 0o600
