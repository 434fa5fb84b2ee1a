"""The project of a working folder, read from `.git` alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.sessions.project import Project, Projects, bare_remote

CONFIG = """[core]
	bare = false
[remote "fork"]
	url = git@example.org:me/shop.git
[remote "origin"]
	url = https://user:secret@example.org/shop.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text(CONFIG)
    (root / "src").mkdir()
    return root


def find(tmp_path: Path, cwd: Path | str) -> Project:
    return Projects(tmp_path / "home").of(str(cwd))


def test_every_folder_of_a_repository_is_one_project(repo: Path, tmp_path: Path) -> None:
    expected = Project(str(repo), "https://example.org/shop.git")
    assert find(tmp_path, repo) == expected
    assert find(tmp_path, repo / "src") == expected
    assert find(tmp_path, repo / "src" / "gone" / "deeper") == expected


def test_a_work_tree_is_its_main_repository(repo: Path, tmp_path: Path) -> None:
    tree, own = tmp_path / "shop-fix", repo / ".git" / "worktrees" / "shop-fix"
    own.mkdir(parents=True)
    tree.mkdir()
    (own / "commondir").write_text("../..\n")
    (tree / ".git").write_text(f"gitdir: {own}\n")
    assert find(tmp_path, tree).key == str(repo)


def test_a_submodule_is_a_project_of_its_own(repo: Path, tmp_path: Path) -> None:
    sub, own = repo / "lib", repo / ".git" / "modules" / "lib"
    own.mkdir(parents=True)
    sub.mkdir()
    (sub / ".git").write_text("gitdir: ../.git/modules/lib\n")
    assert find(tmp_path, sub).key == str(sub)


def test_home_is_no_project_even_with_git(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".git").mkdir(parents=True)
    (home / "notes").mkdir()
    assert find(tmp_path, home / "notes") == Project(str(home / "notes"))


@pytest.mark.parametrize("cwd", ["/no/such/folder", "relative", "", "/", "C:\\work", "/a\0b"])
def test_a_folder_without_git_is_itself(tmp_path: Path, cwd: str) -> None:
    assert find(tmp_path, cwd).key == cwd


@pytest.mark.parametrize(
    "text", ["", "no gitdir", "gitdir:", "gitdir: /no/such/place", "gitdir: \udcff"]
)
def test_a_broken_git_file_does_not_matter(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / ".git").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert find(tmp_path, folder).key.startswith(str(tmp_path))


def test_credentials_are_no_part_of_a_remote() -> None:
    assert bare_remote("ssh://me@host/x") == "ssh://host/x"
    assert bare_remote("git@example.org:me/shop.git") == "git@example.org:me/shop.git"
