"""A million turns in 5,000 sessions and 3 GB of transcripts, beside claude-code-log on a part of them.

    python -m tests.bench.scale [FOLDER]

The corpus is made from templates with the measured shapes of `tests.bench.corpus` (long lines, sub-agents,
images, tool floods), each copied under other ids, months and one word of its own. `BENCH_SESSIONS` (5,000),
`BENCH_ROWS` (1,000,000) and `BENCH_OTHER_MB` (100, the part that claude-code-log reads too) give the size.
The disk needs twice the corpus.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.fulltext import FullText
from memtui.sessions.scan import Scanner
from memtui.sessions.schema import open_writer
from memtui.workspace.sample import Sample
from tests.bench import corpus
from tests.bench.catalogue import Transcript, catalogue_of
from tests.bench.process import Sizes, load_text, median, p95, part, peak_mb, resident_mb
from tests.bench.screen import _print_run, write_bank
from tests.bench.terminal import whole_process

TEMPLATES = 60
CODEX_SHARE = 0.3
RECORDS_A_ROW = 1.6
NEEDLE = "needle00000"
TEXT_SECONDS = 150
"""How long the full text is filled; what is left then counts as filled for the screen, which would wait."""
_MARK = "00000000"
_MONTHS = ("2026-09", "2026-10")


class Talk(corpus._Talk):
    """A session whose ids all begin with a mark, so that a copy can have others."""

    def id(self) -> str:
        return _MARK + corpus._Talk.id(self)[8:]

    def output(self) -> str:
        """As measured, a little shorter on the average: 3 KB of file for a row of the timeline."""
        lines = self.rng.choice((1, 2, 4, 8, 16, 30, 130))
        words = (f"{self.rng.choice(corpus._FILES)}:{n}: {self.words(4, 10)}" for n in range(lines))
        return "\n".join(words)


@dataclass(frozen=True, slots=True)
class Template:
    """Files of one session: path below the home and content."""

    files: tuple[tuple[str, bytes], ...]

    def write(self, home: Path, number: int) -> int:
        """A copy under ids of its own; the bytes written."""
        size, month = 0, f"{2022 + number % 4}-{1 + number // 4 % 12:02}"
        for path, data in self.files:
            target = home / path.replace(_MARK, f"{number + 1:08x}")
            target.parent.mkdir(parents=True, exist_ok=True)
            data = data.replace(_MARK.encode(), f"{number + 1:08x}".encode())
            data = data.replace(NEEDLE.encode(), f"needle{number:05}".encode())
            for old in _MONTHS:
                data = data.replace(old.encode(), month.encode())
            target.write_bytes(data)
            at = 1_700_000_000 + number * 600
            os.utime(target, (at, at))
            size += len(data)
        return size


def templates(home: Path, cwd: str, rows: int) -> list[Template]:
    """Sessions of very different length, of `rows` rows on the average."""
    rng = random.Random(1)
    lengths = [rng.paretovariate(1.5) for _ in range(TEMPLATES)]
    scale = rows * RECORDS_A_ROW * TEMPLATES / sum(lengths)
    made = []
    for length in lengths:
        talk = Talk(rng, corpus.START_MS, cwd)
        writer = corpus._codex if rng.random() < CODEX_SHARE else corpus._claude
        files = []
        for path, records in writer(home, talk, max(4, round(length * scale))):
            lines = [json.dumps(each, separators=(",", ":")) for each in records]
            before, _, after = "\n".join(lines).rpartition("the ")
            data = f"{before}{NEEDLE} {after}\n"
            files.append((str(path.relative_to(home)), data.encode()))
        made.append(Template(tuple(files)))
    return made


def write(sample: Sample, sizes: Sizes) -> dict[str, Any]:
    """The corpus, and a project with a bank of 1,000 cards."""
    for folder in (sample.bank / "cards", sample.project, sample.home):
        folder.mkdir(parents=True, exist_ok=True)
    toml = 'format = 1\nid = "bench"\n\n[scope]\nproject = "bench"\n'
    (sample.bank / "bank.toml").write_text(toml, "utf-8")
    write_bank(sample, 1000)
    made = templates(sample.home, str(sample.project), sizes.rows // sizes.sessions)
    begin, size = time.perf_counter(), 0
    for number in range(sizes.sessions):
        size += made[number % len(made)].write(sample.home, number)
    files = sum(len(made[number % len(made)].files) for number in range(sizes.sessions))
    return {"MB": size / 1e6, "files": files, "seconds": time.perf_counter() - begin}


def scan_part(root: Path) -> dict[str, Any]:
    """The first scan with nobody waiting; then again with nothing new."""
    sample = Sample(root)
    catalogue = Catalogue(catalogue_of(sample), HOSTS)
    scanner = Scanner(catalogue, HOSTS, HostHome(sample.home))
    begin, used = time.perf_counter(), time.process_time()
    newest: list[float] = []

    def told(progress: Any) -> None:
        if not newest and progress.files_done:
            newest.append(time.perf_counter() - begin)

    report = scanner.run(told)
    wall, cpu = time.perf_counter() - begin, time.process_time() - used
    again, used_again = time.perf_counter(), time.process_time()
    second = scanner.run()
    again, used_again = time.perf_counter() - again, time.process_time() - used_again
    scanner.close()
    if second.bytes or report.failed:
        raise RuntimeError(f"read again: {second.bytes} bytes; failed: {report.failed}")
    with closing(catalogue.reader()) as db:
        view = catalogue.view(db)
    return {
        "MB": report.bytes / 1e6, "files": report.files, "records": report.records,
        "rows": view.rows, "sessions": view.sessions, "wall": wall, "cpu": cpu, "newest": newest[0],
        "again": again, "again cpu": used_again, "resident MB": resident_mb(), "peak MB": peak_mb(),
        "db MB": catalogue.path.stat().st_size / 1e6,
    }  # fmt: skip


def text_part(root: Path) -> dict[str, Any]:
    """Fill the full text for a while, newest first; then look for rare and for common words."""
    catalogue = Catalogue(catalogue_of(Sample(root)), HOSTS)
    text = FullText(catalogue)
    begin, used = time.perf_counter(), time.process_time()
    whole = text.fill(seconds=TEXT_SECONDS)
    wall, cpu = time.perf_counter() - begin, time.process_time() - used
    with closing(catalogue.reader()) as db:
        view = catalogue.view(db)
        last = db.execute("SELECT COUNT(*) FROM sessions WHERE n_all > 0").fetchone()[0]
    done = (view.bytes - view.text_behind) / 1e6
    found: dict[str, Any] = {
        "whole": whole,
        "MB": done,
        "wall": wall,
        "cpu": cpu,
        "of MB": view.bytes / 1e6,
    }
    rng = random.Random(5)
    newest = max(1, int(last * done / max(1.0, view.bytes / 1e6) * 0.8))
    for name, queries in (
        ("rare", [f"needle{last - 1 - rng.randrange(newest):05}" for _ in range(30)]),
        ("two common", [" ".join(rng.sample(corpus._WORDS[1:], 2)) for _ in range(10)]),
    ):
        times, hits = [], 0
        for query in queries:
            at = time.perf_counter()
            hits += bool(text.search(query))
            times.append(1000 * (time.perf_counter() - at))
        found[name] = [median(times), p95(times), hits, len(queries)]
    found["peak MB"] = peak_mb()
    return found


def call_it_filled(sample: Sample) -> None:
    """So that the app has nothing left to do at rest."""
    with closing(open_writer(catalogue_of(sample))) as db:
        db.execute("UPDATE files SET text_offset = offset")


def subset(sample: Sample, target: Path, megabytes: float) -> list[Path]:
    """Claude Code sessions of about so many megabytes, under a home of their own."""
    projects, size, taken = sample.home / ".claude/projects", 0, []
    for path in sorted(projects.glob("*/*.jsonl")):
        if size > megabytes * 1e6:
            break
        copy = target / ".claude/projects" / path.relative_to(projects)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
        size += copy.stat().st_size
        taken.append(copy)
    return taken


def subset_part(root: Path) -> dict[str, Any]:
    """memtui's scan and whole full text of the part that claude-code-log reads."""
    catalogue = Catalogue(root / "subset.db", HOSTS)
    scanner = Scanner(catalogue, HOSTS, HostHome(root / "subset"))
    begin, used = time.perf_counter(), time.process_time()
    report = scanner.run()
    scanned = [time.perf_counter() - begin, time.process_time() - used]
    scanner.close()
    FullText(catalogue).fill()
    both = [time.perf_counter() - begin, time.process_time() - used]
    return {
        "MB": report.bytes / 1e6,
        "files": report.files,
        "scan": scanned,
        "both": both,
        "peak MB": peak_mb(),
    }


