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
        self.more: dict[str, str] = {}

    def run(self, *words: str, code: int | None = 0) -> str:
        environ = {**os.environ, **self._sample.environ(), **self.more}
        done = subprocess.run(
            [self._python, "-m", "memtui", *words],
            cwd=self._sample.project, env=environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert code is None or done.returncode == code, done.stderr
        return done.stdout + done.stderr

    def json(self, *words: str, code: int | None = 0) -> Any:
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
    two = [entry["id"] for entry in left["waiting"] if entry["draft"]][-2:]
    assert "two proposals or more" in shell.run("inbox", "--merge", two[0], code=2)
    one = shell.json("inbox", "--merge", *two)
    assert len([item for item in one["items"] if item.startswith("card:")]) == 1
    assert len(shell.json("inbox")["waiting"]) == len(left["waiting"]) - 3
    shell.run("undo")
    assert len(shell.json("inbox")["waiting"]) == len(left["waiting"]) - 1
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


def test_a_drafter_is_asked_and_its_failure_is_said(
    shell: Shell, sample: Sample, python: str
) -> None:
    script = sample.root / "drafter.py"
    script.write_text("import sys; sys.exit('no key is set')")
    shell.more = {"MEMTUI_DRAFTER_COMMAND": f"{python} {script}", "MEMTUI_DRAFTER_SESSIONS": "2"}
    plan = shell.json("sleep")["drafted"]
    assert (plan["asked"], plan["received"], plan["beyond"]) == (2, 0, 15)
    assert plan["sent"] > 2000
    told = shell.run("sleep", "--apply")
    assert "2 sessions, " in told
    assert "characters (~" in told
    assert told.count("drafted by rules instead: ") == 2
    assert "exit code 1: no key is set" in told
    found = shell.json("inbox")
    assert len(found["drafted_by_rules"]) == 2
    assert found["drafter"].startswith("drafter: 2 sessions, ~")
    assert {entry["by"] for entry in found["waiting"]} == {"rules"}
    assert "drafted by rules instead: " in shell.run("inbox")
    doctor = shell.json("doctor", code=None)
    assert [one["message"] for one in doctor if one["topic"] == "drafter"] == [
        f"{os.path.basename(python)}: at most 2 sessions of a sleep, 120 s each"
    ]
    shell.more = {"MEMTUI_DRAFTER_URL": "http://example.com/v1"}
    assert "only loopback is allowed" in shell.run("sleep", code=2)


def test_a_draft_of_turns_in_the_words_of_the_drafter(
    shell: Shell, sample: Sample, python: str
) -> None:
    offer = shell.json("candidates", "claude-code:871e05e3-48f3-4cce-90cd-e40e31ca0ec9")[0]
    ref = offer["evidence"][0]["ref"]
    card = {
        "type": "fact",
        "title": "What the drafter made of these turns",
        "records": ["r1"],
        "use_when": "it is asked",
        "claims": [{"text": "It was asked about them.", "records": ["r1"]}],
    }
    script = sample.root / "drafter.py"
    script.write_text(f"print({json.dumps({'cards': [card]})!r})")
    assert "no drafter is set" in shell.run("promote", ref, "--dry-run", "--drafter", code=2)
    shell.more = {"MEMTUI_DRAFTER_COMMAND": f"{python} {script}"}
    by_rules = shell.json("promote", ref, "--dry-run")["title"]
    made = shell.json("promote", ref, "--dry-run", "--drafter")
    assert made["title"] == card["title"]
    assert "tokens sent" in made["drafter"][0]
    script.write_text("print('no')")
    fell_back = shell.json("promote", ref, "--dry-run", "--drafter")
    assert fell_back["title"] == by_rules
    assert "drafted by rules instead: " in fell_back["drafter"][0]
    assert shell.json("inbox", code=None)["drafter"].startswith("drafter: 1 session, ~")


def test_an_audit_finds_what_a_new_rule_masks(shell: Shell, sample: Sample) -> None:
    assert shell.json("audit")["clean"] is True
    assert "nothing found under rules 1-" in shell.run("audit")
    shell.more = {"MEMTUI_REDACT_PATTERNS": "ORDER_POOL_SIZE"}
    due = [one for one in shell.json("doctor", code=None) if one["topic"] == "audit"]
    assert [one["level"] for one in due] == ["warning"]
    assert "the redaction rules changed" in due[0]["message"]
    assert "ORDER_POOL_SIZE" not in shell.run("inject")
    found = shell.json("audit", code=1)
    assert {"card", "events", "evidence", "index file"} <= {one["kind"] for one in found["found"]}
    assert "ORDER_POOL_SIZE" not in json.dumps(found)
    assert "Nobody is here to answer" in shell.run("audit", "--clean", code=2)
    done = shell.json("audit", "--clean", "--yes", code=1)
    kinds = {one["kind"] for one in done["found"]}
    assert kinds <= {"card", "page", "events", "evidence", "index file"}
    due = [one for one in shell.json("doctor", code=None) if one["topic"] == "audit"]
    assert [one["level"] for one in due] == ["ok"]
