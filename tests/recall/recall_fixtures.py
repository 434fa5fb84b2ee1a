"""Banks for tests of recall: cards in an index, and a model that needs no weights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from memtui.bank.model import BankConfig, BankContents, Card, Item, Layout, Page, Scope, Status
from memtui.clock import fixed_clock
from memtui.index.refresh import refresh
from memtui.recall.corpus import Bank
from memtui.recall.embed import pack
from memtui.recall.query import tokens

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def make_card(
    handle: str,
    title: str,
    body: str = "",
    *,
    type: str = "fact",  # noqa: A002
    tags: tuple[str, ...] = (),
    project: str | None = None,
    branch: str | None = None,
    status: Status = Status.ACTIVE,
    importance: float = 0.5,
    created: datetime = NOW,
    expires: datetime | None = None,
) -> Card:
    """A card as it would be read from a file."""
    content = f"{title}\n{body}\n{tags}{status}{importance}{project}{branch}"
    return Card(
        id=handle,
        name=f"card-{handle}",
        title=title,
        type=type,
        body=body,
        path=Path("/bank/cards") / f"card-{handle}.md",
        digest=hashlib.sha256(content.encode()).hexdigest(),
        status=status,
        tags=tags,
        scope=Scope(project, branch),
        importance=importance,
        created=created,
        expires=expires,
    )


def write_index(cache: Path, items: Iterable[Item], project: str = "svc-order") -> None:
    """Make or replace the index of a bank with these cards and pages, as the app does it."""
    found = list(items)
    contents = BankContents(
        root=Path("/bank"),
        layout=Layout.MEMTUI,
        config=BankConfig(id="b", project=project, aliases=(f"/home/dev/{project}",)),
        cards=tuple(item for item in found if isinstance(item, Card)),
        pages=tuple(item for item in found if isinstance(item, Page)),
        events=(),
    )
    refresh(cache / "index.db", contents, clock=fixed_clock(NOW))


def make_bank(cache: Path, items: Sequence[Item], project: str = "svc-order") -> Bank:
    """A bank with an index of these items; its key is the name of its cache folder."""
    write_index(cache, items, project)
    return Bank(cache.name, cache)


class HashEmbedder:
    """Bags of hashed words, with a few synonyms: deterministic, and close where words are shared."""

    SYNONYMS = {"db": "database", "postgres": "database", "crash": "failure", "broken": "failure"}

    def __init__(self, model: str = "hash", revision: str = "1", dim: int = 64) -> None:
        self.model = model
        self.revision = revision
        self.dim = dim
        self.calls = 0
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector per text."""
        self.calls += 1
        self.texts += len(texts)
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> bytes:
        values = [1e-3] * self.dim
        for token in tokens(text):
            digest = hashlib.sha256(self.SYNONYMS.get(token, token).encode()).digest()
            values[digest[0] % self.dim] += 1.0 if digest[1] % 2 else -1.0
            values[digest[2] % self.dim] += 1.0 if digest[3] % 2 else -1.0
        return pack(values)
