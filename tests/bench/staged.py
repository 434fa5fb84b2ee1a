"""Transcripts that appear while others are still being read, so that a scan lasts as long as keys are pressed."""

from __future__ import annotations

from pathlib import Path

from tests.bench.catalogue import RECORDS_A_MB
from tests.bench.corpus import write_corpus
from tests.bench.process import Sizes

SCANS = 8
"""Corpora of BENCH_MB each; those that are not needed stay where they are."""


def write_staged(root: Path, sizes: Sizes) -> None:
    """Write the corpora beside the hosts' home."""
    for number in range(SCANS):
        sessions, records = max(1, sizes.megabytes // 2), RECORDS_A_MB * sizes.megabytes
        write_corpus(_folder(root) / str(number), sessions, records, seed=100 + number)


def stage(root: Path, home: Path) -> bool:
    """Let the next corpus appear in the hosts' home. Returns whether there was one."""
    corpus = next(iter(sorted(_folder(root).iterdir())), None)
    if corpus is None:
        return False
    for path in sorted(path for path in corpus.rglob("*") if path.is_file()):
        target = home / path.relative_to(corpus)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
    corpus.rename(_folder(root).with_name(f"staged-{corpus.name}"))
    return True


def _folder(root: Path) -> Path:
    return root / "staged"
