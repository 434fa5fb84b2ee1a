"""What secrets look like: anchored patterns, each linear in the length of the text."""

from __future__ import annotations

import re
from typing import NamedTuple

_B = r"(?<![A-Za-z0-9_-])"
_E = r"(?![A-Za-z0-9_-])"
_W = "[A-Za-z0-9_-]"
_N = "[A-Za-z0-9]"


class Rule(NamedTuple):
    """A kind, literals of which one must be in the text for the rule to be tried, and the rule."""

    kind: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]


def _rule(kind: str, literals: str, pattern: str) -> Rule:
    return Rule(kind, tuple(literals.split()), re.compile(pattern))


TOKENS = (
    _rule(
        "aws-key-id",
        "AKIA ASIA AGPA AIDA AROA ANPA ABIA ACCA",
        rf"{_B}(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ABIA|ACCA)[A-Z0-9]{{16}}{_E}",
    ),
    _rule(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        rf"{_B}(?:gh[pousr]_{_N}{{30,255}}|github_pat_[A-Za-z0-9_]{{22,255}}){_E}",
    ),
    _rule(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glsoat- glcbt-",
        rf"{_B}gl(?:pat|ptt|dt|rt|soat|cbt)-[A-Za-z0-9_.-]{{20,255}}{_E}",
    ),
    _rule("slack-token", "xox xapp-", rf"{_B}(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{{10,250}}{_E}"),
    _rule(
        "slack-webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200}",
    ),
    _rule("stripe-key", "k_live_ k_test_", rf"{_B}[prs]k_(?:live|test)_{_N}{{16,250}}{_E}"),
    _rule("stripe-webhook", "whsec_", rf"{_B}whsec_[A-Za-z0-9+/=]{{24,250}}"),
    _rule("anthropic-key", "sk-ant-", rf"{_B}sk-ant-{_W}{{20,250}}{_E}"),
    _rule("openai-key", "sk-", rf"{_B}sk-(?:proj-|svcacct-|admin-|or-v1-)?{_W}{{32,250}}{_E}"),
    _rule("google-key", "AIza", rf"{_B}AIza{_W}{{35}}{_E}"),
    _rule(
        "google-oauth",
        "ya29. GOCSPX- 1//0",
        rf"{_B}(?:ya29\.{_W}{{20,500}}|GOCSPX-{_W}{{28}}|1//0{_W}{{40,200}}){_E}",
    ),
    _rule("npm-token", "npm_", rf"{_B}npm_{_N}{{36}}{_E}"),
    _rule("pypi-token", "pypi-", rf"{_B}pypi-{_W}{{50,500}}{_E}"),
    _rule("huggingface-token", "hf_", rf"{_B}hf_{_N}{{30,100}}{_E}"),
    _rule("digitalocean-token", "_v1_", rf"{_B}do[opr]_v1_[a-f0-9]{{64}}{_E}"),
    _rule("sendgrid-key", "SG.", rf"{_B}SG\.{_W}{{16,64}}\.{_W}{{16,128}}{_E}"),
    _rule("twilio-key", "SK AC", rf"{_B}(?:SK|AC)[a-f0-9]{{32}}{_E}"),
    _rule("mailgun-key", "key-", rf"{_B}key-[a-f0-9]{{32}}{_E}"),
    _rule("databricks-token", "dapi", rf"{_B}dapi[a-f0-9]{{32}}{_E}"),
    _rule(
        "shopify-token",
        "shpat_ shpca_ shppa_ shpss_",
        rf"{_B}shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}{_E}",
    ),
    _rule("vault-token", "hvs. hvb. hvr.", rf"{_B}hv[sbr]\.{_W}{{24,300}}{_E}"),
    _rule("age-key", "AGE-SECRET-KEY", rf"{_B}AGE-SECRET-KEY-1[A-Z0-9]{{58}}{_E}"),
    _rule("telegram-token", ":AA", rf"{_B}[0-9]{{8,10}}:AA{_W}{{33}}{_E}"),
    _rule("discord-token", ".", rf"{_B}[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,40}}{_E}"),
    _rule(
        "azure-key",
        "Key= sig=",
        r"(?i:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,100}={0,2}|(?<=[?&])sig=[A-Za-z0-9%+/]{30,200}",
    ),
    _rule(
        "service-token",
        "glsa_ glc_ gsk_ xai- pplx- r8_ sbp_ pscale_tkn_ NRAK- dckr_pat_ ATATT3x ATBB sntrys_ sntryu_"
        " rubygems_ pul- tskey- lin_api_ ntn_ figd_ sq0csp- sq0atp- HRKU- .atlasv1.",
        rf"{_B}(?:(?:glsa_|glc_|gsk_|xai-|pplx-|r8_|sbp_|pscale_tkn_|NRAK-|dckr_pat_|ATATT3x|ATBB|sntrys_"
        rf"|sntryu_|rubygems_|pul-|tskey-|lin_api_|ntn_|figd_|sq0csp-|sq0atp-|HRKU-){_W}{{20,400}}={{0,2}}"
        rf"|{_N}{{14}}\.atlasv1\.{_W}{{40,120}}){_E}",
    ),
    _rule(
        "jwt",
        "eyJ",
        rf"{_B}eyJ{_W}{{8,4000}}\.eyJ{_W}{{8,8000}}(?:\.{_W}{{0,4000}})?",
    ),
)

