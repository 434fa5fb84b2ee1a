"""Drift on real repositories: what is lost, what moved, what only changed around it."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.bank.model import BankConfig, BankContents, Card, Event, Layout, Scope, Status
from memtui.index.citations import cited_paths, cited_words, form_in, holds
from memtui.index.drift import Drift, find_drift
from memtui.index.git import Git
from tests.index.banks import card

START = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
POOL = "import os\n\n\ndef size():\n    return int(os.environ['ORDER_POOL_SIZE'])\n"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Repo:
    """A repository with one commit a day."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.day = 0
        root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        date = (START + timedelta(days=self.day)).isoformat()
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.root)}
        environ |= {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date, "GIT_CONFIG_NOSYSTEM": "1"}
        name = ["-c", "user.name=Dana", "-c", "user.email=dana@example.com"]
        done = subprocess.run(
            ["git", *name, *arguments], cwd=self.root, env=environ, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def commit(self, **files: str | None) -> str:
        """Write these files (`__` stands for a slash, `.py` is added) or remove them, and commit."""
        self.day += 1
        self.write(**files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"day {self.day}")
        return self.git("rev-parse", "HEAD")[:7]

    def write(self, **files: str | None) -> None:
        for name, text in files.items():
            path = self.root / (name.replace("__", "/") + ".py")
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "repo")
    repo.commit(order__pool=POOL, order__other="x = 1\n")
    return repo


def pool_card(**fields: Any) -> Card:
    given = {
        "body": "Export `ORDER_POOL_SIZE=8`.\n",
        "scope": Scope(paths=("order/pool.py",)),
        "created": START + timedelta(days=1.5),
        "digest": "d1",
    }
    return card("k3f9qa", **(given | fields))


def bank(*cards: Card, events: tuple[Event, ...] = ()) -> BankContents:
    return BankContents(Path("/b"), Layout.MEMTUI, BankConfig(id="b"), cards, (), events)


def drift(repo: Repo, *cards: Card, **options: Any) -> Drift:
    return find_drift(bank(*(cards or (pool_card(),))), repo.root, "main", **options)


def test_nothing_changed(repo: Repo) -> None:
    assert drift(repo) == Drift({}, checked=1)


def test_a_removed_word_is_drift_with_its_commit(repo: Repo) -> None:
    repo.commit(order__pool=POOL + "# unrelated\n")
    lost = repo.commit(order__pool=POOL.replace("ORDER_POOL_SIZE", "POOL"))
    repo.commit(order__pool=POOL.replace("ORDER_POOL_SIZE", "POOL") + "# later\n")
    cause = f"order/pool.py changed in {lost} (2026-11-04): ORDER_POOL_SIZE no longer there"
    assert drift(repo).causes == {"k3f9qa": cause}


def test_a_change_around_the_word_is_none(repo: Repo) -> None:
    repo.commit(order__pool="# new first line\n" + POOL.replace("int(", "max(1, "))
    assert drift(repo).causes == {}


def test_moved_text_is_relocated(repo: Repo) -> None:
    repo.commit(order__pool="from order.conn import size\n", order__conn=POOL)
    found = drift(repo)
    assert found.causes == {}
    assert found.relocated == {"k3f9qa": "order/pool.py (ORDER_POOL_SIZE) is now in order/conn.py"}


def test_moved_and_indented_text_is_relocated(repo: Repo) -> None:
    line = "    return int(os.environ['ORDER_POOL_SIZE'])"
    repo.commit(order__pool="\n", order__conn=f"class A:\n    def b():\n    {line}\n")
    assert "k3f9qa" in drift(repo).relocated


def test_a_mention_elsewhere_is_no_relocation(repo: Repo) -> None:
    lost = repo.commit(order__pool="\n", order__notes="# ORDER_POOL_SIZE was here\n")
    assert lost in drift(repo).causes["k3f9qa"]


def test_a_removed_file(repo: Repo) -> None:
    lost = repo.commit(order__pool=None)
    cause = f"order/pool.py removed in {lost} (2026-11-03): ORDER_POOL_SIZE no longer there"
    assert drift(repo).causes == {"k3f9qa": cause}
    bare = pool_card(body="No code here.\n")
    assert drift(repo, bare).causes == {"k3f9qa": f"order/pool.py removed in {lost} (2026-11-03)"}


def test_a_renamed_file_is_relocated(repo: Repo) -> None:
    repo.commit(order__pool=None, order__conn=POOL)
    bare = pool_card(body="No code here.\n")
    assert drift(repo, bare).relocated == {"k3f9qa": "order/pool.py is now in order/conn.py"}


def test_a_confirmation_sets_a_new_anchor(repo: Repo) -> None:
    repo.commit(order__pool="\n")
    at = START + timedelta(days=3)
    confirmed = Event("e1", at, "dana", "verdict", "confirm", "card:k3f9qa")
    contents = bank(pool_card(), events=(confirmed,))
    assert find_drift(contents, repo.root, "main").causes == {}


def test_a_word_committed_after_the_card_was_written(repo: Repo) -> None:
    """A session writes the card before it commits the code that the card is about."""
    repo.commit(order__pool=POOL + "RETRY_LIMIT = 3\n")
    new = pool_card(body="See `RETRY_LIMIT`.\n")
    assert drift(repo, new).causes == {}
    lost = repo.commit(order__pool=POOL)
    assert lost in drift(repo, new).causes["k3f9qa"]


