"""Which bank belongs to a folder, and which project it is: from git's own files."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memtui.bank.find import data_bank, find_bank, project_root
from memtui.bank.gitfiles import (
    MAX_READ,
    common_dir,
    current_branch,
    normal_remote,
    read_start,
)
from memtui.bank.project import claude_memory, claude_slug, project_of
from tests.bank.banks import memtui_bank

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=d", "-c", "user.email=d@example.com"]
    environ = {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "HOME": str(folder),
    }
    command = [shutil.which("git") or "git", *identity, *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environ)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def repository(path: Path, remote: str = "") -> Path:
    (path / "src" / "deep").mkdir(parents=True)
    git(path, "init", "-q", "-b", "main")
    git(path, "commit", "-q", "--allow-empty", "-m", "one")
    if remote:
        git(path, "remote", "add", "origin", remote)
    return path


@needs_git
def test_a_repository(home: Path) -> None:
    root = repository(home / "work" / "clone", "git@git.example.com:shop/svc-order.git")
    found = project_of(root / "src" / "deep", home)
    assert found is not None
    assert (found.name, found.root, found.branch) == ("svc-order", root, "main")
    assert found.remote == "git.example.com/shop/svc-order"
    assert found.aliases == ("clone", "git.example.com/shop/svc-order")
    git(root, "remote", "remove", "origin")
    bare = project_of(root, home)
    assert bare is not None
    assert (bare.name, bare.remote, bare.aliases) == ("clone", "", ())


@needs_git
def test_work_trees_are_one_project(home: Path) -> None:
    root = repository(home / "svc", "https://git.example.com/shop/svc")
    git(root, "worktree", "add", "-q", "-b", "fix", str(home / "elsewhere"))
    found, main = project_of(home / "elsewhere", home), project_of(root, home)
    assert found is not None
    assert main is not None
    assert (found.root, found.common_dir, found.remote) == (root, main.common_dir, main.remote)
    assert (found.branch, main.branch) == ("fix", "main")
    git(home / "elsewhere", "checkout", "-q", "--detach")
    detached = project_of(home / "elsewhere", home)
    assert detached is not None
    assert detached.branch == ""


@needs_git
def test_a_repository_with_its_git_folder_elsewhere(home: Path) -> None:
    (home / "svc").mkdir()
    (home / "git").mkdir()
    git(home / "svc", "init", "-q", "-b", "main", "--separate-git-dir", str(home / "git" / "svc"))
    found = project_of(home / "svc", home)
    assert found is not None
    assert (found.root, found.branch) == (home / "svc", "main")


def test_folders_without_git(home: Path) -> None:
    (home / "notes" / "deep").mkdir(parents=True)
    found = project_of(home / "notes" / "deep", home)
    assert found is not None
    assert (found.name, found.common_dir, found.branch) == ("deep", None, "")


def test_home_and_root_are_no_projects(home: Path) -> None:
    (home / ".git").mkdir()
    (home / "work").mkdir()
    assert project_of(home, home) is None
    assert project_of(Path("/"), home) is None
    assert project_root(home / "work", home) == home / "work"
    assert find_bank(home, {}, home / "data", project_root(home, home)).root is None


@pytest.mark.parametrize(
    ("config", "remote"),
    [
        (
            '[remote "origin"]\n\turl = https://user:pw@Example.com:8443/a/b.git/\n',
            "example.com/a/b",
        ),
        ('[remote "up"]\nurl=ssh://git@h/x.git\n[remote "origin"]\nurl=h:y.git\n', "h/y"),
        ('[remote "up"]\nurl=ssh://git@h/x.git\n', "h/x"),
        ('[remote "origin"]\nurl = /srv/git/x.git\n', "/srv/git/x"),
        ('[remote "origin"]\nurl = file:///srv/x.git\n', "/srv/x"),
        ('[branch "origin"]\nurl = h:no\n[core]\nbare = false\n', ""),
        ("\x00\xff[[[", ""),
    ],
)
def test_remotes(home: Path, config: str, remote: str) -> None:
    (home / "p" / ".git").mkdir(parents=True)
    (home / "p" / ".git" / "config").write_text(config, "latin-1")
    found = project_of(home / "p", home)
    assert found is not None
    assert found.remote == remote
    assert "pw" not in "".join(found.aliases)
    assert normal_remote(remote) == remote


def test_an_old_remotes_file(home: Path) -> None:
    (home / "p" / ".git" / "remotes").mkdir(parents=True)
    (home / "p" / ".git" / "remotes" / "origin").write_text("URL: git@h:a/b.git\nPull: x\n")
    found = project_of(home / "p", home)
    assert found is not None
    assert found.remote == "h/a/b"


@pytest.fixture
def places(home: Path) -> dict[str, Path]:
    project = home / "work" / "svc"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    return {"project": project, "cwd": project / "src", "data": home / "data"}


def look(places: dict[str, Path], asked: Path | None = None, **environ: str) -> Path | None:
    return find_bank(places["cwd"], environ, places["data"], places["project"], asked).root


def test_the_order_of_the_search(places: dict[str, Path], home: Path) -> None:
    assert look(places) is None
    memtui_bank(home / "work" / ".memtui-bank")  # above the project: not its bank
    assert look(places) is None
    own = memtui_bank(data_bank(places["data"], places["project"]))
    assert look(places) == own
    shared = memtui_bank(places["project"] / ".memtui-bank")
    assert look(places) == shared
    nearer = memtui_bank(places["cwd"] / ".memtui-bank")
    assert look(places) == nearer
    assert look(places, MEMTUI_BANK=str(home / "other")) == home / "other"
    assert look(places, home / "asked", MEMTUI_BANK=str(home / "other")) == home / "asked"


def test_what_was_looked_at_is_told(places: dict[str, Path]) -> None:
    found = find_bank(places["cwd"], {}, places["data"], places["project"])
    assert [place.path for place in found.looked] == [
        places["cwd"] / ".memtui-bank",
        places["project"] / ".memtui-bank",
        data_bank(places["data"], places["project"]),
    ]
    assert not any(place.found for place in found.looked)


def test_an_empty_folder_of_that_name_is_no_bank(places: dict[str, Path]) -> None:
    (places["project"] / ".memtui-bank").mkdir()
    assert look(places) is None


@needs_git
def test_a_work_tree_has_the_bank_that_is_checked_out_in_it(home: Path) -> None:
    root = repository(home / "svc")
    git(root, "worktree", "add", "-q", "-b", "fix", str(home / "tree"))
    (home / "tree" / "src").mkdir()
    project = project_root(home / "tree" / "src", home)
    main_bank = memtui_bank(root / ".memtui-bank")
    assert find_bank(home / "tree" / "src", {}, home / "data", project).root == main_bank
    own_bank = memtui_bank(home / "tree" / ".memtui-bank")
    assert find_bank(home / "tree" / "src", {}, home / "data", project).root == own_bank


def test_another_clone_of_the_same_remote_shares_the_own_bank(
    places: dict[str, Path],
) -> None:
    (places["project"] / ".git" / "config").write_text(
        '[remote "origin"]\nurl=git@h:shop/svc.git\n'
    )
    broken = memtui_bank(places["data"] / "banks" / "a-broken")
    (broken / "bank.toml").write_text("= no")
    bank = memtui_bank(places["data"] / "banks" / "svc-12345678")
    assert look(places) is None
    (bank / "bank.toml").write_text('[scope]\nremote = "https://h/shop/svc"\n')
    assert look(places) == bank


def test_the_memory_of_claude_code(home: Path) -> None:
    project = home / "my_project.v2"
    slug = claude_slug(project)
    assert slug.endswith("-my-project-v2")
    assert claude_memory(project, home, {}) is None
    folder = home / ".claude" / "projects" / slug / "memory"
    folder.mkdir(parents=True)
    assert claude_memory(project, home, {}) == folder
    assert claude_memory(project, home, {"CLAUDE_CONFIG_DIR": str(home / "no")}) is None


def test_a_long_path_of_claude_code(home: Path) -> None:
    project = Path("/" + "x" * 250)
    folder = home / ".claude" / "projects" / (claude_slug(project)[:200] + "-h4sh") / "memory"
    assert claude_memory(project, home, {}) is None
    folder.mkdir(parents=True)
    assert claude_memory(project, home, {}) == folder


@pytest.mark.parametrize(
    "text",
    [b"", b"gitdir:", b"gitdir: /no/such/place", b"gitdir: a\0b", b"gitdir: x\xff\n", b"x" * 99],
)
def test_a_broken_git_file_is_no_git(tmp_path: Path, text: bytes) -> None:
    (tmp_path / ".git").write_bytes(text)
    assert common_dir(tmp_path) is None
    assert current_branch(tmp_path) == ""


def test_gits_files_are_read_only_so_far_and_only_when_they_are_files(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / ".git").write_text(f"gitdir: {own}\n")
    assert common_dir(tmp_path) == own
    (own / "commondir").write_text("nowhere")
    assert common_dir(tmp_path) is None
    (own / "commondir").unlink()
    os.mkfifo(own / "commondir")  # reading it would never end
    os.mkfifo(own / "HEAD")
    assert (common_dir(tmp_path), current_branch(tmp_path)) == (own, "")
    (own / "big").write_bytes(b"#" * (MAX_READ + 10))
    assert len(read_start(own / "big")) == MAX_READ
