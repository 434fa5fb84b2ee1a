"""What the session-start hook imports through inject and index, and that it stays quick."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.index import banks

PLAIN = "import json, sqlite3, typing"
HOOK = """
from memtui.index.reader import Reader
from memtui.index.recheck import Rechecked
from memtui.inject.model import Request
from memtui.inject.snapshot import plan_fresh
with Reader({db!r}) as reader:
    best = plan_fresh(Rechecked(reader, 20777), Request("claude-code", "startup", "", "main", 20777))
assert "Title of h0" in best.plan.text
"""
OURS = {
    "memtui",
    "memtui.index",
    "memtui.index.reader",
    "memtui.index.recheck",
    "memtui.inject",
    "memtui.inject.layout",
    "memtui.inject.limits",
    "memtui.inject.model",
    "memtui.inject.plan",
    "memtui.inject.render",
    "memtui.inject.snapshot",
    "memtui.reasons",
    "memtui.safety",
    "memtui.safety.digest",
    "memtui.safety.fence",
    "memtui.safety.ruleset",
}
LIBRARY = {"__future__", "_sha2", "_sha256"}


def modules(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint('MODULES', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(_root())!r})\n{script}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.rpartition("MODULES ")[2].split())


def _root() -> Path:
    return Path(__file__).resolve().parents[2]


def test_a_plan_from_the_index_loads_only_what_is_allowed(tmp_path: Path) -> None:
    root, db = tmp_path / "bank", tmp_path / "index.db"
    banks.write(root, banks.card("h0"))
    banks.settle(root)
    banks.index(root, db)
    extra = modules(HOOK.format(db=str(db))) - modules(PLAIN)
    assert extra <= OURS | LIBRARY


def test_a_changed_file_loads_the_front_matter_reader_and_nothing_heavy(tmp_path: Path) -> None:
    root, db = tmp_path / "bank", tmp_path / "index.db"
    banks.write(root, banks.card("h0"))
    banks.index(root, db)
    banks.write(root, banks.card("h0", body="Another body.\n"))
    loaded = modules(HOOK.format(db=str(db)))
    assert "memtui.index.reread" in loaded
    assert not loaded & {
        "pathlib",
        "dataclasses",
        "argparse",
        "tomllib",
        "hashlib",
        "memtui.bank.model",
    }


def test_plan_alone_needs_neither_files_nor_database() -> None:
    loaded = modules("import memtui.inject.plan")
    assert not loaded & {"sqlite3", "pathlib", "dataclasses", "argparse", "tomllib", "memtui.bank"}
