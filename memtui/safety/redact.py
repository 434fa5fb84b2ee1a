"""Secrets are masked before anything is written: one function, used by every path."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

from memtui.safety import secret_rules as rules
from memtui.safety.ruleset import name_of

_CODE = re.compile(
    r"^(?:\$|%|process\.env|os\.|self\.|env\.|config\.|settings\.|args\.|[A-Za-z_.]{1,60}\()"
)
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_WORDS = re.compile(r"^[A-Za-z]{1,40}(?:[_.-][A-Za-z]{1,40}){0,8}$")
_MASK = re.compile(r"(\[redacted:[a-z-]{1,40}\])")
_REFERENCE = re.compile(r"^(?:[./~]|[A-Za-z]:\\|https?://|[0-9.]+$|[0-9a-f]{8}-[0-9a-f]{4}-)")


class Redaction:
    """The masked text, and how many secrets of each kind were masked."""

    # No dataclass: a hook that read a changed file looks at its line, and that import costs more.
    __slots__ = ("hits", "text")

    def __init__(self, text: str, hits: tuple[tuple[str, int], ...]) -> None:
        self.text = text
        self.hits = hits

    @property
    def count(self) -> int:
        """How many secrets were masked."""
        return sum(number for _, number in self.hits)


Hits = dict[str, int]
"""How many secrets of each kind were masked so far."""

SHORTEST = 15
_LONG = 16 * 1024
"""Characters from which on it is dearer to look for words than for what the rules need."""

_MARKS = (":", "=", '"', "'", "--", "@", "login")

_BY_LITERAL = [
    (literal, kind, rule) for kind, literals, rule in rules.TOKENS for literal in literals
]

_own: tuple[re.Pattern[str], ...] = ()


def use_patterns(patterns: tuple[re.Pattern[str], ...]) -> None:
    """From now on mask what the user's own patterns match, in every path of this process."""
    global _own
    _own = patterns


def rules_name() -> str:
    """The name of the rules in force in this process."""
    return name_of([pattern.pattern for pattern in _own])


def redact(text: str, extra: tuple[re.Pattern[str], ...] | None = None) -> Redaction:
    """`text` with every secret replaced by `[redacted:<kind>]`. Idempotent.

    `extra` are the user's own patterns, those of `use_patterns` unless given; what they match is masked
    whole, as kind `custom`.
    """
    own = _own if extra is None else extra
    words = _long_word(text)
    if not own and not words and not _marked(text):
        return Redaction(text, ())
    hits: Hits = {}
    for pattern in own:
        text = _custom(text, pattern, hits)
    if "PRIVATE KEY" in text:
        text = rules.PRIVATE_KEY.sub(_whole("private-key", hits), text)
    for literal, kind, rule in _BY_LITERAL if words else ():
        if literal in text:
            text = rule.sub(_token(kind, hits), text)
    text = _by_line(text, hits)
    if "@" in text:
        text = rules.EMAIL.sub(_email(hits), text)
    return Redaction(text, tuple(sorted(hits.items())))


def _long_word(text: str) -> bool:
    """Whether a rule of `TOKENS` could match: none matches fewer characters, and none white space."""
    return len(text) > _LONG or max(map(len, text.split()), default=0) >= SHORTEST


def _marked(text: str) -> bool:
    """Whether any other rule could match. All need one of these marks, but for a bearer's long word."""
    if not any(map(text.__contains__, _MARKS)):
        return False
    lowered = text.lower()
    return "@" in text or len(lowered) != len(text) or rules.HINT.search(lowered) is not None


def _custom(text: str, pattern: re.Pattern[str], hits: Hits) -> str:
    """The text with what a user's pattern matches masked; masks stay, and an empty match is none."""
    mask = _whole("custom", hits)
    parts = _MASK.split(text)
    return "".join(
        part
        if at % 2
        else pattern.sub(lambda found: mask(found) if found.group() else found.group(), part)
        for at, part in enumerate(parts)
    )


