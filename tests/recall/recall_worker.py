"""The processes of the fault test: one that writes until it is killed, others that search meanwhile.

`python -m tests.recall.recall_worker write|read ROOT`. The bank's text is one line per card in `cards.jsonl`,
flushed to the disk; `known.txt` has the handles whose write was acknowledged.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

from memtui.bank.model import Card
from memtui.clock import fixed_clock
from memtui.recall import chroma_client
from memtui.recall.corpus import Bank
from memtui.recall.engine import Recall
from memtui.recall.indexes import folder_index
from memtui.recall.model import Mode
from tests.recall.recall_fixtures import NOW, HashEmbedder, make_card, write_index

DIM = 48


def title_of(number: int) -> str:
    """A card's title: its name is found in no other card."""
    return f"note {number} says that name{number:05} holds the {'pool' if number % 2 else 'queue'}"


def handle_of(number: int) -> str:
    """The handle of the card with this number."""
    return f"c{number:05}"


def cards_of(root: Path) -> list[Card]:
    """The cards in the text; a line that was cut by a kill was never acknowledged."""
    try:
        lines = (root / "cards.jsonl").read_text().splitlines()
    except FileNotFoundError:
        return []
    cards = []
    for line in lines:
        try:
            number = int(json.loads(line)["number"])
        except (ValueError, KeyError, TypeError):
            continue
        cards.append(make_card(handle_of(number), title_of(number)))
    return list({card.id: card for card in cards}.values())


def known(root: Path) -> list[int]:
    """Numbers of the acknowledged cards."""
    try:
        return [
            int(line) for line in (root / "known.txt").read_text().splitlines() if len(line) == 5
        ]
    except FileNotFoundError:
        return []


def engine(root: Path, *, chroma: bool) -> Recall:
    """An engine over the bank in `root`; with `chroma` it tries to own the index."""
    bank = Bank("home", root / "cache")
    index = folder_index({"home": root / "state"}) if chroma else None
    return Recall([bank], load=lambda: HashEmbedder(dim=DIM), index=index, clock=fixed_clock(NOW))


def append(path: Path, line: str) -> None:
    """Add a line that outlives a kill. A line cut by an earlier kill is ended first."""
    with path.open("a+b") as stream:
        stream.seek(0, os.SEEK_END)
        if stream.tell():
            stream.seek(-1, os.SEEK_END)
            line = line if stream.read(1) == b"\n" else f"\n{line}"
        stream.write(f"{line}\n".encode())
        stream.flush()
        os.fsync(stream.fileno())


def write(root: Path) -> None:
    """Add cards for ever: text, index, vectors, Chroma; now and then take a vector away."""
    recall = engine(root, chroma=chroma_client.installed())
    number = max([int(card.id[1:]) for card in cards_of(root)], default=0)
    recall.semantic.refresh()
    (root / "started").touch()
    while True:
        number += 1
        append(root / "cards.jsonl", json.dumps({"number": number}))
        write_index(root / "cache", cards_of(root))
        recall.semantic.refresh()
        if number % 7 == 0:
            recall.vectors["home"].store.forget(
                sorted(recall.vectors["home"].store.present(recall.semantic.key))[:3]  # type: ignore[arg-type]
            )
        append(root / "known.txt", f"{number:05}")


def read(root: Path) -> None:
    """Search for acknowledged cards until told to stop. Any wrong answer ends the process."""
    recall = engine(root, chroma=False)
    recall.semantic.load()
    rng = random.Random(os.getpid())
    searches = 0
    while not (root / "stop").exists():
        numbers = known(root)
        if not numbers:
            continue
        number = rng.choice(numbers)
        results = recall.search(f"name{number:05}", mode=rng.choice([Mode.LEXICAL, Mode.AUTO]))
        searches += 1
        for hit in results.hits:
            if hit.document.title != title_of(int(hit.document.id[1:])):
                sys.exit(f"wrong text: {hit.document}")
        if results.hits and results.hits[0].document.id == handle_of(number):
            continue
        if not any(note.topic == "index" for note in results.degraded):
            sys.exit(f"{number} not first, and no word about it: {results}")
    sys.stdout.write(f"{searches}\n")


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
