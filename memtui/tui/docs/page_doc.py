"""A page before it is saved or rebuilt, with what each claim rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memtui.bank.model import Card, Page
from memtui.bank.pages import claims_in
from memtui.curate.clusters import LEAST_CARDS, LEAST_SESSIONS, enough, sessions_of
from memtui.curate.compile import PageDraft, RebuildPlan
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.columns import row
from memtui.tui.docs.document import (
    Blank,
    Block,
    DiffText,
    Document,
    Heading,
    MarkdownText,
    Prose,
    document,
)
from memtui.tui.docs.item_rows import trust_span
from memtui.tui.docs.spans import Line
from memtui.tui.glyphs import Glyphs
from memtui.workspace.model import ItemView


def draft_document(
    draft: PageDraft, cards: Sequence[Card], glyphs: Glyphs, below: Sequence[Page] = ()
) -> Document:
    """Title and text, and what is doubtful about them; `below` are pages that it is merged from."""
    blocks: list[Block] = [
        Prose(((line_of(draft.title, 500) or "no title", "title"),)),
        Prose(((f"{draft.type}, from {basis(cards)}", "muted"),)),
    ]
    for doubt in doubts(draft, cards):
        blocks.append(Prose(((f"{glyphs.warning} {doubt}", "state-warn"),)))
    blocks += [Blank(), MarkdownText(body_of(draft.body))]
    for page in below:
        blocks += [Blank(), *_page_blocks(page)]
    return document("page-draft", draft.title, blocks)


def source_page(page: Page) -> Document:
    """A page that is merged into another."""
    return document(f"source:{page.id}", page.name, _page_blocks(page))


def _page_blocks(page: Page) -> list[Block]:
    title = line_of(page.title or page.name, 500)
    return [Heading(((title, "strong"),)), MarkdownText(body_of(page.body))]


def basis(cards: Sequence[Card]) -> str:
    """`4 cards of 3 sessions`."""
    sessions = len(sessions_of(cards))
    return (
        f"{len(cards)} card{'' if len(cards) == 1 else 's'} of "
        f"{sessions} session{'' if sessions == 1 else 's'}"
    )


def doubts(draft: PageDraft, cards: Sequence[Card]) -> list[str]:
    """What a person should know before the page is saved."""
    found = []
    if not enough(cards):
        found.append(
            f"a page wants {LEAST_CARDS} cards of {LEAST_SESSIONS} sessions: you will be asked why"
        )
    bare = [claim.text for claim in claims_in(draft.body) if not claim.cards]
    if bare:
        said = f'"{line_of(bare[0], 60)}"'
        found.append(f"cites no card: {said}" + (f" and {len(bare) - 1} more" if bare[1:] else ""))
    names = {card.name for card in cards}
    unknown = {name for claim in claims_in(draft.body) for name in claim.cards} - names
    if unknown:
        found.append(f"cites what it is not made from: {', '.join(sorted(unknown)[:3])}")
    return found


def source_row(view: ItemView, used: bool, why: str, width: int, glyphs: Glyphs) -> Line:
    """`✓ ● 0.92 Title`, or why the card is left out."""
    sign = (f"{glyphs.verified} ", "ok") if used else (f"{glyphs.gone} ", "state-absent")
    title = (line_of(view.item.title or view.item.name), "text" if used else "muted")
    left: Line = [sign, *trust_span(view, glyphs), (" ", ""), title]
    return row(
        left, [[(line_of(why, 30), "state-absent")]] if why else [], width, 24, glyphs.ellipsis
    )


def rebuild_document(plan: RebuildPlan, names: Mapping[str, str], glyphs: Glyphs) -> Document:
    """What rebuilding changes; `names` are card names by id."""
    blocks: list[Block] = [Prose(((line_of(plan.page.title or plan.page.name), "title"),)), Blank()]
    for card, reason in plan.left_out.items():
        said = line_of(names.get(card, card), 80)
        blocks.append(
            Prose(((f"{glyphs.gone} left out: {said} ", "state-absent"), (reason, "muted")))
        )
    for claim in plan.lost:
        said = line_of(claim.text, 500)
        blocks.append(
            Prose(((f"{glyphs.warning} lost its support: ", "state-warn"), (said, "text")))
        )
    if plan.left_out or plan.lost:
        blocks.append(Blank())
    lines = body_of(plan.diff).split("\n")
    kept = [line for line in lines if not line.startswith(("--- ", "+++ "))]
    if any(line.strip() for line in kept):
        blocks += [Heading((("what changes", "muted"),)), DiffText("\n".join(kept))]
    else:
        blocks.append(
            Prose((("no line changes; the page is in step with its cards again", "text"),))
        )
    return document(f"rebuild:{plan.page.id}", "rebuild", blocks)
