"""The agents' side on the screen: the whole cost, the hosts, deliveries, why, and a hook that is gone."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot

from memtui.bank.project import claude_slug
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.workspace.sample import Sample
from tests.agents.banks import hook_command, sent
from tests.cli.test_agents import SESSION, show_delivered
from tests.tui.conftest import Open, settle, text_of


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def add_files(sample: Sample) -> None:
    """Instruction files with an import, and a `MEMORY.md` that Claude Code cuts."""
    write(sample.project / "CLAUDE.md", "# svc-order\n@docs/style.md\n" + "Rule.\n" * 40)
    write(sample.project / "docs" / "style.md", "Style.\n" * 30)
    write(sample.project / "AGENTS.md", "For all.\n" * 30)
    write(sample.home / ".claude" / "CLAUDE.md", "Mine.\n" * 10)
    memory = (
        sample.home / ".claude" / "projects" / claude_slug(sample.project) / "memory" / "MEMORY.md"
    )
    write(memory, "".join(f"- [n {n:03}](n.md): learned on day {n}\n" for n in range(300)))


def hook(sample: Sample, session: str) -> str:
    """What a session of Claude Code receives at its start."""
    payload = {"cwd": str(sample.project), "session_id": session, "source": "startup"}
    done = subprocess.run(
        [*hook_command(), "session-start", "--host", "claude-code"],
        input=json.dumps(payload).encode(), capture_output=True, check=True, timeout=30,
        env={"HOME": str(sample.home), "PATH": os.environ["PATH"], **sample.environ()},
    )  # fmt: skip
    return sent(done)


async def press(pilot: Pilot[None], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)
    return text_of(cast(MemtuiApp, pilot.app))


def screen(app: MemtuiApp) -> BrowseScreen:
    return cast(BrowseScreen, app.screen)


# The whole cost


async def test_the_whole_cost_stands_in_the_hosts_order(open_app: Open, sample: Sample) -> None:
    add_files(sample)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        shown = await press(pilot, "5")
        places = [
            shown.index(words)
            for words in ("instruction files", "MEMORY.md", "▾ memtui", "<memtui-memory")
        ]
        assert places == sorted(places)
        planned = screen(app).preview
        assert planned is not None
        parts = app.core.agents.starting_files("claude-code")
        total = sum(part.tokens for part in parts) + -(-len(planned.plan.text.encode()) // 4)
        assert f"at start ~{total:,} in all" in shown


async def test_groups_open_to_files_and_to_the_cut(open_app: Open, sample: Sample) -> None:
    add_files(sample)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        shown = await press(pilot, "5", "g", "enter")
        assert "~/.claude/CLAUDE.md" in shown
        assert "    docs/style.md" in shown  # an import stands below what imports it
        shown = await press(pilot, "enter", "j", "enter")
        assert "docs/style.md" not in shown
        cut = (
            len("- [n 000](n.md): learned on day 0\n") * 10
            + len("- [n 010](n.md): learned on day 10\n") * 90
        )
        cut += len("- [n 100](n.md): learned on day 100\n") * 100 - 1
        assert f"cut at character {cut:,} ╌" in shown
        before, after = shown.split(f"cut at character {cut:,} ╌")
        assert "[n 199]" in before
        assert "[n 200]" in after


async def test_h_shows_each_hosts_own_files(open_app: Open, sample: Sample) -> None:
    add_files(sample)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        shown = await press(pilot, "5", "H", "g", "enter")
        assert "codex · startup" in shown
        assert "AGENTS.md" in shown
        assert "MEMORY.md" not in shown
        shown = await press(pilot, "H")
        assert "gemini-cli · startup" in shown
        assert "instruction files" in shown
        assert "AGENTS.md" not in shown


async def test_a_budget_changes_the_total_at_once(open_app: Open, sample: Sample) -> None:
    add_files(sample)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = await press(pilot, "5")
        after = await press(pilot, "minus", "minus", "minus", "minus", "minus")

        def total(shown: str) -> int:
            return int(shown.split("at start ~")[1].split(" ")[0].replace(",", ""))

        assert total(after) < total(before)


async def test_the_hosts_stand_side_by_side_where_there_is_room(
    open_app: Open, sample: Sample
) -> None:
    add_files(sample)
    app = open_app()
    async with app.run_test(size=(200, 50)) as pilot:
        await settle(pilot)
        table = await press(pilot, "5")
        head = next(
            line for line in table.splitlines() if "claude-code" in line and "gemini-cli" in line
        )
        assert "codex" in head
        wide = await press(pilot, "plus")
        rows = [line for line in wide.splitlines() if line.count("[w7m2xd]") == 3]
        assert rows, wide
        assert wide.count("at start ~") == 4
        await press(pilot, "H")
        assert screen(app).options.host == "codex"
        narrow = await press(pilot, "underscore")
        assert narrow.count("[w7m2xd]") == 1


async def test_a_changed_instruction_file_is_read_again(open_app: Open, sample: Sample) -> None:
    add_files(sample)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = await press(pilot, "5")
        write(sample.project / "CLAUDE.md", "Rule.\n" * 4000)
        after = await press(pilot, "R")
        assert "3 ~135" in before
        assert "~6,0" in after


async def test_another_branch_is_previewed_after_a_switch(open_app: Open, sample: Sample) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        (sample.project / ".git" / "HEAD").write_text("ref: refs/heads/feature/bulk-import\n")
        await press(pilot, "R")
        assert screen(app).options.branch == "feature/bulk-import"
        preview = screen(app).preview
        assert preview is not None
        assert hook(sample, "other-branch") == preview.plan.text


# Deliveries


def transcript(sample: Sample) -> Path:
    return sample.home / ".claude" / "projects" / "-home-dev-svc-order" / f"{SESSION}.jsonl"


async def _to_heading(app: MemtuiApp, pilot: Pilot[None]) -> str:
    """The cursor on the heading of the session that the hook was run for."""
    await press(pilot, "1")
    to_seeded(app)
    await settle(pilot)
    await pilot.pause(0.1)
    await settle(pilot)
    return screen(app).detail_pane.text.text


@pytest.mark.parametrize("changed", [False, True])
async def test_a_session_shows_what_it_was_sent_and_what_became_of_it(
    open_app: Open, sample: Sample, changed: bool
) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "memtui sent nothing" in await _to_heading(app, pilot)
        text = hook(sample, SESSION)
        preview = screen(app).preview
        assert preview is not None
        assert text == preview.plan.text
        show_delivered(
            transcript(sample), text.replace("must be set", "may be set") if changed else text
        )
        await press(pilot, "R")
        shown = await _to_heading(app, pilot)
        if changed:
            assert "≠ differs" in shown
            assert "+- [w7m2xd] ORDER_POOL_SIZE may" in shown
        else:
            assert "✓ delivered" in shown
            assert "[w7m2xd]" in shown


async def test_a_hook_is_heard_while_the_app_is_open(open_app: Open, sample: Sample) -> None:
    app = open_app(watches=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = hook(sample, SESSION)
        show_delivered(transcript(sample), text)
        for _ in range(100):
            await pilot.pause(0.1)
            if not list((sample.root / "memtui" / "state" / "spool").glob("*.json")):
                break
        await settle(pilot)
        assert "✓ delivered" in await _to_heading(app, pilot)


def seed_delivery(sample: Sample) -> None:
    """A session of Claude Code was sent another text than was planned, or so its transcript says."""
    text = hook(sample, SESSION)
    (left,) = (sample.root / "memtui" / "state" / "spool").glob("*.json")
    left.write_text(json.dumps({**json.loads(left.read_text()), "at": "2026-11-02T09:12:05Z"}))
    show_delivered(transcript(sample), text.replace("must be set", "may be set"))


def to_seeded(app: MemtuiApp) -> None:
    """The cursor on the heading of the session of `seed_delivery`."""
    rows = screen(app).timeline_rows
    assert rows is not None
    session = next(row for row in rows.timeline.sessions() if row.id == SESSION)
    index = rows.find((session.session, -1))
    assert index is not None
    screen(app).sessions_list.go(index)


# Why


async def test_why_tells_of_past_sessions_from_the_log(open_app: Open, sample: Sample) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        hook(sample, SESSION)
        shown = await press(pilot, "R", "2", "w")
        assert "past sessions" in shown
        decided = next(d for d in screen_preview(app) if d[0] == "f0x5mv")
        assert f"shown, line {decided[1]}  2026-" in shown
        shown = await press(pilot, "escape", "slash", *"superseded", "enter", "w")
        assert "held back: superseded" in shown.split("past sessions")[1]


def screen_preview(app: MemtuiApp) -> list[tuple[str, int]]:
    browse = next(s for s in app.screen_stack if isinstance(s, BrowseScreen))
    assert browse.preview is not None
    return [(decision.handle, decision.rank) for decision in browse.preview.plan.decisions]


# Health


async def test_the_status_bar_says_that_a_hook_vanished(open_app: Open, sample: Sample) -> None:
    command = "/gone/memtui-hook session-start --host claude-code"
    entry = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}}
    write(sample.home / ".claude" / "settings.json", json.dumps(entry))
    app = open_app()
    async with app.run_test(size=(200, 50)) as pilot:
        await settle(pilot)
        told = [note.text for note in app.core.status()]
        assert any("/gone/memtui-hook, which is gone" in note for note in told)
        # How much of it the list shows depends on the length of the settings' path.
        assert "Claude Code" in await press(pilot, "exclamation_mark")
        await press(pilot, "escape")
        assert "! Claude Code" in text_of(app).splitlines()[-2]
