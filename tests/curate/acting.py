"""Random acts on a bank, for processes that are killed, that race, and for random sequences."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from memtui.bank.model import Evidence, Scope, Status
from memtui.bank.standing import CORRECTIONS
from memtui.curate import verbs
from memtui.curate.act import ActResult, CurateError
from memtui.curate.compile import compile_page as draft_page
from memtui.curate.create import CitedRecord
from memtui.curate.curator import Curator
from memtui.curate.draft import Draft
from memtui.curate.merge import propose_merge
from tests.curate.bench import NOW, Bench

MOST_CARDS = 40


def create(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    if len(bench.contents().cards) > MOST_CARDS:
        raise CurateError("enough cards")
    number = rng.randrange(10**9)
    ref = f"claude-code:s{number}#r1"
    draft = Draft(
        title=f"Fact number {number}",
        body=f"Use when: you meet {number}.\n\nIt is {number % 97}.",
        type="fact",
        tags=("random",),
        scope=Scope("svc-order"),
        evidence=(Evidence(ref, quote=str(number)),),
    )
    return verbs.create(curator, draft, [CitedRecord(ref, f"saw {number}", "1:x", "answer", NOW)])


def demote(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    live = [card for card in bench.contents().cards if card.status is not Status.RETIRED]
    return verbs.demote(curator, rng.sample(live, min(len(live), rng.choice([1, 1, 3]))))


def promote(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    down = [card for card in bench.contents().cards if card.status is not Status.ACTIVE]
    return verbs.promote(curator, rng.sample(down, min(len(down), rng.choice([1, 2]))))


def pin(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    return verbs.pin(curator, [rng.choice(bench.contents().cards)])


def confirm(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    return verbs.confirm(curator, [rng.choice(bench.contents().cards)])


def flag(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    return verbs.flag(curator, [rng.choice(bench.contents().cards)], "doubtful")


def edit(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    item = rng.choice(bench.contents().cards)
    base = verbs.begin_edit(curator, item)
    return verbs.edit(curator, item, base, base + f"Seen {rng.randrange(10**6)}.\n".encode())


def rename(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    item = rng.choice(bench.contents().cards)
    base = verbs.begin_edit(curator, item)
    new = base.replace(
        f"name: {item.name}\n".encode(), f"name: card-{rng.randrange(10**6)}\n".encode(), 1
    )
    return verbs.edit(curator, item, base, new)


def merge(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    live = [card for card in bench.contents().cards if card.status is Status.ACTIVE]
    if len(live) < 2:
        raise CurateError("too few cards")
    two = rng.sample(live, 2)
    return verbs.merge(curator, two, propose_merge(two), bench.events())


def supersede(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    cards = bench.contents().cards
    old, new = rng.sample(cards, 2)
    return verbs.supersede(curator, [old], new)


def compile_page(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    contents = bench.contents()
    live = [card for card in contents.cards if card.status is Status.ACTIVE]
    if len(live) < 3 or len(contents.pages) > 5:
        raise CurateError("too few cards, or enough pages")
    draft = draft_page(rng.sample(live, 3), title=f"Page {rng.randrange(10**6)}")
    return verbs.compile_cards(curator, draft)


def retire_page(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    return verbs.demote(curator, [rng.choice(bench.contents().pages)])


def undo(_bench: Bench, curator: Curator, _rng: random.Random) -> ActResult:
    return verbs.undo(curator)


def redo(_bench: Bench, curator: Curator, _rng: random.Random) -> ActResult:
    return verbs.redo(curator)


def revert(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    """Take one of all acts back, somebody's; what changed since stays or goes, file by file."""
    events = bench.events()
    acts = sorted({str(event.data["act"]) for event in events if event.verb not in CORRECTIONS})
    plan = verbs.preview_revert(curator, events, rng.choice(acts))
    chosen = {found.path: rng.choice([found.ours, found.theirs]) for found in plan.conflicts}
    return verbs.revert(curator, plan, chosen)


Doing = Callable[[Bench, Curator, random.Random], ActResult]
FORWARD: Sequence[Doing] = (
    create,
    demote,
    promote,
    pin,
    confirm,
    flag,
    edit,
    rename,
    merge,
    supersede,
    compile_page,
    retire_page,
)
STEPPED: Sequence[Doing] = (
    create,
    demote,
    promote,
    confirm,
    edit,
    rename,
    merge,
    supersede,
    compile_page,
    undo,
    redo,
)
"""One act of each kind of change, for what goes through every step."""
ALL: Sequence[Doing] = (*FORWARD, create, undo, undo, redo, revert)


def any_act(bench: Bench, curator: Curator, rng: random.Random) -> ActResult:
    """One random act that the bank allows."""
    while True:
        try:
            return rng.choice(ALL)(bench, curator, rng)
        except CurateError:
            continue