PROSE_LIKE = frozenset(("openai-key", "discord-token", "service-token"))
"""Kinds whose form hyphenated words can have too: masked only when they look made by a machine."""

PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[A-Za-z0-9+/=:,.\s\\]|-(?!----)){0,20000}?"
    r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:[\s\\nr]{0,8}[A-Za-z0-9+/=]{16,200}){0,200})"
)
URL = re.compile(
    r"(?P<before>\b[a-zA-Z][a-zA-Z0-9+.-]{1,30}://[^\s:/@\"'<>\[\]]{0,200}:)"
    r"(?P<secret>(?!\[redacted:)[^\s/@\"'<>]{1,300}(?:@[^\s/@\"'<>]{0,100}){0,3})(?=@)"
)
HEADER = re.compile(
    r"(?P<before>\b(?i:authorization|proxy-authorization|x-api-key|x-auth-token|private-token)"
    r"\\{0,3}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}[\"']?(?i:(?:bearer|basic|token|digest|apikey)[ \t]{1,4})?)"
    r"(?P<secret>(?!(?i:bearer|basic|token|digest|apikey)\b)[A-Za-z0-9+/=._~-]{6,4000})"
)
BEARER = re.compile(r"(?P<before>\b[Bb]earer[ \t]{1,4})(?P<secret>[A-Za-z0-9+/=._~-]{20,4000})")
COOKIE = re.compile(
    r"(?P<before>\b(?i:set-cookie|cookie)\\{0,3}[\"']?[ \t]{0,4}:[ \t]{0,4}\\{0,3}[\"']?)"
    r"(?P<secret>(?!\[redacted:)[^\r\n\"'\\]{8,4000})"
)
LOGIN = re.compile(
    r"(?P<before>(?:\blogin[ \t]{1,4}\S{1,100}[ \t]{1,4}password[ \t]{1,4}"  # .netrc
    r"|(?<![A-Za-z0-9-])(?:-u|--user)[ =][\"']?(?![0-9]+:)[A-Za-z0-9._@-]{1,80}:"  # curl
    r"|(?<![A-Za-z0-9])_auth[ \t]{0,2}=[ \t]{0,2}[\"']?"  # .npmrc
    r"|\"auth\"[ \t]{0,2}:[ \t]{0,2}\"))"  # Docker
    r"(?P<secret>(?!\[redacted:)[^\s\"'<>$/,;]{4,500})"
)
FLAG = re.compile(
    r"(?P<before>(?<![A-Za-z0-9-])--(?i:password|passwd|token|secret|api-key|access-key|auth-token)[ =]"
    r"[\"']?)(?P<secret>(?!\[redacted:)[^\s\"'<>$]{4,500})"
)
NAMED = re.compile(
    r"(?P<word>(?i:passw(?:or)?d|passphrase|passcode|pwd|secret|token|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|auth[_-]?key|(?:encryption|signing|master|deploy|license|shared|consumer)[_-]?key"
    r"|credentials?))(?P<tail>[A-Za-z0-9_-]{0,24})\\{0,3}[\"']?"
    r"(?P<middle>[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}|[ \t]{1,2}(?=[\"']))\\{0,3}"
    r"(?:(?P<quote>[\"'`])(?P<quoted>(?!\[redacted:)(?:[^\"'`\r\n\\]|\\(?![\"'`])){4,500})\\{0,3}(?P=quote)"
    r"|(?P<bare>(?!\[redacted:)[^\s\"'`,;<>(){}\[\]|\\]{4,500}))"
)
HINT = re.compile(
    "passw|passphrase|passcode|pwd|secret|token|key|credential|auth|bearer|cookie|login|://|-u|--user"
)
"""In lower case: a line without any of these needs none of the rules from `URL` to `NAMED`."""

EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![A-Za-z0-9.-]*[:/])"
)
FILE_ENDINGS = frozenset((
    "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "js", "mjs", "cjs", "tsx", "jsx", "css",
    "scss", "html", "json", "service", "socket", "timer",
))  # fmt: skip
"""What stands after the last dot of things such as `icon@2x.png`: no domain."""

PLACEHOLDERS = frozenset((
    "none", "null", "true", "false", "undefined", "string", "str", "int", "bytes", "required", "optional",
    "changeme", "example", "redacted", "your-password", "password", "secret", "token", "xxxxxx",
    "secretstr", "object", "unset", "empty", "bearer", "basic",
))  # fmt: skip
"""Values of a secret-like name that are no secrets."""

HARMLESS_TAILS = (
    "count", "counts", "type", "types", "name", "names", "url", "uri", "limit", "limits", "length", "len",
    "size", "path", "file", "dir", "header", "field", "env", "var", "arn", "ttl", "expiry", "expires", "at",
    "budget", "usage", "rate", "regex", "pattern", "prefix", "index", "version", "model", "policy", "store",
    "provider", "class", "format", "encoding", "min", "max", "ref", "endpoint", "id",
)  # fmt: skip
"""Last parts of a name that say it describes a secret and does not hold one."""
