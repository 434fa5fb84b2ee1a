"""Ending with the terminal: without one an app would run on, unseen, and read its end for ever."""

from __future__ import annotations

import os
import select
import signal
import threading

LOOK = 2.0
"""Seconds between two looks."""


def is_gone(terminal: int) -> bool:
    """Whether the terminal behind a file descriptor was closed. Quick."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(terminal, 0)
    return any(what & (select.POLLHUP | select.POLLNVAL) for _, what in poll.poll(0))


def end_with(terminal: int) -> threading.Event:
    """End this process as a hang-up does when the terminal goes away without a signal; set stops looking.

    A thread looks: the event loop may by then wait for a terminal that takes its bytes. An ordered exit
    would wait as well, and acts are whole at any instant.
    """
    stop = threading.Event()

    def look() -> None:
        while not stop.wait(LOOK):
            if is_gone(terminal):
                os.kill(os.getpid(), signal.SIGHUP)
                stop.wait(LOOK)
                # Whoever started us with hang-ups ignored (nohup) did not mean a screen without a terminal.
                os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=look, name="terminal", daemon=True).start()
    return stop
