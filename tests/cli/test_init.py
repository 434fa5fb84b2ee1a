"""`memtui init`: a bank where there is none, and what commands say before there is one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memtui.bank.load import open_bank
from memtui.bank.project import claude_slug
from memtui.workspace.sample import Sample
from tests.cli.running import ROOT, answer, run
from tests.sessions.session_fixtures import Talk, session_id


@pytest.fixture
def bare(sample: Sample, tmp_path: Path) -> dict[str, Any]:
    """The sample's project with one session and without its bank."""
    talk = Talk(session_id(3), cwd=str(sample.project)).prompt("why do the tests hang?")
    talk.run("pytest -q", "no connection within 30s", True)
    talk.run("pytest -q --pool-size 4", "3 passed").say("The pool had no size.")
    folder = tmp_path / "home" / ".claude" / "projects" / claude_slug(sample.project)
    folder.mkdir(parents=True)
    (folder / f"{talk.session}.jsonl").write_bytes(talk.data)
    return {
        "MEMTUI_BANK": "",
        "MEMTUI_DATA_HOME": str(tmp_path / "data"),
        "MEMTUI_HOSTS_HOME": str(tmp_path / "home"),
    }


def test_the_bank_is_found_by_the_project_afterwards(
    sample: Sample, bare: dict[str, Any], tmp_path: Path
) -> None:
    made = Path(answer(sample, "init", **bare)["bank"])
    assert made.parent == tmp_path / "data" / "banks"
    assert answer(sample, "cards", **bare) == []
    done = run(sample, "cards", **bare)
    assert str(made) in done.stderr.decode()
    assert answer(sample, "init", code=1, **bare)["error"] == f"this project has a bank: {made}"


def test_a_shared_bank_lies_in_the_project(sample: Sample, bare: dict[str, Any]) -> None:
    made = Path(answer(sample, "init", "--shared", **bare)["bank"])
    assert made == sample.project / ".memtui-bank"
    assert str(sample.root) not in (made / "bank.toml").read_text()
    assert answer(sample, "lint", **bare) is not None


def test_a_folder_of_ones_own_choice(sample: Sample, bare: dict[str, Any], tmp_path: Path) -> None:
    made = tmp_path / "elsewhere" / "bank"
    assert answer(sample, "--bank", str(made), "init", **bare)["bank"] == str(made)
    assert open_bank(made).config.project == "svc-order"
    again = answer(sample, "--bank", str(made), "init", code=2, **bare)
    assert "already" in again["error"]
    both = answer(sample, "--bank", str(tmp_path / "x"), "init", "--shared", code=2, **bare)
    assert "--shared" in both["error"]


def test_a_first_card_from_the_command_line(sample: Sample, bare: dict[str, Any]) -> None:
    answer(sample, "init", **bare)
    session = answer(sample, "sessions", **bare)[-1]["ref"]
    cited = [one["ref"] for one in answer(sample, "show", session, **bare)["turns"][1:3]]
    answer(sample, "promote", *cited, "--yes", **bare)
    (card,) = answer(sample, "cards", **bare)
    assert card["title"] == "no connection within 30s"


@pytest.mark.parametrize("words", [("lint",), ("history",), ("undo",), ("sleep",), ("search", "x")])
def test_without_a_bank_the_way_to_one_is_said(
    sample: Sample, bare: dict[str, Any], words: tuple[str, ...]
) -> None:
    told = answer(sample, *words, code=2, **bare)
    assert "no bank" in told["error"]
    assert "memtui init" in told["do"]


@pytest.mark.parametrize("what", ["cards", "pages"])
def test_an_empty_list_says_why(sample: Sample, bare: dict[str, Any], what: str) -> None:
    done = run(sample, what, **bare)
    assert (done.returncode, done.stdout) == (0, b"")
    assert "memtui init" in done.stderr.decode()
    assert answer(sample, what, **bare) == []


def test_the_home_folder_is_no_project(tmp_path: Path) -> None:
    environ = {**os.environ, "HOME": str(tmp_path), "MEMTUI_BANK": "", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "memtui", "--json", "init"],
        cwd=tmp_path, env=environ, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no project" in json.loads(done.stderr)["error"]
    assert not list(tmp_path.rglob("bank.toml"))
