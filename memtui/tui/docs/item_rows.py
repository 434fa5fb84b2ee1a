"""Cards, pages, evidence and claims as rows of a list."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from memtui.bank.model import Page
from memtui.reasons import ABSENT
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.columns import highlight, row
from memtui.tui.docs.spans import Line, Span, fit
from memtui.tui.glyphs import Glyphs
from memtui.tui.tones import tier_sign
from memtui.tui.when import days
from memtui.workspace.model import Check, ClaimView, EvidenceView, ItemView

_TITLE = 18
"""Cells that a title keeps before columns beside it are dropped."""


def state_of(view: ItemView) -> Span | None:
    """The strongest state of an item in one word, toned; None when there is nothing to say."""
    if view.behind:
        return f"behind {view.behind}", "state-warn"
    if not view.states:
        return None
    reason = view.states[0].reason
    return reason, "state-absent" if reason in ABSENT else "state-warn"


def trust_span(view: ItemView, glyphs: Glyphs) -> Line:
    """Sign and number: `● 0.92`."""
    sign, tone = tier_sign(view.trust.tier, glyphs)
    return [(f"{sign} {view.trust.score:.2f}", tone)]


class ItemRows:
    """Cards or pages in the order given."""

    def __init__(
        self, views: Sequence[ItemView], glyphs: Glyphs, words: Sequence[str] = ()
    ) -> None:
        self.views = views
        self._glyphs = glyphs
        self._words = tuple(words)
        self._where = {view.item.id: index for index, view in enumerate(views)}

    def __len__(self) -> int:
        return len(self.views)

    def key(self, index: int) -> Hashable:
        """The item's id."""
        return self.views[index].item.id

    def find(self, key: Hashable) -> int | None:
        """Where the item with this id is."""
        return self._where.get(str(key))

    def version(self, index: int) -> Hashable:
        """Digest and everything computed that the row shows."""
        view = self.views[index]
        return view.item.digest, view.trust, view.states, view.age_days, view.behind, self._words

    def line(self, index: int, width: int) -> Line:
        """The row of one item."""
        view = self.views[index]
        draw = page_row if isinstance(view.item, Page) else card_row
        return draw(view, width, self._glyphs, self._words)


def _title(view: ItemView, glyphs: Glyphs, words: Sequence[str]) -> Line:
    absent = any(state.reason in ABSENT for state in view.states)
    title: Line = [(line_of(view.item.title or view.item.name), "muted" if absent else "text")]
    if view.item.pinned:
        title.insert(0, (f"{glyphs.pinned} ", "accent"))
    return highlight(title, words)


def card_row(view: ItemView, width: int, glyphs: Glyphs, words: Sequence[str] = ()) -> Line:
    """`● 0.92 Title                          tags  type  state`."""
    state = state_of(view)
    age = (days(view.age_days), "faint")
    wide = width >= 58
    shown = state or age
    size = 10 if wide else len(shown[0])
    right: list[Sequence[Span]] = [[(fit(line_of(shown[0]), size, right=not wide), shown[1])]]
    if wide:
        right = [[(fit(line_of(shown[0]), size), shown[1]), (fit(view.item.type, 10), "muted")]]
        if width >= 84 and view.item.tags:
            right.insert(
                0, [(fit(line_of(" ".join(view.item.tags)), 16, glyphs.ellipsis), "faint")]
            )
    elif state is None and width < 36:
        right = []
    left: Line = [*trust_span(view, glyphs), (" ", ""), *_title(view, glyphs, words)]
    return row(left, right, width, _TITLE + 7, glyphs.ellipsis)


def page_row(view: ItemView, width: int, glyphs: Glyphs, words: Sequence[str] = ()) -> Line:
    """`Title                12 cards  behind 2`."""
    page = view.item
    count = len(page.sources) if isinstance(page, Page) else 0
    state = state_of(view)
    cards: list[Span] = [(f"{count} card{'' if count == 1 else 's'}", "muted")]
    right = [[state]] if state else []
    right = (
        [*right, cards] if width < 46 or not right else [[*cards, ("  ", ""), state or ("", "")]]
    )
    return row(_title(view, glyphs, words), right, width, _TITLE, glyphs.ellipsis)


def check_span(check: Check, glyphs: Glyphs) -> Span:
    """Sign and word of a check, toned."""
    return {
        Check.VERIFIED: (f"{glyphs.verified} verified", "ok"),
        Check.CHANGED: (f"{glyphs.changed} changed", "state-warn"),
        Check.GONE: (f"{glyphs.gone} gone", "state-absent"),
        Check.UNSEALED: (f"{glyphs.unsealed} unsealed", "muted"),
    }[check]


def letter(index: int) -> str:
    """`a`, `b` ... `z`, `aa`: how the parts of an item are named."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


def evidence_row(
    index: int, quote: str, ref: str, check: Check | None, width: int, glyphs: Glyphs
) -> Line:
    """`a ✓ verified  "no connection within 30s"      claude-code`."""
    host = ref.partition(":")[0]
    sign = check_span(check, glyphs) if check else ("checking", "faint")
    quoted = f"{glyphs.left_quote}{line_of(quote)}{glyphs.right_quote}"
    words = quoted if quote else line_of(ref.rpartition("#")[2])
    left: Line = [
        (f"{letter(index)} ", "key"),
        (fit(sign[0], 11), sign[1]),
        (words, "text" if quote else "muted"),
    ]
    return row(left, [[(line_of(host, 20), "faint")]], width, 34, glyphs.ellipsis)


def evidence_view_row(index: int, view: EvidenceView, width: int, glyphs: Glyphs) -> Line:
    """The row of one checked citation."""
    quote = view.evidence.quote or (view.excerpt.text if view.excerpt else "")
    return evidence_row(index, quote, view.evidence.ref, view.check, width, glyphs)


def claim_row(index: int, claim: ClaimView, width: int, glyphs: Glyphs) -> Line:
    """`a ✓ holds  Export ORDER_POOL_SIZE=8 before ...`."""
    sign = (f"{glyphs.verified} holds", "ok")
    if not claim.cards and not claim.missing:
        sign = (f"{glyphs.gone} cites no card", "state-warn")
    elif not claim.holds:
        sign = (f"{glyphs.gone} unsupported", "state-absent")
    left: Line = [
        (f"{letter(index)} ", "key"),
        (f"{sign[0]}  ", sign[1]),
        (line_of(claim.claim.text), "text"),
    ]
    return row(left, [], width, 10, glyphs.ellipsis)


def cited_row(view: ItemView, width: int, glyphs: Glyphs) -> Line:
    """A card under the claim that cites it."""
    state = state_of(view)
    left: Line = [
        (f"  {glyphs.child} ", "faint"),
        *trust_span(view, glyphs),
        (" ", ""),
        (line_of(view.item.title or view.item.name), "text"),
    ]
    return row(left, [[state]] if state else [], width, 24, glyphs.ellipsis)


def missing_row(name: str, width: int, glyphs: Glyphs) -> Line:
    """A cited name of which there is no card."""
    left: Line = [(f"  {glyphs.child} ", "faint"), (f"[[{line_of(name)}]]", "muted")]
    return row(left, [[("no such card", "state-absent")]], width, 16, glyphs.ellipsis)
