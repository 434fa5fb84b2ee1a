"""Recall at 50,000 cards beside plain Chroma: search times, build, disk, memory.

    python -m tests.bench.recall_scale [--cards 50000] [--queries 200] [--json]

Needs the semantic extra. Stored vectors are made up (clustered, 384 floats), because embedding 50,000
texts takes ten minutes; queries go through the real model. Each contestant runs in a process of its
own, so that memory is its own.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from memtui.bank.model import BankConfig, BankContents, Card, Layout
from memtui.clock import fixed_clock
from memtui.index.refresh import refresh
from memtui.recall.bank_vectors import BankVectors, embedded_text
from memtui.recall.corpus import Bank, Corpus
from memtui.recall.embed import PACKAGED_MODEL, PACKAGED_SHA256
from memtui.recall.engine import Recall
from memtui.recall.indexes import folder_index
from memtui.recall.model import Mode
from memtui.recall.vectors import ModelKey, text_digest

NOW = datetime(2026, 11, 20, tzinfo=UTC)
KEY = ModelKey(PACKAGED_MODEL, PACKAGED_SHA256[:12])
DIM = 384
CLUSTERS = 200
WARM = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cards", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    parser.add_argument("--part", choices=sorted(PARTS), help=argparse.SUPPRESS)
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.part:
        print(json.dumps(PARTS[options.part](options.root, options.cards, options.queries)))
        return 0
    report = _run_all(options.cards, options.queries)
    print(json.dumps(report, indent=1) if options.json else _table(report))
    return 0


def _run_all(cards: int, queries: int) -> dict[str, dict[str, float]]:
    report: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            command = [sys.executable, "-m", "tests.bench.recall_scale", "--part", part]
            command += ["--root", folder, "--cards", str(cards), "--queries", str(queries)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            report[part] = json.loads(done.stdout.splitlines()[-1])
            print(f"{part}: done", file=sys.stderr)
    return report


def make_cards(count: int) -> list[Card]:
    """Cards of about 45 words, drawn by frequency, with an identifier each."""
    rng = random.Random(1)
    vocabulary = [_word(rng) for _ in range(12_000)]
    weights = [1 / (rank + 8) for rank in range(len(vocabulary))]
    cumulative = [sum(weights[:1])]
    for weight in weights[1:]:
        cumulative.append(cumulative[-1] + weight)
    cards = []
    for n in range(count):
        words = rng.choices(vocabulary, cum_weights=cumulative, k=45)
        title = f"{' '.join(words[:9])} {words[9]}_{words[10]}_{n % 5000}"
        body = f"Use when: {' '.join(words[11:18])}.\n\n{' '.join(words[18:])} E{10_000 + n}."
        cards.append(
            Card(
                id=f"{n:06}", name=f"card-{n:06}", title=title, type="fact", body=body,
                path=Path(f"/none/cards/card-{n:06}.md"), digest=f"{n:064x}", tags=(words[0],),
                importance=rng.random(), created=NOW - timedelta(days=rng.randrange(400)),
            )
        )  # fmt: skip
    return cards


def _word(rng: random.Random) -> str:
    return "".join(
        rng.choice("bcdfghklmnprstvw") + rng.choice("aeiou") for _ in range(rng.randint(2, 4))
    )


def make_queries(cards: Sequence[Card], count: int) -> list[str]:
    """A third questions of five to seven words, a third two words, a third identifiers."""
    rng = random.Random(2)
    found = []
    for n in range(count):
        card = rng.choice(cards)
        words = f"{card.title} {card.body}".replace("\n", " ").split()
        if n % 3 == 0:
            found.append("how does " + " ".join(rng.sample(words, rng.randint(5, 7))))
        elif n % 3 == 1:
            found.append(" ".join(rng.sample(words[:9], 2)))
        else:
            found.append(rng.choice([words[9], words[-1].rstrip(".")]))
    return found


def make_vectors(count: int) -> Any:
    """Clustered unit vectors: a matrix of `count` rows."""
    np = import_module("numpy")
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(CLUSTERS, DIM))
    rows = centres[rng.integers(0, CLUSTERS, count)] + rng.normal(size=(count, DIM))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype("<f4")


def build(root: Path, count: int, _queries: int) -> dict[str, float]:
    """Index, vectors and Chroma's index of memtui, each timed."""
    cards = make_cards(count)
    bank = Bank("scale", root / "cache")
    contents = BankContents(
        root, Layout.MEMTUI, BankConfig(id="scale", project="scale"), tuple(cards), (), ()
    )
    began = perf_counter()
    refresh(bank.index, contents, clock=fixed_clock(NOW))
    report = {
        "index build s": perf_counter() - began,
        "index.db MB": _size(root / "cache", "index"),
    }
    vectors, rows = BankVectors(Corpus(bank)), make_vectors(count)
    digests = [text_digest(embedded_text(card.title, card.body)) for card in cards]
    blobs = {digest: rows[n].tobytes() for n, digest in enumerate(digests)}
    began = perf_counter()
    vectors.store.add(KEY, blobs)
    report |= {
        "vectors s": perf_counter() - began,
        "vectors.db MB": _size(root / "cache", "vectors"),
    }
    index = folder_index({"scale": root / "state"})(vectors, KEY)
    if index is not None:
        began = perf_counter()
        done = index.sync()
        report |= {
            "chroma build s": perf_counter() - began,
            "chroma/ MB": _size(root / "cache", "chroma/"),
            "chroma ready": float(done),
        }
        index.close()
    return report


