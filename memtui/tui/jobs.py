"""Work off the loop: threads that only post messages, answers told apart by generation.

`exclusive` does not stop a thread that already runs, so a late answer carries the generation it was
started in and is dropped when a newer job of its group has begun.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from textual.message import Message
from textual.message_pump import MessagePump
from textual.worker import Worker, get_current_worker

T = TypeVar("T")


@dataclass
class JobDone(Message):
    """A job finished; `use` takes its result into the screen, on the loop."""

    group: str
    generation: int
    use: Callable[[], None]


@dataclass
class JobFailed(Message):
    """A job failed: `doing` says what it was about, `use` deals with it where the job knows how."""

    group: str
    generation: int
    doing: str
    error: Exception
    use: Callable[[Exception], None] | None = None


class Jobs:
    """The jobs of one screen, one running per group."""

    def __init__(self, owner: MessagePump, start: Callable[..., Worker[None]]) -> None:
        self._owner = owner
        self._start = start
        self._generations: dict[str, int] = {}
        self._workers: dict[str, Worker[None]] = {}

    def run(
        self,
        group: str,
        doing: str,
        work: Callable[[], T],
        use: Callable[[T], None],
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Run `work` in a thread and give its result to `use` unless the group has moved on.

        `failed` gets the error instead of the screen's own words about it.
        """
        generation = self._generations.get(group, 0) + 1
        self._generations[group] = generation

        def job() -> None:
            try:
                result = work()
            except Exception as error:  # noqa: BLE001 (whatever went wrong is shown, with what to do)
                self._owner.post_message(JobFailed(group, generation, doing, error, failed))
                return
            self._owner.post_message(JobDone(group, generation, lambda: use(result)))

        self._workers[group] = self._start(
            job, thread=True, exclusive=True, group=group, exit_on_error=False
        )

    def drop(self, group: str) -> None:
        """Ignore what the group is still doing."""
        self._generations[group] = self._generations.get(group, 0) + 1

    def cancel(self, group: str) -> None:
        """Ask a running job to stop; it looks at `cancelled`."""
        worker = self._workers.get(group)
        if worker is not None:
            worker.cancel()

    def running(self, group: str) -> bool:
        """Whether a job of the group still runs."""
        worker = self._workers.get(group)
        return worker is not None and not worker.is_finished

    def is_current(self, group: str, generation: int) -> bool:
        """Whether an answer is still wanted."""
        return self._generations.get(group) == generation


def cancelled() -> bool:
    """Whether the job that asks should stop."""
    return get_current_worker().is_cancelled
