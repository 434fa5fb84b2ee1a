"""The present day for a hook: the machine's, or that of `MEMTUI_NOW`."""

from __future__ import annotations

import time

DAY = 86_400

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def today(environ: Mapping[str, str]) -> int:
    """Whole days since 1970-01-01 UTC. Raises ValueError when `MEMTUI_NOW` is no time."""
    pinned = environ.get("MEMTUI_NOW")
    if not pinned:
        return int(time.time() // DAY)
    from memtui.clock import parse_time

    return int(parse_time(pinned).timestamp() // DAY)
