"""A scan that is killed, files that vanish under it, secrets, and the hosts' files untouched."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest

from memtui.sessions.fulltext import FullText
from tests.bench.corpus import write_corpus
from tests.sessions.session_fixtures import Talk, World, content, session_id

ROOT = Path(__file__).resolve().parents[2]
RUNS = int(os.environ.get("MEMTUI_FAULT_RUNS", "5"))

_SCAN = """
import sys
from pathlib import Path
from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.fulltext import FullText
from memtui.sessions.scan import Scanner

catalogue = Catalogue(Path(sys.argv[2]), HOSTS)
catalogue.prepare()
print("ready", flush=True)
Scanner(catalogue, HOSTS, HostHome(Path(sys.argv[1])), batch=50).run()
FullText(catalogue).fill()
"""

SECRETS = (
    "AKIAIOSFODNN7EXAMPLQ",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "sk-ant-api03-Zx8Qw7Er5Ty2Ui9Op4As6Df1Gh3Jk0Lm",
    "hunter2-Tr0ub4dor",
)


def test_a_killed_scan_goes_on(tmp_path: Path) -> None:
    world = World(tmp_path)
    write_corpus(world.home, sessions=8, turns=1500)
    fresh = world.fresh()
    fresh.scan()
    rng = random.Random(4)
    for _ in range(RUNS):
        command = [sys.executable, "-c", _SCAN, str(world.home), str(world.catalogue.path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(rng.uniform(0.0, 0.4))
            process.send_signal(signal.SIGKILL)
    world.scan()
    FullText(world.catalogue).fill()
    assert content(world.catalogue) == content(fresh.catalogue)
    db = world.catalogue.reader()
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    indexed = db.execute("SELECT COUNT(*) FROM words").fetchone()[0]
    assert world.catalogue.view(db).text_behind == 0
    db.close()
    FullText(fresh.catalogue).fill()
    db = fresh.catalogue.reader()
    assert db.execute("SELECT COUNT(*) FROM words").fetchone()[0] == indexed
    db.close()


def test_host_files_are_only_read(tmp_path: Path) -> None:
    world = World(tmp_path)
    write_corpus(world.home, sessions=6, turns=600)

    def state() -> dict[Path, tuple[str, int]]:
        files = [path for path in world.home.rglob("*") if path.is_file()]
        return {p: (sha256(p.read_bytes()).hexdigest(), p.stat().st_mtime_ns) for p in files}

    before = state()
    world.scan()
    FullText(world.catalogue).fill()
    assert state() == before


def test_a_transcript_that_cannot_be_read_is_reported(world: World) -> None:
    world.write(Talk().prompt("fine"))
    broken = world.folder / f"{session_id(2)}.jsonl"
    broken.mkdir()
    report = world.scan()
    assert [path for path, _ in report.failed] == [broken]
    assert [row.preview for row in world.turns()] == ["fine"]


@pytest.mark.parametrize("place", range(0, 420, 7))
def test_a_secret_is_never_stored_wherever_it_lies(world: World, place: int) -> None:
    talk = Talk()
    for number, secret in enumerate(SECRETS[:3]):
        padding = ("word " * 200)[:place]
        talk.prompt(f"{padding} {secret} after")
        talk.say(f"{padding} {secret}")
        call = talk.call(f"curl -H 'x: {secret}' {padding} {number}")
        talk.result(call, f"Exit code 1\n{padding} {secret}\nmore", failed=True)
    talk.row("queue-operation", operation="enqueue", content=f"use {SECRETS[1]}")
    talk.row("summary", summary=f"all about {SECRETS[0]}", leafUuid="unknown")
    talk.row("custom-title", customTitle=f"title {SECRETS[2]}")
    talk.row("attachment", attachment={"type": f"kind {SECRETS[0]}"})
    talk.prompt(f"export DB_PASSWORD={SECRETS[3]}")
    world.write(talk)
    world.scan(batch=3)
    FullText(world.catalogue).fill()
    stored = b"".join(p.read_bytes() for p in world.catalogue.path.parent.glob("sessions.db*"))
    for secret in SECRETS:
        assert secret.encode() not in stored
        for part in (secret.encode()[:14], secret.encode()[-14:], secret.lower().encode()):
            assert part not in stored
