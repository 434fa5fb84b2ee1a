"""The commands of the agent's side as processes: install, uninstall, deliveries, why, mcp."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from memtui.workspace.sample import Sample
from tests.agents.banks import hook_command, sent
from tests.cli.test_commands import answer, run, tree

ROOT = Path(__file__).resolve().parents[2]
HOOK = ("--program", "/opt/memtui/bin/memtui-hook")


def hook(
    sample: Sample,
    event: str,
    host: str = "claude-code",
    cwd: Path | None = None,
    *more: str,
    **said: Any,
) -> subprocess.CompletedProcess[bytes]:
    payload = {"cwd": str(cwd or sample.project), "session_id": "s1", "source": "startup", **said}
    return subprocess.run(
        [*hook_command(), event, "--host", host, *more],
        input=json.dumps(payload).encode(), capture_output=True, check=True, timeout=30,
        env={"HOME": str(sample.home), "PATH": os.environ["PATH"], **sample.environ()},
    )  # fmt: skip


def install_real(sample: Sample, host: str) -> None:
    """Install a hook program that is there."""
    program = sample.root / "memtui-hook"
    program.touch()
    done = run(sample, "install", host, "--yes", "--program", str(program))
    assert done.returncode == 0, done.stderr


# Install


def test_install_shows_the_diff_and_changes_nothing_without_a_yes(sample: Sample) -> None:
    before = tree(sample.home)
    looked = run(sample, "install", "claude-code", "--print", *HOOK)
    assert looked.returncode == 0
    shown = looked.stdout.decode()
    assert "+" in shown
    assert "SessionStart" in shown
    assert "trusted it" in shown
    nobody = run(sample, "install", "claude-code", *HOOK)
    assert nobody.returncode == 2
    assert b"--yes" in nobody.stderr
    assert tree(sample.home) == before


def test_install_twice_then_uninstall_leaves_every_byte_as_it_was(sample: Sample) -> None:
    before = tree(sample.home)
    first = answer(sample, "install", "claude-code", "--yes", *HOOK)
    assert (first["changes"], first["applied"]) == (True, True)
    settings = json.loads((sample.home / ".claude" / "settings.json").read_text())
    assert settings["cleanupPeriodDays"] == 30
    assert set(settings["hooks"]) == {
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "SessionEnd",
    }
    again = answer(sample, "install", "claude-code", "--yes", *HOOK)
    assert (again["changes"], again["applied"]) == (False, False)
    gone = answer(sample, "uninstall", "claude-code", "--yes")
    assert gone["applied"] is True
    assert tree(sample.home) == before
    assert b"nothing of memtui" in run(sample, "uninstall", "claude-code", "--yes").stdout


def test_codex_says_that_the_user_must_trust_the_hook(sample: Sample) -> None:
    done = run(sample, "install", "codex", "--yes", *HOOK)
    assert done.returncode == 0
    assert b"/hooks" in done.stdout
    assert (sample.home / ".codex" / "hooks.json").is_file()


def test_the_project_level_is_the_projects_own_file(sample: Sample) -> None:
    done = answer(sample, "install", "gemini-cli", "--project", "--yes", *HOOK)
    assert done["path"] == str(sample.project / ".gemini" / "settings.json")
    assert not (sample.home / ".gemini" / "settings.json").exists()


def test_a_program_that_uninstall_would_not_know_is_refused(sample: Sample) -> None:
    done = run(sample, "install", "claude-code", "--yes", "--program", "/bin/true")
    assert done.returncode == 2
    assert b"memtui-hook" in done.stderr


def test_a_broken_settings_file_is_refused_with_its_line(sample: Sample) -> None:
    path = sample.home / ".claude" / "settings.json"
    path.write_text('{\n  "a": 1,\n  oops\n}\n')
    done = run(sample, "install", "claude-code", "--yes", *HOOK)
    assert done.returncode == 2
    assert b"line 3" in done.stderr
    assert path.read_text() == '{\n  "a": 1,\n  oops\n}\n'


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("n\n", 1), ("", 1)])
def test_at_a_terminal_it_asks(sample: Sample, typed: str, code: int) -> None:
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    os.write(master, typed.encode() or b"\x04")
    done = subprocess.run(
        [sys.executable, "-m", "memtui", "install", "claude-code", *HOOK], stdin=slave,
        capture_output=True, cwd=sample.project, timeout=60, check=False,
        env={**os.environ, **sample.environ(), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    os.close(master)
    os.close(slave)
    text = (sample.home / ".claude" / "settings.json").read_text()
    assert done.returncode == code, done.stderr
    assert b"[y/N]" in done.stdout
    assert ("memtui-hook" in text) is (code == 0)


# What hooks find and send


def test_only_a_bank_that_a_person_opened_is_sent(sample: Sample) -> None:
    assert sent(hook(sample, "session-start")) == ""
    planned = answer(sample, "inject")
    assert sent(hook(sample, "session-start", session_id="s2")) == planned["text"]


def test_a_bank_opened_by_path_is_not_that_of_the_project(sample: Sample) -> None:
    run(sample, "--bank", str(sample.bank), "cards", MEMTUI_BANK="")
    environ = {
        **sample.environ(),
        "MEMTUI_BANK": "",
        "HOME": str(sample.home),
        "PATH": os.environ["PATH"],
    }
    payload = json.dumps({"cwd": str(sample.project), "session_id": "s", "source": "startup"})
    done = subprocess.run(
        [*hook_command(), "session-start", "--host", "codex"], input=payload.encode(),
        capture_output=True, check=True, env=environ, timeout=30,
    )  # fmt: skip
    assert done.stdout == b""
    install_real(sample, "codex")
    found = json.loads(
        run(sample, "--bank", str(sample.bank), "doctor", "--json", MEMTUI_BANK="").stdout
    )
    assert any("opened by its path" in finding["message"] for finding in found)


def test_a_worktree_is_planned_on_its_own_branch(sample: Sample, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    subprocess.run(
        ["git", "-C", str(sample.project), "worktree", "add", "-q", str(tree), "feature/bulk-import"],
        check=True, capture_output=True,
    )  # fmt: skip
    card = sample.bank / "cards" / "pool-timeout-unset-env.md"
    text = card.read_text()
    assert "branch: null" in text
    card.write_text(text.replace("branch: null", "branch: feature/bulk-import"))
    here = json.loads(run(sample, "inject", "--json").stdout)
    there = json.loads(run(sample, "inject", "--json", cwd=tree).stdout)
    assert (here["branch"], there["branch"]) == ("main", "feature/bulk-import")
    assert here["text"] != there["text"]
    assert sent(hook(sample, "session-start", session_id="a")) == here["text"]
    assert sent(hook(sample, "session-start", cwd=tree, session_id="b")) == there["text"]


def test_a_resumed_session_is_previewed_with_what_it_has(sample: Sample) -> None:
    run(sample, "cards")
    first = sent(hook(sample, "session-start", session_id=SESSION))
    resume = ("inject", "--source", "resume", "--session", f"claude-code:{SESSION}")
    card = sample.bank / "cards" / "pool-timeout-unset-env.md"
    card.write_text(card.read_text().replace("Pool timeouts", "Connection timeouts"))
    again = run(sample, *resume).stdout.decode()
    assert "Connection timeouts" in again
    assert again.count("\n- [") == 1 < first.count("\n- [")
    assert sent(hook(sample, "session-start", session_id=SESSION, source="resume")) == again
    assert run(sample, *resume).stdout == b""


def test_uninstall_says_at_which_level_the_hooks_are(sample: Sample) -> None:
    run(sample, "install", "codex", "--project", "--yes", *HOOK)
    assert b"add --project" in run(sample, "uninstall", "codex", "--yes").stdout
    assert answer(sample, "uninstall", "codex", "--project", "--yes")["applied"] is True


# Deliveries and why


SESSION = "871e05e3-48f3-4cce-90cd-e40e31ca0ec9"


def _transcript(sample: Sample) -> Path:
    return sample.home / ".claude" / "projects" / "-home-dev-svc-order" / f"{SESSION}.jsonl"


def show_delivered(path: Path, text: str) -> None:
    """The row with which Claude Code records what a hook sent, after the first row."""
    lines = path.read_text().splitlines()
    model = next(row for row in map(json.loads, lines) if row.get("type") == "user")
    row = {
        **{key: model[key] for key in ("sessionId", "cwd", "version", "timestamp") if key in model},
        "type": "attachment", "uuid": "0f0f0f0f-0000-4000-8000-000000000001",
        "parentUuid": model["uuid"], "isSidechain": False,
        "attachment": {"type": "hook_additional_context", "content": [text], "hookEvent": "SessionStart"},
    }  # fmt: skip
    path.write_text("\n".join([*lines, json.dumps(row)]) + "\n")


def test_a_delivery_is_settled_by_the_transcript(sample: Sample) -> None:
    run(sample, "cards")
    text = sent(hook(sample, "session-start", session_id=SESSION))
    (waiting,) = answer(sample, "deliveries")
    assert waiting["outcome"] in ("waiting", "missing")
    show_delivered(_transcript(sample), text)
    (found,) = answer(sample, "deliveries")
    assert (found["outcome"], found["session"]) == ("delivered", f"claude-code:{SESSION}")
    _transcript(sample).unlink()
    (kept,) = answer(sample, "deliveries", f"claude-code:{SESSION}")
    assert kept["outcome"] == "delivered"


def test_a_delivery_that_differs_shows_the_diff(sample: Sample) -> None:
    run(sample, "cards")
    text = sent(hook(sample, "session-start", session_id=SESSION))
    show_delivered(_transcript(sample), text.replace("Python", "Ruby", 1).replace("the", "THE", 3))
    (found,) = answer(sample, "deliveries")
    assert found["outcome"] == "differs"
    printed = run(sample, "deliveries", "--diff").stdout.decode()
    assert "+++ delivered" in printed


def test_no_delivery_yet_says_what_to_do(sample: Sample) -> None:
    assert answer(sample, "deliveries") == []
    assert b"memtui install" in run(sample, "deliveries").stdout


def test_what_a_prompt_was_looked_up_for_is_in_the_log(sample: Sample) -> None:
    run(sample, "cards")
    for said in ("why is ORDER_POOL_SIZE 0?", "what is NO_SUCH_NAME?"):
        hook(sample, "prompt", "claude-code", None, "--hits", prompt=said)
    gap, hit = answer(sample, "retrievals", "--origin", "hook", "--candidates")
    assert (hit["query"], hit["mode"], hit["session"]) == (
        "ORDER_POOL_SIZE", "literal", "claude-code:s1",
    )  # fmt: skip
    assert hit["shown"]
    assert [one["rank"] for one in hit["candidates"] if one["stage"] == "shown"]
    assert (gap["query"], gap["shown"], gap["empty"]) == ("NO_SUCH_NAME", [], True)
    assert [one["query"] for one in answer(sample, "retrievals", "--empty")] == ["NO_SUCH_NAME"]
    (sent_lines,) = answer(sample, "deliveries")
    assert sent_lines["source"] == "prompt"


def test_what_hooks_left_goes_when_the_transcript_tells_it(sample: Sample) -> None:
    run(sample, "cards")
    spool = sample.root / "memtui" / "state" / "spool"
    hook(sample, "post-tool", session_id=SESSION, tool_name="Bash", tool_input={"command": "ls"})
    hook(sample, "session-end", session_id=SESSION, reason="other")
    hook(sample, "post-tool", session_id="unknown", tool_name="Bash", tool_input={"command": "ls"})
    hook(sample, "prompt", session_id="older", prompt="hello")
    assert len(list(spool.glob("*.json"))) == 4
    for path in spool.glob("*.json"):
        record = json.loads(path.read_text())
        if record["session"] == SESSION:
            record["at"] = (
                "2026-07-01T09:00:00Z" if record["event"] == "post-tool" else record["at"]
            )
        elif record["session"] == "older":
            record["at"] = "2026-11-01T00:00:00Z"
        path.write_text(json.dumps(record))
    answer(sample, "deliveries")
    (left,) = spool.glob("*.json")
    assert json.loads(left.read_text())["session"] == "unknown"


def test_why_answers_for_the_next_session_and_from_the_log(sample: Sample) -> None:
    run(sample, "cards")
    hook(sample, "session-start", session_id="s9")
    found = answer(sample, "why", "python-3-9-support")
    assert found["next"]["reason"] == "stale"
    (past,) = found["past"]
    assert (past["session"], past["reason"]) == ("claude-code:s9", "stale")
    shown = answer(sample, "why", "pool-timeout-unset-env", "--host", "codex")
    assert shown["next"]["host"] == "codex"
    assert shown["next"]["rank"] == shown["past"][0]["rank"] > 0
    words = run(sample, "why", "python-3-9-support").stdout.decode()
    assert "held back: stale" in words
    none = run(sample, "why", "no-such-card")
    assert none.returncode == 1
    assert b"memtui cards" in none.stderr


# Doctor


def test_doctor_notices_a_vanished_hook_and_faults(sample: Sample) -> None:
    run(sample, "install", "claude-code", "--yes", *HOOK)
    hook(sample, "session-start", session_id="x")
    found = json.loads(run(sample, "doctor", "--json").stdout)
    hooks = [finding for finding in found if finding["topic"] == "hooks"]
    assert any("which is gone" in finding["message"] for finding in hooks)
    assert any("has not opened this bank yet" in finding["message"] for finding in hooks)
    assert run(sample, "doctor").returncode == 1


def test_doctor_notices_a_hook_gone_quiet(sample: Sample) -> None:
    install_real(sample, "claude-code")
    run(sample, "cards")
    for folder in (
        sample.root / "memtui" / "cache" / "known",
        sample.root / "memtui" / "state" / "installs",
    ):
        for path in folder.iterdir():
            os.utime(path, (1_700_000_000, 1_700_000_000))

    def quiet() -> list[str]:
        found = json.loads(run(sample, "doctor", "--json").stdout)
        return [one["message"] for one in found if "gone quiet" in one["message"]]

    (said,) = quiet()
    assert said.startswith("Claude Code")
    hook(sample, "session-start", session_id="new")
    assert quiet() == []


# MCP


def test_without_the_sdk_mcp_says_what_to_install(sample: Sample, tmp_path: Path) -> None:
    blocked = tmp_path / "sitecustomize.py"
    blocked.write_text(
        "import importlib.util as u\nreal = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'mcp' else real(name, *a)\n"
    )
    environ = {**os.environ, **sample.environ(), "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-m", "memtui", "mcp"], capture_output=True, env=environ,
        cwd=sample.project, timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"memtui[mcp]" in done.stderr


@asynccontextmanager
async def served(sample: Sample) -> AsyncIterator[Any]:
    pytest.importorskip("mcp")
    from mcp.client.session import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "memtui", "mcp", "--host", "codex", "--session", "codex:s7"],
        env={"PATH": os.environ["PATH"], "HOME": str(sample.home), "PYTHONPATH": str(ROOT), **sample.environ()},
        cwd=str(sample.project),
    )  # fmt: skip
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


async def test_mcp_serves_the_bank_and_sees_what_changes(sample: Sample) -> None:
    async with served(sample) as session:
        tools = await session.list_tools()
        assert len(tools.tools) == 5
        found = await session.call_tool("memory_search", {"query": "pool timeouts"})
        assert "ORDER_POOL_SIZE" in found.content[0].text
        card = sample.bank / "cards" / "pool-timeout-unset-env.md"
        (sample.bank / "cards" / "zebra.md").write_text(
            card.read_text()
            .replace("name: pool-timeout-unset-env", "name: zebra")
            .replace("Pool timeouts", "Zebra crossings")
            .replace("  id: ", "  id: z")
        )
        found = await session.call_tool("memory_search", {"query": "zebra"})
        assert "Zebra crossings" in found.content[0].text
        proposed = await session.call_tool(
            "memory_propose", {"title": "A fact", "body": "It holds."}
        )
        assert not proposed.is_error
    known = list((sample.root / "memtui" / "cache").glob("known/*"))
    assert known == []  # an agent's server is no person who opens a bank
