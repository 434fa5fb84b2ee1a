"""Banks for the tests of curation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.bank.model import Layout
from memtui.curate.curator import Curator
from tests.curate.bench import Bench
from tests.curate.nights import Night


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A bank in memtui's layout."""
    made = Bench(tmp_path).build()
    yield made
    made.close()


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[Bench]:
    """A host's memory folder."""
    made = Bench(tmp_path, Layout.CLAUDE).build()
    yield made
    made.close()


@pytest.fixture(params=[Layout.MEMTUI, Layout.CLAUDE])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    """A bank in each layout."""
    made = Bench(tmp_path, request.param).build()
    yield made
    made.close()


@pytest.fixture
def night(tmp_path: Path) -> Night:
    """A bank with sessions to sleep on."""
    return Night.at(tmp_path)


@pytest.fixture
def curator(night: Night) -> Iterator[Curator]:
    """Who acts on the bank of `night`."""
    made = night.curator()
    yield made
    made.close()
