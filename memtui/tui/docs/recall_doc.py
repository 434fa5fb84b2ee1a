"""Why a result stands where it stands: its terms as bars and numbers that add up; why another fell out."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.recall.model import Dropped, Explanation, Hit, Note, Results, Term
from memtui.recall.scoring import total
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Blank, Block, Document, Heading, Prose, document
from memtui.tui.docs.recall_rows import found_by, marked
from memtui.tui.docs.spans import Line, fit
from memtui.tui.docs.terms import Terms
from memtui.tui.glyphs import Glyphs
from memtui.tui.when import full
from memtui.workspace.finding import FoundTurn

_MEANS = {
    "words": "words (BM25)",
    "trigram": "parts of names",
    "vectors": "meaning",
    "literal": "as typed",
    "recency": "recency",
    "importance": "importance",
    "trust": "trust",
    "relevance": "relevance",
}


def term_label(term: Term) -> str:
    """A term's name in words."""
    return _MEANS.get(term.name, term.name)


def hit_document(results: Results, hit: Hit, glyphs: Glyphs) -> Document:
    """A result: rank and score, its terms, and what sets it apart from the one above."""
    item = hit.document
    dot = f" {glyphs.separator} "
    blocks: list[Block] = [
        Prose(((line_of(item.title or item.name), "title"),)),
        Prose(
            (
                (f"rank {hit.rank} of {len(results.hits)}", "strong"),
                (f"{dot}{item.id}{dot}found by {found_by(hit.sources)}", "muted"),
                (f"{dot}~{hit.tokens} tokens", "muted"),
            )
        ),
        Blank(),
        Terms(_rows(hit.terms), hit.score),
    ]
    above = results.hits[hit.rank - 2] if hit.rank > 1 else None
    if above is not None:
        blocks += [Blank(), *_gap(above, hit)]
    return document(f"hit:{item.key}", "score", blocks)


def _gap(above: Hit, hit: Hit) -> list[Block]:
    """What the result lacks beside the one above it, largest part first."""
    own = {term.name: term.value for term in hit.terms}
    parts = [(term, own.get(term.name, 0.0) - term.value) for term in above.terms]
    differing = sorted((p for p in parts if abs(p[1]) >= 0.0005), key=lambda p: p[1])
    said = ", ".join(f"{term_label(term)} {part:+.3f}" for term, part in differing)
    gap = hit.score - above.score
    title = line_of(above.document.title or above.document.name, 80)
    return [
        Heading(((f"{gap:+.3f} to rank {above.rank}", "muted"),)),
        Prose(((said or "the same score: the order of the files decides", "text"),)),
        Prose(((title, "faint"),)),
    ]


def dropped_document(results: Results, dropped: Dropped, glyphs: Glyphs) -> Document:
    """A candidate that is not shown: at which stage it fell out and why, and its terms if it has any."""
    item = dropped.document
    blocks: list[Block] = [
        Prose(((line_of(item.title or item.name), "title"),)),
        *_fell(dropped.stage.value, dropped.reason, dropped.detail, glyphs),
    ]
    if dropped.terms:
        blocks += [Blank(), Terms(_rows(dropped.terms), total(dropped.terms))]
        if results.hits and dropped.score is not None:
            last = results.hits[-1]
            gap = dropped.score - last.score
            words = f"the last result shown has {last.score:.3f}: {gap:+.3f}"
            blocks.append(Prose(((words, "muted"),)))
    return document(f"out:{item.key}", "score", blocks)


def explanation_blocks(found: Explanation, glyphs: Glyphs) -> list[Block]:
    """The same for any item, as it was asked about."""
    if found.rank:
        head = Prose(((f"{glyphs.verified} shown", "ok"), (f"  {line_of(found.detail)}", "muted")))
        blocks: list[Block] = [head]
    else:
        blocks = _fell(found.stage.value, found.reason, found.detail, glyphs)
    if found.terms:
        blocks += [Blank(), Terms(_rows(found.terms), total(found.terms))]
    if found.cut_score is not None and not found.rank:
        words = f"the last result shown has {found.cut_score:.3f}"
        blocks.append(Prose(((words, "muted"),)))
    return blocks


def search_blocks(found: Explanation, glyphs: Glyphs) -> list[Block]:
    """What became of an item in the last search, below why it is shown or held back."""
    query = line_of(found.query, 60)
    head = Heading(((f"last search: {query}", "muted"),))
    return [Blank(), head, *explanation_blocks(found, glyphs)]


def _fell(stage: str, reason: str, detail: str, glyphs: Glyphs) -> list[Block]:
    said = f": {line_of(reason)}" if reason and reason != stage else ""
    head: Line = [(f"{glyphs.gone} {stage}", "state-absent"), (said, "state-absent")]
    blocks: list[Block] = [Prose(tuple(head))]
    if detail:
        blocks.append(Prose(((line_of(detail), "muted"),)))
    return blocks


def _rows(terms: Sequence[Term]) -> tuple[tuple[str, Term], ...]:
    return tuple((term_label(term), term) for term in terms)


def turn_document(turn: FoundTurn) -> Document:
    """A turn of a session that holds the words."""
    blocks: list[Block] = [
        Prose(((line_of(turn.title), "title"),)),
        Prose(((full(turn.at), "muted"), ("  ", ""), (line_of(turn.ref), "faint"))),
        Blank(),
        Prose(tuple(marked(turn))),
    ]
    if turn.missing:
        lacks = f"no turn holds all words; this one lacks: {line_of(', '.join(turn.missing))}"
        blocks += [Blank(), Prose(((lacks, "state-warn"),))]
    return document(f"turn:{turn.ref}", "turn", blocks)


def notes_blocks(notes: Sequence[Note]) -> list[Block]:
    """What took no part in a search, and how to get it."""
    blocks: list[Block] = []
    for note in notes:
        spans = [(fit(note.topic, 10), "warn"), (line_of(note.message), "text")]
        if note.fix:
            spans.append((f": {line_of(note.fix)}", "muted"))
        blocks.append(Prose(tuple(spans)))
    return blocks
