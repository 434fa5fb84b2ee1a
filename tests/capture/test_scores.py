"""The extractors against what people labelled: both halves reach their goals."""

from __future__ import annotations

import json

import pytest

from tests.capture.scoring import LABELS, ROOTS, labelled, score

PRECISION = 0.8
RECALL = 0.7


def test_enough_is_labelled_and_nothing_is_copied() -> None:
    rows = [json.loads(line) for line in LABELS.read_text("utf-8").splitlines()]
    routine = {"report", "change"}
    outcomes = {
        half: sum(
            label["kinds"][0] not in routine
            for row in rows
            if row["half"] == half
            for label in row["labels"]
        )
        for half in ("sample", "real")
    }
    assert outcomes["sample"] >= 30
    assert outcomes["real"] >= 30
    assert all(set(label) == {"kinds", "records"} for row in rows for label in row["labels"])


@pytest.mark.parametrize("half", ["sample", "real"])
def test_precision_and_recall(half: str, request: pytest.FixtureRequest) -> None:
    if half == "real":
        request.getfixturevalue("samples_folder")
    for session in labelled(half):
        assert session.file.is_file(), session.file
    found = score(half)["all"]
    assert found.precision >= PRECISION, found.wrong
    assert found.recall >= RECALL, found.missed
    assert ROOTS[half].is_dir()
