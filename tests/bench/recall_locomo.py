"""Retrieval on LoCoMo: recall@5 and @10 of the evidence turns, by words, by meaning, by both.

    python -m tests.bench.recall_locomo PATH/locomo10.json [--vectors FOLDER] [--json]

The data is CC BY-NC 4.0: it is read from the given path and never part of the project. Needs the
semantic extra. Each turn is a card (its text the title; date, speaker and the turn before it the
quote, which only words see), each conversation a bank; candidates, fusion and weights are the
engine's own. Parameters are chosen on every other conversation and measured on the rest.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtui.bank.model import BankConfig, BankContents, Card, Evidence, Layout
from memtui.clock import fixed_clock
from memtui.index.refresh import refresh
from memtui.recall import lexical
from memtui.recall.bank_vectors import BankVectors, embedded_text
from memtui.recall.common import CommonWords, common_words, refined
from memtui.recall.corpus import Bank, Corpus
from memtui.recall.embed import Embedder, load_embedder
from memtui.recall.fusion import Signals, fuse, ranked
from memtui.recall.model import DEFAULTS, Fusion, Settings
from memtui.recall.query import parse
from memtui.recall.vectors import ModelKey, text_digest

NOW = datetime(2026, 11, 20, tzinfo=UTC)
CUTS = (5, 10)
BATCH = 64
QUOTES = (2.0, 4.0)
TRIGRAM = (0.0, 0.3)
DENSE = (0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what each list says about the turns of its conversation.

    `lists` has words, trigrams and their coverage by the weight of the quote column.
    """

    gold: frozenset[str]
    lists: Mapping[float, tuple[Mapping[str, float], Mapping[str, float], float]]
    dense: Mapping[str, float]
    literalness: float


@dataclass(frozen=True, slots=True)
class Chosen:
    """Parameters: the weight of the quote column, and the settings of the fusion."""

    quotes: float
    settings: Settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Returns 2 where the data is absent, 1 where hybrid is not the best."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path, help="locomo10.json")
    parser.add_argument("--vectors", type=Path, help="keep the vectors here between runs")
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    options = parser.parse_args(arguments)
    if not options.data.is_file():
        print(f"skipped: no {options.data}")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        root = options.vectors or Path(folder)
        conversations = _cases(json.loads(options.data.read_text()), root, load_embedder())
    report = _report(conversations)
    print(json.dumps(report, indent=1) if options.json else _table(report))
    held = report["held out"]
    best = all(
        held["hybrid"][cut] > max(held["lexical"][cut], held["semantic"][cut])
        for cut in held["hybrid"]
    )
    return 0 if best else 1


def _cases(samples: Sequence[Any], root: Path, embedder: Embedder) -> list[list[Case]]:
    found = []
    for at, sample in enumerate(samples):
        cards = list(_turns(sample["conversation"]))
        bank = Bank(f"locomo-{at}", root / f"locomo-{at}")
        contents = BankContents(
            root, Layout.MEMTUI, BankConfig(id=bank.key, project=bank.key), tuple(cards), (), ()
        )
        refresh(bank.index, contents, clock=fixed_clock(NOW))
        vectors = BankVectors(Corpus(bank))
        _embed(vectors, cards, embedder)
        asked = [qa for qa in sample["qa"] if qa.get("evidence")]
        questions = _questions(vectors.corpus, asked, embedder)
        found.append(
            [_case(vectors, qa, *known) for qa, known in zip(asked, questions, strict=True)]
        )
        print(f"conversation {at + 1}: {len(cards)} turns", file=sys.stderr)
    return found


def _turns(conversation: Mapping[str, Any]) -> Iterable[Card]:
    before = ""
    for number in itertools.count(1):
        turns = conversation.get(f"session_{number}")
        if turns is None:
            return
        date = conversation[f"session_{number}_date_time"]
        for turn in turns:
            caption = turn.get("blip_caption")
            text = turn["text"] + (f" [shares {caption}]" if caption else "")
            quote = f"{date}\n{turn['speaker']}\n{before}"
            yield _card(turn["dia_id"], text, quote)
            before = f"{turn['speaker']}: {text}"


def _card(name: str, text: str, quote: str) -> Card:
    digest = hashlib.sha256(f"{text}\0{quote}".encode()).hexdigest()
    return Card(
        id=name, name=name, title=text, type="fact", body="", path=Path(f"/none/cards/{name}.md"),
        digest=digest, evidence=(Evidence(ref="", quote=quote),), created=NOW,
    )  # fmt: skip


def _embed(vectors: BankVectors, cards: Sequence[Card], embedder: Embedder) -> None:
    key = ModelKey(embedder.model, embedder.revision)
    texts = {text_digest(t): t for t in (embedded_text(card.title, card.body) for card in cards)}
    missing = sorted(set(texts) - vectors.store.present(key), key=lambda d: len(texts[d]))
    for start in range(0, len(missing), BATCH):
        chunk = missing[start : start + BATCH]
        blobs = embedder.embed([texts[digest] for digest in chunk])
        vectors.store.add(key, dict(zip(chunk, blobs, strict=True)))
    vectors.use(key, None)


