"""A card against the file that it names: a sentence gives one of its settings another value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.bank.model import Card
from memtui.capture import phrases
from memtui.curate.rules.source import WARNING, Finding, Source, keys
from memtui.curate.similar import said
from memtui.index.citations import cited_paths, holds

_SETTING = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z][\w.-]*[A-Za-z0-9])[\"'`]?\s*[:=]+\s*[\"'`]?"
    r"(?P<value>v?\d[\w.-]*|true|false|yes|no|on|off)(?![\w/])",
    re.IGNORECASE,
)
_CODE = re.compile(r"[_.-]|^[A-Z0-9]+$|[a-z][A-Z]")


def with_named_files(source: Source) -> Iterator[Finding]:
    """A card whose sentence names a file and a setting, where the file sets it otherwise."""
    for card in source.holding if source.files else ():
        named = (path for path in cited_paths(card) if path in source.files)
        found = next((o for path in named if (o := _other(card, path, source.files[path]))), None)
        if found is not None:
            name, ours, theirs, place = found
            yield Finding(
                "contradiction/file",
                WARNING,
                keys(card),
                f"{name} is {ours} here and {theirs} in {place}",
                "correct the card, or the file",
                "edit",
            )


def _other(card: Card, path: str, text: str) -> tuple[str, str, str, str] | None:
    """The first setting that differs: its name, the card's value, the file's value and where it stands."""
    for sentence in phrases.sentences(said(card)):
        if not holds(path, sentence):
            continue
        for name, value in _settings(sentence):
            # A plain word before a colon is more often prose than a setting.
            theirs = _values(name, text) if _CODE.search(name) else []
            if theirs and value not in {other for other, _ in theirs}:
                other, number = theirs[0]
                return name, value, other, f"{path}:{number}"
    return None


def _values(name: str, text: str) -> list[tuple[str, int]]:
    """The values that a text gives a setting, each with its line."""
    return [
        (value, number)
        for number, line in enumerate(text.splitlines(), 1)
        if name in line
        for its, value in _settings(line)
        if its == name
    ]


def _settings(text: str) -> Iterator[tuple[str, str]]:
    for match in _SETTING.finditer(text):
        yield match["name"], match["value"].rstrip(".-").lower()
