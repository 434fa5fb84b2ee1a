"""How the process of the app shares processor and memory among its threads."""

from __future__ import annotations

import ctypes
import gc
import sys

_OBJECTS = 50_000
"""New objects after which Python looks among the newest for cycles; its own 700 suit small programs."""
_SLICE = 0.0005
"""Seconds that a busy thread keeps Python to itself while another waits; its own 0.005 are felt in keys."""
_M_ARENA_MAX = -8
"""glibc's number for `mallopt`."""


def tune() -> None:
    """Call once, when everything is imported and no thread runs yet.

    Among ten thousand cards a full look for garbage takes a tenth of a second in which no key is served,
    and reading them spends a sixth of its time on looks; what a bank drops is freed without any, because
    cards hold no cycles. A key is read, answered and painted in some ten turns, for each of which it would
    wait a whole slice while a worker reads transcripts. Threads that allocate from one arena fill each
    other's gaps.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS, 20, 100)
    sys.setswitchinterval(_SLICE)
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(_M_ARENA_MAX, 1)
