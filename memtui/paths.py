"""Where memtui keeps what is not in the bank: state (durable), cache (derived) and config."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs


@dataclass(frozen=True, slots=True)
class Places:
    """The platform's folders for memtui, after the `MEMTUI_*_HOME` overrides."""

    config: Path
    state: Path
    cache: Path
    data: Path

    def bank_state(self, bank_id: str, root: Path) -> Path:
        """The durable, local folder of one bank."""
        return self.state / bank_key(bank_id, root)

    def bank_cache(self, bank_id: str, root: Path) -> Path:
        """The derived folder of one bank: may be deleted at any time."""
        return self.cache / bank_key(bank_id, root)

    @property
    def spool(self) -> Path:
        """Where hooks leave one small file per event."""
        return self.state / "spool"

    @property
    def catalogue(self) -> Path:
        """The catalogue over all hosts' transcripts."""
        return self.cache / "sessions.db"


def bank_key(bank_id: str, root: Path) -> str:
    """`<id>-<8 hex of the path's sha256>`: two copies of one bank never share state."""
    digest = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:8]
    return f"{bank_id}-{digest}"


def places(environ: Mapping[str, str] = os.environ) -> Places:
    """The folders of this user; each is taken from `MEMTUI_CONFIG_HOME` and so on where set."""

    def folder(name: str, default: str) -> Path:
        return Path(environ.get(f"MEMTUI_{name}_HOME") or default)

    dirs = platformdirs.PlatformDirs("memtui", appauthor=False)
    return Places(
        config=folder("CONFIG", dirs.user_config_dir),
        state=folder("STATE", dirs.user_state_dir),
        cache=folder("CACHE", dirs.user_cache_dir),
        data=folder("DATA", dirs.user_data_dir),
    )
