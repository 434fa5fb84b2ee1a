"""Secrets are masked before anything is written: one function, used by every path.

Anchored rules only, each linear in the length of the text, so that hostile input cannot stall it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

_B = r"(?<![A-Za-z0-9_-])"
_E = r"(?![A-Za-z0-9_-])"

TOKENS: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    (
        "aws-key-id",
        (
            "AKIA",
            "ASIA",
            "AGPA",
            "AIDA",
            "AROA",
            "ANPA",
        ),
        re.compile(rf"{_B}(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{{16}}{_E}"),
    ),
    (
        "github-token",
        (
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
        ),
        re.compile(
            rf"{_B}(?:gh[pousr]_[A-Za-z0-9]{{30,255}}|github_pat_[A-Za-z0-9_]{{22,255}}){_E}"
        ),
    ),
    (
        "gitlab-token",
        (
            "glpat-",
            "glptt-",
            "gldt-",
            "glrt-",
            "glsoat-",
            "glcbt-",
        ),
        re.compile(rf"{_B}gl(?:pat|ptt|dt|rt|soat|cbt)-[A-Za-z0-9_-]{{20,255}}{_E}"),
    ),
    ("slack-token", ("xox",), re.compile(rf"{_B}xox[abeoprs]-[A-Za-z0-9-]{{10,250}}{_E}")),
    (
        "slack-webhook",
        ("hooks.slack.com",),
        re.compile(r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,200}"),
    ),
    (
        "stripe-key",
        (
            "k_live_",
            "k_test_",
        ),
        re.compile(rf"{_B}[prs]k_(?:live|test)_[A-Za-z0-9]{{16,250}}{_E}"),
    ),
    ("stripe-webhook", ("whsec_",), re.compile(rf"{_B}whsec_[A-Za-z0-9+/=]{{24,250}}")),
    ("anthropic-key", ("sk-ant-",), re.compile(rf"{_B}sk-ant-[A-Za-z0-9_-]{{20,250}}{_E}")),
    (
        "openai-key",
        ("sk-",),
        re.compile(rf"{_B}sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{{32,250}}{_E}"),
    ),
    ("google-key", ("AIza",), re.compile(rf"{_B}AIza[A-Za-z0-9_-]{{35}}{_E}")),
    (
        "google-oauth",
        (
            "ya29.",
            "GOCSPX-",
        ),
        re.compile(rf"{_B}(?:ya29\.[A-Za-z0-9_-]{{20,500}}|GOCSPX-[A-Za-z0-9_-]{{28}}){_E}"),
    ),
    ("npm-token", ("npm_",), re.compile(rf"{_B}npm_[A-Za-z0-9]{{36}}{_E}")),
    ("pypi-token", ("pypi-",), re.compile(rf"{_B}pypi-[A-Za-z0-9_-]{{50,500}}{_E}")),
    ("huggingface-token", ("hf_",), re.compile(rf"{_B}hf_[A-Za-z0-9]{{30,100}}{_E}")),
    ("digitalocean-token", ("_v1_",), re.compile(rf"{_B}do[opr]_v1_[a-f0-9]{{64}}{_E}")),
    (
        "sendgrid-key",
        ("SG.",),
        re.compile(rf"{_B}SG\.[A-Za-z0-9_-]{{16,64}}\.[A-Za-z0-9_-]{{16,128}}{_E}"),
    ),
    (
        "twilio-key",
        (
            "SK",
            "AC",
        ),
        re.compile(rf"{_B}(?:SK|AC)[a-f0-9]{{32}}{_E}"),
    ),
    ("mailgun-key", ("key-",), re.compile(rf"{_B}key-[a-f0-9]{{32}}{_E}")),
    ("databricks-token", ("dapi",), re.compile(rf"{_B}dapi[a-f0-9]{{32}}{_E}")),
    (
        "shopify-token",
        (
            "shpat_",
            "shpca_",
            "shppa_",
            "shpss_",
        ),
        re.compile(rf"{_B}shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}{_E}"),
    ),
    (
        "vault-token",
        (
            "hvs.",
            "hvb.",
            "hvr.",
        ),
        re.compile(rf"{_B}hv[sbr]\.[A-Za-z0-9_-]{{24,300}}{_E}"),
    ),
    ("age-key", ("AGE-SECRET-KEY",), re.compile(rf"{_B}AGE-SECRET-KEY-1[A-Z0-9]{{58}}{_E}")),
    ("telegram-token", (":AA",), re.compile(rf"{_B}[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{33}}{_E}")),
    (
        "discord-token",
        (".",),
        re.compile(
            rf"{_B}[MNO][A-Za-z0-9_-]{{23,27}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,40}}{_E}"
        ),
    ),
    (
        "azure-key",
        ("Key=",),
        re.compile(r"(?i:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,100}={0,2}"),
    ),
    (
        "jwt",
        ("eyJ",),
        re.compile(
            rf"{_B}eyJ[A-Za-z0-9_-]{{8,4000}}\.eyJ[A-Za-z0-9_-]{{8,8000}}(?:\.[A-Za-z0-9_-]{{0,4000}})?"
        ),
    ),
)
"""Kind, literals of which one must be in the text for the rule to be tried, and the rule."""

_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[A-Za-z0-9+/=:,.\s\\]|-(?!----)){0,20000}?"
    r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:[\s\\nr]{0,8}[A-Za-z0-9+/=]{16,200}){0,200})"
)
_URL = re.compile(
    r"(?P<before>\b[a-zA-Z][a-zA-Z0-9+.-]{1,30}://[^\s:/@\"'<>\[\]]{0,200}:)"
    r"(?P<secret>(?!\[redacted:)[^\s/@\"'<>]{1,300})(?=@)"
)
_HEADER = re.compile(
    r"(?P<before>\b(?i:authorization|proxy-authorization)[\"']?\s{0,4}[:=]\s{0,4}[\"']?"
    r"(?i:bearer|basic|token|digest|apikey)\s{1,4})(?P<secret>[A-Za-z0-9+/=._~-]{6,4000})"
)
_BEARER = re.compile(r"(?P<before>\b[Bb]earer\s{1,4})(?P<secret>[A-Za-z0-9+/=._~-]{20,4000})")
_COOKIE = re.compile(
    r"(?P<before>\b(?i:set-cookie|cookie)\s{0,4}:\s{0,4})(?P<secret>(?!\[redacted:)[^\r\n\"']{8,4000})"
)
_NAMED = re.compile(
    r"(?P<word>(?i:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|auth[_-]?key|credentials?))(?P<tail>[A-Za-z0-9_-]{0,24})[\"']?"
    r"(?P<middle>\s{0,4}(?::=|=>|[:=])\s{0,4}|\s{1,2}(?=[\"']))"
    r"(?:(?P<quote>[\"'`])(?P<quoted>(?!\[redacted:)[^\"'`\r\n]{4,500})(?P=quote)"
    r"|(?P<bare>(?!\[redacted:)[^\s\"'`,;<>(){}\[\]|]{6,500}))"
)
_SECRET_WORDS = ("pass", "pwd", "secret", "token", "key", "credential")
_FLAG = re.compile(
    r"(?P<before>(?<![A-Za-z0-9-])--(?i:password|passwd|token|secret|api-key|access-key|auth-token)[ =]"
    r"[\"']?)(?P<secret>(?!\[redacted:)[^\s\"'<>$]{4,500})"
)
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![A-Za-z0-9.-]*[:/])"
)
_PROSE_LIKE = frozenset(("openai-key", "discord-token"))
_PLAIN_WORDS = frozenset(
    (
        "none",
        "null",
        "true",
        "false",
        "undefined",
        "string",
        "str",
        "int",
        "bytes",
        "required",
        "optional",
        "changeme",
        "example",
        "redacted",
        "your-password",
        "password",
        "secret",
        "token",
        "xxxxxx",
        "secretstr",
        "object",
        "unset",
        "empty",
    )
)
_CODE = re.compile(
    r"^(?:\$|%|process\.env|os\.|self\.|env\.|config\.|settings\.|args\.|[A-Za-z_.]{1,60}\()"
)
_WORDS = re.compile(r"^[A-Za-z]{1,40}(?:[_.-][A-Za-z]{1,40}){0,8}$")
_REFERENCE = re.compile(r"^(?:[./~]|[A-Za-z]:\\|https?://|[0-9.]+$|[0-9a-f]{8}-[0-9a-f]{4}-)")


@dataclass(frozen=True, slots=True)
class Redaction:
    """The masked text, and how many secrets of each kind were masked."""

    text: str
    hits: tuple[tuple[str, int], ...]

    @property
    def count(self) -> int:
        """How many secrets were masked."""
        return sum(number for _, number in self.hits)


def redact(text: str, extra: tuple[re.Pattern[str], ...] = ()) -> Redaction:
    """`text` with every secret replaced by `[redacted:<kind>]`. Idempotent.

    `extra` are the user's own patterns; what they match is masked whole, as kind `custom`.
    """
    hits: Counter[str] = Counter()
    for pattern in extra:
        text = pattern.sub(_whole("custom", hits), text)
    if "PRIVATE KEY" in text:
        text = _PRIVATE_KEY.sub(_whole("private-key", hits), text)
    for kind, literals, rule in TOKENS:
        if any(literal in text for literal in literals):
            text = rule.sub(_token(kind, hits), text)
    if "://" in text:
        text = _URL.sub(_after("url-password", hits), text)
    lowered = text.lower()
    if "authorization" in lowered or "bearer" in lowered:
        text = _HEADER.sub(_after("authorization", hits), text)
        text = _BEARER.sub(_after("authorization", hits), text)
    if "cookie" in lowered:
        text = _COOKIE.sub(_after("cookie", hits), text)
    if any(word in lowered for word in _SECRET_WORDS):
        text = _FLAG.sub(_after("password", hits), text)
        text = _NAMED.sub(_named(hits), text)
    if "@" in text:
        text = _EMAIL.sub(_whole("email", hits), text)
    return Redaction(text, tuple(sorted(hits.items())))


def _whole(kind: str, hits: Counter[str]) -> Callable[[re.Match[str]], str]:
    def mask(match: re.Match[str]) -> str:
        if match.group().startswith("[redacted:"):
            return match.group()
        hits[kind] += 1
        return f"[redacted:{kind}]"

    return mask


def _token(kind: str, hits: Counter[str]) -> Callable[[re.Match[str]], str]:
    def mask(match: re.Match[str]) -> str:
        if kind in _PROSE_LIKE and not _random(match.group()):
            return match.group()
        hits[kind] += 1
        return f"[redacted:{kind}]"

    return mask


def _after(kind: str, hits: Counter[str]) -> Callable[[re.Match[str]], str]:
    def mask(match: re.Match[str]) -> str:
        secret = match["secret"]
        if secret.lstrip().startswith(("[redacted:", "$", "{", "<")) or set(secret) <= {
            "*",
            "x",
            "X",
            ".",
        }:
            return match.group()
        hits[kind] += 1
        return f"{match['before']}[redacted:{kind}]"

    return mask


def _named(hits: Counter[str]) -> Callable[[re.Match[str]], str]:
    def mask(match: re.Match[str]) -> str:
        quoted = match["quoted"]
        secret = match["bare"] if quoted is None else quoted
        name = match["word"] + match["tail"]
        if not _is_secret(secret, name, quoted is not None):
            return match.group()
        hits["secret"] += 1
        start = match.start("bare" if quoted is None else "quoted") - match.start()
        whole = match.group()
        return f"{whole[:start]}[redacted:secret]{whole[start + len(secret) :]}"

    return mask


def _is_secret(value: str, name: str, quoted: bool) -> bool:
    """Whether the value of a secret-like name is one, and not code, a path or a placeholder."""
    if value.lower() in _PLAIN_WORDS or value.startswith("[redacted:") or "[redacted:" in value:
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