def lexical(root: Path, count: int, queries: int) -> dict[str, float]:
    """Search by words alone, as in the light install."""
    return _search(root, count, queries, Mode.LEXICAL, load=False, chroma=False)


def hybrid_scan(root: Path, count: int, queries: int) -> dict[str, float]:
    """Search by both over the exact scan."""
    return _search(root, count, queries, Mode.HYBRID, load=True, chroma=False)


def hybrid_chroma(root: Path, count: int, queries: int) -> dict[str, float]:
    """Search by both over Chroma's index."""
    return _search(root, count, queries, Mode.HYBRID, load=True, chroma=True)


def _search(
    root: Path, count: int, queries: int, mode: Mode, *, load: bool, chroma: bool
) -> dict[str, float]:
    asked = make_queries(make_cards(count), queries + WARM)
    states = {"scale": root / "state"}
    kwargs: dict[str, Any] = {"index": folder_index(states)} if chroma else {}
    if not load:
        kwargs["load"] = None
    recall = Recall([Bank("scale", root / "cache")], clock=fixed_clock(NOW), **kwargs)
    began = perf_counter()
    if load and recall.semantic.load() and chroma:
        index = recall.vectors["scale"].index
        if index is not None:
            index.sync()
    ready = perf_counter() - began
    for query in asked[:WARM]:
        recall.search(query, mode=mode)
    times, work, parts = [], [], dict.fromkeys(("lexical", "vectors", "embed", "documents"), 0.0)
    for query in asked[WARM:]:
        began = process_time()
        results = recall.search(query, mode=mode)
        work.append((process_time() - began) * 1000)
        times.append(results.timings["total"])
        for name in parts:
            parts[name] += results.timings.get(name, 0.0) / queries
        if load and (results.degraded or results.mode is not Mode.HYBRID):
            raise RuntimeError(f"not hybrid: {results.degraded}")
    recall.close()
    means = {f"mean {name} ms": value for name, value in parts.items()}
    return {
        "ready s": ready,
        **_percentiles(times),
        **_percentiles(work, "CPU "),
        **means,
        "RSS MB": _rss(),
    }


def plain_chroma(root: Path, count: int, queries: int) -> dict[str, float]:
    """Chroma as it is used alone: documents and vectors in one collection; vector queries only."""
    chroma, rows, cards = import_module("chromadb"), make_vectors(count), make_cards(count)
    folder = root / "plain"
    settings = import_module("chromadb.config").Settings(anonymized_telemetry=False)
    client = chroma.PersistentClient(path=str(folder), settings=settings)
    collection = client.create_collection(
        "plain", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    began = perf_counter()
    for start in range(0, count, 1000):
        part = cards[start : start + 1000]
        collection.add(
            ids=[card.id for card in part],
            documents=[f"{card.title}\n{card.body}" for card in part],
            embeddings=rows[start : start + 1000],
        )
    report = {"build s": perf_counter() - began}
    rng = random.Random(4)
    times, work = [], []
    for n in range(queries + WARM):
        began, worked = perf_counter(), process_time()
        vector = rows[rng.randrange(count)].tolist()
        collection.query(query_embeddings=[vector], n_results=20)
        if n >= WARM:
            times.append((perf_counter() - began) * 1000)
            work.append((process_time() - worked) * 1000)
    client.close()
    report |= {
        **_percentiles(times),
        **_percentiles(work, "CPU "),
        "disk MB": _size(root, "plain/"),
        "RSS MB": _rss(),
    }
    shutil.rmtree(folder)
    return report


PARTS: Mapping[str, Callable[[Path, int, int], dict[str, float]]] = {
    "build": build,
    "lexical": lexical,
    "hybrid, exact scan": hybrid_scan,
    "hybrid, chroma": hybrid_chroma,
    "plain chroma": plain_chroma,
}


def _percentiles(times: Sequence[float], what: str = "") -> dict[str, float]:
    """`what` is "CPU " for processor time, which a busy machine does not stretch."""
    ordered = sorted(times)
    return {
        f"{what}p50 ms": ordered[len(ordered) // 2],
        f"{what}p95 ms": ordered[int(len(ordered) * 0.95)],
        f"{what}max ms": ordered[-1],
    }


def _size(folder: Path, prefix: str) -> float:
    found = [path for path in folder.rglob("*") if path.is_file()]
    named = [path for path in found if path.relative_to(folder).as_posix().startswith(prefix)]
    return sum(path.stat().st_size for path in named) / 1e6


def _rss() -> float:
    """Peak memory of this process in MB (Linux counts in KB, macOS in bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def _table(report: Mapping[str, Mapping[str, float]]) -> str:
    lines = ["| part | measure | value |", "|---|---|---|"]
    lines += [
        f"| {part} | {name} | {value:.1f} |"
        for part, values in report.items()
        for name, value in values.items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
