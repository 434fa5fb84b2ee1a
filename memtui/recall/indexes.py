"""Which faster vector index a bank uses: Chroma in its cache folder, Chroma on a server, or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from memtui.recall import chroma_client
from memtui.recall.bank_vectors import BankVectors
from memtui.recall.chroma_index import ChromaIndex, Lock
from memtui.recall.chroma_server import ChromaServerIndex
from memtui.recall.neighbours import VectorIndex
from memtui.recall.vectors import ModelKey
from memtui.safety.locks import LockedError, bank_lock

MakeIndex = Callable[[BankVectors, ModelKey], VectorIndex | None]


def folder_index(states: Mapping[str, Path]) -> MakeIndex:
    """Chroma in each bank's cache. `states` are the state folders by bank key, where the `index` lock
    lies; a bank without one, or a machine without Chroma, uses the exact scan alone.
    """

    def make(bank: BankVectors, key: ModelKey) -> VectorIndex | None:
        state = states.get(bank.key)
        if state is None or not chroma_client.installed():
            return None
        return ChromaIndex(bank.store, key, bank.chroma_root, lambda: try_lock(state))

    return make


def server_index(url: str) -> MakeIndex:
    """One Chroma server for all banks."""

    def make(bank: BankVectors, key: ModelKey) -> VectorIndex | None:
        if not chroma_client.installed():
            return None
        return ChromaServerIndex(bank.store, key, url, bank.key)

    return make


def try_lock(state: Path) -> Lock | None:
    """The bank's `index` lock if it is free. Raises OSError where the system has no file locks."""
    lock = bank_lock(state, "index", timeout=0.0)
    try:
        lock.acquire()
    except LockedError:
        return None
    return lock