def _questions(
    corpus: Corpus, asked: Sequence[Mapping[str, Any]], embedder: Embedder
) -> list[tuple[bytes, dict[str, float]]]:
    """Vector and shares of the words of each question; words that most turns share are left out of
    what is embedded, as the engine does it.
    """
    common = CommonWords()
    shares = [common.shares(parse(str(qa["question"]), NOW), [corpus]) for qa in asked]
    texts = [
        lexical.without_common(
            parse(str(qa["question"]), NOW).text, common_words(known, DEFAULTS.common_share)
        )
        for qa, known in zip(asked, shares, strict=True)
    ]
    chunks = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    found = [vector for chunk in chunks for vector in embedder.embed(chunk)]
    return list(zip(found, shares, strict=True))


def _case(
    vectors: BankVectors, qa: Mapping[str, Any], vector: bytes, shares: Mapping[str, float]
) -> Case:
    corpus = vectors.corpus
    common = common_words(shares, DEFAULTS.common_share)
    query = refined(parse(str(qa["question"]), NOW), shares, common)
    known = vectors.map()
    cosines = vectors.cosines(vector, known.rows)
    lists = {}
    with corpus.reading() as db:
        names = dict(db.execute("SELECT seq, name FROM item").fetchall())
        for weight in QUOTES:
            weights = {**lexical.WORD_WEIGHTS, "quotes": weight}
            found = lexical.candidates(db, query, DEFAULTS.candidates, (), weights)
            lists[weight] = (
                {names[seq]: score for seq, score in found.words.items()},
                {names[seq]: score for seq, score in found.trigram.items()},
                lexical.coverage(db, shares, found),
            )
    dense = {names[seq]: cosines[digest] for seq, digest in known.digests.items()}
    gold = {part for evidence in qa["evidence"] for part in evidence.replace(";", " ").split()}
    return Case(frozenset(gold & set(names.values())), lists, dense, query.literalness)


def _signals(case: Case, quotes: float, mode: str) -> Signals:
    words, trigram, coverage = case.lists[quotes]
    if mode == "lexical":
        return Signals(words, trigram, literalness=case.literalness)
    best = sorted(case.dense, key=lambda name: (-case.dense[name], name))[: DEFAULTS.candidates]
    if mode == "semantic":
        return Signals(dense={name: case.dense[name] for name in best})
    union = dict.fromkeys([*words, *trigram, *best])
    dense = {name: case.dense[name] for name in union}
    return Signals(words, trigram, dense, literalness=case.literalness, coverage=coverage)


def _recall(cases: Iterable[Case], chosen: Chosen, mode: str) -> dict[str, float]:
    sums, count = dict.fromkeys(CUTS, 0.0), 0
    for case in cases:
        if not case.gold:
            continue
        count += 1
        order = [
            name for name, _ in ranked(fuse(_signals(case, chosen.quotes, mode), chosen.settings))
        ]
        for cut in CUTS:
            sums[cut] += len(case.gold.intersection(order[:cut])) / len(case.gold)
    return {f"recall@{cut}": round(total / count, 4) for cut, total in sums.items()}


def _fit(cases: Sequence[Case]) -> Chosen:
    """The parameters with the best mean of both metrics, hybrid, on every third of these questions."""
    options = [
        Chosen(quotes, replace(DEFAULTS, dense_weight=dense, trigram_weight=trigram))
        for quotes, trigram, dense in itertools.product(QUOTES, TRIGRAM, DENSE)
    ]
    return max(options, key=lambda chosen: sum(_recall(cases[::3], chosen, "hybrid").values()))


def _report(conversations: Sequence[Sequence[Case]]) -> dict[str, Any]:
    fitted_on = [case for cases in conversations[::2] for case in cases]
    held_out = [case for cases in conversations[1::2] for case in cases]
    chosen = _fit(fitted_on)
    default = Chosen(lexical.WORD_WEIGHTS["quotes"], DEFAULTS)
    rrf = Chosen(chosen.quotes, replace(chosen.settings, fusion=Fusion.RRF))
    modes = ("lexical", "semantic", "hybrid")
    return {
        "questions": {
            "fitted on": sum(1 for case in fitted_on if case.gold),
            "held out": sum(1 for case in held_out if case.gold),
        },
        "chosen": {
            "quotes": chosen.quotes,
            "dense_weight": chosen.settings.dense_weight,
            "trigram_weight": chosen.settings.trigram_weight,
        },
        "held out": {mode: _recall(held_out, chosen, mode) for mode in modes},
        "held out, rrf k=60": {"hybrid": _recall(held_out, rrf, "hybrid")},
        "held out, defaults": {mode: _recall(held_out, default, mode) for mode in modes},
        "fitted on": {mode: _recall(fitted_on, chosen, mode) for mode in modes},
        "all ten, defaults": {
            mode: _recall([*fitted_on, *held_out], default, mode) for mode in modes
        },
    }


def _table(report: Mapping[str, Any]) -> str:
    lines = [f"questions: {report['questions']}", f"chosen on one half: {report['chosen']}", ""]
    lines += ["| set | mode | R@5 | R@10 |", "|---|---|---|---|"]
    for name, modes in report.items():
        if name in ("questions", "chosen"):
            continue
        lines += [
            f"| {name} | {mode} | {found['recall@5']:.3f} | {found['recall@10']:.3f} |"
            for mode, found in modes.items()
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
