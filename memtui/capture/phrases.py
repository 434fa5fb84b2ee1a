"""Sentences that tell something worth keeping: corrections, reasons, environment facts, error lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

FEWEST = 5
"""Words of a sentence that can stand alone."""
TERSE = 45
"""Words of a sentence that states a fact."""
LONGEST = 90
"""Words of a sentence that a user says in one breath."""
PASTED = 1500
"""A longer prompt is a document that was pasted: what it says is no correction."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(])|\n\s*\n|\n(?=\s*[-*+] )|\n(?=\s*\d+\. )")
_LIST_MARK = re.compile(r"^\s*(?:[-*+]|\d+\.|#+|>)\s+")
_FENCE = re.compile(r"^```.*?^```[^\n]*$", re.DOTALL | re.MULTILINE)

_CORRECTION = re.compile(
    r"^(?:no\b[,.! ]|nope\b|stop\b|wrong\b|not like that|that's (?:wrong|not)|careful\b|"
    r"(?:please )?(?:don't|do not|never|always)\b|actually\b|we (?:always|never|use|don't)\b|"
    r"i (?:said|told you|meant|don't think)\b|use \S+ (?:instead|not|and not|rather)\b|"
    r"(?:the )?(?:issue|problem) (?:is|with)\b|i can't see\b|you (?:forgot|missed)\b)|"
    r"\b(?:instead of|not what i|you should have|in this (?:repo|project|code ?base) we|rule for\b|"
    r"(?:should|must) (?:still |just |always |never |stay|not |be (?!better|fine|ok|good|there|done))|"
    r"i think|still should(?:n't| not)|"
    r"as (?:always|usual)|like always|leave \S+ alone|never again|"
    r"(?:so|and) (?:that )?(?:nobody|no one|we) (?:don't|doesn't|puts?|won't)|don't want|not in my|"
    r"only (?:way|thing)|wie immer|nicht mehr|bitte (?:nie|immer))\b",
    re.IGNORECASE,
)
_INSISTS = re.compile(r"\b(?:i don't think|but instead|instead of|never|always)\b", re.I)
_REQUEST = re.compile(
    r"^(?:can|could|would|will) you\b|^(?:please )?(?:help|show|write a|create|add)\b", re.I
)
_ROOT_CAUSE = re.compile(
    r"\b(?:root cause|the (?:real |actual )?(?:cause|problem|reason|flaw|culprit) (?:is|was)|caused by|"
    r"comes? from|due to|turns? out|fails? because|failed because|happens because|the whole cost|"
    r"hence|is why|(?:dead|unused) code|ursache|liegt an|schneidet ab)\b|"
    r"\bis (?:unset|missing|not set)\b|"
    r"\b(?:does|do|did)(?:n't| not) (?:exclude|include|load|set|handle|cover|honou?r|escape|reset)\b|"
    r"\bw(?:as|ere) (?:bundled|removed|overwritten|never \w+) (?:in|by|into|since)\b|"
    r"^(?:\W*problem found|\W*cause)\b",
    re.IGNORECASE,
)
_FOUND = re.compile(
    r"^\W*(?:i )?(?:found|see|identified) (?:it|the (?:\w+ )?(?:issue|problem|bug|cause|culprit))\b",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:decided (?:to|on|against)|we(?:'ll| will)? (?:chose|choose|go with)|"
    r"prefer(?:red)? .+ (?:over|to)|going with|settled on|decision(?=:| of | is )|"
    r"should(?:n't| not| never)|must(?:n't| not| never)|on purpose|deliberate(?:ly)?|"
    r"by design|design choice|trade-?off|rule i|the remedy|for next time|"
    r"i(?:'d| would) (?:leave|keep|print|use|group|treat|recommend)|i leave\b|i won't (?:take|use|do)|"
    r"todo noted|(?:is|are) (?:now )?excluded|is enough|best place|best to|must come|"
    r"opt-(?:in|out) (?:rather|instead|not)|lieber|wird exakt|would rather)\b|"
    r"^\W*(?:(?:yes|no|ok)[:,] )?(?:keep|avoid|prefer|never) \S",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:instead of|rather than|no longer|not only|, not |never|without|reverses|replaces|statt)\b|, not\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:increased|decreased|raised|lowered|updated|changed|switched|moved|inverted|renamed|migrated)\b"
    r".*\b(?:from .+ to|to use|replaces)\b",
    re.IGNORECASE,
)
_NORM = re.compile(
    r"\b(?:should(?:n't)?|must|needs? to|has to|keep|stays?|only|cannot|refused|do(?:es)? not want|"
    r"no change|no migration|is fine|from now on|now)\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"\b(?:because|since|so that|otherwise)\b", re.IGNORECASE)
_REASONED = re.compile(
    r"\b(?:because|since|so that|otherwise|therefore|which means|hence|by nature|weil|damit)\b|"
    r"[,;:] (?:so|as|which|since|and it|the \w+ (?:does|do) the rest)\b",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\bi(?:'ll| will|'m going to| am going to|'m \w+ing)\b|"
    r"^(?:let me|let's|next,? i|now i|now let|first,? i|i need to|i should|ich prüfe|ich halte)\b|[?]\s*$|"
    r"\b(?:let me|should i|want me to)\b",
    re.IGNORECASE,
)
_REPORTING = re.compile(r"^\W*(?:i (?:did|ran|checked|see|looked)\b|we could\b)", re.IGNORECASE)
_EXPECTED = re.compile(
    r"\b(?:as it should|as expected|as reported|for the right reason|only the)\b", re.IGNORECASE
)
_HEDGE = re.compile(
    r"\b(?:likely|probably|may simply|might|perhaps|maybe|if that is|we could|could add)\b|\bno more\b",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"^\W*(?:done|fixed|green|committed|all (?:tests|checks)|tests? pass|works|perfect|great)\b(?!.* but )",
    re.IGNORECASE,
)
_ENV = re.compile(
    r"(?:\b(?P<port>(?:ports?|listens? on|listening on|owns|localhost:|127\.0\.0\.1:)\D{0,12}\d{2,5})|"
    r"\b(?P<version>(?:python|node|java|go|rust|ruby|postgres(?:ql)?|mysql|redis|sqlite|npm|docker|php|"
    r"django|react|typescript|version)\s*(?:version\s*)?(?:is\s+|from [\d.]+ to )?v?\d+(?:\.\d+)+)|"
    r"(?-i:(?P<variable>\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b(?:`? (?:is|must|needs|has to|points))))|"
    r"\b(?P<path>(?:lives?|is|are|stored|kept|found|config(?:ured)?) (?:in|at|under) `?[~./][\w./~-]+)|"
    r"(?P<setting>`[^`]+` is (?:not )?(?:set|installed|ignored|enabled|disabled|available)\b|"
    r"(?:supports|accepts)\b.{0,40}`[^`]+`|setting is `|^(?:there is|there's) (?:already|no|a|an) )|"
    r"\b(?P<host>read.only sandbox|phased out|deprecated|end of life|no network access|"
    r"not installed|no permission to|"
    r"(?:on|of) every (?:dev )?(?:box|machine|host)|from now on|"
    r"our \w+(?: \w+)? (?:takes|eats|needs|runs|uses|expects)|those are (?:the|our)\b))",
    re.IGNORECASE,
)
_SEARCHED = re.compile(r"^\W*(?:i )?(?:found|see|checked)\b", re.IGNORECASE)
_DEAD_END = re.compile(
    r"\b(?:premise (?:does not|doesn't) hold|dead end|(?:did not|didn't|does not|doesn't) (?:help|work)\b|"
    r"throw (?:it|this|that) away|thrown away|gave up on|abandon(?:ed|ing)?|reverted (?:it|that|this)|"
    r"no use|led nowhere|not worth (?:it|doing))",
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
    if len(prompt) > PASTED:
        return None
    for sentence in sentences(prompt):
        fits = FEWEST <= len(sentence.split()) <= LONGEST
        asks = _REQUEST.search(sentence) and not _INSISTS.search(_plain(sentence))
        if fits and not asks and _CORRECTION.search(_plain(sentence)):
            return sentence
    return None


def root_cause(text: str) -> str | None:
    """The sentence that states a cause as found, not as a plan or a question."""
    found = _first(text, lambda s: bool(_ROOT_CAUSE.search(s)) and not _HEDGE.search(s))
    return found or _announced(text)


def explanation(text: str) -> str | None:
    """The first sentence that says how something is: after a failure, that is its cause."""
    return _first(text, lambda s: not any(sign.search(s) for sign in (_HEDGE, _GOOD, _EXPECTED)))


def _announced(text: str) -> str | None:
    """What follows on "Found the issue."."""
    announced = False
    for sentence in sentences(text):
        if announced and is_outcome(sentence):
            return sentence
        if _FOUND.search(sentence):
            announced = True
            rest = sentence.partition(":")[2].strip()
            if is_outcome(rest):
                return sentence
    return None


def decision(text: str) -> str | None:
    """The sentence that states a decision together with its reason or its alternative."""
    return _first(text, _is_decision)


def _is_decision(sentence: str) -> bool:
    if _HEDGE.search(sentence):
        return False
    signs = [bool(sign.search(sentence)) for sign in (_CONTRAST, _NORM, _REASONED)]
    told = _DECIDED.search(sentence) or _CHANGED.search(sentence) or sum(signs) >= 2
    return bool(told) and not _REPORTING.search(sentence)


def dead_end(text: str) -> str | None:
    """The sentence that says that something was tried and led nowhere."""
    return _first(text, lambda s: bool(_DEAD_END.search(s)))


def reason(text: str) -> str | None:
    """The sentence that gives a reason."""
    return _first(text, lambda s: bool(_BECAUSE.search(s)))


def environment(text: str) -> str | None:
    """The sentence or line that states a version, a port, a variable or a path."""
    return _first(text, _is_fact)


def _is_fact(sentence: str) -> bool:
    if _HEDGE.search(sentence) or _SEARCHED.search(sentence):
        return False
    return bool(_ENV.search(sentence)) and len(sentence.split()) <= TERSE


def is_outcome(sentence: str) -> bool:
    """Whether a sentence says how something is: no plan, question, heading or fragment."""
    plain = _plain(sentence)
    heads = plain.rstrip().endswith(":") and not _CHANGED.search(plain)
    if heads or plain.startswith("|") or _PLAN.search(plain):
        return False
    return len(sentence.split()) >= FEWEST and len(sentence) <= 400


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


def _plain(sentence: str) -> str:
    """The sentence as the patterns expect it: straight apostrophes, no emphasis."""
    return re.sub(r"[*_]{2,}", "", sentence.replace("\u2019", "'"))


def _first(text: str, wanted: Callable[[str], bool]) -> str | None:
    for sentence in sentences(text):
        if is_outcome(sentence) and wanted(_plain(sentence)):
            return sentence
    return None
