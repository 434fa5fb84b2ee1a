"""An act that died at any instant, and somebody who wrote the index or a card before it was healed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.curate import verbs
from memtui.curate.curator import Curator
from memtui.curate.external import notice_external
from memtui.curate.healing import heal
from memtui.ledger.store import Ledger
from tests.curate import acting
from tests.curate.acting import Doing
from tests.curate.bench import Bench
from tests.curate.counts import FAULTS
from tests.curate.faults import wrong_with

INDEX = "MEMORY.md"
FULL = FAULTS >= 300
DOINGS = (acting.create, acting.demote, acting.rename, acting.merge, acting.undo)
MORE_DOINGS = (acting.promote, acting.redo)
STEPS = (
    (Ledger, "intend"),
    (Curator, "write"),
    (Curator, "append_event"),
    (Ledger, "finish"),
)


class DiedError(BaseException):
    """Stands for kill -9: nothing in memtui catches it."""


def host_adds_a_line(index: Path) -> None:
    index.write_text(
        index.read_text() + "- [Theirs](cards/theirs-of-old.md) — a line of the host\n"
    )


def host_writes_other_words(index: Path) -> None:
    index.write_text(index.read_text().replace(" — ", " — as we know, "))


def host_sorts_the_lines(index: Path) -> None:
    lines = index.read_text().splitlines(keepends=True)
    entries = sorted(line for line in lines if "](cards" in line)
    index.write_text("".join([line for line in lines if "](cards" not in line] + entries))


def host_begins_anew(index: Path) -> None:
    index.write_text("# Notes\n")


MEDDLERS = (host_adds_a_line, host_writes_other_words, host_sorts_the_lines, host_begins_anew)


@pytest.mark.timeout(1800)
def test_the_index_is_whole_when_it_was_written_before_an_act_was_healed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each act dies at each of its steps; then somebody meddles: everybody in the full run, else in turns."""
    root, template = tmp_path / "root", tmp_path / "template"
    _prepare(root)
    shutil.copytree(root, template)
    died = 0
    for turn in range(len(MEDDLERS) if FULL else 1):
        for number, doing in enumerate((*DOINGS, *MORE_DOINGS) if FULL else DOINGS):
            for step in range(100):
                shutil.rmtree(root)
                shutil.copytree(template, root)
                bench = Bench(root)
                finished = _dies(bench, doing, step, monkeypatch)
                meddle = MEDDLERS[(number + step + turn) % len(MEDDLERS)]
                meddle(bench.bank / INDEX)
                assert _wrong(bench, meddle) == [], f"{doing.__name__}, {step}, {meddle.__name__}"
                if finished:
                    break
                died += 1
    assert died > 50


def _prepare(root: Path) -> None:
    bench = Bench(root).build()
    with bench.curator("writer") as curator:
        verbs.demote(curator, bench.items("port-8417"))
        verbs.pin(curator, bench.items("own-env"))
        verbs.demote(curator, bench.items("own-env"))
        verbs.undo(curator)


def _wrong(bench: Bench, meddle: Callable[[Path], None]) -> list[str]:
    with bench.curator("checker") as curator:
        heal(curator)
        wrong = wrong_with(bench, curator.ledger, set())
    theirs = ["MEMORY.md is not as", "theirs-of-old"]
    theirs += ["live and not listed"] if meddle is host_begins_anew else []
    return [text for text in wrong if not any(word in text for word in theirs)]


def _dies(bench: Bench, doing: Doing, step: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Do an act that dies at its step number `step`; whether it has fewer."""
    left = [step]

    def dying(do: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            _die_at(left)
            result = do(*args)
            _die_at(left)
            return result

        return run

    with monkeypatch.context() as patch:
        for owner, name in STEPS:
            patch.setattr(owner, name, dying(getattr(owner, name)))
        try:
            with bench.curator("writer") as curator:
                doing(bench, curator, random.Random(3))
        except DiedError:
            return False
    return True


def _die_at(left: list[int]) -> None:
    if left[0] == 0:
        left[0] = -1
        raise DiedError
    left[0] -= 1


def test_a_card_edited_after_the_act_wrote_it_keeps_edit_and_act(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not _dies(bench, _demote("own-env", "pool-timeout"), 4, monkeypatch)
    theirs = bench.bank / "cards" / "own-env.md"
    assert "status: stale" in theirs.read_text()
    theirs.write_text(theirs.read_text() + "Theirs.\n")
    assert len(heal(bench.curator()).done) == 1
    assert theirs.read_text().endswith("Theirs.\n")
    assert [event.verb for event in bench.events()] == ["demote", "demote"]
    assert "own-env" not in bench.index()


def test_an_act_that_is_taken_back_leaves_none_of_its_lines_in_what_others_wrote(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = bench.files()
    assert not _dies(bench, _demote("own-env", "pool-timeout"), 4, monkeypatch)
    for name in ("own-env", "pool-timeout"):
        path = bench.bank / "cards" / f"{name}.md"
        path.write_text(path.read_text() + "Theirs.\n")
    assert len(heal(bench.curator()).undone) == 1
    theirs = {
        path: data + b"Theirs.\n" if "own-env" in path or "pool-timeout" in path else data
        for path, data in before.items()
    }
    assert bench.files() == theirs
    assert bench.events() == ()


def test_a_new_card_that_somebody_edited_at_once_is_created_and_theirs(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not _dies(bench, acting.create, 4, monkeypatch)
    [path] = (bench.bank / "cards").glob("fact-number-*.md")
    path.write_text(path.read_text() + "Theirs.\n")
    with bench.curator() as curator:
        assert len(heal(curator).done) == 1
        assert wrong_with(bench, curator.ledger, set()) == [
            f"cards/{path.name} is not as the last act left it"
        ]
    assert path.read_text().endswith("Theirs.\n")


def test_noticing_that_died_writes_no_file(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between dying and healing the file went back to what it was: nobody may bring the edit again."""
    curator = bench.curator()
    verbs.pin(curator, bench.items("own-env"))
    old, path = bench.contents(), bench.bank / "cards" / "own-env.md"
    kept = path.read_bytes()
    path.write_bytes(kept + b"Theirs.\n")

    def notice(bench: Bench, curator: Curator, _rng: random.Random) -> Any:
        return notice_external(curator, old, bench.contents())

    assert not _dies(bench, notice, 1, monkeypatch)
    path.write_bytes(kept)
    assert len(heal(bench.curator()).undone) == 1
    assert path.read_bytes() == kept
    assert [event.verb for event in bench.events()] == ["pin"]


def _demote(*names: str) -> Doing:
    return lambda bench, curator, _rng: verbs.demote(curator, bench.items(*names))