def test_a_word_still_in_another_cited_file(repo: Repo) -> None:
    repo.commit(order__pool="\n")
    repo.commit(order__other="ORDER_POOL_SIZE = None\n")
    both = pool_card(scope=Scope(paths=("order/pool.py", "order/other.py")))
    assert drift(repo, both).causes == {}


def test_the_work_tree_counts(repo: Repo) -> None:
    repo.write(order__pool="\n")
    cause = "order/pool.py changed in the work tree: ORDER_POOL_SIZE no longer there"
    assert drift(repo).causes == {"k3f9qa": cause}
    repo.write(order__pool=POOL)
    assert drift(repo).causes == {}
    repo.write(order__pool=None)
    assert drift(repo).causes["k3f9qa"].startswith("order/pool.py removed in the work tree")


def test_a_merged_branch_counts_by_its_merge(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit(order__pool="\n")
    repo.git("checkout", "-q", "main")
    repo.commit(order__other="x = 2\n")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = repo.git("rev-parse", "HEAD")[:7]
    assert merge in drift(repo).causes["k3f9qa"]


@pytest.mark.parametrize(
    "fields",
    [
        {"status": Status.STALE},
        {"scope": Scope(branch="feature", paths=("order/pool.py",))},
        {"scope": Scope()},
        {"scope": Scope(paths=("order/never-there.py",))},
        {"scope": Scope(paths=("../outside.py", "/etc/passwd", ":(top)x", "a\tb.py"))},
        {"created": None},
        {"created": START - timedelta(days=99)},
    ],
)
def test_what_is_not_concerned(repo: Repo, fields: dict[str, Any]) -> None:
    repo.commit(order__pool="\n")
    assert drift(repo, pool_card(**fields)).causes == {}


def test_no_git_no_repository_no_folder(
    tmp_path: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = bank(pool_card())
    (tmp_path / "plain").mkdir()
    assert "not a git repository" in find_drift(contents, tmp_path / "plain", "main").note
    assert "no project folder" in find_drift(contents, None, "main").note
    assert "drift is not computed" in find_drift(contents, tmp_path / "gone", "main").note
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert (
        find_drift(contents, repo.root, "main").note
        == "drift is not computed: git is not installed"
    )
    assert find_drift(bank(), repo.root, "main") == Drift({})


def test_an_empty_repository_says_so(tmp_path: Path) -> None:
    empty = Repo(tmp_path / "empty")
    assert "drift is not computed" in find_drift(bank(pool_card()), empty.root, "main").note


def test_git_is_asked_a_fixed_number_of_times(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    cards = []
    for n in range(12):
        repo.commit(**{f"order__f{n}": f"NAME_{n} = {n}\n"})
    for n in range(12):
        made = pool_card(body=f"See `NAME_{n}`.\n", scope=Scope(paths=(f"order/f{n}.py",)))
        cards.append(replace(made, id=f"c{n}", created=START + timedelta(days=20)))
    repo.day = 30
    repo.commit(**{f"order__f{n}": "\n" for n in range(12)})
    asked: list[str] = []
    original = Git._run

    def count(self: Git, *arguments: str, **options: Any) -> bytes:
        asked.append(arguments[0])
        return original(self, *arguments, **options)

    monkeypatch.setattr(Git, "_run", count)
    assert len(drift(repo, *cards).causes) == 12
    assert len(asked) <= 8


def test_cards_are_checked_once_per_head(repo: Repo, tmp_path: Path) -> None:
    db = tmp_path / "index.db"
    repo.commit(order__pool="\n")
    first = drift(repo, cache=db)
    again = drift(repo, cache=db)
    assert (first.checked, again.checked) == (1, 0)
    assert first.causes == again.causes != {}
    assert drift(repo, pool_card(digest="d2"), cache=db).checked == 1
    repo.write(order__pool=POOL)
    edited = drift(repo, pool_card(digest="d2"), cache=db)
    assert (edited.checked, edited.causes) == (1, {})
    repo.commit(order__pool=POOL)
    back = drift(repo, cache=db)
    assert (back.checked, back.causes) == (1, {})


def test_an_unusable_cache_is_said(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = drift(repo, cache=tmp_path / "file" / "index.db")
    assert found.note.startswith("drift is not cached")
    assert found.checked == 1


def test_nothing_in_the_repository_is_written(repo: Repo) -> None:
    repo.write(order__pool="\n")
    before = {p: p.stat().st_mtime_ns for p in repo.root.rglob("*") if p.is_file()}
    drift(repo)
    assert before == {p: p.stat().st_mtime_ns for p in repo.root.rglob("*") if p.is_file()}


def test_citations() -> None:
    made = pool_card(
        title="The `PORT` is 8417",
        body="See `order/cfg.py`, `./a/b.c`, `pool.acquire(30)` and `X=1`. ```\n`open`\n",
        scope=Scope(paths=("./order/pool.py", "order/")),
    )
    assert cited_paths(made) == ("order/pool.py", "order", "order/cfg.py", "a/b.c")
    assert cited_words(made)[:3] == ("PORT", "pool.acquire(30)", "X=1")
    assert form_in("pool.acquire(30)", "def acquire(self):") == "acquire"
    assert form_in("ORDER=8", "ORDERS = 1") == ""
    assert holds("a_b", "x a_b()")
    assert not holds("a_b", "xa_b a_bc")
