"""`memtui-hook`: what agent hosts run at five points of a session.

The agent never waits for us: standard library only, exit 0 whatever happens, within a deadline. What
goes wrong is noted in the fault log (`memtui.agents.faults`), which doctor reads.
"""

# A hook has no time for pathlib.
# ruff: noqa: PTH118
from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread

from memtui.agents import faults, outputs, payload, whereabouts

DEADLINES = {
    "session-start": 3.5,
    "prompt": 2.0,
    "pre-tool": 2.0,
    "post-tool": 2.0,
    "session-end": 1.0,
}
"""Seconds after which a hook gives up: before the time limit that `host_settings` asks the host for.

Claude Code waits 1.5 s for all of its session-end hooks where nobody asked for more.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memtui.agents.bankmap import Known
    from memtui.agents.payload import Payload


class Usage(Exception):  # noqa: N818 - not an error of ours
    """The command line is not one that a host was given."""


class Call:
    """One run of the hook: event and host as installed, `hits` when prompts may receive lines."""

    __slots__ = ("environ", "event", "hits", "host", "state")

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str]) -> None:
        """Raises Usage, or RuntimeError when there is no home folder."""
        self.environ = environ
        self.event = argv[0] if argv else ""
        self.host = ""
        self.hits = False
        rest = list(argv[1:])
        while rest:
            word = rest.pop(0)
            if word == "--host" and rest:
                self.host = rest.pop(0)
            elif word.startswith("--host="):
                self.host = word[len("--host=") :]
            elif word == "--hits":
                self.hits = True
            else:
                raise Usage(f"unknown argument {word!r}")
        if self.event not in DEADLINES:
            raise Usage(f"unknown event {self.event!r}")
        if self.host not in outputs.HOSTS:
            raise Usage(f"unknown host {self.host!r}")
        self.state = whereabouts.state_folder(environ)

    @property
    def spool(self) -> str:
        """The folder of the spool."""
        return os.path.join(self.state, "spool")

    def fault(self, what: str) -> None:
        """Note what went wrong; on standard error when the log cannot be written either."""
        if not faults.note(self.state, self.event, self.host, what):
            outputs.complain(what)


def main() -> None:
    """Run one event and leave at once with exit code 0, whatever happened."""
    try:
        run(sys.argv[1:], os.environ)
    except BaseException as error:  # noqa: BLE001 - a host would show any other exit as our failure
        _last_word(error)
    finally:
        _leave()


def run(argv: Sequence[str], environ: Mapping[str, str]) -> None:
    """Run one event under its deadline. Raises Usage, or RuntimeError when there is no home folder."""
    if "--help" in argv or "-h" in argv:
        print_usage()
        return
    call = Call(argv, environ)
    finished = _watch(call)
    try:
        _handle(call)
    except Exception as error:  # noqa: BLE001 - noted in the fault log; the agent must not notice
        call.fault(f"{type(error).__name__}: {error}")
    finally:
        finished.release()


def print_usage() -> None:
    """Say what this program is for."""
    events = "|".join(DEADLINES)
    text = f"usage: memtui-hook {events} --host {'|'.join(outputs.HOSTS)} [--hits]\n"
    sys.stdout.write(text + "Run by agent hosts; `memtui install HOST` sets it up.\n")


def _handle(call: Call) -> None:
    from memtui.agents import bankmap

    said = payload.read()
    if said.problem:
        call.fault(said.problem)
    cache = whereabouts.cache_folder(call.environ)
    search = bankmap.find(cache, said.cwd, call.environ)
    if search.unknown:
        call.fault(f"memtui has not opened this bank yet, so nothing is sent: {search.unknown}")
    if search.known is not None:
        _dispatch(call, said, search.known)


def _dispatch(call: Call, said: Payload, bank: Known) -> None:
    if call.event == "session-start":
        from memtui.agents.starting import start

        start(call, said, bank)
    elif call.event == "prompt":
        from memtui.agents.prompting import prompt

        prompt(call, said, bank)
    else:
        from memtui.agents.noting import note

        note(call, said, bank)


def _watch(call: Call) -> Lock:
    """Start the deadline: a thread that ends the process when the lock is not released in time."""
    finished = allocate_lock()
    finished.acquire()
    limit = DEADLINES[call.event]

    def guard() -> None:
        if not finished.acquire(timeout=limit):
            call.fault(f"gave up after {limit} s")
            os._exit(0)

    start_new_thread(guard, ())
    return finished


def _last_word(error: BaseException) -> None:
    what = f"{type(error).__name__}: {error}"
    try:
        noted = faults.note(whereabouts.state_folder(os.environ), "hook", "", what)
    except Exception:  # noqa: BLE001 - without a home there is only standard error left
        noted = False
    if not noted:
        outputs.complain(what)


def _leave() -> None:
    """End without the interpreter's own leave-taking, which takes milliseconds and may fail."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(0)


if TYPE_CHECKING:
    from _thread import LockType as Lock


if __name__ == "__main__":
    main()
