"""The values that recall reads and returns. Texts are as stored: whoever draws them sanitizes.

Times are aware datetimes in UTC; durations are milliseconds; tokens are ceil(UTF-8 bytes / 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from memtui import reasons


class Mode(StrEnum):
    """Which candidate lists take part. AUTO and HYBRID use vectors as soon as they are ready."""

    AUTO = "auto"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


class Fusion(StrEnum):
    """How lists become one order: a sum of min-max normalised scores, or reciprocal ranks."""

    SCORES = "scores"
    RRF = "rrf"


class Preset(StrEnum):
    """The formula: memtui's own, or that of Generative Agents to compare with."""

    MEMTUI = "memtui"
    GENERATIVE_AGENTS = "generative-agents"


class Stage(StrEnum):
    """Where an item fell out of a search, in the order of the stages."""

    UNKNOWN = "unknown"
    NOT_A_CANDIDATE = "not a candidate"
    SCOPE = "scope"
    STATUS = "status"
    FILTER = "filter"
    CUT = "below the cut"
    BUDGET = "budget"
    SHOWN = "shown"


class SemanticState(StrEnum):
    """What semantic search can do at this moment."""

    OFF = "off"
    COLD = "not loaded"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


MAX_RECENCY = 0.1
"""The largest weight of recency beside a query: a tie-break. More destroys the recall of old facts."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that moves the ranking. All weights are >= 0; out-of-range values are clamped.

    `trigram_weight` is the trigrams' share of the lexical part when the query is all names (prose
    leaves them down to a quarter of it), `literal_weight` the bonus when every
    identifier of the query stands in the item as typed. `decay` is per hour since last use. `importance`,
    `trust` and `recency` rank without a query; `recency`, `importance` and `relevance` are the weights
    of the Generative Agents preset, whose parts are min-max normalised unless `normalise` is off.
    `common_share`: a token that more than this share of the items hold is dropped from the
    query. `candidates` bounds each list. `budget` (tokens) of None is no budget.
    """

    preset: Preset = Preset.MEMTUI
    fusion: Fusion = Fusion.SCORES
    dense_weight: float = 0.4
    trigram_weight: float = 0.3
    literal_weight: float = 0.5
    recency_weight: float = 0.05
    rrf_k: int = 60
    decay: float = 0.995
    importance: float = 1.0
    trust: float = 1.0
    recency: float = 1.0
    relevance: float = 1.0
    normalise: bool = True
    common_share: float = 0.5
    candidates: int = 100
    budget: int | None = None

    def with_values(self, **values: Any) -> Settings:
        """The same settings with some values changed. Raises ValueError, TypeError."""
        return Settings.from_dict({**self.to_dict(), **values})

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, for the policy file and `--json`."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from plain values; unknown keys are ignored. Raises ValueError, TypeError."""
        known = {name: values[name] for name in cls.__dataclass_fields__ if name in values}
        if "preset" in known:
            known["preset"] = Preset(known["preset"])
        if "fusion" in known:
            known["fusion"] = Fusion(known["fusion"])
        return cls(**known)


DEFAULTS = Settings()
"""The settings of a bank that sets none."""


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Where to look. The default is the bank's own project on every branch.

    With a `branch`, items of other branches fall out; items without a branch hold on all of them.
    `everywhere` lifts the limit to this project. `for_agent`: a `status:` filter never brings back
    what is absent, because stale means absent.
    """

    branch: str | None = None
    everywhere: bool = False
    for_agent: bool = False


THIS_PROJECT = SearchScope()
"""Where a search looks unless asked."""


@dataclass(frozen=True, slots=True)
class Document:
    """A card or page as the index knows it. `row` is its row there; `id` its handle.

    `project` is the project that the item states, empty for the bank's own. `used` is when it was
    last fetched, used or confirmed, else created. `states` are computed reasons, strongest first.
    """

    bank: str
    row: int
    id: str
    layer: str
    name: str
    title: str
    type: str
    body: str
    tags: tuple[str, ...] = ()
    project: str = ""
    branch: str = ""
    status: str = "active"
    states: tuple[str, ...] = ()
    tier: str = "unchecked"
    trust: float = 0.5
    importance: float = 0.5
    pinned: bool = False
    created: datetime | None = None
    used: datetime | None = None

    @property
    def key(self) -> str:
        """`<bank>:<row>`: unique among all banks of one search, also where two files share an id."""
        return f"{self.bank}:{self.row}"

    @property
    def absent(self) -> str:
        """The state that keeps the item away from agents, or the empty text."""
        return next((state for state in self.states if state in reasons.ABSENT), "")

    @property
    def tokens(self) -> int:
        """About how many tokens title and body cost."""
        return count_tokens(self.title) + count_tokens(self.body)


def count_tokens(text: str) -> int:
    """ceil(UTF-8 bytes / 4): an estimate, always written with "~"."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


@dataclass(frozen=True, slots=True)
class Term:
    """One part of a score: `value` is `weight` times `normalised`. The values add up to the score.

    `raw` is the measure before normalisation: BM25 (higher is better), cosine, hours, a share.
    """

    name: str
    raw: float
    normalised: float
    weight: float

    @property
    def value(self) -> float:
        """What the term adds to the score."""
        return self.weight * self.normalised


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `rank` counts from 1; `sources` names the lists that proposed it."""

    document: Document
    rank: int
    score: float
    terms: tuple[Term, ...]
    sources: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that is not shown: where and why it fell out. `reason` is one of `memtui.reasons`
    where one fits, else the stage's own words; `detail` says it with the numbers.
    """

    document: Document
    stage: Stage
    reason: str
    detail: str = ""
    score: float | None = None
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """Something that this search could not do as asked: what, and how to get it."""

    topic: str
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """The answer to one search. `candidates` counts the union before anything fell out.

    `tokens` is what the hits cost together; `timings` has milliseconds per stage and `total`.
    """

    query: str
    mode: Mode
    settings: Settings
    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...] = ()
    degraded: tuple[Note, ...] = ()
    candidates: int = 0
    tokens: int = 0
    timings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one item is or is not among the results of a query. `rank` is 0 when it is not shown.

    `cut_score` is the score of the last result that is shown, when the item was scored.
    """

    id: str
    query: str
    stage: Stage
    reason: str
    detail: str
    rank: int = 0
    score: float | None = None
    cut_score: float | None = None
    terms: tuple[Term, ...] = ()
    degraded: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Similar:
    """A neighbour of an item. `duplicate` is set from the upper threshold on; `measure` is cosine
    (of vectors) or words.
    """

    document: Document
    similarity: float
    duplicate: bool
    measure: str = "words"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items that say nearly the same. `measure` is cosine or words."""

    left: Document
    right: Document
    similarity: float
    measure: str
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Move:
    """Where an item stands under two settings; rank 0 is "not shown"."""

    document: Document
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """One query under two settings, and how each item moved (in the order of the second)."""

    before: Results
    after: Results
    moves: tuple[Move, ...]
