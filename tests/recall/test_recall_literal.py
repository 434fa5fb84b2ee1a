"""Literal queries over a bank that looks like a real one, and no leak between projects."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from memtui.bank.model import Card
from memtui.clock import fixed_clock
from memtui.recall.engine import Recall
from memtui.recall.model import Mode, SearchScope
from tests.recall.recall_fixtures import NOW, HashEmbedder, make_bank, make_card

AREAS = ["pool", "retry", "export", "import", "invoice", "session", "cache", "queue", "schema",
         "login", "webhook", "report", "tax", "stock", "mail", "search", "billing", "audit"]  # fmt: skip
ACTS = ["load", "parse", "flush", "merge", "validate", "resolve", "open", "close", "sync", "drain"]
NOUNS = ["User", "Order", "Row", "Token", "Batch", "Header", "Config", "Client", "Page", "Record"]
SHAPES = [
    "{name} is only safe after the {area} is closed",
    "Tests of {area} fail with {name} when the clock is not pinned",
    "Do not call {name} inside a transaction of the {area}",
    "{name} needs the {area} to be open first",
    "The {area} is slow unless {name} is set",
]


@dataclass(frozen=True)
class Case:
    """A query and the handle of the card that must come first."""

    query: str
    handle: str
    kind: str


def literal_bank(seed: int) -> tuple[list[Card], list[Case]]:
    """2,000 cards, of which 200 hold a name of their own; many names differ by one part only.

    A third of the other cards mention parts of such names in prose, so that a part is no give-away.
    """
    rng = random.Random(seed)
    cards: list[Card] = []
    cases: list[Case] = []
    for n in range(200):
        kind = ("code", "function", "file", "flag")[n % 4]
        name = _name(kind, n, rng)
        handle = f"c{n:05}"
        cards.append(_card(handle, name, rng))
        cases.append(Case(name if rng.random() < 0.7 else f"why {name}", handle, kind))
    for n in range(1800):
        cards.append(_noise(f"n{n:05}", rng))
    rng.shuffle(cards)
    return cards, cases


def _name(kind: str, n: int, rng: random.Random) -> str:
    area, act, noun = rng.choice(AREAS), rng.choice(ACTS), rng.choice(NOUNS)
    if kind == "code":
        return rng.choice([f"E{1000 + n}", f"ERR_{area.upper()}_{n}", f"{area.upper()}-{4000 + n}"])
    if kind == "function":
        return rng.choice([f"{act}{noun}{area.title()}{n}", f"{act}_{area}_{noun.lower()}_{n}"])
    if kind == "file":
        return rng.choice([f"{area}/{act}_{n}.py", f"src/{area}/{noun}{n}.tsx", f"{act}-{n}.toml"])
    return rng.choice([f"--{act}-{area}-{n}", f"{area.upper()}_{act.upper()}_{n}"])


def _card(handle: str, name: str, rng: random.Random) -> Card:
    area = rng.choice(AREAS)
    sentence = rng.choice(SHAPES).format(name=name, area=area)
    if rng.random() < 0.5:
        return make_card(
            handle, sentence, f"Seen in the {rng.choice(AREAS)} service.", tags=(area,)
        )
    return make_card(
        handle, f"A pitfall of the {area} service", f"Use when: it hangs.\n\n{sentence}."
    )


def _noise(handle: str, rng: random.Random) -> Card:
    area, act, noun = rng.choice(AREAS), rng.choice(ACTS), rng.choice(NOUNS)
    near = rng.choice([f"{act}{noun}", f"E{rng.randrange(3000, 9999)}", f"{area}/{act}.py", act,
                       f"--{act}", f"{area.upper()}_{act.upper()}"])  # fmt: skip
    return make_card(
        handle,
        f"The {area} of release {rng.randrange(900)} must {act} each {noun.lower()}",
        f"Use when: {near} is touched. Ask {rng.choice(['ops', 'sales', 'nobody'])} first.",
        tags=(area, act),
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_the_right_card_is_first_for_literal_queries(tmp_path: Path, seed: int) -> None:
    cards, cases = literal_bank(seed)
    recall = Recall([make_bank(tmp_path / "home", cards)], load=None, clock=fixed_clock(NOW))
    missed: list[str] = []
    for case in cases:
        hits = recall.search(case.query, limit=3, mode=Mode.LEXICAL).hits
        if not hits or hits[0].document.id != case.handle:
            missed.append(f"{case.kind}: {case.query}")
    assert len(cases) == 200
    assert len(missed) <= 10, missed


def test_case_and_part_of_a_name_still_find_it(tmp_path: Path) -> None:
    cards, cases = literal_bank(3)
    recall = Recall([make_bank(tmp_path / "home", cards)], load=None, clock=fixed_clock(NOW))
    found = sum(
        case.handle in [hit.document.id for hit in recall.search(case.query.lower(), limit=10).hits]
        for case in cases
    )
    assert found >= 0.95 * len(cases)


def test_projects_of_the_same_name_leak_nothing(tmp_path: Path) -> None:
    rng = random.Random(5)
    vocabulary = [*AREAS, *ACTS, *[noun.lower() for noun in NOUNS], "E1001", "poolSize", "api"]
    cards, _ = literal_bank(4)
    mine = [card for at, card in enumerate(cards) if at % 2][:500]
    theirs = [make_card(f"x{c.id}", c.title, c.body, tags=c.tags) for c in cards[:500]]
    foreign = [
        make_card(f"f{n:05}", c.title, c.body, project="other") for n, c in enumerate(cards[:200])
    ]
    banks = [
        make_bank(tmp_path / "api-1111", [*mine, *foreign], project="api"),
        make_bank(tmp_path / "api-2222", theirs, project="api"),
    ]
    allowed = {card.id for card in mine}
    recall = Recall(banks, load=HashEmbedder, clock=fixed_clock(NOW))
    recall.semantic.refresh()
    hits = 0
    for n in range(1000):
        words = " ".join(rng.sample(vocabulary, rng.randint(0, 3)))
        query = f"{words} {rng.choice(['', '', 'project:api', 'type:fact', 'tag:pool'])}"
        results = recall.search(query, limit=10, mode=rng.choice([Mode.LEXICAL, Mode.HYBRID]))
        found = {hit.document.id for hit in results.hits}
        assert found <= allowed, (n, query)
        assert {hit.document.bank for hit in results.hits} <= {"api-1111"}
        hits += len(found)
    assert hits > 1000
    everywhere = recall.search("pool", scope=SearchScope(everywhere=True), limit=200)
    assert {hit.document.bank for hit in everywhere.hits} == {"api-1111", "api-2222"}
    named = recall.search("pool project:other", limit=50)
    assert named.hits
    assert all(hit.document.project == "other" for hit in named.hits)
    assert any(note.topic == "scope" for note in recall.search("pool project:api").degraded)
