"""Drift day on real repositories: which cards changes touched since they were last looked at."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta

import pytest

from memtui.index.touched import DriftDay, Touch, drift_day
from tests.index.test_index_drift import POOL, START, Repo, bank, pool_card, repo

__all__ = ["repo"]

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def day(repo: Repo, *, days: float = 1.5, since: object = None) -> DriftDay:
    card = pool_card(created=START + timedelta(days=days))
    return drift_day(bank(card), repo.root, "main", since)  # type: ignore[arg-type]


def test_a_change_after_the_confirmation_touches_and_one_before_does_not(repo: Repo) -> None:
    assert day(repo).touched == {}
    commit = repo.commit(order__pool=POOL + "# more\n")
    assert day(repo).touched == {"k3f9qa": (Touch("order/pool.py", commit, "2026-11-03"),)}
    assert day(repo, days=2.5).touched == {}


def test_other_files_and_other_branches_do_not_touch(repo: Repo) -> None:
    repo.commit(order__other="x = 2\n")
    assert day(repo).touched == {}
    repo.commit(order__pool=POOL + "# more\n")
    assert drift_day(bank(pool_card()), repo.root, "main").touched
    assert not drift_day(bank(pool_card(status="retired")), repo.root, "main").touched


def test_only_since_a_commit_or_a_moment(repo: Repo) -> None:
    first = repo.commit(order__pool=POOL + "# 1\n")
    second = repo.commit(order__pool=POOL + "# 2\n")
    assert [touch.commit for touch in day(repo).touched["k3f9qa"]] == [second, first]
    found = day(repo, since=first)
    assert [touch.commit for touch in found.touched["k3f9qa"]] == [second]
    assert found.since == first
    moment = START + timedelta(days=2.5)
    assert [touch.commit for touch in day(repo, since=moment).touched["k3f9qa"]] == [second]
    assert day(repo, since=second).touched == {}


def test_an_edit_that_is_not_committed_touches_until_it_was_looked_at(repo: Repo) -> None:
    repo.write(order__pool=POOL + "# edited\n")
    late = (START + timedelta(days=5)).timestamp()
    os.utime(repo.root / "order" / "pool.py", (late, late))
    assert day(repo).touched == {"k3f9qa": (Touch("order/pool.py"),)}
    assert day(repo, days=6).touched == {}


def test_a_file_that_was_only_written_again_does_not_touch(repo: Repo) -> None:
    repo.write(order__pool=POOL)
    late = (START + timedelta(days=5)).timestamp()
    os.utime(repo.root / "order" / "pool.py", (late, late))
    assert day(repo).touched == {}
    (repo.root / "order" / "pool.py").unlink()
    assert day(repo).touched == {"k3f9qa": (Touch("order/pool.py"),)}


@pytest.mark.parametrize("word", ["nothing", "--all", "HEAD; ls", "\x1b[2J"])
def test_a_word_that_is_no_commit_is_said(repo: Repo, word: str) -> None:
    assert "there is no commit" in day(repo, since=word).note


def test_without_a_repository_it_says_so(repo: Repo) -> None:
    assert "no project folder" in drift_day(bank(pool_card()), None, "main").note
    shutil.rmtree(repo.root / ".git")
    assert "cannot be asked" in day(repo).note
