"""Sentences that tell something worth keeping: corrections, reasons, environment facts, error lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

FEWEST = 5
"""Words of a sentence that can stand alone."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(])|\n\s*\n|\n(?=\s*[-*+] )|\n(?=\s*\d+\. )")
_LIST_MARK = re.compile(r"^\s*(?:[-*+]|\d+\.|#+|>)\s+")
_FENCE = re.compile(r"^```.*?^```[^\n]*$", re.DOTALL | re.MULTILINE)

_CORRECTION = re.compile(
    r"^(?:no\b[,.! ]|nope\b|stop\b|wrong\b|not like that|that's (?:wrong|not)|"
    r"(?:please )?(?:don't|do not|never|always)\b|actually\b|we (?:always|never|use|don't)\b|"
    r"i (?:said|told you|meant)\b|use \S+ (?:instead|not|and not|rather)\b)|"
    r"\b(?:instead of|, not |not what i|you should have|in this (?:repo|project|code ?base) we)\b",
    re.IGNORECASE,
)
_ROOT_CAUSE = re.compile(
    r"\b(?:root cause|the (?:real |actual )?(?:cause|problem|reason|flaw|culprit) (?:is|was)|caused by|"
    r"comes? from|due to|turns? out|fails? because|failed because|happens because)\b|"
    r"\bis (?:unset|missing|not set)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:instead of|rather than|decided (?:to|on|against)|we(?:'ll| will)? (?:chose|choose|go with)|"
    r"prefer(?:red)? .+ (?:over|to)|going with|settled on)\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"\b(?:because|since|so that|otherwise)\b", re.IGNORECASE)
_PLAN = re.compile(
    r"\bi(?:'ll| will|'m going to| am going to)\b|^(?:let me|let's|next,? i|now i|first,? i)\b|[?:]\s*$",
    re.IGNORECASE,
)
_ENV = re.compile(
    r"\b(?:(?P<port>(?:port|listens? on|listening on|localhost:|127\.0\.0\.1:)\D{0,12}\d{2,5})|"
    r"(?P<version>(?:python|node|java|go|rust|ruby|postgres(?:ql)?|mysql|redis|sqlite|npm|docker|php|"
    r"django|react|typescript|version)\s*(?:version\s*)?(?:is\s+)?v?\d+(?:\.\d+)+)|"
    r"(?P<variable>\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b(?:=| (?:is|must|needs|has to|points)))|"
    r"(?P<path>(?:lives?|is|are|stored|kept|found|config(?:ured)?) (?:in|at|under) `?[~./][\w./~-]+))",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"^(?:E\s{2,}\S.*|[\w.]*(?:Error|Exception|Timeout|Failure|Refused|Denied)\w*(?:: .*|\(.*)?|"
    r"(?:error|fatal|panic|FAILED|FAIL)\b[:\[ ].*|.*\b(?:error|fatal):\s.*|.*: (?:command not found|"
    r"No such file or directory|Permission denied))$",
    re.MULTILINE,
)


def sentences(text: str) -> Iterator[str]:
    """The sentences and list items of a text, code blocks left out, in one line each."""
    for part in _SENTENCE_END.split(_FENCE.sub("", text)):
        clean = " ".join(_LIST_MARK.sub("", part).split())
        if clean:
            yield clean


def correction(prompt: str) -> str | None:
    """The sentence in which a user corrects the agent, if there is one."""
    found = (
        s for s in sentences(prompt) if _CORRECTION.search(s) and FEWEST <= len(s.split()) <= 60
    )
    return next(found, None)


def root_cause(text: str) -> str | None:
    """The sentence that states a cause as found, not as a plan or a question."""
    return _first(text, lambda s: bool(_ROOT_CAUSE.search(s)))


def decision(text: str) -> str | None:
    """The sentence that states a decision together with its reason or its alternative."""
    return _first(text, lambda s: bool(_DECISION.search(s)))


def reason(text: str) -> str | None:
    """The sentence that gives a reason."""
    return _first(text, lambda s: bool(_BECAUSE.search(s)))


def environment(text: str) -> str | None:
    """The sentence or line that states a version, a port, a variable or a path."""
    return _first(text, lambda s: bool(_ENV.search(s)))


def is_outcome(sentence: str) -> bool:
    """Whether a sentence says how something is: no plan, question, heading or fragment."""
    return not _PLAN.search(sentence) and len(sentence.split()) >= FEWEST and len(sentence) <= 400


def error_line(output: str) -> str:
    """The line of an output that says best what went wrong; the last line where none does."""
    found = [match.group().strip() for match in _ERROR.finditer(output)]
    named = [
        line for line in found if re.match(r"(?:E\s+)?[\w.]*(?:Error|Exception|Timeout)", line)
    ]
    if named or found:
        return re.sub(r"^E\s{2,}", "", (named or found)[-1])
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _first(text: str, wanted: Callable[[str], bool]) -> str | None:
    for sentence in sentences(text):
        if is_outcome(sentence) and wanted(sentence):
            return sentence
    return None
