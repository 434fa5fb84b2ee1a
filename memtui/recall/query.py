"""What a person or an agent typed, taken apart: filters, words, phrases, identifiers.

Nothing that can be typed is an error: what is not understood becomes a word, or a note.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memtui.bank.model import CARD_TYPES, PAGE_TYPES, Status, Tier
from memtui.clock import parse_time
from memtui.index.words import parts
from memtui.reasons import ABSENT, TOMBSTONED

_STOPS = """
    a about after again all also am an and any are as at be because been before being but by can
    could did do does doing done for from get gets got had has have having he her here hers him his
    how i if in into is it its itself just like me more most my no nor not now of off on once only
    or other our out over own please same she should so some such than that the their them then
    there these they this those through to too under until up us very was we were what when where
    which while who whom why will with would you your
"""
STOP_WORDS = frozenset(_STOPS.split())
"""English words that carry no meaning of their own in a question."""

FILTER_KEYS = ("type", "tag", "trust", "status", "project", "branch", "since")
MAX_TERMS = 24
"""Distinct words that are searched for; what is typed beyond them is ignored, to bound the cost."""

_PIECE = re.compile(
    r'(?:(?P<key>[a-z]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<plain>[^\s"]+))', re.IGNORECASE
)
_TOKEN = re.compile(r"[^\W_]+")
_AGE = re.compile(r"(\d{1,6})([hdwmy])")
_EDGE = ".,;:!?()[]{}<>'`*"
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_ALLOWED = {
    "type": frozenset((*CARD_TYPES, *PAGE_TYPES)),
    "trust": frozenset(tier.value for tier in Tier),
    "status": frozenset((*(s.value for s in Status), *(r for r in ABSENT if r != TOMBSTONED))),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that every result meets. Values of one key are alternatives; tags all hold.

    `since` is the earliest creation or change, aware, UTC.
    """

    types: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    tiers: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()
    branches: frozenset[str] = frozenset()
    since: datetime | None = None

    def __bool__(self) -> bool:
        return self != Filters()


@dataclass(frozen=True, slots=True)
class Query:
    """`words` are lower-case content words in typed order without repeats; `identifiers` as typed.

    `parts` are words that may be the beginning or a part of a name: all of them until somebody knows
    better. `text` is what remains of the input without its filters. `problems` say which filters were not
    understood.
    """

    raw: str
    text: str = ""
    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    filters: Filters = Filters()
    problems: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to search for (filters alone may remain)."""
        return not (self.words or self.phrases or self.identifiers)

    @property
    def literalness(self) -> float:
        """How much of the query is names and phrases rather than prose, in 0.25..1."""
        literals = len(self.identifiers) + len(self.phrases)
        return max(0.25, literals / ((literals + len(self.words)) or 1))


@dataclass(slots=True)
class _Parts:
    text: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)


def clean(text: str) -> str:
    """`text` without NUL and lone surrogates, which SQLite cannot take."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def parse(raw: str, now: datetime) -> Query:
    """Take the input apart. `now` resolves ages such as `since:7d`. Never raises."""
    parts = _Parts()
    for match in _PIECE.finditer(clean(raw)):
        _sort_piece(match, parts)
    filters, problems = _filters(parts.values, now)
    words, identifiers = _terms(parts.text)
    return Query(
        raw=raw,
        text=" ".join(parts.text + parts.phrases),
        words=words,
        phrases=tuple(dict.fromkeys(parts.phrases))[:MAX_TERMS],
        identifiers=identifiers,
        parts=words,
        filters=filters,
        problems=problems,
    )


def tokens(text: str) -> list[str]:
    """Runs of letters and digits, lower-case: what the full-text tokenizer sees."""
    return [token.lower() for token in _TOKEN.findall(text)]


def words_of(text: str, limit: int = MAX_TERMS) -> tuple[str, ...]:
    """The first `limit` content words of a text, without repeats: a text as a query."""
    found = dict.fromkeys(token for token in tokens(clean(text)) if token not in STOP_WORDS)
    return tuple(found)[:limit]


def split_identifier(word: str) -> list[str]:
    """The parts of an identifier as the index has them: `getUserById2` -> get, user, by, id, 2."""
    return parts(word).split() or tokens(word)


