"""Fixtures of the catalogue's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.session_fixtures import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An empty home and its catalogue."""
    return World(tmp_path)
