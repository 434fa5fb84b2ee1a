"""Acts of one screen: done in the order of their keys, told in words, refused with what to do.

A view that acts makes one `Acts` and handles `JobDone` and `JobFailed` as `Jobs` wants it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from memtui.curate.act import ActResult, Resolution
from memtui.curate.curator import Curator

if TYPE_CHECKING:
    from memtui.tui.jobs import Jobs
    from memtui.tui.ports import Core
    from memtui.workspace.curating import Done

GROUP = "act"

Verb = Callable[[Curator], ActResult]
Resolved = Callable[[Curator, Resolution], ActResult]


@dataclass(frozen=True, slots=True)
class Deed:
    """One act to be done. `doing` names it ("demote").

    `verb` runs in a thread. `then` gets what it did, on the loop. `resolved` is the same verb with
    what a person chose for files that changed meanwhile; without it a conflict is only shown.
    `refused` gets an error before anybody else and says whether it dealt with it.
    """

    doing: str
    verb: Verb
    then: Callable[[Done], None] | None = None
    resolved: Resolved | None = None
    refused: Callable[[Exception], bool] | None = None

    def with_choice(self, chosen: Resolution) -> Deed:
        """The same act once more, with what was chosen."""
        assert self.resolved is not None
        verb = partial(_call, self.resolved, chosen)
        return Deed(self.doing, verb, self.then, self.resolved, self.refused)


def _call(resolved: Resolved, chosen: Resolution, curator: Curator) -> ActResult:
    return resolved(curator, chosen)


class Acts:
    """Runs deeds one after the other in a worker; a refusal drops those that wait behind it."""

    def __init__(
        self,
        jobs: Jobs,
        core: Core,
        done: Callable[[Done], None],
        failed: Callable[[Deed, Exception], None],
    ) -> None:
        self._jobs = jobs
        self._core = core
        self._done = done
        self._failed = failed
        self._waiting: deque[Deed] = deque()
        self._busy = False

    @property
    def busy(self) -> bool:
        """Whether an act is being done."""
        return self._busy

    def run(self, deed: Deed) -> None:
        """Do it as soon as everything before it is done."""
        self._waiting.append(deed)
        self._next()

    def _next(self) -> None:
        if self._busy or not self._waiting:
            return
        self._busy = True
        deed = self._waiting.popleft()
        self._jobs.run(
            GROUP,
            deed.doing,
            lambda: self._core.curating.act(deed.verb, quick=True),
            partial(self._use, deed),
            partial(self._refuse, deed),
        )

    def _use(self, deed: Deed, done: Done) -> None:
        self._busy = False
        self._done(done)
        if deed.then is not None:
            deed.then(done)
        self._next()

    def _refuse(self, deed: Deed, error: Exception) -> None:
        self._busy = False
        self._waiting.clear()
        if deed.refused is None or not deed.refused(error):
            self._failed(deed, error)