def install_other(root: Path) -> None:
    """claude-code-log from the package index, unless it is there."""
    python = root / "other/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(root / "other")], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "claude-code-log"]
        subprocess.run(install, check=True)


def other_reader(root: Path, seconds: float = 300) -> dict[str, Any]:
    """claude-code-log, in an environment of its own, over the same files."""
    python = root / "other/bin/python"
    shown = [
        str(python),
        "-c",
        "import importlib.metadata as m; print(m.version('claude-code-log'))",
    ]
    version = subprocess.run(shown, check=True, capture_output=True, text=True).stdout.strip()
    words = [
        str(python.with_name("claude-code-log")), "--projects-dir", str(root / "subset/.claude/projects"),
        "--no-individual-sessions",
    ]  # fmt: skip
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=seconds, check=False,
            env={**os.environ, "HOME": str(root / "otherhome")},
        )  # fmt: skip
        ended = f"exit {done.returncode}"
    except subprocess.TimeoutExpired:
        ended = f"stopped after {seconds:.0f} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = sum(p.stat().st_size for p in (root / "subset").rglob("*.html"))
    return {
        "version": version, "ended": ended, "wall": time.perf_counter() - begin,
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "html MB": made / 1e6,
    }  # fmt: skip


def measure(root: Path, sizes: Sizes) -> None:
    """Print the tables; the folder is left with the corpus in it."""
    sample = Sample(root)
    print(f"\nLoad {load_text()}.\n", flush=True)
    made = write(sample, sizes)
    print(
        f"| corpus | {made['MB']:.0f} MB in {made['files']} files, made in {made['seconds']:.0f} s |\n|---|---|"
    )
    scan = part("scale", "scan", str(root))
    print(
        f"| first scan | {scan['rows']:,} rows of {scan['records']:,} records in {scan['sessions']:,} sessions |"
    )
    print(
        f"| | {scan['wall']:.0f} s, {scan['cpu']:.0f} CPU s: {scan['MB'] / scan['wall']:.1f} MB/s, "
        f"{scan['MB'] / scan['cpu']:.1f} MB a CPU second |"
    )
    print(f"| the newest session read after | {scan['newest']:.1f} s |")
    print(f"| again, nothing new | {scan['again']:.2f} s, {scan['again cpu']:.2f} CPU s |")
    print(f"| resident, peak | {scan['resident MB']:.0f}, {scan['peak MB']:.0f} MB |")
    print(f"| catalogue file | {scan['db MB']:.0f} MB |")
    print(f"\nLoad {load_text()}.\n", flush=True)
    text = part("scale", "text", str(root))
    print(
        f"| full text | {text['MB']:.0f} of {text['of MB']:.0f} MB in {text['wall']:.0f} s, "
        f"{text['MB'] / text['cpu']:.1f} MB a CPU second |\n|---|---|"
    )
    for name in ("rare", "two common"):
        mid, high, hits, count = text[name]
        print(f"| {name} words, {hits} of {count} found | p50 {mid:.0f} ms, p95 {high:.0f} ms |")
    print(f"| peak memory | {text['peak MB']:.0f} MB |\n\nLoad {load_text()}.\n", flush=True)
    call_it_filled(sample)
    Transcript(sample.home, sample.project).append()
    run = part("screen", "paint", str(root), str(sizes.keys))
    print("| screen | wall ms | CPU ms |\n|---|---|---|")
    for name in ("imports", "opened", "first paint", "sessions shown", "cards shown"):
        print(f"| {name} | {run[name][0]:.0f} | {run[name][1]:.0f} |")
    whole = whole_process(sample, 3)
    print(
        f"| whole process | {median(whole):.0f} | |\n\n| the app, {run['rows']:,} rows | ms |\n|---|---|"
    )
    _print_run("at rest", run)
    print(f"\nLoad {load_text()}.\n", flush=True)
    compare(root, sample)