def is_identifier(word: str) -> bool:
    """Whether `word` is a name rather than prose: code, path, flag, error code or number."""
    if word.startswith("--") or (len(word) == 2 and word[0] == "-" and word[1].isalpha()):
        return True
    if any(mark in word for mark in ("_", "/", "\\", "::", "@", "=", "#")):
        return any(character.isalnum() for character in word)
    if re.fullmatch(r"\d{1,2}", word):
        return False
    if any(character.isdigit() for character in word):
        return True
    if re.search(r"\w\.\w", word):
        return True
    return re.search(r"[a-z][A-Z]", word) is not None or (
        re.search(r"[A-Z]{2,}[a-z]{2,}", word) is not None and not word.isupper()
    )


def quote(text: str) -> str:
    """`text` as one FTS5 string: any input is safe, none is syntax."""
    return '"' + clean(text).replace('"', '""') + '"'


def words_match(query: Query) -> str | None:
    """The MATCH expression over the word table: any of the words, phrases and identifiers.

    An identifier matches as the phrase of its tokens and as the phrase of its parts. None when the
    query holds nothing that the tokenizer sees.
    """
    terms: list[list[str]] = [[word] for word in query.words]
    terms += [tokens(phrase) for phrase in query.phrases]
    for identifier in query.identifiers:
        terms += [tokens(identifier), split_identifier(identifier)]
    strings = dict.fromkeys(quote(" ".join(term)) for term in terms if term)
    return " OR ".join(list(strings)[: 2 * MAX_TERMS]) or None


def trigram_match(query: Query) -> str | None:
    """The MATCH expression over the trigram table, or None: needs literals of three characters.

    Identifiers and phrases always take part; plain words only where they are `parts`.
    """
    literals = [*query.identifiers, *query.phrases, *query.parts]
    strings = dict.fromkeys(quote(text) for text in literals if len(text.strip()) >= 3)
    return " OR ".join(list(strings)[:MAX_TERMS]) or None


def _sort_piece(match: re.Match[str], parts: _Parts) -> None:
    key, quoted, plain = (match[1] or "").lower(), match["quoted"], match["plain"]
    value = quoted if quoted is not None else plain
    if key in FILTER_KEYS and not value.startswith(":"):
        parts.values.setdefault(key, []).append(value)
    elif key:
        parts.text.append(f"{match[1]}:{value}")
    elif quoted is not None:
        if quoted.strip():
            parts.phrases.append(quoted.strip())
    elif plain.rstrip(":").lower() in FILTER_KEYS and plain.endswith(":"):
        # A filter that is still being typed: not yet a condition, and no word either.
        parts.values.setdefault(plain[:-1].lower(), [])
    else:
        parts.text.append(plain)


def _terms(pieces: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    words: dict[str, None] = {}
    stops: dict[str, None] = {}
    identifiers: dict[str, None] = {}
    for piece in pieces:
        bare = piece.strip(_EDGE)
        if is_identifier(bare):
            identifiers[bare] = None
            continue
        for token in tokens(bare):
            (stops if token in STOP_WORDS else words)[token] = None
    if not words and not identifiers:
        words = stops
    return tuple(words)[:MAX_TERMS], tuple(identifiers)[:MAX_TERMS]


def _filters(values: dict[str, list[str]], now: datetime) -> tuple[Filters, tuple[str, ...]]:
    problems: list[str] = []
    sets: dict[str, frozenset[str]] = {}
    for key, typed in values.items():
        names = [part for value in typed for part in value.split(",") if part]
        if key in ("type", "tag", "trust", "status"):
            names = [name.lower() for name in names]
        allowed = _ALLOWED.get(key)
        if allowed is not None:
            problems += [
                f"{key}:{name} is none of {', '.join(sorted(allowed))}"
                for name in names
                if name not in allowed
            ]
        sets[key] = frozenset(names)
    since, problem = _since(sets.pop("since", frozenset()), now)
    filters = Filters(
        types=sets.get("type", frozenset()),
        tags=sets.get("tag", frozenset()),
        tiers=sets.get("trust", frozenset()),
        statuses=sets.get("status", frozenset()),
        projects=sets.get("project", frozenset()),
        branches=sets.get("branch", frozenset()),
        since=since,
    )
    return filters, (*problems, *problem)


def _since(names: frozenset[str], now: datetime) -> tuple[datetime | None, list[str]]:
    moments: list[datetime] = []
    problems: list[str] = []
    for name in sorted(names):
        age = _AGE.fullmatch(name.lower())
        try:
            if age:
                moments.append(now - timedelta(hours=int(age[1]) * _HOURS[age[2]]))
            else:
                moments.append(parse_time(name))
        except (ValueError, OverflowError):
            problems.append(f"since:{name} is neither an age such as 7d nor a date")
    return (max(moments) if moments else None), problems
