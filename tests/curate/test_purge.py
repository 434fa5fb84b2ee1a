"""After a purge not one byte is left in bank, state, cache or spool, and the receipt tells the truth."""

from __future__ import annotations

import errno
import shutil
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard

from memtui.bank.cards import render_card
from memtui.bank.model import Evidence, Page, Scope
from memtui.curate import verbs
from memtui.curate.act import CurateError
from memtui.curate.compile import compile_page
from memtui.curate.create import CitedRecord
from memtui.curate.draft import Draft
from memtui.curate.merge import propose_merge
from memtui.curate.pages import compile_cards
from memtui.curate.purge import plan_purge, purge
from memtui.curate.purging.progress import Step
from memtui.curate.tombstones import Tombstones
from memtui.curate.undo import NothingToUndoError
from memtui.index.states import Known, states_of
from memtui.ledger.model import InjectionRecord
from memtui.safety.locks import bank_lock
from tests.curate.bench import NOW, Bench
from tests.curate.faults import wrong_with

UNIQUE = "zq7-unique-31f"
BODY = f"Use when: the lamp blinks.\n\nThe code of the lamp is {UNIQUE} and nothing else."
DRAFT = Draft(
    title="The lamp blinks in a code",
    body=BODY,
    type="fact",
    scope=Scope("svc-order"),
    evidence=(Evidence("claude-code:s9#r1", quote=f"lamp says {UNIQUE}"),),
)
RECORD = CitedRecord("claude-code:s9#r1", f"the lamp says {UNIQUE} again", "1:abc", "answer", NOW)


def plant(bench: Bench) -> str:
    """A card that lies in every kind of place. Returns its id."""
    curator = bench.curator()
    made = verbs.create(curator, DRAFT, [RECORD])
    card = bench.item(made.details["id"])
    base = card.path.read_bytes()
    verbs.edit(curator, card, base, base.replace(b"nothing else", b"never another"))
    verbs.confirm(curator, [card], note=f"saw {UNIQUE}")
    compile_cards(curator, compile_page(bench.cards(card.id, "own-env", "port-8417"), title="All"))
    other = bench.item("own-env")
    data = other.path.read_bytes()
    verbs.edit(curator, other, data, data + f"\nNot {UNIQUE}, see [[{card.name}]].\n".encode())
    verbs.demote(curator, [card])
    verbs.undo(curator)
    curator.ledger.add_injection(
        InjectionRecord("i1", NOW, "s", "codex", "startup", 600, 9, f"- {UNIQUE}", "d")
    )
    text = card.path.read_bytes()
    files = {
        bench.bank / "archive" / f"{card.name}.md.zst": zstandard.compress(text),
        bench.bank / "archive" / "other-name.md": text,
        bench.bank / "weights" / "train.jsonl": f'{{"t": "{UNIQUE}"}}\n{{"t": "fine"}}\n'.encode(),
        bench.places.spool / "1.json": UNIQUE.encode(),
        bench.places.spool / "2.json": b"{}",
        curator.state / "faults.log": f"fine\n{UNIQUE}\n".encode(),
        curator.cache / "index.db": UNIQUE.encode(),
        curator.cache / "chroma" / "data.bin": UNIQUE.encode(),
    }
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return card.id


def holding(root: Path) -> list[str]:
    return [
        str(path.relative_to(root))
        for path in sorted(root.rglob("*"))
        if path.is_file() and (UNIQUE.encode() in path.read_bytes() or ".zst" in path.name)
    ]


def test_no_byte_is_left_and_the_rest_stays(bench: Bench) -> None:
    item_id = plant(bench)
    assert len(holding(bench.root)) >= 12
    curator = bench.curator()
    item = bench.item(item_id)
    plan = plan_purge(curator, [item], bench.contents())
    kinds = {place.kind for place in plan.places}
    assert kinds == {
        "page", "card", "index line", "events", "ledger", "evidence", "archive", "weights", "spool", "state",
        "cache", "file",
    }  # fmt: skip
    rebuilt: list[bool] = []
    receipt = purge(curator, plan, lambda: rebuilt.append(True))
    assert holding(bench.root) == []
    assert receipt.clean
    assert receipt.remaining == ()
    assert receipt.scanned_files > 10
    assert rebuilt == [True]
    assert any("0 bytes of it found" in line for line in receipt.lines())
    kept = bench.item("own-env").body
    assert "Use setdefault" in kept
    assert item.name not in kept
    page = bench.item("all")
    assert isinstance(page, Page)
    assert set(page.sources) == {"bbbbb2", "ccccc2"}
    assert all(claim.cards for claim in page.claims)
    assert (bench.places.spool / "2.json").exists()
    assert (bench.bank / "weights" / "train.jsonl").read_bytes() == b'{"t": "fine"}\n'
    assert item.path.name not in bench.index()


