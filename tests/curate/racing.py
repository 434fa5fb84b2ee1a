"""One of several processes that curate one bank at once: `python -m tests.curate.racing ROOT WRITER COUNT`."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from tests.curate.acting import any_act
from tests.curate.bench import Bench


def main(root: Path, writer: str, count: int) -> list[str]:
    bench = Bench(root)
    rng = random.Random(writer)
    with bench.curator(writer) as curator:
        return [any_act(bench, curator, rng).act for _ in range(count)]


if __name__ == "__main__":
    done = main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    sys.stdout.write(json.dumps({"acts": done}) + "\n")
