"""A prompt: its record in the spool and, where the user switched it on, up to two lines that it hits.

A hit is literal: an identifier, path, error code or quoted text of the prompt stands in the card as
typed. Plain words are no hit; neither is what so many items share that it says nothing.
"""

from __future__ import annotations

import re
from time import perf_counter
from typing import NamedTuple

from memtui import reasons
from memtui.agents import context, pending, records
from memtui.agents.own_patterns import use_own_patterns
from memtui.agents.payload import FORK, RESUME
from memtui.agents.planning import Planned, Wanted, request_of
from memtui.agents.starting import begin, deliver
from memtui.capture import spool
from memtui.index.reader import Reader
from memtui.index.recheck import Rechecked
from memtui.inject.model import Candidate, Request, Snapshot
from memtui.inject.plan import countable, plan
from memtui.inject.render import handle_in, shown_handle
from memtui.inject.snapshot import build

MAX_LINES = 2
LOOKED_AT = 4000
"""Characters of a prompt that are searched for literals."""
MAX_LITERALS = 12
COMMON = 8
"""A literal that more items hold than this is no hit."""

_QUOTED = re.compile(r"`([^`\n]{4,80})`|\"([^\"\n]{4,80})\"")
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:-]{2,79}")
_MARKED = re.compile(
    r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|[A-Za-z0-9][_./:-]+[A-Za-z0-9]|^[A-Z]{4,}$|^\d{4,}$"
)
_HOOK_CONTEXT = re.compile(r"\A\s*<hook_context>.*?</hook_context>\s*", re.DOTALL)
_HITS = (
    "SELECT g.rowid FROM grams g JOIN item i ON i.seq = g.rowid"
    " WHERE grams MATCH ? AND i.fit = 1 LIMIT ?"
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtui.agents.bankmap import Known
    from memtui.agents.hook import Call
    from memtui.agents.payload import Payload


class Hit(NamedTuple):
    """A row of the index and how many `literals` of the prompt it holds."""

    seq: int
    literals: int


class Looked(NamedTuple):
    """One look for the `words` of a prompt: (handle, number of words, why shown or not) by hit; the plan."""

    words: list[str]
    hits: list[tuple[str, int, str]]
    planned: Planned | None


def prompt(call: Call, said: Payload, bank: Known) -> None:
    """Record the prompt. Send the block that waits for it; or with `--hits` the lines that it hits and
    that the context lacks.

    Raises OSError, sqlite3.Error, or IndexMissing.
    """
    text = typed(said.text("prompt"))
    record = records.with_prompt(records.blank(call.event, call.host, bank.key, said), text)
    if pending.take(bank.state, call.host, said.session) and begin(call, said, bank, FORK, record):
        return
    words = literals(text) if call.hits else []
    if words:
        began = perf_counter()
        looked = _look(call, said, bank, words)
        records.with_retrieval(record, words, looked.hits, (perf_counter() - began) * 1000)
        if looked.planned is not None and looked.planned.plan.lines:
            deliver(call, record, looked.planned)
            return
    spool.write(call.spool, record)


def typed(text: str) -> str:
    """What the user typed: Gemini CLI shows its hooks the prompt with earlier hook texts in front."""
    return _HOOK_CONTEXT.sub("", text)


def literals(text: str) -> list[str]:
    """Identifiers, paths, codes and quoted texts of a prompt, in its order, each once."""
    text = text[:LOOKED_AT]
    found = [first or second for first, second in _QUOTED.findall(text)]
    words = (word.rstrip("./:-") for word in _WORD.findall(_QUOTED.sub(" ", text)))
    found += [word for word in words if len(word) >= 4 and _MARKED.search(word)]
    return list(dict.fromkeys(found))[:MAX_LITERALS]


def _look(call: Call, said: Payload, bank: Known, words: list[str]) -> Looked:
    """Search the bank for literals, and plan for what they hit."""
    ask = context.Ask(call.spool, bank.state, bank.key, call.host, said.session)
    seen = context.seen_lines(ask)
    wanted = Wanted(call.host, RESUME, said.cwd, said.session, seen)
    request = request_of(wanted, call.environ)
    patterns = use_own_patterns(call.environ)
    with Reader(bank.index) as reader:
        hits = _hits(reader, words)
        if not hits:
            return Looked(words, [], None)
        source = Rechecked(reader, request.today, patterns)
        source.recheck([hit.seq for hit in hits])
        found = source.items([hit.seq for hit in hits])
        items = {hit: Candidate._make(found[hit.seq]) for hit in hits if hit.seq in found}
        made = plan(_snapshot(reader, list(items.values()), request), request)
        planned = Planned(made, request, False, reader.meta.get("version", ""))
    why = {decision.handle: decision.reason for decision in made.decisions}
    known = {handle_in(line) for line in seen}
    return Looked(words, [_became(hit, item, why, known) for hit, item in items.items()], planned)


def _became(
    hit: Hit, item: Candidate, why: dict[str, str], known: set[str]
) -> tuple[str, int, str]:
    """What became of a hit. Those that the plan was not asked about were known, or are too many."""
    left = reasons.IN_CONTEXT if shown_handle(item.handle) in known else reasons.OVER_LINES
    return item.handle, hit.literals, why.get(item.handle, left)


def _snapshot(reader: Reader, items: list[Candidate], request: Request) -> Snapshot:
    """The bank reduced to what the prompt hits and the context lacks, two lines at most."""
    known = {handle_in(line) for line in request.seen}
    fresh = tuple(item for item in items if shown_handle(item.handle) not in known)
    bank = build(reader.head())
    policy = bank.policy._replace(max_lines=min(MAX_LINES, bank.policy.max_lines))
    reduced = bank._replace(candidates=fresh[:MAX_LINES], policy=policy)
    return reduced._replace(total=sum(countable(item, reduced, request) for item in fresh))


def _hits(reader: Reader, words: list[str]) -> list[Hit]:
    """Rows that hold literals, those with most literals first."""
    counts: dict[int, int] = {}
    for word in words:
        phrase = '"' + word.replace('"', '""') + '"'
        rows = reader.connection.execute(_HITS, (phrase, COMMON + 1)).fetchall()
        if len(rows) <= COMMON:
            for (seq,) in rows:
                counts[seq] = counts.get(seq, 0) + 1
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Hit(*pair) for pair in ranked]
