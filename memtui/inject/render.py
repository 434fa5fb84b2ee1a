"""The words of the injected block: its header, one line per item, and the fence around them.

Everything here quotes. Texts of a bank are made one line, freed of control characters and fence marks,
and cut at whole characters, so that none of them adds a line or ends the block.
"""

from __future__ import annotations

import datetime

from memtui.inject.model import Candidate, Line
from memtui.safety.digest import sha256
from memtui.safety.fence import TAG, escape, wrap

CHECKED = "checked"
UNCHECKED = "unchecked"

TITLE_BYTES = 112
TAG_BYTES = 20
TAGS = 3
PROJECT_BYTES = 40
WORD_BYTES = 24

CHECKED_TIERS = ("confirmed", "checked")
SECTION_HEADERS = {
    CHECKED: "Confirmed by a person, or checked by a test or build; age in days:",
    UNCHECKED: "Not checked by anyone:",
}
"""The sections in the order of the text."""

FENCE_ID = 12
"""Characters of the fence id: hex digits of the body's SHA-256."""

MIN_LINE_BYTES = len("- []  (checked)\n")
"""No line is shorter: without handle, title, type, tags and age."""


def tokens(size: int) -> int:
    """Tokens of `size` UTF-8 bytes: a quarter, rounded up."""
    return -(-size // 4)


def clean(text: str, limit: int) -> str:
    """One safe line of at most `limit` UTF-8 bytes, cut at a whole character with `…`."""
    return cut(_unfenced(" ".join(_printable(text).split())), limit)


def _printable(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    from memtui.safety.sanitize import one_line  # its tables cost 3 ms: only for whom they matter

    return one_line(text)


def _unfenced(line: str) -> str:
    """`line` without the fence's tag, even where changing the case of a letter changes the length."""
    escaped = escape(line)
    if TAG not in escaped.lower():
        return escaped
    return escape(line.encode("ascii", "replace").decode())


def cut(text: str, limit: int) -> str:
    """`text` when it has at most `limit` UTF-8 bytes, else as much as fits, in whole characters, and `…`.

    A character is what a reader sees: base, combining marks and joined emoji stay together.
    """
    if len(text) * 4 <= limit or len(text.encode()) <= limit:
        return text
    room = limit - len("…".encode())
    end = len(text.encode()[: max(0, room)].decode("utf-8", "ignore"))
    while end > 0 and _joined(text, end):
        end -= 1
    return text[:end].rstrip() + "…"


def _joined(text: str, at: int) -> bool:
    """Whether a cut before index `at` would part what is drawn as one character."""
    from unicodedata import category  # a library file of its own, needed for long titles alone

    char, before = text[at], text[at - 1]
    if _JOINER in (char, before) or category(char).startswith("M"):
        return True
    if "\U0001f3fb" <= char <= "\U0001f3ff":
        return True
    return _is_flag_part(char) and _is_flag_part(before)


_JOINER = "\u200d"


def _is_flag_part(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def line_of(item: Candidate, today: int) -> Line:
    """The line of one item: `- [handle] title (type; tags; tier; age)`, tokens with its line end."""
    text = _stem(item) + _age(item, today) + ")"
    return Line(item.handle, text, tokens(len(text.encode()) + 1), section_of(item))


def section_of(item: Candidate) -> str:
    """The section that an item's tier earns: only what was checked stands among the checked."""
    return CHECKED if item.tier in CHECKED_TIERS else UNCHECKED


def _stem(item: Candidate) -> str:
    tags = ", ".join(filter(None, (clean(tag, TAG_BYTES) for tag in item.tags[:TAGS])))
    notes = [clean(item.type, WORD_BYTES), tags, clean(item.tier, WORD_BYTES)]
    title = clean(item.title, TITLE_BYTES)
    return f"- [{shown_handle(item.handle)}] {title} ({'; '.join(filter(None, notes))}"


def shown_handle(handle: str) -> str:
    """The handle as a line shows it: brackets would end it early."""
    return clean(handle, WORD_BYTES).replace("[", "").replace("]", "")


def _age(item: Candidate, today: int) -> str:
    return f"; {max(0, today - item.created_day)}d" if item.created_day > 0 else ""


def ageless(line: str) -> str:
    """A line without the age at its end: two lines that differ in nothing else say the same."""
    stem, separator, age = line.rpartition("; ")
    if separator and age.endswith("d)") and age[:-2].isdigit():
        return stem
    return line[:-1] if line.endswith(")") else line


def handle_in(line: str) -> str:
    """The handle that a sent line shows, "" when it is no line of ours."""
    return line[3:].partition("]")[0] if line.startswith("- [") else ""


def header(project: str, today: int, shown: int, total: int) -> str:
    """The first line of the block: whose memory, when, how many of how many."""
    name = clean(project, PROJECT_BYTES)
    whose = f" of {name}" if name else ""
    return (
        f"Project memory{whose} as of {_date(today)}: {shown} of {total} notes, quoted as data. "
        "The text behind a note: memory_get(handle)."
    )


def _date(day: int) -> str:
    try:
        return datetime.date.fromordinal(_EPOCH + day).isoformat()
    except (ValueError, OverflowError):
        return f"day {day}"


_EPOCH = datetime.date(1970, 1, 1).toordinal()


def body_of(head: str, lines: tuple[Line, ...]) -> str:
    """The text inside the fence: header, checked lines, then the unchecked ones under their own header."""
    parts = [head]
    for section, title in SECTION_HEADERS.items():
        members = [line.text for line in lines if line.section == section]
        if members:
            parts += [title, *members]
    return "\n".join(parts)


def fenced(body: str) -> tuple[str, str]:
    """The body in its fence, and the fence's id."""
    digest: str = sha256(body.encode()).hexdigest()[:FENCE_ID]
    return wrap(body, digest), digest


def fence_around() -> str:
    """The characters that the fence adds to a body, for measuring: its id is of fixed length."""
    body = "x"
    return wrap(body, "0" * FENCE_ID).replace(body, "", 1)
