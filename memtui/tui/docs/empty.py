"""What an empty list says: what it will hold, and which key fills it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memtui.sessions.rows import Facet
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Document, Prose, document
from memtui.tui.docs.spans import Line

Key = Callable[[str], str]
"""Gives the key of an action of the registry, as the settings have it."""

READING_BANK: list[Line] = [[("reading the bank", "muted")]]
READING_SESSIONS: list[Line] = [[("reading the sessions", "muted")]]
NOTHING_MATCHES: list[Line] = [
    [("nothing matches", "muted")],
    [("esc shows all again", "faint")],
]


def no_sessions(key: Key, facet: str, project: str) -> list[Line]:
    """Pane 1 without rows, of all sessions or under a facet."""
    if facet not in (Facet.TURNS.value, Facet.ALL.value):
        return [[(f"no {facet} in these sessions", "muted")], [("esc shows all turns", "faint")]]
    where = f"in {line_of(project, 40)}" if project else "here"
    return [
        [("no sessions yet", "muted")],
        [(f"Work {where} with your agent: what it says and does shows up here.", "faint")],
        [(key("reload"), "key"), (" looks again", "faint")],
    ]


def no_tagged(tags: Sequence[str]) -> list[Line]:
    """Pane 1 where no session has all these tags."""
    shown = " ".join(f"#{line_of(tag, 40)}" for tag in tags)
    return [[(f"no session is tagged {shown}; esc shows all", "muted")]]


def no_cards(key: Key, has_sessions: bool) -> list[Line]:
    """Pane 2 of a bank without cards."""
    lines: list[Line] = [
        [("no cards yet", "muted")],
        [("A card is one thing that proved true: a pitfall, a decision, a constraint.", "faint")],
    ]
    if has_sessions:
        lines.append(
            [
                (key("pane-1"), "key"),
                (" go to the sessions, ", "faint"),
                (key("mark"), "key"),
                (" mark the turns that taught something, ", "faint"),
                (key("promote"), "key"),
                (" make a card of them", "faint"),
            ]
        )
    else:
        lines.append([("It is made from turns of a session, once there are any.", "faint")])
    return lines


def no_pages(key: Key, has_cards: bool) -> list[Line]:
    """Pane 3 of a bank without pages."""
    lines: list[Line] = [
        [("no pages yet", "muted")],
        [("A page is a procedure made of cards; each claim cites its own.", "faint")],
    ]
    if has_cards:
        lines.append(
            [
                (key("pane-2"), "key"),
                (" go to the cards, ", "faint"),
                (key("mark"), "key"),
                (" mark some, ", "faint"),
                (key("compile"), "key"),
                (" make a page of them", "faint"),
            ]
        )
    return lines


def no_bank(key: Key) -> list[Line]:
    """Panes 2, 3 and 5 where there are sessions and no bank."""
    return [
        [("no bank yet: ", "muted"), (key("begin-bank"), "key"), (" begins one", "muted")],
        [("so does the first card that is saved", "faint")],
        [("memtui PATH", "key"), (" opens a bank folder; ", "faint")],
        [("memtui demo", "key"), (" shows what one looks like", "faint")],
    ]


def nothing_shown() -> Document:
    """Pane 4 while the cursor is on nothing."""
    words = "What the cursor is on is shown here: a turn, a card, or a page with what it rests on."
    return document("nothing", "nothing", [Prose(((words, "faint"),))])


def nothing_sent() -> list[Line]:
    """Pane 5 of an empty bank."""
    return [
        [("nothing to send: the bank is empty", "muted")],
        [("Every session begins with the most trusted cards; here is what it will read.", "faint")],
    ]
