"""Which banks and projects a search looks at: this project, unless asked."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from memtui.recall.corpus import Corpus, CorpusError
from memtui.recall.eligible import called, own_project, owners_of
from memtui.recall.model import Note, SearchScope
from memtui.recall.query import Filters


@dataclass(frozen=True, slots=True)
class Target:
    """One bank to search; `owners` of None is any project, else the projects in the form of the index."""

    corpus: Corpus
    owners: tuple[str, ...] | None


def targets(
    corpora: Sequence[Corpus], filters: Filters, scope: SearchScope
) -> tuple[list[Target], list[Note]]:
    """Where to look. The first corpus is at home.

    `project:` names other projects by identity or by its last part. A name that means this project
    means this one alone, however many others are called the same.
    """
    if not filters.projects:
        return _unnamed(corpora, scope)
    found: list[Target] = []
    notes: list[Note] = []
    for name in sorted(filters.projects):
        named, problems = _named(corpora, name)
        found += named
        notes += problems
    return _merged(found), notes


def _unnamed(corpora: Sequence[Corpus], scope: SearchScope) -> tuple[list[Target], list[Note]]:
    if scope.everywhere:
        return [Target(corpus, None) for corpus in corpora], []
    owners, notes = _home(corpora[0])
    return ([] if owners is None else [Target(corpora[0], owners)]), notes


def _home(corpus: Corpus) -> tuple[tuple[str, ...] | None, list[Note]]:
    try:
        with corpus.reading() as db:
            return ("", own_project(db)), []
    except CorpusError as error:
        return None, [error.note]


def _named(corpora: Sequence[Corpus], name: str) -> tuple[list[Target], list[Note]]:
    found: list[Target] = []
    notes: list[Note] = []
    for corpus in corpora:
        try:
            with corpus.reading() as db:
                owners = _meant(db, name)
        except CorpusError as error:
            notes.append(error.note)
            continue
        if owners:
            found.append(Target(corpus, owners))
    if not found:
        return [], [*notes, Note("scope", f"no project is called {name}", "give its full identity")]
    home = [target for target in found if target.corpus is corpora[0]]
    if len(found) > 1:
        which = "only this one is searched" if home else "all are searched"
        message = f"{len(found)} projects are called {name}; {which}"
        notes.append(Note("scope", message, "give a full identity, or search everywhere"))
    return home or found, notes


def _meant(db: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """The owners in one bank that a typed name means; its own project comes with its unnamed items."""
    own, aliases, named = owners_of(db)
    if called(name, (own, *aliases)):
        return ("", own)
    return tuple(owner for owner in named if owner != own and called(name, [owner]))


def _merged(found: Sequence[Target]) -> list[Target]:
    by_bank: dict[str, Target] = {}
    for target in found:
        key = target.corpus.bank.key
        old = by_bank.get(key)
        owners = (old.owners or ()) if old is not None else ()
        by_bank[key] = Target(
            target.corpus, tuple(dict.fromkeys((*owners, *(target.owners or ()))))
        )
    return list(by_bank.values())
