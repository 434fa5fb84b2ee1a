"""The names that spans give their meaning; `styles/tones.tcss` gives each one its colour and style."""

from __future__ import annotations

from memtui.bank.model import Tier
from memtui.hosts.model import Kind
from memtui.tui.glyphs import Glyphs

TONES = (
    "text",
    "strong",
    "em",
    "muted",
    "faint",
    "accent",
    "warn",
    "error",
    "ok",
    "heading",
    "title",
    "key",
    "chip",
    "code",
    "link",
    "match",
    "mark",
    "trust-confirmed",
    "trust-checked",
    "trust-unchecked",
    "trust-disputed",
    "state-warn",
    "state-absent",
    "cut",
    "role-prompt",
    "role-answer",
    "role-call",
    "role-note",
    "role-error",
    "add",
    "remove",
    "hunk",
)

COMPONENTS = frozenset(f"tone--{name}" for name in TONES) | {
    "row--cursor",
    "row--cursor-blurred",
    "row--sign",
}
"""Component classes of every widget that draws toned lines."""


def tier_sign(tier: Tier, glyphs: Glyphs) -> tuple[str, str]:
    """The sign and tone of a trust tier."""
    signs = {
        Tier.CONFIRMED: glyphs.confirmed,
        Tier.CHECKED: glyphs.checked,
        Tier.UNCHECKED: glyphs.unchecked,
        Tier.DISPUTED: glyphs.disputed,
    }
    return signs[tier], f"trust-{tier.value}"


_ROLE_TONES = {
    Kind.PROMPT: "role-prompt",
    Kind.ANSWER: "role-answer",
    Kind.THINKING: "role-note",
    Kind.CALL: "role-call",
    Kind.RESULT: "role-call",
    Kind.COMPACTION: "role-note",
    Kind.SUBAGENT: "role-call",
    Kind.INJECTION: "accent",
    Kind.NOTICE: "role-note",
}


def kind_sign(kind: Kind, glyphs: Glyphs, is_error: bool = False) -> tuple[str, str]:
    """The sign and tone of what happened in a turn; an error has its own sign."""
    if is_error:
        return glyphs.error, "role-error"
    signs = {
        Kind.PROMPT: glyphs.prompt,
        Kind.ANSWER: glyphs.answer,
        Kind.THINKING: glyphs.thinking,
        Kind.CALL: glyphs.call,
        Kind.RESULT: glyphs.call,
        Kind.COMPACTION: glyphs.compaction,
        Kind.SUBAGENT: glyphs.subagent,
        Kind.INJECTION: glyphs.injection,
        Kind.NOTICE: glyphs.note,
    }
    return signs[kind], _ROLE_TONES[kind]
