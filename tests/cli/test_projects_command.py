"""`memtui projects`: the list and the search over all, for people and programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cli.running import ROOT
from tests.workspace.many_projects import HOSTILE, Many, many


def run(world: Many, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **world.environ(), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "memtui", *words],
        cwd=world.folder("shop"), env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_projects_are_listed_newest_last_narrowed_and_searched(tmp_path: Path) -> None:
    world = many(tmp_path)
    rows: list[dict[str, Any]] = json.loads(run(world, "projects", "--json").stdout)
    assert [row["name"] for row in rows][-2:] == ["team-site", "shop"]
    assert rows[-1]["cards"] == 3
    assert rows[-1]["here"] is True
    listed = run(world, "projects")
    assert listed.returncode == 0
    assert len(listed.stdout.splitlines()) == len(rows), "a line each, whatever the names hold"
    assert HOSTILE not in listed.stdout
    assert "evil[bold]xy" in listed.stdout or "evil[bold]x" in listed.stdout
    one = run(world, "projects", "--matching", "TEAM claude", "--json")
    assert [row["name"] for row in json.loads(one.stdout)] == ["team-site"]
    nothing = run(world, "projects", "--matching", "nobody")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    run(world, "cards")
    told = json.loads(run(world, "projects", "--search", "wombat", "--json").stdout)
    assert {card["project"] for card in told["cards"]} == {"shop"}
    assert told["turns"][0]["folder"] == str(world.folder("team-site"))
