"""`python -m tests.bench [process] [catalogue] [screen] [capture] [live]`: print the tables of `docs/benchmarks.md`.

Sizes come from the environment: BENCH_RUNS, BENCH_ROWS, BENCH_SESSIONS, BENCH_CARDS, BENCH_KEYS,
BENCH_MB.
"""

from __future__ import annotations

import argparse
import platform
import sqlite3

from tests.bench import capture, catalogue, live, process, screen

PARTS = {
    "process": process.measure,
    "catalogue": catalogue.measure,
    "screen": screen.measure,
    "capture": capture.measure,
    "live": live.measure,
}


def main() -> None:
    """Measure what was asked for, everything without a word."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    wanted = parser.parse_args().parts or list(PARTS)
    for name in wanted:
        if name not in PARTS:
            parser.error(f"no part {name!r}: {', '.join(PARTS)}")
    sizes = process.Sizes.read()
    print(f"CPython {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {sizes}")
    for name in wanted:
        print(f"\n## {name}", flush=True)
        PARTS[name](sizes)


if __name__ == "__main__":
    main()
