"""How a card is written: when to use it, one fact, outcome not plan, dates that stay true."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.bank.model import Item
from memtui.capture import phrases
from memtui.curate.rules.source import WARNING, Finding, Source, keys

MOST_WORDS = 120
_RELATIVE = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|(?:last|next|this) (?:week|month|year|night|monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday)|(?:a few|two|three|\d+) (?:days|weeks|months) ago|"
    r"recently|just now|the other day)\b",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"\b(?:and also|also note|additionally|furthermore|besides,|another thing|on top of that|unrelated)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^```", re.MULTILINE)
_PLAN = re.compile(
    r"^(?:(?:i|we)(?:'ll| will| am going to| are going to| plan to| should now| need to)|let me|let's|"
    r"next step|todo|first,? (?:i|we)|plan:|going to)\b",
    re.IGNORECASE,
)
_TOUR = re.compile(
    r"^(?:(?:i|we) (?:looked|checked|opened|ran|read|searched|tried|found|went|started)|then (?:i|we)|"
    r"after that|this (?:file|module|folder|directory) (?:contains|holds|has)|"
    r"the (?:file|folder|directory) structure)\b",
    re.IGNORECASE,
)


def missing_use_when(source: Source) -> Iterator[Finding]:
    """A card that does not say when it helps."""
    if source.is_host_folder:
        return
    for card in source.live:
        if not says_when(card.body):
            fix = 'begin the body with "Use when: ..."'
            yield _form("use-when", card, f'{card.name} has no "Use when:" line', fix)


def missing_scope_or_type(source: Source) -> Iterator[Finding]:
    """A card without a type, or without a project where the bank names none either."""
    if source.is_host_folder:
        return
    for card in source.live:
        if not card.type:
            yield _form("type", card, f"{card.name} has no type", "set `type`")
        if not card.scope.project and not source.contents.config.project:
            yield _form(
                "project", card, f"{card.name} belongs to no project", "set `scope.project`"
            )


def relative_dates(source: Source) -> Iterator[Finding]:
    """A date that was true only on the day it was written."""
    for item in (*source.live, *source.pages):
        found = relative_date(f"{item.title}\n{item.body}")
        if found:
            yield _form("relative-date", item, f'{item.name} says "{found}"', "write the date")


def too_much(source: Source) -> Iterator[Finding]:
    """More than one fact, or more than 120 words."""
    if source.is_host_folder:
        return
    for card in source.live:
        more = second_fact(card.body)
        if more:
            yield _form("one-fact", card, f"{card.name}: {more}", "make two cards of it")
        count = len(card.body.split())
        if count > MOST_WORDS:
            yield _form(
                "words", card, f"{card.name} has {count} words", f"cut it below {MOST_WORDS}"
            )


def says_when(body: str) -> bool:
    """Whether a body begins by saying when it helps."""
    return body.lstrip().lower().startswith("use when:")


def relative_date(text: str) -> str:
    """The first relative date in a text."""
    found = _RELATIVE.search(text)
    return found.group() if found else ""


def second_fact(body: str) -> str:
    """Why a body seems to hold more than one fact, or "" when it does not."""
    if len(_FENCE.findall(body)) >= 4:
        return "two code blocks"
    found = _ALSO.search(body)
    if found:
        return f'"{found.group()}" begins a second fact'
    return "two `Use when:` lines" if body.lower().count("use when:") > 1 else ""


def plan_or_tour(text: str) -> str:
    """Why a text seems to be a plan or a tour instead of an outcome, or "" when it does not."""
    for sentence in phrases.sentences(text):
        plain = sentence.removeprefix("Use when:").strip()
        if _PLAN.match(plain):
            return f'a plan: "{plain[:60]}"'
        if _TOUR.match(plain):
            return f'a tour of what was done: "{plain[:60]}"'
    return ""


def _form(rule: str, item: Item, message: str, fix: str) -> Finding:
    return Finding(f"form/{rule}", WARNING, keys(item), message, fix, "edit")
