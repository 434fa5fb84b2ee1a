"""Search in the recorded sessions of the sample bank."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS
from memtui.recall.session_search import SessionResults, SessionSearch
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.fulltext import FullText
from memtui.sessions.scan import Scanner
from memtui.workspace.sample import Sample
from tests.recall.recall_fixtures import NOW

PROJECT = "/home/dev/svc-order"


@pytest.fixture
def catalogue(sample: Sample, tmp_path: Path) -> Catalogue:
    catalogue = Catalogue(tmp_path / "sessions.db", HOSTS)
    scanner = Scanner(catalogue, HOSTS, HostHome(sample.home))
    try:
        scanner.run()
    finally:
        scanner.close()
    return catalogue


@pytest.fixture
def found(catalogue: Catalogue) -> SessionSearch:
    FullText(catalogue).fill()
    return SessionSearch(catalogue)


def passages(results: SessionResults) -> str:
    return "\n".join(hit.hit.passage for hit in results.hits)


def test_words_and_identifiers_are_found(found: SessionSearch) -> None:
    for query, expected in [
        ("ORDER_POOL_SIZE", "ORDER_POOL_SIZE"),
        ("what about the ORDER_RETRY_ATTEMPTS?", "ORDER_RETRY_ATTEMPTS"),
        ('"no connection within"', "no connection within"),
    ]:
        results = found.search(query, NOW)
        assert results.hits, query
        assert expected in passages(results)
        assert not results.degraded
        assert all(not hit.missing for hit in results.hits)


def test_a_word_too_many_is_left_out_and_said(found: SessionSearch) -> None:
    results = found.search("ORDER_POOL_SIZE zanzibar", NOW)
    assert results.hits
    assert {hit.missing for hit in results.hits} == {("zanzibar",)}
    assert found.search("zanzibar", NOW).hits == ()


def test_projects_bound_the_search(found: SessionSearch) -> None:
    assert found.search("ORDER_POOL_SIZE", NOW, project=[PROJECT]).hits
    assert not found.search("ORDER_POOL_SIZE", NOW, project=["/home/dev/other"]).hits
    assert found.search("ORDER_POOL_SIZE project:svc-order", NOW, project=["/x"]).hits
    unknown = found.search("ORDER_POOL_SIZE project:nothing", NOW)
    assert not unknown.hits
    assert unknown.degraded[0].topic == "scope"


def test_filters_of_cards_are_said_not_to_apply(found: SessionSearch) -> None:
    notes = found.search("pool type:env since:soon", NOW).degraded
    assert {note.topic for note in notes} == {"query"}
    assert len(notes) == 2


@pytest.mark.parametrize("query", ["", "the", '"', "*", "\0", "type:", "-" * 500, "AND OR NEAR("])
def test_nothing_typed_is_an_error(found: SessionSearch, query: str) -> None:
    assert not any(note.topic == "sessions" for note in found.search(query, NOW).degraded)


def test_what_is_missing_is_said(catalogue: Catalogue, tmp_path: Path) -> None:
    unread = SessionSearch(catalogue).search("pool", NOW)
    assert unread.hits == ()
    assert "not searched yet" in unread.degraded[0].message
    nowhere = SessionSearch(Catalogue(tmp_path / "none.db", HOSTS)).search("pool", NOW)
    assert nowhere.degraded[0].topic == "sessions"
