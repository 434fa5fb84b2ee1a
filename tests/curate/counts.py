"""How often the slow tests repeat: `MEMTUI_FAULT_RUNS` is 30, and 300 for the full run."""

from __future__ import annotations

import os

FAULTS = int(os.environ.get("MEMTUI_FAULT_RUNS", "30"))
"""Processes that are killed."""
ACTS = FAULTS * 10 // 3
"""Acts of each of three processes at once: 1,000 in the full run."""
SEQUENCES = max(5, FAULTS * 2 // 3)
"""Random sequences of acts: 200 in the full run."""
LIMIT = 1200 + FAULTS * 20
"""Seconds that one of them may take: acts get slower as the history of their bank grows."""
