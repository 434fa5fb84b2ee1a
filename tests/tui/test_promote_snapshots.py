"""Every screen of curating, at the sizes that people use."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle
from tests.tui.test_snapshots import SIZES, SnapCompare, keys

CARD = "pool-timeout-unset-env"
DRAFT = ("1", "g", "o", "enter")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("state", "pressed"),
    [
        ("offers", ("1", "g", "o")),
        ("draft", DRAFT),
        ("near", (*DRAFT, "ctrl+n")),
    ],
)
def test_promoting(
    snap_compare: SnapCompare, open_app: Open, size: str, state: str, pressed: tuple[str, ...]
) -> None:
    """What a session offers, the editor of a draft, and what is close to it."""
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=keys(*pressed))


def test_draft_in_ascii(snap_compare: SnapCompare, open_app: Open) -> None:
    """The editor with ASCII characters only."""
    app = open_app(ascii_only=True)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys(*DRAFT))


def test_unsaved_text(snap_compare: SnapCompare, open_app: Open) -> None:
    """Leaving asks."""
    run = keys(*DRAFT, "X", "escape")
    assert snap_compare(open_app(), terminal_size=(80, 24), run_before=run)


@pytest.mark.parametrize("size", SIZES)
def test_conflict(snap_compare: SnapCompare, open_app: Open, sample: Sample, size: str) -> None:
    """A file that changed since: its three texts."""

    async def run(pilot: Pilot[None]) -> None:
        await settle(pilot)
        await keys("2", "slash", *"pool timeouts", "enter", "d")(pilot)
        card = sample.bank / "cards" / f"{CARD}.md"
        card.write_bytes(card.read_bytes() + b"Added by hand.\n")
        await keys("u")(pilot)

    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=run)


@pytest.mark.parametrize("size", ["80x24", "50x40"])
def test_blame(snap_compare: SnapCompare, open_app: Open, size: str) -> None:
    """Who did what to a card, and from what it was made."""
    run = keys("2", "slash", *"pool timeouts", "enter", "b")
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=run)


def test_a_toast_says_what_happened(snap_compare: SnapCompare, open_app: Open) -> None:
    """After a demotion the card, the preview and the toast say so together."""
    run = keys("2", "slash", *"pool timeouts", "enter", "d")
    assert snap_compare(open_app(), terminal_size=(120, 40), run_before=run)


def test_hidden_sessions(snap_compare: SnapCompare, open_app: Open) -> None:
    """A hidden session that is shown on demand."""
    assert snap_compare(
        open_app(), terminal_size=(120, 40), run_before=keys("1", "g", "d", "t", "h", "g")
    )
