"""`memtui sleep` and `memtui inbox` in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from memtui.workspace.sample import Sample


class Shell:
    """Runs commands over the sample."""

    def __init__(self, sample: Sample, python: str) -> None:
        self._sample, self._python = sample, python

    def run(self, *words: str, code: int = 0) -> str:
        environ = {**os.environ, **self._sample.environ()}
        done = subprocess.run(
            [self._python, "-m", "memtui", *words],
            cwd=self._sample.project, env=environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    def json(self, *words: str, code: int = 0) -> Any:
        return json.loads(self.run("--json", *words, code=code))


@pytest.fixture
def shell(sample: Sample, python: str) -> Shell:
    return Shell(sample, python)


@pytest.mark.timeout(240)
def test_from_sleep_to_a_card_and_back(shell: Shell, sample: Sample) -> None:
    plan = shell.json("sleep")
    assert (plan["applied"], plan["read"]) == (False, 17)
    assert shell.json("inbox", code=1)["waiting"] == []
    done = shell.json("sleep", "--apply")
    assert done["proposed"] == plan["proposed"] >= 15
    assert "nothing to do" in shell.run("sleep", "--apply")
    assert "less than 24 h ago" in shell.json("sleep", "--if-due")["why_not"]
    found = shell.json("inbox")
    assert len(found["waiting"]) == done["proposed"]
    assert found["sessions_read"] == 17
    surprise = [entry["surprise"] for entry in found["waiting"]]
    assert surprise == sorted(surprise, reverse=True)
    first, second = found["waiting"][:2]
    cards = len(list((sample.bank / "cards").glob("*.md")))
    accepted = shell.json("inbox", "--accept", first["id"])
    assert accepted["verb"] == "create"
    assert len(list((sample.bank / "cards").glob("*.md"))) == cards + 1
    shell.json("inbox", "--reject", second["id"], "--reason", "no")
    left = shell.json("inbox")
    assert (left["accepted"], left["rejected"]) == (1, 1)
    assert len(left["waiting"]) == done["proposed"] - 2
    target = next(entry for entry in left["waiting"] if entry["targets"])
    stale = shell.json("inbox", "--accept", target["id"], "--verb", "stale")
    assert stale["verb"] == "demote"
    unfit = next(entry for entry in left["waiting"] if not entry["targets"])
    assert "does not fit" in shell.run("inbox", "--accept", unfit["id"], "--verb", "merge", code=2)


def test_the_timer_is_only_shown_where_nobody_can_agree(shell: Shell) -> None:
    shown = shell.run("sleep", "--install-timer", "systemd", code=1)
    assert "ExecStart=" in shown
    assert "undo: systemctl --user disable" in shown
    assert shell.json("sleep", "--install-timer", "cron")["line"].startswith("17 */6")


def test_what_is_not_there(shell: Shell) -> None:
    assert "no waiting proposal" in shell.run("inbox", "--accept", "nobody", code=1)
    assert "not in the archive" in shell.run("sleep", "--restore", "nobody", code=2)