def test_several_items_are_one_purge(bench: Bench) -> None:
    """What only they say goes, though each of them says it too; one act, a tombstone for each."""
    item_id = plant(bench)
    curator = bench.curator()
    twin = replace(DRAFT, title="The same lamp again", evidence=(Evidence(RECORD.ref),))
    other = verbs.create(curator, twin, [RECORD]).details["id"]
    page = bench.item("all")
    kept = bench.item("port-8417").path.read_bytes()
    items = bench.items(item_id, other, page.id)
    receipt = purge(curator, plan_purge(curator, items, bench.contents()))
    assert holding(bench.root) == []
    assert receipt.remaining == ()
    assert "port-8417" in bench.index()
    assert bench.item("port-8417").path.read_bytes() == kept
    assert receipt.items == (f"card:{item_id}", f"card:{other}", f"page:{page.id}")
    tombstones = [event for event in bench.events() if event.kind == "tombstone"]
    assert [event.item for event in tombstones] == list(receipt.items)
    assert {event.data["act"] for event in tombstones} == {receipt.act}
    assert wrong_with(bench, curator.ledger, set()) == []


def test_what_a_purged_card_replaced_holds_again(bench: Bench) -> None:
    curator = bench.curator()
    verbs.supersede(curator, bench.items("pool-hangs"), bench.item("pool-timeout"))
    verbs.supersede(curator, bench.items("pool-timeout"), bench.item("port-8417"))
    assert "pool-hangs" not in bench.index()
    purge(curator, plan_purge(curator, bench.items("pool-timeout"), bench.contents()))
    assert bench.index().count("](cards/pool-hangs.md)") == 1
    assert wrong_with(bench, curator.ledger, set()) == []


@pytest.mark.parametrize("after", range(7))
def test_until_the_point_of_no_return_it_can_be_stopped(bench: Bench, after: int) -> None:
    """Each word about how far it is comes before what it tells; only a final one is too late."""

    told: list[Step] = []

    def tell(step: Step) -> None:
        told.append(step)
        if len(told) > after and not step.final:
            raise KeyboardInterrupt

    item_id = plant(bench)
    before, events = bench.files(), bench.events()
    curator = bench.curator()
    item, contents = bench.item(item_id), bench.contents()

    def all_of_it() -> None:
        purge(curator, plan_purge(curator, [item], contents, tell=tell), tell=tell)

    with pytest.raises(KeyboardInterrupt):
        all_of_it()
    assert not any(step.final for step in told)
    assert (bench.files(), bench.events()) == (before, events)
    assert verbs.undo(curator).verb == "undo"


def test_it_tells_how_far_it_is(bench: Bench) -> None:
    told: list[Step] = []
    curator = bench.curator()
    plan = plan_purge(curator, bench.items(plant(bench)), bench.contents(), tell=told.append)
    purge(curator, plan, tell=told.append)
    finals = [step.final for step in told]
    assert finals == sorted(finals)
    erasing = [step for step in told if step.final and step.of == 6]
    assert [step.done for step in erasing] == [0, 1, 2, 3, 4]
    assert any("scanning" in step.what for step in told)


def test_the_events_stay_without_their_content(bench: Bench) -> None:
    item_id = plant(bench)
    before = bench.events()
    curator = bench.curator()
    purge(curator, plan_purge(curator, [bench.item(item_id)], bench.contents()))
    after = bench.events()
    assert [(e.id, e.at, e.writer, e.verb, e.item) for e in after[:-1]] == [
        (e.id, e.at, e.writer, e.verb, e.item) for e in before
    ]
    tombstone = after[-1]
    assert (tombstone.kind, tombstone.verb, tombstone.title) == ("tombstone", "purge", "")
    assert {e.title for e in after if e.item == f"card:{item_id}"} == {""}
    purged = Tombstones(after)
    assert purged.cover("The lamp blinks in a code", "other words than these")
    assert purged.cover("Said otherwise", "Use when: never", ["claude-code:s9#r1"])
    assert not purged.cover("The lamp is broken again", "Use when: never", ["claude-code:s9#r2"])


def test_a_purge_cannot_be_undone_and_other_acts_can(bench: Bench) -> None:
    curator = bench.curator()
    verbs.demote(curator, bench.items("pool-hangs"))
    item_id = plant(bench)
    purge(curator, plan_purge(curator, [bench.item(item_id)], bench.contents()))
    assert verbs.undo(curator).summary.startswith("undid demote: Pool timeouts")
    with pytest.raises(NothingToUndoError):
        verbs.undo(curator)
    with pytest.raises(CurateError, match="cannot be reverted"):
        verbs.preview_revert(curator, bench.events(), curator.ledger.history()[1].id)


def test_git_history_is_named_with_how_to_remove_it(bench: Bench) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(
            ["git", "-C", str(bench.bank), *who, *words], check=True, capture_output=True
        )

    item_id = plant(bench)
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "base")
    curator = bench.curator()
    plan = plan_purge(curator, [bench.item(item_id)], bench.contents())
    receipt = purge(curator, plan)
    assert [place.kind for place in receipt.remaining] == ["git"]
    assert "filter-repo" in receipt.remaining[0].detail
    assert receipt.clean


