"""The catalogue: reading transcripts, and pages, opening and refreshing at a million rows.

python -m tests.bench.catalogue
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import tempfile
import time
import uuid
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

from memtui.hosts.model import HostHome, Kind
from memtui.hosts.registry import HOSTS
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.rows import BLOCK_BITS, FACETS, KIND_NUMBER, Facet, Flag, facets_of, turn_id
from memtui.sessions.scan import Scanner
from memtui.sessions.schema import open_writer
from memtui.sessions.store import add_counts, next_rev
from memtui.sessions.timeline import Timeline
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import SAMPLE_NOW, Sample
from tests.bench.corpus import write_corpus
from tests.bench.process import Sizes, load_text, median, p95, part, resident_mb

RECORDS_A_MB = 200
"""Of the corpus, about."""

PAGE = 40
"""Rows on a tall screen."""

_PATTERN = (
    (Kind.PROMPT, Flag.PROMPT, None, "make the export job retry when the pool is exhausted"),
    (Kind.ANSWER, Flag.ANSWER, None, "The pool has no timeout; I look at where it is configured"),
    (Kind.CALL, Flag.CALL | Flag.FOLDED_OK, "Bash", "rg -n pool_timeout src"),
    (Kind.CALL, Flag.CALL | Flag.ERROR, "Bash", "pytest -q tests/test_pool.py"),
    (Kind.ANSWER, Flag.ANSWER, None, "The test fails because the setting is read before it is set"),
    (Kind.CALL, Flag.CALL | Flag.DIFF | Flag.FOLDED_OK, "Edit", "src/pool.py"),
    (
        Kind.CALL,
        Flag.CALL | Flag.FOLDED_OK | Flag.RECOVERED,
        "Bash",
        "pytest -q tests/test_pool.py",
    ),
    (Kind.ANSWER, Flag.ANSWER, None, "All tests pass; the timeout is now an argument of the pool"),
    (Kind.THINKING, Flag.THINKING, None, "whether the reader needs the same change"),
    (Kind.ANSWER, Flag.ANSWER, None, "The reader uses the same pool, so it needs nothing"),
)
_PUT = (
    "INSERT INTO turns (id, kind, flags, facets, file, record, part, at, tool, command, preview) "
    "VALUES (?,?,?,?,0,?,0,?,?,?,?)"
)


def fill_catalogue(path: Path, rows: int, sessions: int, project: str) -> None:
    """Write rows of `sessions` sessions straight into a new catalogue: 7 of 10 are shown as turns.

    There are no transcripts behind them, so a row's detail says that no record of it is known.
    """
    rng = random.Random(1)
    now = int(SAMPLE_NOW.timestamp() * 1000)
    gap = 300 * 86_400_000 // sessions
    with closing(open_writer(path)) as db:
        db.execute("BEGIN IMMEDIATE")
        rev = next_rev(db)
        for number in range(1, sessions + 1):
            count = rows // sessions + (number <= rows % sessions)
            begun = now - (sessions - number + 1) * gap
            _fill_session(db, number, count, begun, (project, rev), rng)
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _fill_session(
    db: sqlite3.Connection,
    session: int,
    count: int,
    begun: int,
    shared: tuple[str, int],
    rng: random.Random,
) -> None:
    project, rev = shared
    db.execute(
        "INSERT INTO sessions (id, host, session, project, cwds, branch, title, title_rank, "
        "started, ended, next_seq, rev) VALUES (?,'claude-code',?,?,?,'main',?,1,?,?,?,?)",
        (
            session, str(uuid.UUID(int=rng.getrandbits(128), version=4)), project,
            json.dumps([project]), f"Session {session}: the pool and its timeout",
            begun, begun + 15_000 * count, count, rev,
        ),
    )  # fmt: skip
    counts: dict[tuple[int, int], list[int]] = {}
    values: list[tuple[Any, ...]] = []
    for seq in range(count):
        kind, flags, tool, text = _PATTERN[seq % len(_PATTERN)]
        facets = facets_of(int(flags))
        block = counts.setdefault((session, seq >> BLOCK_BITS), [0] * len(FACETS))
        for place in range(len(FACETS)):
            block[place] += facets >> place & 1
        values.append(
            (
                turn_id(session, seq), KIND_NUMBER[kind], int(flags), facets,
                f"{rng.getrandbits(64):032x}", begun + 15_000 * seq, tool,
                zlib.crc32(text.encode()) if tool else None, f"{text} ({session}.{seq})",
            )
        )  # fmt: skip
    db.executemany(_PUT, values)
    add_counts(db, counts)


class Transcript:
    """A real transcript of the project that grows a prompt at a time, as a running agent makes it."""

    def __init__(self, home: Path, project: Path) -> None:
        self._cwd = str(project)
        self.session = str(uuid.uuid4())
        folder = home / ".claude" / "projects" / self._cwd.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{self.session}.jsonl"
        self._at = SAMPLE_NOW.timestamp() - 3600

    def append(self) -> None:
        """One prompt more, in one write."""
        self._at += 1
        at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(self._at))
        row = {
            "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": self._cwd,
            "sessionId": self.session, "version": "2.1.197", "gitBranch": "main", "type": "user",
            "uuid": str(uuid.uuid4()), "timestamp": at,
            "message": {"role": "user", "content": f"appended at {at}"},
        }  # fmt: skip
        with self.path.open("ab") as stream:
            stream.write(json.dumps(row).encode() + b"\n")


def prepare(root: Path, sizes: Sizes) -> Sample:
    """The places of a measurement below `root`, with a filled catalogue and an empty bank."""
    sample = Sample(root)
    for folder in (sample.bank / "cards", sample.project, sample.home):
        folder.mkdir(parents=True, exist_ok=True)
    (sample.bank / "bank.toml").write_text(
        'format = 1\nid = "bench"\n\n[scope]\nproject = "bench"\n', "utf-8"
    )
    fill_catalogue(catalogue_of(sample), sizes.rows, sizes.sessions, str(sample.project))
    return sample


def catalogue_of(sample: Sample) -> Path:
    """Where memtui looks for the catalogue."""
    return sample.root / "memtui" / "cache" / "sessions.db"


def timeline_part(root: Path) -> dict[str, Any]:
    """Open, pages, and an appended record until the timeline knows it. Milliseconds."""
    sample = Sample(root)
    path, project = catalogue_of(sample), str(sample.project)
    found: dict[str, Any] = {"file MB": path.stat().st_size / 1e6}
    before = resident_mb()
    for facet in (Facet.TURNS, Facet.ALL):
        opened = []
        for _ in range(5):
            begin = time.perf_counter()
            with closing(Timeline(path, project, facet)) as timeline:
                opened.append(1000 * (time.perf_counter() - begin))
        with closing(Timeline(path, project, facet)) as timeline:
            times = _pages(timeline)
            found[f"rows {facet}"] = len(timeline)
        found[f"open {facet}"] = median(opened)
        found[f"page {facet}"] = [median(times), p95(times)]
    found["grown MB"] = resident_mb() - before
    found.update(_appends(sample))
    return found


def _pages(timeline: Timeline) -> list[float]:
    rng, times = random.Random(2), []
    for _ in range(500):
        start = rng.randrange(max(1, len(timeline) - PAGE))
        begin = time.perf_counter()
        timeline.rows(start, start + PAGE)
        times.append(1000 * (time.perf_counter() - begin))
    return times


def _appends(sample: Sample) -> dict[str, Any]:
    transcript = Transcript(sample.home, sample.project)
    transcript.append()
    updates, refreshes = [], []
    core = open_workspace(bank=sample.bank, cwd=sample.project, environ=sample.environ())
    core.update((transcript.path,))
    with closing(core.timeline("turns")) as timeline:
        timeline.rows(len(timeline) - PAGE, len(timeline))
        for _ in range(30):
            transcript.append()
            begin = time.perf_counter()
            core.update((transcript.path,))
            written = time.perf_counter()
            change = timeline.refresh()
            done = time.perf_counter()
            if change.after != change.before + 1:
                raise RuntimeError(f"one record was appended, and the timeline shows {change}")
            updates.append(1000 * (written - begin))
            refreshes.append(1000 * (done - written))
    return {
        "update": [median(updates), p95(updates)],
        "refresh": [median(refreshes), p95(refreshes)],
    }


def scan_part(root: Path) -> dict[str, Any]:
    """Read a whole corpus into a new catalogue, then look again with nothing new."""
    catalogue = Catalogue(root / "scan" / "sessions.db", HOSTS)
    scanner = Scanner(catalogue, HOSTS, HostHome(root / "corpus"))
    begin, used = time.perf_counter(), time.process_time()
    report = scanner.run()
    wall, cpu = time.perf_counter() - begin, time.process_time() - used
    begin = time.perf_counter()
    again = scanner.run()
    second = time.perf_counter() - begin
    scanner.close()
    if again.bytes or report.failed:
        raise RuntimeError(f"read again: {again.bytes} bytes; failed: {report.failed}")
    return {
        "MB": report.bytes / 1e6, "files": report.files, "records": report.records,
        "wall": wall, "cpu": cpu, "again": second, "resident MB": resident_mb(),
    }  # fmt: skip


def _image_mb(folder: Path) -> float:
    """Megabytes of records that hold an image: they are long, and cheap to read."""
    lines = (line for path in folder.rglob("*.jsonl") for line in path.read_bytes().splitlines())
    return sum(len(line) for line in lines if b'"type":"image"' in line) / 1e6


def measure(sizes: Sizes) -> None:
    """Print both tables."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        write_corpus(
            root / "corpus", max(1, sizes.megabytes // 2), RECORDS_A_MB * sizes.megabytes,
            codex_share=0.0,
        )  # fmt: skip
        images = _image_mb(root / "corpus")
        scan = part("catalogue", "scan", str(root))
        print(f"\nLoad {load_text()}.\n")
        print("| catalogue | measured |\n|---|---|")
        print(
            f"| read | {scan['MB']:.1f} MB, {scan['files']} files, {scan['records']} records "
            f"in {scan['wall']:.1f} s, {scan['cpu']:.1f} CPU s |"
        )
        print(f"| of it records with an image | {images:.1f} MB |")
        print(f"| wall | {scan['MB'] / scan['wall']:.1f} MB/s |")
        print(
            f"| one core | {scan['MB'] / scan['cpu']:.1f} MB, {scan['records'] / scan['cpu']:,.0f} records per CPU second |"
        )
        print(f"| again, nothing new | {1000 * scan['again']:.0f} ms |")
        print(f"| resident after it | {scan['resident MB']:.0f} MB |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        prepare(root, sizes)
        line = part("catalogue", "timeline", str(root))
        print(f"\nLoad {load_text()}. Catalogue file {line['file MB']:.0f} MB.\n")
        print("| timeline | measured |\n|---|---|")
        for facet in (Facet.TURNS, Facet.ALL):
            mid, high = line[f"page {facet}"]
            print(
                f"| open, {facet}, {line[f'rows {facet}']:,} rows | {line[f'open {facet}']:.0f} ms |"
            )
            print(f"| page of {PAGE} anywhere, {facet} | p50 {mid:.2f} ms, p95 {high:.2f} ms |")
        for what in ("update", "refresh"):
            print(
                f"| appended record: {what} | p50 {line[what][0]:.1f} ms, p95 {line[what][1]:.1f} ms |"
            )
        print(f"| resident, grown by both timelines | {line['grown MB']:.0f} MB |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        run = {"scan": scan_part, "timeline": timeline_part}[sys.argv[1]]
        print(json.dumps(run(Path(sys.argv[2]))))
    else:
        measure(Sizes.read())
