"""The sample bank: where it is installed, and a copy of it to play with."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

SAMPLE_NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
"""The present of the sample bank: its clock is pinned here, so that ages never drift."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A copy of the sample bank under `root`, with everything memtui needs kept beside it."""

    root: Path

    @property
    def bank(self) -> Path:
        """The bank folder."""
        return self.root / "bank"

    @property
    def home(self) -> Path:
        """The home folder with the hosts' transcripts."""
        return self.root / "home"

    @property
    def project(self) -> Path:
        """The service whose sessions were recorded, as a git repository where git is installed."""
        return self.root / "svc-order"

    @property
    def injections(self) -> Path:
        """Past injections as JSON files."""
        return self.root / "injections"

    def environ(self) -> dict[str, str]:
        """The environment in which memtui sees this copy and nothing of the user's own."""
        return {
            "MEMTUI_BANK": str(self.bank),
            "MEMTUI_HOSTS_HOME": str(self.home),
            "MEMTUI_CONFIG_HOME": str(self.root / "memtui" / "config"),
            "MEMTUI_STATE_HOME": str(self.root / "memtui" / "state"),
            "MEMTUI_CACHE_HOME": str(self.root / "memtui" / "cache"),
            "MEMTUI_DATA_HOME": str(self.root / "memtui" / "data"),
            "MEMTUI_NOW": SAMPLE_NOW.isoformat(),
        }


def sample_source() -> Path:
    """The sample bank as installed, or as it lies in a checkout. Raises FileNotFoundError."""
    package = Path(__file__).resolve().parent.parent
    for place in (package / "_data" / "sample_bank", package.parent / "sample_bank"):
        if (place / "bank" / "bank.toml").is_file():
            return place
    raise FileNotFoundError(f"no sample bank beside {package}")


def copy_sample(root: Path) -> Sample:
    """Copy the sample bank to `root` (created) and restore its git history. Raises OSError."""
    source = sample_source()
    sample = Sample(root)
    for part in ("bank", "home", "injections"):
        if (source / part).is_dir():
            shutil.copytree(source / part, root / part, dirs_exist_ok=True)
    _restore_project(source / "project.fi", sample.project)
    return sample


def _restore_project(history: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    git = shutil.which("git")
    if git is None or not history.is_file():
        return
    isolated = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "HOME": "/"}
    run = [git, "-C", str(target)]
    with history.open("rb") as stream:
        subprocess.run([*run, "init", "-q", "-b", "main"], check=True, env=isolated)
        subprocess.run([*run, "fast-import", "--quiet"], stdin=stream, check=True, env=isolated)
    subprocess.run([*run, "reset", "-q", "--hard"], check=True, env=isolated)
