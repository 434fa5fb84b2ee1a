"""How the process of the app shares processor and memory among its threads."""

from __future__ import annotations

import ctypes
import gc
import sys

_SLICE = 0.0005
"""Seconds that a busy thread keeps Python to itself while another waits; its own 0.005 are felt in keys."""
_M_ARENA_MAX = -8
"""glibc's number for `mallopt`."""


_tuned = False


def begin() -> None:
    """Call before the app is imported: what imports make stays, so no look for garbage finds any in it."""
    gc.disable()


def tune() -> None:
    """Call once, when everything is imported and no thread runs yet.

    A key is read, answered and painted in some ten turns, for each of which it would wait a whole slice
    while a worker reads transcripts. Threads that allocate from one arena fill each other's gaps. What is
    imported is not looked at for garbage again.
    """
    global _tuned
    _tuned = True
    gc.freeze()
    gc.enable()
    sys.setswitchinterval(_SLICE)
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(_M_ARENA_MAX, 1)


def keep() -> None:
    """What was read now stays: no look for garbage goes through it again.

    Among ten thousand cards such a look takes a tenth of a second in which no key is served. What the bank
    drops later is freed as before, without any look, because cards hold no cycles. Does nothing where the
    process is not the app's own: in tests one app follows another.
    """
    if _tuned:
        gc.collect(0)
        gc.freeze()
