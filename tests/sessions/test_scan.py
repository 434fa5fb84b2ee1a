"""The catalogue over real files: rows as a reader sees them, and again after the files changed."""

from __future__ import annotations

import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard

from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS, sniff_file
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.rows import Facet
from memtui.sessions.scan import Scanner, ScanReport
from memtui.sessions.timeline import Step, Timeline
from memtui.sessions.turn import read_turn
from memtui.workspace.sample import Sample

PROJECT = "/home/dev/svc-order"


def scan(home: Path, catalogue: Catalogue) -> ScanReport:
    scanner = Scanner(catalogue, HOSTS, HostHome(home))
    try:
        return scanner.run()
    finally:
        scanner.close()


def dump(catalogue: Catalogue) -> list[tuple[Any, ...]]:
    """What a reader sees of every session, whatever the order of reading was."""
    timeline = Timeline(catalogue.path, None, Facet.ALL)
    try:
        rows: list[tuple[Any, ...]] = []
        for row in timeline.rows(0, len(timeline)):
            turn = row.turn
            if turn is None:
                rows.append((row.session.id, row.session.title, row.session.counts))
            else:
                rows.append((row.session.id, turn.kind, turn.record, turn.flags, turn.preview))
        return rows
    finally:
        timeline.close()


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return Catalogue(tmp_path / "sessions.db", HOSTS)


def transcripts(home: Path) -> list[Path]:
    return sorted(home.rglob("*.jsonl"))


def test_growing_files_read_in_parts_give_the_same_rows(
    sample: Sample, catalogue: Catalogue, tmp_path: Path
) -> None:
    scan(sample.home, catalogue)
    whole = dump(catalogue)
    rng = random.Random(7)
    partial_home = tmp_path / "home"
    grown = Catalogue(tmp_path / "grown.db", HOSTS)
    contents = {
        path.relative_to(sample.home): path.read_bytes()
        for path in sorted(sample.home.rglob("*"))
        if path.is_file() and path.suffix in (".jsonl", ".json")
    }
    for share in (0.3, 0.55, 0.8, 1.0):
        for path, data in contents.items():
            target = partial_home / path
            target.parent.mkdir(parents=True, exist_ok=True)
            end = len(data) if share == 1.0 else int(len(data) * min(1.0, share + rng.random() / 5))
            target.write_bytes(data[:end])
        scan(partial_home, grown)
    assert sorted(dump(grown), key=repr) == sorted(whole, key=repr)


def test_nothing_new_means_nothing_read(sample: Sample, catalogue: Catalogue) -> None:
    first = scan(sample.home, catalogue)
    assert first.records > 300
    second = scan(sample.home, catalogue)
    assert (second.read, second.bytes) == (0, 0)


def test_a_file_that_shrinks_is_read_anew(sample: Sample, catalogue: Catalogue) -> None:
    path = next(iter(sample.home.rglob("871e05e3*.jsonl")))
    scan(sample.home, catalogue)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join(lines[:10]) + b"\n")
    scan(sample.home, catalogue)
    shown = [row for row in dump(catalogue) if row[0] == "871e05e3-48f3-4cce-90cd-e40e31ca0ec9"]
    again = Catalogue(catalogue.path.with_name("again.db"), HOSTS)
    scan(sample.home, again)
    assert shown == [row for row in dump(again) if row[0] == "871e05e3-48f3-4cce-90cd-e40e31ca0ec9"]


def test_a_vanished_transcript_keeps_its_rows_and_says_so(
    sample: Sample, catalogue: Catalogue
) -> None:
    scan(sample.home, catalogue)
    before = dump(catalogue)
    next(iter(sample.home.rglob("871e05e3*.jsonl"))).unlink()
    assert scan(sample.home, catalogue).gone == 1
    assert [row[:2] for row in dump(catalogue)] == [row[:2] for row in before]
    timeline = Timeline(catalogue.path, PROJECT)
    gone = [session.id for session in timeline.sessions() if session.gone]
    timeline.close()
    assert gone == ["871e05e3-48f3-4cce-90cd-e40e31ca0ec9"]


def test_a_compressed_rollout_is_the_same_session(sample: Sample, catalogue: Catalogue) -> None:
    scan(sample.home, catalogue)
    before = dump(catalogue)
    for path in (sample.home / ".codex").rglob("*.jsonl"):
        packed = zstandard.ZstdCompressor().compress(path.read_bytes())
        path.with_name(path.name + ".zst").write_bytes(packed)
        path.unlink()
    scan(sample.home, catalogue)
    assert sorted(dump(catalogue), key=repr) == sorted(before, key=repr)


