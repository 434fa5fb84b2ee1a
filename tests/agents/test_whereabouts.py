"""What a hook finds cheaply equals what the app finds: folders, projects, branches, banks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.agents.announce import announce
from memtui.agents.bankmap import find, forget, look_up
from memtui.agents.whereabouts import cache_folder, checkout, state_folder
from memtui.bank.find import current_branch, project_root
from memtui.paths import Places, places
from memtui.sessions.project import Projects

ENVIRONMENTS: dict[str, dict[str, str]] = {
    "plain": {"HOME": "/home/dev"},
    "xdg": {"HOME": "/home/dev", "XDG_STATE_HOME": "/x/state", "XDG_CACHE_HOME": "/x/cache/"},
    "relative xdg": {"HOME": "/home/dev", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": ""},
    "own": {"HOME": "/home/dev", "MEMTUI_STATE_HOME": "/m/state", "MEMTUI_CACHE_HOME": "/m/cache"},
    "slashes": {"HOME": "/home/dev/", "XDG_CACHE_HOME": "/x//cache"},
    "no home": {},
    "relative home": {"HOME": "dev"},
}


@pytest.mark.parametrize("name", sorted(ENVIRONMENTS))
def test_folders_equal_those_of_the_app(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (
        "HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "MEMTUI_STATE_HOME",
        "MEMTUI_CACHE_HOME",
    ):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in ENVIRONMENTS[name].items():
        monkeypatch.setenv(variable, value)
    expected = places(os.environ)
    assert Path(state_folder(os.environ)) == expected.state
    assert Path(cache_folder(os.environ)) == expected.cache


@pytest.mark.skipif(sys.platform != "linux", reason="checks the other platform's table by hand")
def test_folders_on_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    from platformdirs.macos import MacOS

    monkeypatch.setenv("HOME", "/Users/dev")
    for variable in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    dirs = MacOS("memtui", appauthor=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert state_folder(os.environ) == dirs.user_state_dir
    assert cache_folder(os.environ) == dirs.user_cache_dir


def git(folder: Path, *words: str) -> None:
    environ = {"HOME": "/", "GIT_CONFIG_GLOBAL": "/dev/null", "PATH": os.environ["PATH"]}
    command = [
        "git",
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.com",
        "-C",
        str(folder),
        *words,
    ]
    subprocess.run(command, check=True, capture_output=True, env=environ)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "work" / "svc-order"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "feature/x")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (root / "deep" / "er").mkdir(parents=True)
    (tmp_path / "work" / "plain").mkdir()
    return root


def test_projects_equal_those_of_the_app(tmp_path: Path, repository: Path) -> None:
    home = tmp_path / "work"
    environ = {"HOME": str(home)}
    folders = [
        repository, repository / "deep" / "er", repository / "gone", tmp_path / "side",
        home / "plain", tmp_path, tmp_path / "nowhere" / "at" / "all",
    ]  # fmt: skip
    for folder in folders:
        expected = project_root(folder, home)
        assert checkout(str(folder), environ).root == str(expected), folder
        assert Projects(home).of(str(folder)).key == str(expected), folder
    for refused in (home, Path("/")):
        assert project_root(refused, home) is None
        assert checkout(str(refused), environ).root == ""
    for odd in ("", "relative/path", "a\0b"):
        assert checkout(odd, environ).root == ""


def test_branches(tmp_path: Path, repository: Path) -> None:
    environ = {"HOME": "/home/dev"}
    assert checkout(str(repository / "deep"), environ).branch == "feature/x"
    assert current_branch(repository) == "feature/x"
    assert checkout(str(tmp_path / "side"), environ).branch == "side"
    git(repository, "checkout", "-q", "--detach")
    assert checkout(str(repository), environ).branch == ""


@pytest.fixture
def here(tmp_path: Path) -> Places:
    root = tmp_path / "memtui"
    return Places(root / "config", root / "state", root / "cache", root / "data")


def test_banks_are_found_by_project_also_from_a_work_tree(
    tmp_path: Path, repository: Path, here: Places
) -> None:
    environ = {"HOME": "/home/dev"}
    cache = str(here.cache)
    bank = tmp_path / "bank"
    bank.mkdir()
    known = announce(here, "b1", bank, repository)
    for folder in (repository, repository / "deep", tmp_path / "side"):
        found = find(cache, str(folder), environ).known
        assert found is not None
        assert (found.bank, found.key, found.index) == (str(bank), known.key, known.index)
    other = tmp_path / "elsewhere" / "svc-order"
    other.mkdir(parents=True)
    assert find(cache, str(other), environ).known is None
    assert find(cache, str(other), {**environ, "MEMTUI_BANK": str(bank)}).known is not None
    asked = find(cache, str(repository), {**environ, "MEMTUI_BANK": "nowhere"})
    assert asked.known is None
    assert asked.unknown.endswith("nowhere")
    forget(cache, str(repository))
    assert find(cache, str(repository), environ).known is None
    assert look_up(cache, str(bank)) is not None
    forget(cache, str(repository))


def test_a_shared_bank_comes_before_the_users_own(
    tmp_path: Path, repository: Path, here: Places
) -> None:
    environ = {"HOME": "/home/dev"}
    shared = repository / ".memtui-bank"
    shared.mkdir()
    announce(here, "own", tmp_path, repository)
    assert find(str(here.cache), str(repository / "deep"), environ).unknown == str(shared)
    announce(here, "shared", shared, None)
    found = find(str(here.cache), str(repository / "deep"), environ).known
    assert found is not None
    assert found.bank == str(shared)
    side = find(str(here.cache), str(tmp_path / "side"), environ).known
    assert side is not None
    assert side.bank == str(shared)


def test_home_has_no_bank(tmp_path: Path, here: Places) -> None:
    announce(here, "b", tmp_path, tmp_path)
    search = find(str(here.cache), str(tmp_path), {"HOME": str(tmp_path)})
    assert search.known is None
    assert search.unknown == ""


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": 2}', b'{"format": 1, "place": "/x"}']
)
def test_a_damaged_note_is_none(tmp_path: Path, here: Places, content: bytes) -> None:
    announce(here, "b", tmp_path, None)
    (path,) = (here.cache / "known").iterdir()
    path.write_bytes(content)
    assert look_up(str(here.cache), str(tmp_path)) is None
