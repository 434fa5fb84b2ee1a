"""Installing and uninstalling hooks: nothing but our own entries ever changes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memtui.agents.host_settings import HOST_SETTINGS, PROJECT
from memtui.agents.install import (
    Change,
    InstallError,
    Target,
    apply,
    find_program,
    plan_install,
    plan_uninstall,
)
from memtui.agents.install_check import check_hosts, check_install
from memtui.agents.settings_edit.hooks import is_ours, own_entries, program_of
from memtui.agents.settings_edit.jsonc import parse
from tests.agents.settings_files import BROKEN, FILES, OTHER

PROGRAM = Path("/opt/my tools/bin/memtui-hook")
ALL_FILES = pytest.mark.parametrize(
    ("host", "data"), [pytest.param(host, data, id=name) for name, host, data in FILES]
)


def target_of(tmp_path: Path, host: str, data: bytes | None) -> Target:
    target = Target(host, tmp_path / "home", tmp_path / "state")
    if data is not None:
        target.path.parent.mkdir(parents=True)
        target.path.write_bytes(data)
    return target


def install(target: Target, **more: Any) -> Change:
    change = plan_install(target, PROGRAM, **more)
    apply(change)
    return change


def settings(target: Target) -> Any:
    text = target.path.read_bytes().decode("utf-8-sig")
    root = parse(text, target.settings.comments)
    assert root is not None
    return root.plain()


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def test_there_are_thirty_files() -> None:
    assert len(FILES) >= 30


@ALL_FILES
def test_install_then_uninstall_leaves_the_very_bytes(
    tmp_path: Path, host: str, data: bytes | None
) -> None:
    target = target_of(tmp_path, host, data)
    install(target)
    installed = target.path.read_bytes()
    events = [wiring.event for wiring in target.settings.wirings.values()]
    assert {own.event for own in own_entries(installed.decode(), True)} <= set(events)
    assert {"SessionStart"} <= {own.event for own in own_entries(installed.decode(), True)}
    apply(plan_uninstall(target))
    assert content(target.path) == data
    assert not list((tmp_path / "state" / "installs").iterdir())
    if data is None:
        assert not target.path.parent.exists()


@ALL_FILES
def test_installing_keeps_all_other_settings_and_their_order(
    tmp_path: Path, host: str, data: bytes | None
) -> None:
    target = target_of(tmp_path, host, data)
    text = (data or b"").decode("utf-8-sig")
    root = parse(text, True)
    before = root.plain() if root else {}
    install(target)
    after = settings(target)
    assert [key for key in after if key in before] == list(before)
    assert set(after) - set(before) <= {"hooks"}
    for key in before.keys() - {"hooks"}:
        assert after[key] == before[key]
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups


@ALL_FILES
def test_installing_again_changes_nothing(tmp_path: Path, host: str, data: bytes | None) -> None:
    target = target_of(tmp_path, host, data)
    install(target)
    first = target.path.read_bytes()
    again = install(target)
    assert again.empty
    assert again.diff == ""
    assert target.path.read_bytes() == first


@ALL_FILES
def test_another_program_replaces_the_old_entries(
    tmp_path: Path, host: str, data: bytes | None
) -> None:
    target = target_of(tmp_path, host, data)
    install(target)
    other = Path("/elsewhere/memtui-hook")
    apply(plan_install(target, other))
    text = target.path.read_bytes().decode()
    assert "/opt/my tools" not in text
    assert {program_of(own.command) for own in own_entries(text, True)} == {str(other)}
    apply(plan_uninstall(target))
    assert content(target.path) == data


@ALL_FILES
def test_uninstalling_without_the_note_takes_out_exactly_our_entries(
    tmp_path: Path, host: str, data: bytes | None
) -> None:
    target = target_of(tmp_path, host, data)
    install(target)
    target.record.unlink()
    apply(plan_uninstall(target))
    root = parse((data or b"").decode("utf-8-sig"), True)
    before = root.plain() if root else {}
    before.get("hooks", {}).pop("SessionStart", None) if before.get("hooks", {}).get(
        "SessionStart"
    ) == [] else None
    if not before.get("hooks"):
        before.pop("hooks", None)
    assert settings(target) == before


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())


def test_an_edit_in_between_stays(tmp_path: Path) -> None:
    data = json.dumps({"model": "opus", **OTHER}, indent=2).encode()
    target = target_of(tmp_path, "claude-code", data)
    install(target)
    edit(target.path, '"model": "opus"', '"model": "sonnet",\n  "new": true')
    apply(plan_uninstall(target))
    assert target.path.read_bytes() == data.replace(b'"opus"', b'"sonnet",\n  "new": true')


def test_hooks_that_the_user_put_among_ours_stay(tmp_path: Path) -> None:
    target = target_of(tmp_path, "claude-code", b"{}\n")
    install(target)
    value = settings(target)
    value["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "mine"})
    value["hooks"]["Stop"] = [{"hooks": []}]
    target.path.write_text(json.dumps(value, indent=4))
    apply(plan_uninstall(target))
    mine = [{"hooks": [{"type": "command", "command": "mine"}]}]
    assert settings(target) == {"hooks": {"SessionStart": mine, "Stop": [{"hooks": []}]}}


def test_a_reformatted_file_loses_only_our_entries(tmp_path: Path) -> None:
    target = target_of(tmp_path, "codex", json.dumps(OTHER).encode())
    install(target)
    target.path.write_text(json.dumps(settings(target), indent=1, sort_keys=True))
    apply(plan_uninstall(target))
    assert settings(target) == OTHER


@pytest.mark.parametrize(
    ("host", "data", "line"), [pytest.param(h, d, n, id=name) for name, h, d, n in BROKEN]
)
def test_a_broken_file_is_refused_with_its_line(
    tmp_path: Path, host: str, data: bytes, line: int
) -> None:
    target = target_of(tmp_path, host, data)
    with pytest.raises(InstallError, match=f"line {line}\\b"):
        plan_install(target, PROGRAM)
    assert target.path.read_bytes() == data
    assert not (tmp_path / "state").exists()


def test_a_file_that_changed_after_the_plan_is_left_alone(tmp_path: Path) -> None:
    target = target_of(tmp_path, "claude-code", b"{}")
    change = plan_install(target, PROGRAM)
    target.path.write_bytes(b'{"a": 1}')
    with pytest.raises(InstallError, match="changed meanwhile"):
        apply(change)
    assert target.path.read_bytes() == b'{"a": 1}'


def test_a_linked_file_stays_a_link_and_keeps_its_mode(tmp_path: Path) -> None:
    target = target_of(tmp_path, "claude-code", None)
    real = tmp_path / "dotfiles.json"
    real.write_bytes(b"{}")
    real.chmod(0o640)
    target.path.parent.mkdir(parents=True)
    target.path.symlink_to(real)
    install(target)
    assert target.path.is_symlink()
    assert own_entries(real.read_text(), False)
    assert real.stat().st_mode & 0o777 == 0o640
    apply(plan_uninstall(target))
    assert real.read_bytes() == b"{}"


@pytest.mark.parametrize("host", sorted(HOST_SETTINGS))
def test_the_change_is_shown_and_sets_nothing_else(tmp_path: Path, host: str) -> None:
    target = target_of(tmp_path, host, b'{\n  "a": 1\n}\n')
    change = plan_install(target, PROGRAM)
    added = [line for line in change.diff.splitlines() if line[:1] == "+" and line[:3] != "+++"]
    assert any("session-start --host " + host in line for line in added)
    assert target.path.read_bytes() == b'{\n  "a": 1\n}\n'
    apply(change)
    assert set(settings(target)) == {"a", "hooks"}
    assert change.notes


def test_commands_are_quoted_and_recognised(tmp_path: Path) -> None:
    target = target_of(tmp_path, "claude-code", None)
    install(target)
    (start,) = settings(target)["hooks"]["SessionStart"][0]["hooks"]
    assert start["command"] == "'/opt/my tools/bin/memtui-hook' session-start --host claude-code"
    assert program_of(start["command"]) == str(PROGRAM)
    assert not is_ours("memtui-hooks session-start")
    assert not is_ours("echo memtui-hook")
    assert is_ours('"C/x y/memtui-hook" prompt')


def test_the_project_level_is_a_file_of_the_project(tmp_path: Path) -> None:
    project = tmp_path / "repo"
    target = Target("claude-code", tmp_path, tmp_path / "state", PROJECT, project)
    assert target.path == project / ".claude" / "settings.local.json"
    with pytest.raises(InstallError, match="project folder"):
        Target("codex", tmp_path, tmp_path / "state", PROJECT).path  # noqa: B018


def test_hosts_move_their_folder(tmp_path: Path) -> None:
    def path(host: str, name: str) -> Path:
        return Target(host, tmp_path, tmp_path, environ={name: "/moved"}).path

    assert path("claude-code", "CLAUDE_CONFIG_DIR") == Path("/moved/settings.json")
    assert path("codex", "CODEX_HOME") == Path("/moved/hooks.json")
    assert path("gemini-cli", "GEMINI_CLI_HOME") == Path("/moved/.gemini/settings.json")


def test_doctor_notices_a_vanished_program(tmp_path: Path) -> None:
    target = target_of(tmp_path, "claude-code", None)
    assert check_install(target) == ()
    program = tmp_path / "bin" / "memtui-hook"
    program.parent.mkdir()
    program.write_text("")
    apply(plan_install(target, program))
    assert [finding.level for finding in check_install(target)] == ["ok"]
    program.unlink()
    (finding,) = check_install(target)
    assert finding.level == "error"
    assert str(program) in finding.message
    assert "memtui install claude-code" in finding.fix


def test_doctor_says_what_keeps_hooks_from_running(tmp_path: Path) -> None:
    program = find_program()
    claude = target_of(tmp_path / "c", "claude-code", b'{"disableAllHooks": true}')
    gemini = target_of(tmp_path / "g", "gemini-cli", b'{"hooksConfig": {"enabled": false}}')
    codex = target_of(tmp_path / "x", "codex", b"{}")
    (codex.path.parent / "config.toml").write_text("[features]\nhooks = false\n")
    for target in (claude, gemini, codex):
        apply(plan_install(target, program))
        (finding,) = check_install(target)
        assert finding.level == "warning"


def test_prompts_get_lines_only_where_asked(tmp_path: Path) -> None:
    target = target_of(tmp_path, "claude-code", None)
    install(target)
    assert "--hits" not in target.path.read_text()
    install(target, hits=True)
    assert target.path.read_text().count("--hits") == 1
    apply(plan_uninstall(target))
    assert not target.path.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission_is_said(tmp_path: Path) -> None:
    target = target_of(tmp_path, "claude-code", b"{}")
    target.path.parent.chmod(0o500)
    with pytest.raises(InstallError, match="permissions"):
        install(target)


def test_doctor_looks_at_every_host_and_level(tmp_path: Path) -> None:
    home, state, project = tmp_path / "home", tmp_path / "state", tmp_path / "repo"
    assert check_hosts(home, state, project, {}) == ()
    apply(plan_install(Target("codex", home, state), find_program()))
    apply(plan_install(Target("claude-code", home, state, PROJECT, project), find_program()))
    found = check_hosts(home, state, project, {})
    assert [(one.host, one.level) for one in found] == [("claude-code", "ok"), ("codex", "ok")]