def _by_line(text: str, hits: Hits) -> str:
    """The rules that look at one line, on the lines that have a word of theirs."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a rare letter changes its length: no position can be trusted
        return _in_line(text, hits)
    parts = []
    done = 0
    hint = rules.HINT.search(lowered)
    while hint:
        start = text.rfind("\n", 0, hint.start()) + 1
        end = text.find("\n", hint.end())
        end = len(text) if end < 0 else end
        parts += [text[done:start], _in_line(text[start:end], hits)]
        done = end
        hint = rules.HINT.search(lowered, end)
    return "".join((*parts, text[done:]))


def _in_line(line: str, hits: Hits) -> str:
    line = rules.URL.sub(_after("url-password", hits), line)
    line = rules.HEADER.sub(_after("authorization", hits), line)
    line = rules.BEARER.sub(_after("authorization", hits), line)
    line = rules.COOKIE.sub(_after("cookie", hits), line)
    line = rules.LOGIN.sub(_after("password", hits), line)
    line = rules.FLAG.sub(_after("password", hits), line)
    return rules.NAMED.sub(_named(hits), line)


def _whole(kind: str, hits: Hits) -> Callable[[re.Match[str]], str]:
    def mask(match: re.Match[str]) -> str:
        if match.group().startswith("[redacted:"):
            return match.group()
        hits[kind] = hits.get(kind, 0) + 1
        return f"[redacted:{kind}]"

    return mask


def _token(kind: str, hits: Hits) -> Callable[[re.Match[str]], str]:
    def mask(match: re.Match[str]) -> str:
        if kind in rules.PROSE_LIKE and not _random(match.group()):
            return match.group()
        hits[kind] = hits.get(kind, 0) + 1
        return f"[redacted:{kind}]"

    return mask


def _after(kind: str, hits: Hits) -> Callable[[re.Match[str]], str]:
    def mask(match: re.Match[str]) -> str:
        secret = match["secret"]
        if secret.lstrip().startswith(("[redacted:", "$", "{", "<")) or set(secret) <= {
            "*",
            "x",
            "X",
            ".",
        }:
            return match.group()
        hits[kind] = hits.get(kind, 0) + 1
        return f"{match['before']}[redacted:{kind}]"

    return mask


def _email(hits: Hits) -> Callable[[re.Match[str]], str]:
    def mask(match: re.Match[str]) -> str:
        if match.group().rpartition(".")[2].lower() in rules.FILE_ENDINGS:
            return match.group()
        hits["email"] = hits.get("email", 0) + 1
        return "[redacted:email]"

    return mask


def _named(hits: Hits) -> Callable[[re.Match[str]], str]:
    def mask(match: re.Match[str]) -> str:
        quoted = match["quoted"]
        secret = match["bare"] if quoted is None else quoted
        word, tail = match["word"], match["tail"]
        if _describes(word, tail) or not _is_secret(secret, word + tail, quoted is not None):
            return match.group()
        hits["secret"] = hits.get("secret", 0) + 1
        start = match.start("bare" if quoted is None else "quoted") - match.start()
        whole = match.group()
        return f"{whole[:start]}[redacted:secret]{whole[start + len(secret) :]}"

    return mask


def _describes(word: str, tail: str) -> bool:
    """Whether a name goes on so that it means something else: `tokenizer`, `token_count`."""
    if tail[:1].isalpha() and tail.lower() != "s" and (word.isupper() or tail[0].islower()):
        return True
    parts = _PARTS.findall(tail)
    return bool(parts) and parts[-1].lower() in rules.HARMLESS_TAILS


def _is_secret(value: str, name: str, quoted: bool) -> bool:
    """Whether the value of a secret-like name is one, and not code, a path or a placeholder."""
    if (
        value.lower() in rules.PLACEHOLDERS
        or value.startswith("[redacted:")
        or "[redacted:" in value
    ):
        return False
    if _CODE.match(value) or _REFERENCE.match(value) or value.startswith(("<", "{", "*", "...")):
        return False
    strong = (
        name.lower().rstrip("_0123456789").endswith(("password", "passwd", "passphrase", "pwd"))
    )
    if strong and (quoted or not _WORDS.match(value)):
        return True
    if strong and name.isupper():
        return True
    return _random(value)


def _random(value: str) -> bool:
    """Whether a value looks made by a machine: mixed and of high entropy for its length."""
    if len(value) < 8 or " " in value:
        return False
    digits = any(char.isdigit() for char in value)
    letters = any(char.isalpha() for char in value)
    if not (digits and letters):
        return len(value) >= 24 and _entropy(value) > 3.8 and not _WORDS.match(value)
    return _entropy(value) > (2.5 if len(value) < 16 else 3.0)


def _entropy(value: str) -> float:
    """Bits per character."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values())
