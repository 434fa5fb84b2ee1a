"""Several processes that open a bank for the first time at once."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from memtui.workspace.sample import Sample

ROOT = Path(__file__).resolve().parents[2]
OPENER = """
import os, sys
from pathlib import Path
from memtui.workspace.open import open_workspace
print("here", flush=True)
sys.stdin.readline()
with open_workspace(None, Path.cwd(), os.environ) as core:
    core.scan()
    view = core.load()
    print(*view.contents.problems, *(note.text for note in core.status()), sep="\\n")
"""


TABLES = """
import sys
from pathlib import Path
from memtui.hosts.registry import HOSTS
from memtui.index.schema import open_index
from memtui.sessions.catalogue import Catalogue
root = Path(sys.argv[1])
print("here", flush=True)
for number in range(40):
    sys.stdin.readline()
    Catalogue(root / f"sessions{number}.db", HOSTS).prepare()
    open_index(root / f"index{number}.db").close()
    print("done", flush=True)
"""


def opener(sample: Sample) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    environ = {**os.environ, **sample.environ(), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", OPENER]
    return subprocess.Popen(
        command, cwd=sample.project, text=True, env=environ, stdin=pipe, stdout=pipe, stderr=pipe
    )


@pytest.mark.parametrize("number", range(3))
def test_all_find_a_whole_index_and_catalogue(sample: Sample, number: int) -> None:
    running = [opener(sample) for _ in range(3)]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
    said = [process.communicate("go\n", timeout=60) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said
    assert not any("index" in out for out, _ in said), said
    (index,) = (sample.root / "memtui" / "cache").glob("*/index.db")
    with closing(sqlite3.connect(index)) as db:
        assert db.execute("SELECT 1 FROM meta WHERE key = 'version'").fetchone() == (1,)
    catalogue = sample.root / "memtui" / "cache" / "sessions.db"
    with closing(sqlite3.connect(catalogue)) as db:
        assert db.execute("SELECT count(*) > 9 FROM sessions").fetchone() == (1,)


def test_none_fails_when_all_make_the_same_tables(tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", TABLES, str(tmp_path)]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(command, text=True, env=environ, stdin=pipe, stdout=pipe) for _ in range(4)
    ]
    said = [_told(process) for process in running]
    for _ in range(40):
        for process in running:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        said += [_told(process) for process in running]
    for process in running:
        process.communicate(timeout=60)
    assert [process.returncode for process in running] == [0] * 4
    assert said == ["here"] * 4 + ["done"] * 160


def _told(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()