def test_host_files_are_never_written(sample: Sample, catalogue: Catalogue) -> None:
    def digests() -> dict[Path, str]:
        files = (path for path in sample.home.rglob("*") if path.is_file())
        return {path: sha256(path.read_bytes()).hexdigest() for path in files}

    before = digests()
    scan(sample.home, catalogue)
    assert digests() == before


def test_no_secret_is_in_the_catalogue(sample: Sample, catalogue: Catalogue) -> None:
    scan(sample.home, catalogue)
    data = b"".join(path.read_bytes() for path in catalogue.path.parent.glob("sessions.db*"))
    for secret in (b"NotARealSecret", b"AKIADEMO19800EXAMPLE", b"n0t-a-real-pw-7Q"):
        assert secret not in data


def test_a_fork_shows_its_copied_rows_once(sample: Sample, catalogue: Catalogue) -> None:
    path = next(iter(sample.home.rglob("871e05e3*.jsonl")))
    fork = path.with_name("11111111-2222-4333-8444-555555555555.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    copied = [{**row, "sessionId": fork.stem} for row in rows if row.get("uuid")]
    fork.write_text("".join(json.dumps(row) + "\n" for row in copied))
    scan(sample.home, catalogue)
    records = [row[2] for row in dump(catalogue) if len(row) == 5]
    first = [row["uuid"] for row in copied if row["type"] == "user"]
    assert all(records.count(record) <= 2 for record in first)
    prompts = {row[0] for row in dump(catalogue) if len(row) == 5 and row[2] == first[0]}
    assert len(prompts) == 1


def test_every_turn_reads_back(sample: Sample, catalogue: Catalogue) -> None:
    scan(sample.home, catalogue)
    timeline = Timeline(catalogue.path, PROJECT, Facet.ALL)
    try:
        for row in timeline.rows(0, len(timeline)):
            if row.turn is None:
                continue
            detail = read_turn(catalogue, row.session.session, row.turn.seq)
            assert not detail.problem
            assert detail.text.text or detail.result is not None or detail.tokens is not None
            assert detail.is_error == bool(row.turn.flags & 8)
    finally:
        timeline.close()


def test_jumps_go_from_a_failure_to_its_success_and_back(
    sample: Sample, catalogue: Catalogue
) -> None:
    scan(sample.home, catalogue)
    timeline = Timeline(catalogue.path, PROJECT, Facet.ALL)
    try:
        failure = timeline.next(0, Step.FAILURE)
        assert failure is not None
        success = timeline.next(failure, Step.PAIR)
        assert success is not None
        assert success > failure
        first, second = timeline.row(failure).turn, timeline.row(success).turn
        assert first is not None
        assert second is not None
        assert second.exit_code in (None, 0)
        assert timeline.next(success, Step.PAIR, -1) == failure
    finally:
        timeline.close()


def test_facets_hold_their_rows_alone(sample: Sample, catalogue: Catalogue) -> None:
    scan(sample.home, catalogue)
    for facet in Facet:
        timeline = Timeline(catalogue.path, PROJECT, facet)
        rows = [row for row in timeline.rows(0, len(timeline)) if row.turn is not None]
        counts = sum(session.counts[facet.number] for session in timeline.sessions())
        timeline.close()
        assert len(rows) == counts
        if facet is Facet.ERRORS:
            assert all(row.turn is not None and row.turn.flags & 8 for row in rows)
        if facet is Facet.PROMPTS:
            assert all(row.turn is not None and row.turn.kind == "prompt" for row in rows)


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_every_sample_transcript_is_catalogued(
    samples_folder: Path, tmp_path: Path, host: str
) -> None:
    home = tmp_path / "home"
    target = home / (
        ".claude/projects/p" if host == "claude-code" else ".codex/sessions/2026/01/01"
    )
    target.mkdir(parents=True)
    count = 0
    for path in sorted((samples_folder / host).iterdir()):
        found = sniff_file(path)
        if found is None or found.name != host:
            continue
        name = path.name if host == "claude-code" else f"rollout-{path.name}"
        (target / name).write_bytes(path.read_bytes())
        count += 1
    catalogue = Catalogue(tmp_path / "sessions.db", HOSTS)
    report = scan(home, catalogue)
    assert report.files == count
    assert not report.failed
    assert len(dump(catalogue)) > count
