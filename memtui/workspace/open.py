"""Opening the workspace of a working folder, or of a bank that was named."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from memtui.agents.whereabouts import checkout
from memtui.bank.config import ConfigError
from memtui.bank.find import SHARED, Found, find_bank, project_root
from memtui.bank.load import BankError, BankReader, identify
from memtui.clock import clock_from
from memtui.hosts.model import HostHome
from memtui.hosts.protocol import Host
from memtui.hosts.registry import HOSTS
from memtui.paths import places
from memtui.safety.redact import use_patterns
from memtui.settings import Settings, SettingsError, compiled_patterns, load_settings
from memtui.workspace.setting import Setting
from memtui.workspace.workspace import Workspace


class OpenError(Exception):
    """Why nothing could be opened: `what` happened, and what to `do`."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__(what)
        self.what = what
        self.do = do


def open_workspace(
    bank: Path | None, cwd: Path, environ: Mapping[str, str], project: Path | None = None
) -> Workspace:
    """The workspace of `cwd` with the bank asked for, or the one that is found. Raises OpenError.

    `project` is its project's folder where that is known: one that is gone cannot be told from `cwd`.
    """
    where = places(environ)
    try:
        settings = load_settings(where.config, environ)
        use_patterns(compiled_patterns(settings))
        _check_drafter(settings)
        clock = clock_from(environ)
    except SettingsError as error:
        raise OpenError(str(error), "correct the setting, then try again") from error
    except ValueError as error:
        raise OpenError(f"MEMTUI_NOW: {error}", "unset it, or give an ISO 8601 time") from error
    home = Path(settings.hosts.home).expanduser() if settings.hosts.home else Path.home()
    root = project or project_root(cwd, Path.home())
    found = find_bank(cwd, environ, where.data, root, bank)
    setting = Setting(
        cwd=cwd,
        project_root=root,
        branch=checkout(str(cwd), environ).branch,
        places=where,
        settings=settings,
        clock=clock,
        home=HostHome(home, _host_environ(settings, environ, cwd)),
        hosts=_hosts(settings),
        looked=found.looked,
        environ=environ,
        by_project=bank is None and not environ.get("MEMTUI_BANK") and _is_own(found, root),
    )
    try:
        reader = reader_of(found.root, setting) if found.root else None
        return Workspace(setting, reader)
    except BankError as error:
        raise OpenError(
            str(error), "name a bank folder, or a memory/ folder of Claude Code"
        ) from error
    except ConfigError as error:
        raise OpenError(str(error), "correct bank.toml; nothing was changed") from error
    except (OSError, sqlite3.Error) as error:
        raise OpenError(f"{where.catalogue}: {error}", "is the cache folder writable?") from error


def _check_drafter(settings: Settings) -> None:
    """Raises SettingsError for a drafter that cannot be one. Without one nothing is imported."""
    if settings.drafter.command or settings.drafter.url:
        from memtui.curate.drafter.model import drafter_of

        drafter_of(settings.drafter)


def _is_own(found: Found, project: Path | None) -> bool:
    """Whether the project alone leads to the bank: not a folder `.memtui-bank` in the tree."""
    return project is not None and found.root is not None and found.root.name != SHARED


def reader_of(root: Path, setting: Setting) -> BankReader:
    """A reader of the bank at `root`. Raises BankError, ConfigError."""
    root = root.resolve()
    config, layout = identify(root)
    return BankReader(root, config, layout, setting.places.bank_state(config.id, root))


def _hosts(settings: Settings) -> tuple[Host, ...]:
    wanted = settings.hosts.enabled
    unknown = set(wanted) - {host.name for host in HOSTS}
    if unknown:
        known = ", ".join(host.name for host in HOSTS)
        raise OpenError(f"hosts.enabled names {', '.join(sorted(unknown))}", f"known: {known}")
    return tuple(host for host in HOSTS if not wanted or host.name in wanted)


def _host_environ(settings: Settings, environ: Mapping[str, str], cwd: Path) -> Mapping[str, str]:
    """A home of its own (a demo, a test) must not be left by the user's `CLAUDE_CONFIG_DIR`."""
    return {"PWD": str(cwd)} if settings.hosts.home else {**environ, "PWD": str(cwd)}
