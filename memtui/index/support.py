"""Which claims of a page still stand on cards that hold."""

from __future__ import annotations

from collections.abc import Collection

from memtui.bank.model import Claim, Page


def lost_claims(page: Page, holding: Collection[str]) -> tuple[Claim, ...]:
    """The claims that cite cards of which none holds any more; `holding` has names of cards that do.

    A claim that cites nothing is not listed: it never had support (that is for the linter to say).
    """
    return tuple(
        claim
        for claim in page.claims
        if claim.cards and not any(name in holding for name in claim.cards)
    )
