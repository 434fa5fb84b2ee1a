"""What all tests share: nothing of the developer's own is read, and the sample bank is a copy."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.safety.redact import use_patterns
from memtui.workspace.sample import Sample, copy_sample

ROOT = Path(__file__).resolve().parent.parent

for _name in [name for name in os.environ if name.startswith(("MEMTUI_", "CLAUDE_", "CODEX_"))]:
    if _name not in (
        "MEMTUI_FAULT_RUNS",
        "MEMTUI_CLIENTS",
        "MEMTUI_REAL_BANKS",
        "MEMTUI_LIVE_SECONDS",
    ):
        del os.environ[_name]


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own, so that no setting or transcript of the developer is seen."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "STATE", "CACHE", "DATA"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
        monkeypatch.delenv(f"MEMTUI_{name}_HOME", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    use_patterns(())
    return home


@pytest.fixture(scope="session")
def _sample_master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("sample")
    copy_sample(folder)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def sample(_sample_master: Path, tmp_path: Path) -> Sample:
    """A fresh copy of the sample bank, its hosts' home and its project."""
    target = tmp_path / "sample"
    shutil.copytree(_sample_master, target, symlinks=True)
    return Sample(target)


@pytest.fixture
def samples_folder() -> Path:
    """Real transcripts that are not part of the project; the test is skipped where they are absent."""
    folder = ROOT.parent / "shared" / "samples"
    if not folder.is_dir():
        pytest.skip("no folder of sample transcripts beside the project")
    return folder


@pytest.fixture
def python() -> str:
    """The interpreter, for tests that start processes."""
    return sys.executable
