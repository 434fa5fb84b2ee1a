"""The linter: rules without a model over a bank, and over a draft while it is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from memtui.bank.model import BankContents
from memtui.bank.standing import act_of
from memtui.curate.compile import absent_cards
from memtui.curate.curator import Curator
from memtui.curate.decide import waiting
from memtui.curate.rules import (
    contradiction,
    form,
    gap,
    host,
    integrity,
    orphan,
    safety,
    stale,
    twin,
    workspace,
)
from memtui.curate.rules.source import ERROR, SEVERITIES, Finding, Source
from memtui.curate.similar import NEAR, SAME, Match, Neighbours, copied, told
from memtui.curate.undo import LOCAL
from memtui.ledger.model import ActRecord

__all__ = ["ERROR", "Finding", "Source", "draft_lint", "lint", "source_of", "untold"]

Rule = Callable[[Source], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    integrity.unreadable,
    integrity.half_done,
    integrity.log_reconciles,
    integrity.index_in_step,
    contradiction.between_cards,
    contradiction.in_pages,
    contradiction.with_instructions,
    workspace.with_named_files,
    safety.secrets,
    safety.hidden_characters,
    safety.foreign_orders,
    twin.twins,
    twin.repeated_claims,
    host.unlisted_files,
    host.lines_without_file,
    host.beyond_the_cut,
    orphan.unreached_pages,
    orphan.pages_without_cards,
    orphan.cards_without_evidence,
    orphan.lost_evidence,
    stale.overtaken,
    stale.behind,
    form.missing_use_when,
    form.missing_scope_or_type,
    form.relative_dates,
    form.too_much,
    stale.waiting,
    integrity.sizes,
    integrity.rewritten_pages,
    gap.identifiers_without_page,
    gap.clusters_without_page,
    gap.dangling_links,
    gap.queries_without_hit,
)
MOST_COPIED = 0.8
"""From here on a draft is a copy of what it cites."""


def untold(_done: int, _rules: int) -> None:
    """Nobody wants to know how far it is."""


def lint(source: Source, tell: Callable[[int, int], None] = untold) -> list[Finding]:
    """All findings, errors first, then in the order of the rules.

    `tell` is called before each rule with how many are done of how many; what it raises ends the work.
    """
    found: list[Finding] = []
    for done, rule in enumerate(RULES):
        tell(done, len(RULES))
        found += rule(source)
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def source_of(curator: Curator, contents: BankContents) -> Source:
    """What the linter can know by itself; the caller adds drift, evidence and the project's files."""
    state = curator.state / curator.files.evidence.name
    return Source(
        contents=contents,
        now=curator.clock(),
        index=curator.read(curator.files.index.name),
        excerpts=tuple(dict.fromkeys((curator.files.evidence, state))),
        unfinished=[act.id for act in curator.ledger.unfinished()],
        waiting={one.title: one.at for one in waiting(curator)},
        unlogged=_unlogged(curator, contents),
    )


def _unlogged(curator: Curator, contents: BankContents) -> list[str]:
    """The acts of the ledger that no event of the bank tells; decisions on proposals are nobody else's."""
    told = {act_of(event) for event in contents.events}
    acts = {act.id: act for act in curator.ledger.history(None)}

    def is_local(act: ActRecord) -> bool:
        about = acts.get(act.undoes) if act.undoes else act
        return about is None or about.verb in LOCAL

    return [act.id for act in acts.values() if act.id not in told and not is_local(act)]


@dataclass(frozen=True, slots=True)
class DraftWarning:
    """What is doubtful about a draft. `near` holds the items that a near-duplicate is shown beside.

    `rule` is one of one-fact, plan, copy, relative-date, use-when, words, near, same, empty.
    """

    rule: str
    message: str
    near: tuple[Match, ...] = ()


def draft_lint(
    title: str, body: str, neighbours: Neighbours, transcript: Iterable[str] = ()
) -> list[DraftWarning]:
    """Warnings about a draft, fast enough for each keystroke. `transcript` are the cited texts.

    `neighbours` is made once from the active cards of the bank.
    """
    return list(_draft_warnings(title, body, neighbours, tuple(transcript)))


def neighbours_of(contents: BankContents) -> Neighbours:
    """What `draft_lint` compares with: the active cards."""
    absent = absent_cards(contents, {})
    return Neighbours(card for card in contents.cards if card.id not in absent)


def _draft_warnings(
    title: str, body: str, neighbours: Neighbours, transcript: Sequence[str]
) -> Iterator[DraftWarning]:
    text = f"{title}\n\n{body}"
    if not title.strip():
        yield DraftWarning("empty", "no title: say the fact in one line")
    if not form.says_when(body):
        yield DraftWarning("use-when", 'the body does not begin with "Use when:"')
    more = form.second_fact(body)
    if more:
        yield DraftWarning("one-fact", f"more than one fact: {more}")
    plan = form.plan_or_tour(text)
    if plan:
        yield DraftWarning("plan", f"{plan}; say the outcome")
    day = form.relative_date(text)
    if day:
        yield DraftWarning("relative-date", f'"{day}" will be wrong tomorrow: write the date')
    count = len(body.split())
    if count > form.MOST_WORDS:
        yield DraftWarning("words", f"{count} words, at most {form.MOST_WORDS}")
    share = copied(body, transcript)
    if share > MOST_COPIED and count > 30:
        yield DraftWarning(
            "copy", f"{share:.0%} of it stands in the transcript: say it in your own words"
        )
    near = neighbours.near(told(title, body), NEAR)
    if near:
        same = near[0].score >= SAME
        what = "the same as" if same else "close to"
        message = f"{what} {near[0].item.name} ({near[0].score:.2f}): update, supersede, merge or keep both"
        yield DraftWarning("same" if same else "near", message, tuple(near))
