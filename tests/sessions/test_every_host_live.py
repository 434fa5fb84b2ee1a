"""All hosts write at once, each in its own way, while the catalogue follows: nothing missed, nothing twice."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.scan import Scanner
from tests.sessions.host_writers import Writer, all_writers, text

STEPS = 24


def prompts(catalogue: Catalogue) -> Counter[str]:
    """The prompts of all sessions whose transcript is there."""
    with closing(catalogue.reader()) as db:
        return Counter(
            row[0]
            for row in db.execute(
                "SELECT t.preview FROM turns t JOIN sessions s ON s.id = t.id >> 24 "
                "WHERE t.kind = 0 AND s.gone = 0"
            )
        )


def changed_by(writer: Writer) -> Path:
    """The file whose change the system tells."""
    return (
        writer.path.with_name(writer.path.name + "-wal")
        if writer.path.suffix == ".db"
        else writer.path
    )


def test_every_host_writes_at_once_and_nothing_is_missed_or_told_twice(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with all_writers(home) as writers:

        def write(number: int) -> list[Path]:
            for name, writer in writers.items():
                writer.write(number, text(name, number))
            return [changed_by(writer) for writer in writers.values()]

        where = HostHome(home, {"PWD": str(home / "shop")})
        catalogue = Catalogue(tmp_path / "sessions.db", HOSTS)
        scanner = Scanner(catalogue, HOSTS, where)
        changed = write(0)
        scanner.run()
        for number in range(1, STEPS):
            changed += write(number)
            if number % 3 == 0:
                assert scanner.update(changed).failed == ()
                changed = []
        scanner.update(changed)
        wanted = Counter(text(name, n) for name in writers for n in range(STEPS))
        assert prompts(catalogue) == wanted
        with closing(catalogue.reader()) as db:
            (skipped,) = db.execute("SELECT COALESCE(SUM(count), 0) FROM skipped").fetchone()
            highest = db.execute("SELECT MAX(id & 0xffffff) FROM turns").fetchone()[0]
        assert skipped == 0
        assert highest < 3 * STEPS  # rows were added, not made again
        again = Catalogue(tmp_path / "again.db", HOSTS)
        fresh = Scanner(again, HOSTS, where)
        fresh.run()
        assert prompts(again) == wanted
        fresh.close()
        scanner.close()
