"""Places with an index of Chroma, made once and copied."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.recall.chroma_fixtures import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with its index, closed; to be copied."""
    root = tmp_path_factory.mktemp("built")
    index = Place(root).index()
    assert index.sync()
    index.close()
    return root


@pytest.fixture
def found(built: Path, tmp_path: Path) -> Place:
    """A copy of that place, as the next owner finds it."""
    root = tmp_path / "found"
    shutil.copytree(built, root)
    return Place(root)
