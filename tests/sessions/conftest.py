"""Fixtures of the catalogue's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.sessions import scan
from tests.sessions.session_fixtures import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An empty home and its catalogue."""
    return World(tmp_path)


@pytest.fixture(params=["looked up", "known in memory"])
def much(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a scan keeps in memory which records there are, as it does when there is much to read."""
    monkeypatch.setattr(scan, "_MUCH", -1 if request.param == "known in memory" else 2**62)
