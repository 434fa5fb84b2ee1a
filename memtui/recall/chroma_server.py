"""Chroma on a server, by URL: the same interface for many processes or a team.

The server serves its own locking, so there is no owner. Each client adds what the server lacks of
its own vectors, and looks at the server's count before it trusts an answer. What others put there
is harmless: results are digests, and an unknown one is ignored.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import suppress
from typing import Any

from memtui.recall import chroma_client as chroma
from memtui.recall.chroma_index import CancelledSyncError
from memtui.recall.neighbours import IndexState, Neighbour, Progress, VectorIndexError
from memtui.recall.vectors import Batch, Generation, ModelKey, VectorStore


class ChromaServerIndex:
    """See `VectorIndex`. `space` (the bank's id) tells banks on one server apart."""

    def __init__(self, store: VectorStore, key: ModelKey, url: str, space: str) -> None:
        self._store = store
        self._key = key
        self._url = url
        self._name = chroma.collection_name(key, space)
        self._note_key = f"server:{url}:{self._name}"
        self._lock = threading.Lock()
        self._client: Any = None
        self._collection: Any = None
        self._seen: Generation | None = None
        self._note = "not connected yet"

    def query(self, vector: bytes, k: int) -> list[Neighbour]:
        """The `k` nearest, best first. Raises VectorIndexError when the server lacks vectors."""
        with self._lock:
            if self._collection is None or self._seen != self._store.generation():
                raise VectorIndexError(self._note or "behind the stored vectors")
            try:
                with chroma.failures("answer"):
                    if self._collection.count() < self._store.count(self._key):
                        raise VectorIndexError("the server lost vectors")
                    return chroma.nearest(self._collection, vector, k)
            except VectorIndexError as error:
                self._disconnect(str(error))
                raise

    def sync(self, progress: Progress | None = None) -> bool:
        """Give the server what it lacks. After a deletion the collection is dropped and made anew.

        False when the server does not answer or the work was cancelled; `state().note` says which.
        """
        with self._lock:
            try:
                with chroma.failures("bring the server up to date"):
                    self._bring_up(progress)
            except (VectorIndexError, sqlite3.Error) as error:
                self._disconnect(str(error))
                return False
            return True

    def state(self) -> IndexState:
        """Whether it answers, and if not, why."""
        current = self._collection is not None and self._seen == self._store.generation()
        note = "" if current else self._note or "behind the stored vectors"
        return IndexState("chroma server", self._store.count(self._key), current, note)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._disconnect("closed")

    def _bring_up(self, progress: Progress | None) -> None:
        batch = self._store.read(self._key)
        if self._client is None:
            self._client = chroma.open_server(self._url)
        state = f"{batch.generation.epoch}:{batch.generation.deletions}"
        if self._store.note(self._note_key) not in ("", state):
            self._client.delete_collection(self._name)
        self._collection = chroma.collection(self._client, self._name)
        self._add_missing(batch, progress)
        self._store.set_note(self._note_key, state)
        self._seen, self._note = batch.generation, ""

    def _add_missing(self, batch: Batch, progress: Progress | None) -> None:
        there = set(self._collection.get(include=[])["ids"])
        pairs = zip(batch.digests, batch.blobs, strict=True)
        lacking = [(digest, blob) for digest, blob in pairs if digest not in there]
        for low in range(0, len(lacking), chroma.ADD_BATCH):
            part = lacking[low : low + chroma.ADD_BATCH]
            chroma.add(self._collection, [digest for digest, _ in part], [blob for _, blob in part])
            if progress is not None and not progress(low + len(part), len(lacking)):
                raise CancelledSyncError("bringing the server up to date was cancelled")

    def _disconnect(self, why: str) -> None:
        client, self._client, self._collection, self._seen = self._client, None, None, None
        self._note = why
        if client is not None:
            # A server that is gone cannot be told goodbye.
            with suppress(VectorIndexError):
                chroma.close_server(client)
