"""What a command or the first paint does not use, it does not import."""

from __future__ import annotations

import os
import subprocess

import pytest

from memtui.workspace.sample import Sample

HEAVY = (
    "chromadb", "rich", "sentence_transformers", "sqlalchemy", "sqlmodel", "textual", "watchfiles",
    "memtui.capture", "memtui.recall", "memtui.tui",
    "memtui.curate.create", "memtui.curate.purge", "memtui.workspace.curating",
    "memtui.sessions.fulltext", "memtui.sessions.scan", "memtui.sessions.timeline",
)  # fmt: skip
SCREEN = (
    "chromadb", "sentence_transformers", "sqlalchemy", "sqlmodel", "watchfiles",
    "memtui.capture", "memtui.recall", "memtui.agents.receipts", "memtui.hosts.codex", "memtui.hosts.claude_code",
    "memtui.curate.create", "memtui.curate.purge", "memtui.workspace.curating",
    "memtui.sessions.fulltext", "memtui.sessions.scan",
)  # fmt: skip


def imported(python: str, code: str, sample: Sample) -> set[str]:
    script = f"import sys\n{code}\nprint('\\nMODULES', *sys.modules)"
    done = subprocess.run(
        [python, "-c", script],
        env={**os.environ, **sample.environ()},
        cwd=sample.project,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.rpartition("MODULES ")[2].split())


def below(modules: set[str], names: tuple[str, ...]) -> list[str]:
    return sorted(
        module
        for module in modules
        if any(module == name or module.startswith(f"{name}.") for name in names)
    )


@pytest.mark.parametrize("words", [["inject"], ["cards"], ["pages"], ["log"]])
def test_a_command_that_reads_imports_nothing_else(
    python: str, sample: Sample, words: list[str]
) -> None:
    code = f"from memtui.cli.main import main\nassert main({words!r}) == 0"
    assert below(imported(python, code, sample), HEAVY) == []


def test_the_first_paint_waits_for_no_verb(python: str, sample: Sample) -> None:
    code = "import memtui.tui.app, memtui.tui.screens.browse, memtui.workspace.open"
    assert below(imported(python, code, sample), SCREEN) == []
