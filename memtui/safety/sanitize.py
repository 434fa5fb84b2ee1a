"""Text on its way to a screen or an agent: no control characters, nothing that hides or moves.

The user's own files are never changed by this.
"""

from __future__ import annotations

import re
import unicodedata

TAB = "    "

_ESCAPE_SEQUENCES = re.compile(
    "(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\n]{0,8192}(?:\x07|\x1b\\\\|\x9c|)"  # OSC: title, clipboard
    "|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]{0,8192}(?:\x1b\\\\|\x9c|)"  # DCS, SOS, PM, APC
    "|(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]?"  # CSI: colours, cursor
    "|\x1b[ -/]{0,4}[0-~]?"  # everything else that starts with ESC
)
_UNSAFE = re.compile(
    "[\u200d\ufe0e\ufe0f]+|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]|\t"
)
_NEWLINES = frozenset("\x85\u2028\u2029\x0b\x0c")
_JOINERS = frozenset("\u200d\ufe0f\ufe0e")


def sanitize(text: str) -> str:
    """`text` with escape sequences, controls, bidi and hidden characters dropped.

    Newlines stay (CR, CRLF, NEL, U+2028 and U+2029 become LF), tabs become four spaces, lone
    surrogates U+FFFD. Joiners and variation selectors stay where they follow an emoji. Idempotent.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text or not text.isascii():
        text = _ESCAPE_SEQUENCES.sub("", text)
    return _UNSAFE.sub(_safe, text)


def one_line(text: str, limit: int | None = None) -> str:
    """`text` sanitized on one line, runs of white space as one space.

    Cut to `limit` characters with a final `…`, never between a character and what combines with it.
    """
    if limit is not None and len(text) > 8 * limit + 4096:
        text = text[: 8 * limit + 4096]
    line = " ".join(sanitize(text).split())
    if limit is None or len(line) <= limit:
        return line
    if limit <= 0:
        return ""
    end = limit - 1
    while end > 0 and (_combines(line[end]) or line[end - 1] == "\u200d"):
        end -= 1
    end -= _flag_letters_before(line, end) % 2 if _is_flag_letter(line[end]) else 0
    return line[:end].rstrip() + "…"


def _safe(match: re.Match[str]) -> str:
    char = match.group()
    if char == "\t":
        return TAB
    if char in _NEWLINES:
        return "\n"
    if "\ud800" <= char <= "\udfff":
        return "\ufffd"
    if char[0] in _JOINERS and match.start() > 0:
        return char[:2] if _takes_joiner(match.string[match.start() - 1]) else ""
    return ""


def _takes_joiner(before: str) -> bool:
    """Whether a joiner or variation selector after this character belongs to an emoji."""
    return (
        unicodedata.category(before) in ("So", "Sk")
        or before in "#*0123456789\u2194\u2195\u203c\u2049\u3030\u303d"
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_letters_before(line: str, end: int) -> int:
    """How many flag letters stand directly before `end`: two of them are one flag."""
    start = end
    while start > 0 and _is_flag_letter(line[start - 1]):
        start -= 1
    return end - start


def _combines(char: str) -> bool:
    return (
        char in _JOINERS
        or unicodedata.category(char) in ("Mn", "Me", "Mc", "Sk")
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )
