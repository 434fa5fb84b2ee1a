"""Whether installed hooks can work: the program is there, and nothing in the settings stops it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.agents.host_settings import HOST_SETTINGS, PROJECT, USER
from memtui.agents.settings_edit.hooks import own_entries, program_of
from memtui.agents.settings_edit.jsonc import BrokenError, parse

if TYPE_CHECKING:
    from memtui.agents.install import Target


@dataclass(frozen=True, slots=True)
class InstallFinding:
    """One thing to say about the hooks of a host: `level` is ok, info, warning or error."""

    level: str
    host: str
    message: str
    fix: str = ""


def check_install(target: Target) -> tuple[InstallFinding, ...]:
    """What doctor says about one settings file. Never raises for the file's content; reads only."""
    host = target.host
    try:
        text = target.path.read_bytes().decode()
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        return (InstallFinding("error", host, f"{target.path}: {error}", "correct the file"),)
    try:
        own = own_entries(text, target.settings.comments)
    except BrokenError as error:
        return (InstallFinding("error", host, f"{target.path}: {error}", "correct the file"),)
    if not own:
        return ()
    again = f"run `memtui install {host}` again, or `memtui uninstall {host}`"
    lost = sorted({program_of(entry.command) for entry in own if not _runs(entry.command)})
    findings = [
        InstallFinding("error", host, f"{target.path} runs {program}, which is gone", again)
        for program in lost
    ]
    findings += [
        InstallFinding("warning", host, f"{target.path}: {note}")
        for note in hindrances(target, text)
    ]
    if not findings:
        events = ", ".join(dict.fromkeys(entry.event for entry in own))
        findings.append(InstallFinding("ok", host, f"{target.path}: hooks at {events}"))
    return tuple(findings)


def check_hosts(
    home: Path, state: Path, project: Path | None, environ: Mapping[str, str]
) -> tuple[InstallFinding, ...]:
    """`check_install` for every host at every level that there is."""
    from memtui.agents.install import Target

    levels = [(USER, None)] + ([(PROJECT, project)] if project is not None else [])
    return tuple(
        finding
        for host in HOST_SETTINGS
        for level, folder in levels
        for finding in check_install(Target(host, home, state, level, folder, environ))
    )


def hindrances(target: Target, text: str) -> tuple[str, ...]:
    """What in the settings keeps installed hooks from running. The settings are the user's: only said."""
    try:
        root = parse(text.removeprefix("\ufeff"), target.settings.comments)
    except BrokenError:
        return ()
    settings = root.plain() if root is not None and root.kind == "object" else {}
    return tuple(_CHECKS[target.host](target, settings))


def _runs(command: str) -> bool:
    return Path(program_of(command)).is_file()


def _claude_code(_: Target, settings: dict[str, Any]) -> Iterator[str]:
    if settings.get("disableAllHooks") is True:
        yield "disableAllHooks is on, so no hook runs"


def _codex(target: Target, _: dict[str, Any]) -> Iterator[str]:
    config = target.path.parent / "config.toml"
    try:
        features = tomllib.loads(config.read_text("utf-8")).get("features", {})
    except (OSError, ValueError):
        return
    for name in ("hooks", "codex_hooks"):
        if isinstance(features, dict) and features.get(name) is False:
            yield f"{config} switches hooks off ([features] {name} = false)"


def _gemini_cli(_: Target, settings: dict[str, Any]) -> Iterator[str]:
    config = settings.get("hooksConfig")
    if not isinstance(config, dict):
        return
    if config.get("enabled") is False:
        yield "hooksConfig.enabled is off, so no hook runs"
    disabled = config.get("disabled")
    named = (
        [name for name in disabled if isinstance(name, str)] if isinstance(disabled, list) else []
    )
    ours = [name for name in named if name.startswith("memtui ") or "memtui-hook" in name]
    if ours:
        yield f"hooksConfig.disabled names {', '.join(ours)}"


_CHECKS = {"claude-code": _claude_code, "codex": _codex, "gemini-cli": _gemini_cli}
