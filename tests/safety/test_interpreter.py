"""What runs beside the app in a project's folder imports nothing that the project put there."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from memtui.safety.interpreter import running
from memtui.workspace.apart import sleep_apart
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample

TRAPS = ("argparse", "json", "memtui", "sqlite3", "struct")


def set_traps(folder: Path) -> None:
    for name in TRAPS:
        (folder / f"{name}.py").write_text("open('trapped', 'w').close()\nraise SystemExit(9)\n")


def test_a_child_imports_from_where_its_owner_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_traps(tmp_path)
    modules = tmp_path / "modules"
    modules.mkdir()
    code = "import json, sys\ndef main(arguments): print(json.dumps([sys.argv[0], *arguments]))\n"
    (modules / "told.py").write_text(code)
    monkeypatch.syspath_prepend(str(modules))
    done = subprocess.run(
        [*running("told"), "a", "-b"], cwd=tmp_path, capture_output=True, check=True
    )
    assert json.loads(done.stdout) == ["memtui", "a", "-b"]
    assert not (tmp_path / "trapped").exists()


def test_a_sleep_that_runs_apart_imports_nothing_of_the_project(sample: Sample) -> None:
    set_traps(sample.project)
    with open_workspace(None, sample.project, {**os.environ, **sample.environ()}) as workspace:
        workspace.load()
        report = sleep_apart(workspace, lambda progress: None, lambda: False, apply=False)
    assert not report.cancelled
    assert not (sample.project / "trapped").exists()
