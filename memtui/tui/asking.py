"""What views and dialogs that are not Browse share: questions to the curator, asked in a worker."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from memtui.curate.act import CurateError
from memtui.curate.curator import Curator
from memtui.tui.docs.clean import line_of
from memtui.tui.jobs import JobDone, JobFailed, Jobs
from memtui.tui.ports import Core

Answer = TypeVar("Answer")


def refusal(error: Exception, doing: str) -> str:
    """What stood in the way, and what helps, on one line."""
    if isinstance(error, CurateError):
        return "; ".join(filter(None, (line_of(error.what), line_of(error.do))))
    return f"{doing} failed: {line_of(str(error))}; nothing was changed"


class Asking:
    """Mixed into a screen that has `core` and `jobs`."""

    core: Core
    jobs: Jobs

    def complain(self, text: str) -> None:
        """Say what did not work."""
        raise NotImplementedError

    def ask(
        self,
        group: str,
        doing: str,
        question: Callable[[Curator], Answer],
        use: Callable[[Answer], None],
    ) -> None:
        """Ask the curator something that changes nothing, in a worker."""
        self.jobs.run(group, doing, partial(self.core.curating.ask, question), use)

    def on_job_done(self, message: JobDone) -> None:
        """Take an answer in, unless a newer question was asked."""
        message.stop()
        if self.jobs.is_current(message.group, message.generation):
            message.use()

    def on_job_failed(self, message: JobFailed) -> None:
        """Say why there is no answer."""
        message.stop()
        if not self.jobs.is_current(message.group, message.generation):
            return
        if message.use is not None:
            message.use(message.error)
        else:
            self.complain(refusal(message.error, message.doing))
