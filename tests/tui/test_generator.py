"""A hundred records a second in all formats at once, while the side pane follows.

`MEMTUI_LIVE_SECONDS` says for how long; `python -m tests.bench live` measures the delay of 60 s.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.sessions.host_writers import text
from tests.tui.generator import FOLLOWED, follow, opened_for_writing

SECONDS = float(os.environ.get("MEMTUI_LIVE_SECONDS", "6"))


@pytest.mark.timeout(120 + 3 * SECONDS)
async def test_nothing_is_missed_nothing_comes_twice_and_no_file_is_touched(tmp_path: Path) -> None:
    seen = await follow(tmp_path, SECONDS)
    wanted = Counter(text(name, n) for name, count in seen.written.items() for n in range(count))
    assert len(seen.written) == 15
    assert seen.prompts == wanted, f"missing {wanted - seen.prompts}, twice {seen.prompts - wanted}"
    assert seen.skipped == 0
    assert [said.partition(" @")[0] for said in seen.tail] == [
        text(FOLLOWED, n) for n in range(seen.written[FOLLOWED])
    ]
    assert len(seen.painted) == seen.written[FOLLOWED]
    assert seen.errors == []  # databases that will not wait were never kept waiting
    assert seen.files
    assert all(seen.files.values()), seen.files
    assert seen.opened == []


def test_what_is_opened_for_writing_is_seen(tmp_path: Path) -> None:
    """The check above can fail."""
    path = tmp_path / "x"
    with opened_for_writing(tmp_path) as found:
        path.write_text("x")
        path.read_text()
    assert found == [str(path)]
