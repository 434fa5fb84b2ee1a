"""The signs that the screen draws with: one set for Unicode terminals, one for ASCII."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Every sign is one cell wide, except words in brackets. Each stands beside a word or a number."""

    confirmed: str = "●"
    checked: str = "◐"
    unchecked: str = "○"
    disputed: str = "⊘"
    prompt: str = "❯"
    answer: str = "◆"
    call: str = "▸"
    thinking: str = "∴"
    note: str = "·"
    error: str = "✗"
    subagent: str = "↳"
    compaction: str = "≋"
    injection: str = "⇣"
    open: str = "▾"
    closed: str = "▸"
    verified: str = "✓"
    changed: str = "≠"
    gone: str = "∅"
    unsealed: str = "?"
    cursor: str = "▌"
    mark: str = "◆"
    ellipsis: str = "…"
    rule: str = "─"
    cut: str = "╌"
    bullet: str = "•"
    quote: str = "│"
    pinned: str = "⚑"
    full: str = "█"
    empty: str = "░"
    arrow: str = "›"
    child: str = "└"
    warning: str = "!"
    left_quote: str = "“"
    right_quote: str = "”"
    up: str = "↑"
    down: str = "↓"
    separator: str = "·"
    alike: str = "≈"
    border: str = "round"
    spinner: str = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


UNICODE = Glyphs()

ASCII = Glyphs(
    confirmed="#",
    checked="+",
    unchecked="o",
    disputed="x",
    prompt=">",
    answer="*",
    call="$",
    thinking="~",
    note=".",
    error="X",
    subagent="\\",
    compaction="=",
    injection="v",
    open="v",
    closed=">",
    verified="=",
    changed="!",
    gone="0",
    unsealed="?",
    cursor="|",
    mark="*",
    ellipsis="~",
    rule="-",
    cut="-",
    bullet="-",
    quote="|",
    pinned="^",
    full="#",
    empty=".",
    arrow=">",
    child="`",
    warning="!",
    left_quote='"',
    right_quote='"',
    up="^",
    down="v",
    separator="|",
    alike="~",
    border="ascii",
    spinner="|/-\\",
)


def glyph_set(ascii_only: bool) -> Glyphs:
    """The set to draw with."""
    return ASCII if ascii_only else UNICODE


@runtime_checkable
class HasGlyphs(Protocol):
    """An app that says which signs to draw with."""

    glyphs: Glyphs


def glyphs_of(app: object) -> Glyphs:
    """The signs of the app that a widget lives in."""
    return app.glyphs if isinstance(app, HasGlyphs) else UNICODE
