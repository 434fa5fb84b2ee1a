"""Whether hooks do their work: installed and there, not failing, not gone quiet, and for this bank."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.agents import bankmap, faults
from memtui.agents.host_settings import HOST_SETTINGS, PROJECT, USER
from memtui.agents.install import InstallError, Target
from memtui.agents.install_check import InstallFinding, check_hosts
from memtui.capture import spool
from memtui.clock import parse_time
from memtui.index.reader import IndexMissing, Reader
from memtui.workspace.model import Finding

if TYPE_CHECKING:
    from memtui.workspace.delivering import Delivering
    from memtui.workspace.workspace import Workspace

TOPIC = "hooks"
RECENT = timedelta(days=1)
"""How long a fault of a hook is worth a warning."""
_STARTED = (
    "SELECT count(*) FROM sessions WHERE host = ? AND agent = '' AND n_prompts > 0 AND started > ?"
    " AND project = ?"
)


def examine_hooks(workspace: Workspace, delivering: Delivering | None) -> tuple[Finding, ...]:
    """Every finding about hooks. Reads settings, the fault log, the ledger and the catalogue."""
    setting = workspace.setting
    home, state = setting.home.home, setting.places.state
    found = check_hosts(home, state, setting.project_root, setting.home.environ)
    installed = sorted({one.host for one in found if one.level in ("ok", "warning")})
    return (
        *map(_finding, found),
        *_faults(str(state), workspace.clock()),
        *_rejected(setting.places.spool),
        *_reach(workspace, installed),
        *_quiet(workspace, delivering, installed),
    )


def _finding(one: InstallFinding) -> Finding:
    label = HOST_SETTINGS[one.host].label
    return Finding(one.level, TOPIC, f"{label}: {one.message}", one.fix)


def _faults(state: str, now: datetime) -> Iterator[Finding]:
    known = faults.read(state)
    recent = [one for one in known if _time(one) > now - RECENT]
    if recent:
        times = "once" if len(recent) == 1 else f"{len(recent)} times"
        yield Finding(
            "warning", TOPIC, f"a hook failed {times} in a day: {recent[0]['what']}",
            f"all of it is in {Path(state) / faults.NAME}",
        )  # fmt: skip
    for one in known[len(recent) : len(recent) + 3]:
        where = " ".join(filter(None, (str(one.get("host", "")), str(one.get("event", "")))))
        yield Finding("info", TOPIC, f"{one.get('at', '')} {where}: {one['what']}")


def _time(fault: Mapping[str, object]) -> datetime:
    try:
        return parse_time(str(fault.get("at", "")))
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def _rejected(folder: Path) -> Iterator[Finding]:
    aside = folder / spool.REJECTED
    count = sum(1 for _ in aside.iterdir()) if aside.is_dir() else 0
    if count:
        what = f"{count} spool files were no records and were put aside in {aside}"
        yield Finding("info", TOPIC, what, "delete them once you looked at them")


def _reach(workspace: Workspace, installed: list[str]) -> Iterator[Finding]:
    """Whether a hook in this folder finds this bank: one opened by path is not that of the project."""
    setting, root = workspace.setting, workspace.bank_root
    if root is None or not installed:
        return
    search = bankmap.find(str(setting.places.cache), str(setting.cwd), setting.environ)
    if search.known is None or Path(search.known.bank) != root:
        other = f"that of {search.known.bank}" if search.known else "nothing"
        yield Finding(
            "warning", TOPIC, f"sessions here receive {other}, not this bank: it was opened by its path",
            f"set MEMTUI_BANK={root} where the agent starts, or make it the project's own bank",
        )  # fmt: skip


def _quiet(
    workspace: Workspace, delivering: Delivering | None, installed: list[str]
) -> Iterator[Finding]:
    """Hosts whose sessions went on while their hook left nothing."""
    if delivering is None:
        return
    setting = workspace.setting
    cache = str(setting.places.cache)
    known = bankmap.since(cache, str(workspace.bank_root))
    if known is None or not _has_items(delivering.mail.index):
        return
    heard = delivering.heard() if installed else {}
    for host in installed:
        since = max(known, *_installed(workspace, host))
        if host in heard:
            since = max(since, heard[host].timestamp())
        count = _sessions_since(workspace, host, since + 1)
        if not count:
            continue
        label = HOST_SETTINGS[host].label
        newer = "session" if count == 1 else "sessions"
        what = f"{label}: the hook has gone quiet: {count} {newer} started without a word of it"
        notes = " ".join(HOST_SETTINGS[host].notes[:1])
        yield Finding("warning", TOPIC, what, notes)


def _has_items(index: Path) -> bool:
    """Whether there is anything to plan: for an empty bank a hook leaves no word."""
    try:
        with Reader(index) as reader:
            return reader.size() > 0
    except (IndexMissing, sqlite3.Error):
        return False


def _installed(workspace: Workspace, host: str) -> Iterator[float]:
    """When memtui's hooks came into the host's settings, for each level that has them."""
    setting = workspace.setting
    yield 0.0
    for level in (USER, PROJECT):
        target = Target(
            host, setting.home.home, setting.places.state, level, setting.project_root,
            setting.home.environ,
        )  # fmt: skip
        try:
            yield os.stat(target.record).st_mtime  # noqa: PTH116
        except (OSError, InstallError):
            continue


def _sessions_since(workspace: Workspace, host: str, since: float) -> int:
    """How many sessions of this project with a prompt began after `since` (seconds since the epoch)."""
    with closing(workspace.catalogue.reader()) as db:
        return sum(
            int(db.execute(_STARTED, (host, int(since * 1000), key)).fetchone()[0])
            for key in workspace.project_keys
        )
