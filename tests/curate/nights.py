"""A bank beside a home with made-up transcripts, ready to sleep over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from memtui.bank.model import BankContents
from memtui.clock import fixed_clock
from memtui.curate.compile import absent_cards
from memtui.curate.curator import Curator
from memtui.curate.sleep.model import Progress, Report, Surroundings
from memtui.curate.sleep.run import sleep
from tests.curate.bench import NOW, Bench
from tests.sessions.session_fixtures import Talk, World, session_id

RED = "Traceback (most recent call last):\n  File 'a.py', line 3\nValueError: odd pool size"
BEGUN = int((NOW - timedelta(days=2)).timestamp() * 1000)


@dataclass
class Night:
    """One bank and one home below `root`."""

    bench: Bench
    world: World
    now: datetime = NOW

    @classmethod
    def at(cls, root: Path) -> Night:
        night = cls(Bench(root).build(), World(root))
        night.world.scan()
        return night

    @classmethod
    def again(cls, root: Path) -> Night:
        """What `at` made, from another process."""
        return cls(Bench(root), World(root))

    def talk(self, number: int) -> Talk:
        return Talk(session=session_id(number), at=BEGUN + number * 60_000)

    def pitfall(self, number: int) -> Talk:
        """A session that meets one and the same pitfall."""
        talk = self.talk(number).prompt("the order suite is red again, please look")
        talk.run("pytest tests/test_orders.py", RED, failed=True)
        talk.say("The cause is the odd pool size: the pool only takes even numbers.")
        talk.run("POOL=8 pytest tests/test_orders.py", "=== 4 passed in 0.01s ===")
        return talk.say("Green.")

    def write(self, *talks: Talk) -> None:
        for talk in talks:
            self.world.write(talk)
        self.world.scan()

    def curator(self) -> Curator:
        curator = self.bench.curator("dana")
        curator.clock = fixed_clock(self.now)
        return curator

    def contents(self) -> BankContents:
        return self.bench.contents()

    def around(self) -> Surroundings:
        contents = self.contents()
        return Surroundings(
            self.world.catalogue, contents, ("/w/shop",), absent_cards(contents, {})
        )

    def sleep(
        self,
        curator: Curator,
        *,
        apply: bool = True,
        if_due: bool = False,
        tell: Callable[[Progress], None] = lambda _progress: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Report:
        return sleep(
            curator, self.around(), apply=apply, if_due=if_due, tell=tell, cancelled=cancelled
        )


def counts(report: Report) -> dict[str, int]:
    """What was done, by step."""
    return {step.name: step.count for step in report.steps if step.count and step.safe}
