"""The fence round injected text: what is ours can be told from what is not, and is never captured.

String methods only, because the session-start hook imports this.
"""

from __future__ import annotations

TAG = "memtui-memory"
OPEN = f"<{TAG}"
CLOSE = f"</{TAG}>"
_FORMS = (
    (OPEN, CLOSE),
    (f"&lt;{TAG}", f"&lt;/{TAG}&gt;"),
)
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
"""ASCII alone: `str.lower` makes two characters of one `İ`, and every index after it wrong."""


def wrap(body: str, digest: str) -> str:
    """`body` between an opening line that names `digest` and a closing line. Ends in a newline."""
    return f'{OPEN} id="{digest}">\n{body.rstrip(chr(10))}\n{CLOSE}\n'


def escape(text: str) -> str:
    """`text` that can neither close nor imitate the fence: its tag is broken up wherever it stands."""
    lowered = text.lower() if text.isascii() else text.translate(_LOWER)
    if TAG not in lowered:
        return text
    parts = []
    at = 0
    while (found := lowered.find(TAG, at)) >= 0:
        middle = found + len("memtui")
        parts += [text[at:middle], "\u2011"]
        at = middle + 1
    return "".join((*parts, text[at:]))


def strip(text: str) -> str:
    """`text` without any fenced block: nested, repeated, cut off, or escaped as entities."""
    for opening, closing in _FORMS:
        if opening in text:
            text = _without(text, opening, closing)
        text = text.replace(closing, "")
    return text


def _without(text: str, opening: str, closing: str) -> str:
    kept = []
    at = 0
    depth = 0
    while True:
        start = text.find(opening, at)
        end = text.find(closing, at)
        if depth == 0:
            if start < 0:
                kept.append(text[at:])
                return "".join(kept)
            kept.append(text[at:start])
            depth, at = 1, start + len(opening)
        elif end < 0:
            return "".join(kept)
        elif 0 <= start < end:
            depth, at = depth + 1, start + len(opening)
        else:
            depth, at = depth - 1, end + len(closing)
            if depth == 0 and text[at : at + 1] == "\n":
                at += 1
