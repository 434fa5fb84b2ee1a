"""What agent hosts do to an injected text: their caps and their escaping, as measured on the wire.

Claude Code 2.1.197 sends 10,000 UTF-16 units verbatim and replaces anything longer by a file path.
Codex CLI 0.171.0 cuts the middle out of more than 10,000 UTF-8 bytes. Gemini CLI 0.61.0 turns `<` and
`>` into entities; 60,000 characters went out whole, more was not tried.
"""

from __future__ import annotations

from memtui.inject.model import HostLimit

UTF16 = "utf16"
UTF8 = "utf8"
CHARS = "chars"
HTML = "html"

LIMITS = {
    "claude-code": HostLimit("claude-code", UTF16, 10_000),
    "codex": HostLimit("codex", UTF8, 10_000),
    "gemini-cli": HostLimit("gemini-cli", CHARS, 60_000, HTML),
}

CAUTIOUS_SIZE = 10_000
"""Cap, in UTF-8 bytes, for a host that nobody measured: within every known host's own."""


def limit_of(host: str) -> HostLimit:
    """The cap of `host`; a cautious one for a host that is not known."""
    return LIMITS.get(host) or HostLimit(host, UTF8, CAUTIOUS_SIZE)


def delivered(text: str, limit: HostLimit) -> str:
    """The text as the host passes it on to the model, caps aside."""
    if limit.escape == HTML:
        return text.replace("<", "&lt;").replace(">", "&gt;")
    return text


def measure(text: str, limit: HostLimit) -> int:
    """The size of `text` after the host's escaping, in the unit of `limit`.

    Sizes add up: the measure of two joined texts is the sum of theirs. Raises ValueError for a unit
    that is not known.
    """
    sent = delivered(text, limit)
    if limit.unit == UTF8:
        return len(sent.encode("utf-8", "surrogatepass"))
    if limit.unit == UTF16:
        return len(sent) + sum(char > "\uffff" for char in sent)
    if limit.unit == CHARS:
        return len(sent)
    raise ValueError(f"unknown unit {limit.unit!r}")
