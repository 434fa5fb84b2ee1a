"""A timer that sleeps when it is due: a systemd user timer, a launchd agent, or a line for cron."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.bank.write import atomic_write

HOURS = 6
"""Hours between two looks at whether it is due."""
SECONDS = 60


class TimerError(Exception):
    """Why the timer was not installed: `what` happened, what to `do`."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__(what)
        self.what = what
        self.do = do


@dataclass(frozen=True, slots=True)
class TimerPlan:
    """What would be written and run. `kind` is systemd, launchd or cron.

    For cron nothing is written: `line` is what the user adds to the crontab.
    """

    kind: str
    files: tuple[tuple[Path, bytes], ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    line: str = ""
    undo: str = ""

    def shown(self) -> list[str]:
        """The whole plan as lines."""
        lines = []
        for path, data in self.files:
            lines += [f"write {path}:", *(f"    {row}" for row in data.decode().splitlines()), ""]
        lines += [f"run {shlex.join(command)}" for command in self.commands]
        if self.line:
            lines += ["add this line with `crontab -e`:", f"    {self.line}"]
        return [*lines, f"undo: {self.undo}"] if self.undo else lines


def plan_timer(
    bank: Path,
    key: str,
    home: Path,
    environ: Mapping[str, str],
    *,
    platform: str = sys.platform,
    kind: str = "",
    program: tuple[str, ...] = (sys.executable, "-m", "memtui"),
) -> TimerPlan:
    """The timer for one bank; `key` is the bank's name in the state folder. Raises TimerError."""
    words = (*program, "--bank", str(bank), "sleep", "--apply", "--if-due")
    if any("\n" in word for word in words):
        raise TimerError(f"{bank!s} has a line break in its path", "move the bank")
    chosen = kind or _kind(platform, environ)
    if chosen == "systemd":
        config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
        return _systemd(words, config / "systemd" / "user", f"memtui-sleep-{key}")
    if chosen == "launchd":
        return _launchd(words, home / "Library" / "LaunchAgents", f"dev.memtui.sleep-{key}")
    line = f"17 */{HOURS} * * * {shlex.join(words)}".replace("%", "\\%")
    return TimerPlan("cron", line=line, undo="remove the line with `crontab -e`")


def install_timer(plan: TimerPlan) -> None:
    """Write the files, then run the commands. Raises TimerError, OSError."""
    for path, data in plan.files:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, data)
    for command in plan.commands:
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TimerError(f"{shlex.join(command)}: {error}", "run it by hand") from error
        if done.returncode:
            told = (done.stderr or done.stdout).strip()[:300] or f"exit code {done.returncode}"
            raise TimerError(
                f"{shlex.join(command)}: {told}", f"the files are written; undo: {plan.undo}"
            )


def _kind(platform: str, environ: Mapping[str, str]) -> str:
    if platform == "darwin":
        return "launchd"
    has_manager = bool(environ.get("XDG_RUNTIME_DIR")) and shutil.which(
        "systemctl", path=environ.get("PATH")
    )
    return "systemd" if has_manager else "cron"


def _systemd(words: tuple[str, ...], folder: Path, name: str) -> TimerPlan:
    service = (
        "[Unit]\nDescription=memtui: read finished sessions and propose what to remember\n\n"
        f"[Service]\nType=oneshot\nNice=10\nExecStart={' '.join(map(_quoted, words))}\n"
    )
    timer = (
        "[Unit]\nDescription=memtui: sleep when it is due\n\n"
        f"[Timer]\nOnStartupSec=15min\nOnUnitActiveSec={HOURS}h\nPersistent=true\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )
    return TimerPlan(
        "systemd",
        (
            (folder / f"{name}.service", service.encode()),
            (folder / f"{name}.timer", timer.encode()),
        ),
        (
            ("systemctl", "--user", "daemon-reload"),
            ("systemctl", "--user", "enable", "--now", f"{name}.timer"),
        ),
        undo=f"systemctl --user disable --now {name}.timer, then delete the two files",
    )


def _quoted(word: str) -> str:
    """A word of `ExecStart`: quoted, with `%` and `$` taken literally."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'


def _launchd(words: tuple[str, ...], folder: Path, name: str) -> TimerPlan:
    path = folder / f"{name}.plist"
    agent = {
        "Label": name,
        "ProgramArguments": list(words),
        "StartInterval": HOURS * 3600,
        "LowPriorityIO": True,
        "Nice": 10,
        "ProcessType": "Background",
    }
    return TimerPlan(
        "launchd",
        ((path, plistlib.dumps(agent)),),
        (("launchctl", "load", "-w", str(path)),),
        undo=f"launchctl unload -w {shlex.quote(str(path))}, then delete the file",
    )
