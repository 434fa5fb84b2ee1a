"""The pictures of the README and the docs show the app as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle
from tests.tui.curating import press

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "img"
PICTURES = {
    "browse": ((120, 34), ("3", "enter", "j", "enter", "enter")),
    "record": ((120, 34), ("3", "enter", "j", "enter", "enter", "enter")),
    "health": ((120, 34), ("f4",)),
}


@pytest.mark.parametrize("name", PICTURES)
async def test_a_picture_is_what_the_app_shows(open_app: Open, sample: Sample, name: str) -> None:
    """`WRITE_DOCS=1` draws it anew."""
    size, keys = PICTURES[name]
    path = FOLDER / f"{name}.svg"
    app = open_app()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        drawn = app.export_screenshot(title="memtui")
    assert str(sample.root) not in drawn
    if os.environ.get("WRITE_DOCS"):
        path.write_text(drawn, "utf-8")
    assert path.read_text("utf-8") == drawn
