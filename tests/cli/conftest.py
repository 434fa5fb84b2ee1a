"""The sample bank for commands that run in the test's own process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memtui.cli.main import main
from memtui.workspace.sample import Sample
from tests.cli.running import Call


@pytest.fixture
def inside(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> Sample:
    """The sample for commands that run in this process."""
    for name, value in {**sample.environ(), "MEMTUI_WRITER": "ada"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(sample.project)
    return sample


@pytest.fixture
def call(inside: Sample, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command in this process and gives back its JSON, or that of its error."""

    def called(*words: str, code: int = 0) -> Any:
        assert inside.bank.is_dir()
        assert main([*words, "--json"]) == code
        told = capsys.readouterr()
        return json.loads(told.out or told.err)

    return called