def test_an_excerpt_that_another_card_cites_stays_and_is_told(bench: Bench) -> None:
    curator = bench.curator()
    made = verbs.create(curator, DRAFT, [RECORD])
    other = replace(DRAFT, title="Something else about it", body="Use when: it is dark.\n\nGlow.")
    verbs.create(curator, replace(other, evidence=(Evidence(RECORD.ref),)), [RECORD])
    receipt = purge(
        curator, plan_purge(curator, [bench.item(made.details["id"])], bench.contents())
    )
    assert [place.kind for place in receipt.remaining] == ["evidence"]
    assert not receipt.clean


def test_a_card_merged_from_it_is_masked(bench: Bench) -> None:
    curator = bench.curator()
    made = verbs.create(curator, DRAFT, [RECORD])
    cards = bench.cards(made.details["id"], "port-8417")
    merged = verbs.merge(curator, cards, propose_merge(cards), bench.events())
    receipt = purge(curator, plan_purge(curator, [bench.item(cards[0].id)], bench.contents()))
    assert UNIQUE not in render_card(bench.cards(merged.details["id"])[0])
    assert bench.item(merged.details["id"]).supersedes == ("ccccc2",)
    assert not [path for path in holding(bench.root) if "evidence" not in path]
    assert {place.kind for place in receipt.remaining} <= {"evidence"}


def test_phrases_are_erased_wherever_they_stand(bench: Bench) -> None:
    curator = bench.curator()
    plan = plan_purge(curator, [bench.item("pool-hangs")], bench.contents(), ["owns 8080"])
    receipt = purge(curator, plan)
    assert receipt.clean
    assert "The gateway [purged] everywhere." in bench.item("ccccc2").body


def test_another_process_that_has_the_vectors_open_does_not_stop_it(bench: Bench) -> None:
    item_id = plant(bench)
    curator = bench.curator()
    plan = plan_purge(curator, [bench.item(item_id)], bench.contents())
    vectors = curator.cache / "chroma" / "data.bin"
    vectors.parent.mkdir(parents=True, exist_ok=True)
    vectors.write_bytes(b"a vector")
    with bank_lock(curator.state, "index"):
        assert purge(curator, plan).clean
    assert not vectors.exists()
    assert holding(bench.root) == []


def test_a_folder_that_fills_again_while_it_goes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    curator = bench.curator()
    plan = plan_purge(curator, [bench.item("pool-hangs")], bench.contents())
    real, left = shutil.rmtree, [3]

    def contested(folder: Path) -> None:
        left[0] -= 1
        if left[0] > 0:
            raise OSError(errno.ENOTEMPTY, "Directory not empty", str(folder))
        real(folder)

    monkeypatch.setattr(shutil, "rmtree", contested)
    curator.cache.mkdir(parents=True, exist_ok=True)
    (curator.cache / "index.db").write_bytes(b"x")
    assert purge(curator, plan).clean
    assert not curator.cache.exists()


def test_a_purge_that_is_cut_off_can_be_repeated(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    item_id = plant(bench)
    curator = bench.curator()
    for name in ("clean_index", "clean_events", "clean_lines", "forget_handles"):
        _cut_off(bench, item_id, f"memtui.curate.purging.cleaning.{name}", monkeypatch)
    states = states_of(bench.contents(), Known(datetime.now(UTC), {}, {}, {}))
    assert item_id not in states or states[item_id][0].reason == "tombstoned"
    contents = bench.contents()
    left = [card for card in contents.cards if card.id == item_id]
    if left:
        assert purge(curator, plan_purge(curator, [left[0]], contents)).clean
    assert holding(bench.root) == []


def _cut_off(bench: Bench, item_id: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, bench.curator() as curator:
        patch.setattr(where, dies)
        with pytest.raises(KeyboardInterrupt):
            purge(curator, plan_purge(curator, [bench.item(item_id)], bench.contents()))


def test_purge_in_a_host_folder(claude: Bench) -> None:
    curator = claude.curator()
    made = verbs.create(curator, DRAFT, [RECORD])
    receipt = purge(
        curator, plan_purge(curator, [claude.item(made.details["id"])], claude.contents())
    )
    assert receipt.clean
    assert holding(claude.root) == []
    assert "Prose stays." in claude.index()


def test_a_card_that_links_to_it_keeps_what_it_says_itself(bench: Bench) -> None:
    curator = bench.curator()
    body = "Use when: the pool is set.\n\nSet `POOL_SIZE=17` once and for all."
    record = replace(RECORD, text="POOL_SIZE=17 was printed")
    evidence = (Evidence(RECORD.ref, quote="POOL_SIZE=17"),)
    first = replace(DRAFT, title="The pool is set once", body=body, evidence=evidence)
    made = verbs.create(curator, first, [record])
    first_name = bench.item(made.details["id"]).name
    linked = replace(
        DRAFT,
        title="Start scripts export the size",
        body=f"Use when: starting.\n\nThey export `POOL_SIZE=17`.\nSee [[{first_name}]].",
        evidence=(),
    )
    other = verbs.create(curator, linked, [])
    purge(curator, plan_purge(curator, [bench.item(made.details["id"])], bench.contents()))
    left = bench.item(other.details["id"]).body
    assert "export `POOL_SIZE=17`.\nSee [purged]." in left
