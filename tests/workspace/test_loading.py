"""The bank in memory: what a change costs, and that it ends where reading everything ends."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memtui import reasons
from memtui.bank.model import Evidence
from memtui.index.reader import injection_rows
from memtui.inject.snapshot import build
from memtui.workspace.model import WAITING, BankView
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample
from memtui.workspace.workspace import Workspace


@pytest.fixture
def core(sample: Sample) -> Workspace:
    return open_workspace(bank=None, cwd=sample.project, environ=sample.environ())


def told(view: BankView) -> object:
    """Everything that a view says of its bank."""
    return view.contents, view.cards, view.pages, view.snapshot, view.notes


def edit(path: Path, old: str, new: str) -> Path:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    return path


def removed(path: Path) -> Path:
    path.unlink()
    return path


def without_last_line(path: Path) -> Path:
    path.write_bytes(path.read_bytes().rstrip(b"\n").rpartition(b"\n")[0] + b"\n")
    return path


def test_reading_is_quick_and_says_what_is_not_known_yet(core: Workspace) -> None:
    view = core.read()
    assert [note for note in view.notes if note.endswith(WAITING)]
    assert core.index_path is not None
    assert not core.index_path.exists()
    settled = core.settle()
    assert settled.notes == ()
    assert [note for note in core.status() if note.level != "info"] == []
    drifted = settled.by_name["healthz-503-while-pending"].states
    assert [state.reason for state in drifted] == [reasons.DRIFTED]
    assert core.settle() is settled
    assert core.read() is settled


def test_what_git_said_last_is_known_at_the_next_start(core: Workspace, sample: Sample) -> None:
    git = shutil.which("git")
    assert git is not None
    # The copied work tree has other inodes: until git has looked, all its files may be edited ones.
    subprocess.run([git, "-C", str(sample.project), "status"], check=True, capture_output=True)
    core.load()
    later = open_workspace(bank=None, cwd=sample.project, environ=sample.environ())
    drifted = later.read().by_name["healthz-503-while-pending"].states
    assert [state.reason for state in drifted] == [reasons.DRIFTED]


def test_a_change_read_alone_ends_where_reading_everything_ends(
    core: Workspace, sample: Sample
) -> None:
    core.scan()
    core.load()
    bank = sample.bank.resolve()
    cards = bank / "cards"
    events = next((bank / "events").glob("dana*.jsonl"))
    changes: tuple[Callable[[], Path], ...] = (
        lambda: edit(cards / "exit-codes.md", "description: ", "description: Edited "),
        lambda: edit(cards / "retry-full-jitter.md", "status: active", "status: stale"),
        lambda: edit(cards / "not-null-needs-default.md", "\n---\n", "\n---\nMore.\n"),
        lambda: removed(cards / "release-order.md"),
        lambda: without_last_line(events),
        lambda: edit(bank / "pages" / "how-we-retry.md", "\n---\n", "\n---\nOnce more.\n"),
    )
    for change in changes:
        before = core.settle()
        path = change()
        assert core.read((path,)) is not before
        view = core.settle()
        fresh = open_workspace(bank=None, cwd=sample.project, environ=sample.environ())
        assert told(view) == told(fresh.load())
        assert core.index_path is not None
        assert build(injection_rows(core.index_path)) == view.snapshot


def test_a_grown_transcript_changes_the_view_only_where_citations_change(
    core: Workspace, sample: Sample
) -> None:
    core.scan()
    view = core.load()
    path = next(sample.home.rglob("871e05e3*.jsonl"))
    with path.open("ab") as stream:
        stream.write(b'{"type": "of no kind"}\n')
    core.update((path,))
    assert core.settle(drift=False) is view
    path.write_bytes(b"")
    core.update((path,))
    changed = core.settle(drift=False)
    assert changed is not view
    gone = [v.item.name for v in changed.cards if v.states != view.by_id[v.item.id].states]
    assert "pool-timeout-unset-env" in gone


def test_evidence_found_before_it_was_catalogued_leads_to_its_turn_afterwards(
    core: Workspace, sample: Sample
) -> None:
    core.scan()
    path = next(sample.home.rglob("871e05e3*.jsonl"))
    *_, last = (line for line in path.read_text("utf-8").splitlines() if '"uuid"' in line)
    record = json.loads(last) | {"uuid": "0b5e5f60-9a51-4c9f-8e35-4a1b5a4c2f10"}
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record) + "\n")
    card = core.load().by_name["pool-timeout-unset-env"]
    cited = Evidence(f"claude-code:{record['sessionId']}#{record['uuid']}")
    item = replace(card, item=replace(card.item, evidence=(cited,)))
    (early,) = core.evidence(item)
    assert early.location is not None
    assert early.location.session is None
    core.scan()
    (late,) = core.evidence(item)
    assert late.location is not None
    assert late.location.session is not None


def test_an_index_that_cannot_be_written_is_said_and_tried_again(core: Workspace) -> None:
    view = core.read()
    assert core.index_path is not None
    core.index_path.parent.mkdir(parents=True)
    core.index_path.mkdir()
    assert any("the index is behind" in note for note in core.settle().notes)
    assert any("the index is behind" in note.text for note in core.status())
    core.index_path.rmdir()
    assert core.settle().notes == ()
    with closing(core.catalogue.reader()):
        assert core.read().contents == view.contents
