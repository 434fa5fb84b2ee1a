"""From the sample's failing session to a confirmed card and a rebuilt page by keyboard, and all back by `u`."""

from __future__ import annotations

from memtui.tui.app import MemtuiApp
from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import browse, bytes_of, go_to, item, press

PAGE = "change-the-schema"
CARD = "not-null-needs-default"


def sent(app: MemtuiApp) -> str:
    """What the next session receives now, as the preview shows it."""
    preview = browse(app).preview
    assert preview is not None
    return preview.delivered


async def test_from_a_failure_to_a_page_and_all_the_way_back(
    open_app: Open, sample: Sample
) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=(130, 40)) as pilot:
        await settle(pilot)
        previews = [sent(app)]
        await press(pilot, "1", "left_parenthesis", "p")
        assert "drafted from: pair" in text_of(app)
        await press(pilot, "ctrl+s")
        made = item(app, str(browse(app).cards_list.key))
        assert (made.item.type, made.trust.tier) == ("pitfall", "checked")
        assert len(made.item.evidence) >= 2
        assert "untrusted_context" not in "".join(cited.quote for cited in made.item.evidence)
        previews.append(sent(app))
        assert f"[{made.item.id}]" in previews[-1]
        await press(pilot, "c")
        assert item(app, made.item.id).trust.tier == "confirmed"
        previews.append(sent(app))
        await go_to(pilot, app, CARD)
        await press(pilot, "d")
        previews.append(sent(app))
        await press(pilot, "3", "g", "C")
        assert "lost its support" in text_of(app)
        await press(pilot, "y")
        page = item(app, PAGE)
        assert not page.states
        assert item(app, CARD).item.id not in page.item.sources  # type: ignore[union-attr]
        assert len(set(previews)) == len(previews)
        for _ in range(4):
            await press(pilot, "u")
        assert bytes_of(sample) == before
        assert sent(app) == previews[0]
        await press(pilot, "u")
        assert browse(app).last.startswith("nothing to undo")