def compare(root: Path, sample: Sample) -> None:
    """The same files read by memtui and by claude-code-log."""
    subset(sample, root / "subset", float(os.environ.get("BENCH_OTHER_MB", "100")))
    install_other(root)
    own = part("scale", "subset", str(root))
    other = part("scale", "other", str(root))
    print(
        f"| {own['MB']:.0f} MB in {own['files']} files | wall s | CPU s | peak MB |\n|---|---|---|---|"
    )
    peak = own["peak MB"]
    print(f"| memtui, catalogue | {own['scan'][0]:.1f} | {own['scan'][1]:.1f} | {peak:.0f} |")
    print(
        f"| memtui, catalogue and full text | {own['both'][0]:.1f} | {own['both'][1]:.1f} | {peak:.0f} |"
    )
    print(
        f"| claude-code-log {other['version']} ({other['ended']}; {other['html MB']:.0f} MB of HTML) "
        f"| {other['wall']:.1f} | {other['cpu']:.1f} | {other['peak MB']:.0f} |"
    )
    print(f"\nLoad at the end {load_text()}.", flush=True)


def other_part(root: Path) -> dict[str, Any]:
    """See `other_reader`; the peak is of that process."""
    found = other_reader(root)
    unit = 1 if sys.platform == "darwin" else 1024
    return {**found, "peak MB": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 1e6}


PARTS = {"scan": scan_part, "text": text_part, "subset": subset_part, "other": other_part}

if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(PARTS[sys.argv[1]](Path(sys.argv[2]))))
    elif len(sys.argv) == 2:
        measure(Path(sys.argv[1]).resolve(), Sizes.read())
    else:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder).resolve(), Sizes.read())
