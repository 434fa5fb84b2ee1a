"""What is common to every use of Chroma: quiet clients, one collection per model, queries by vector.

Chroma is imported on first use, never earlier: it costs most of a second.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memtui.recall.embed import unpack
from memtui.recall.neighbours import Neighbour, VectorIndexError
from memtui.recall.vectors import ModelKey

ADD_BATCH = 1000
"""Vectors that are added in one call."""


def installed() -> bool:
    """Whether Chroma is there. Imports nothing of it."""
    return importlib.util.find_spec("chromadb") is not None


def version() -> str:
    """Chroma's version. Imports nothing of it. Raises VectorIndexError where it is not installed."""
    try:
        return importlib.metadata.version("chromadb")
    except importlib.metadata.PackageNotFoundError as error:
        raise VectorIndexError("Chroma is not installed") from error


def open_folder(folder: Path) -> Any:
    """A client over a folder; for a process that opens no other."""
    return _library().PersistentClient(path=str(folder), settings=_settings())


def open_server(url: str) -> Any:
    """A client of a Chroma server. Raises VectorIndexError for what is no such URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise VectorIndexError(f"not the URL of a Chroma server: {url}")
    secure = parts.scheme == "https"
    return _library().HttpClient(
        host=parts.hostname,
        port=parts.port or (443 if secure else 8000),
        ssl=secure,
        settings=_settings(),
    )


def close_server(client: Any) -> None:
    """Close a client of a server, and the connections that Chroma itself leaves open."""
    owners = (client, getattr(client, "_admin_client", None))
    sessions = [getattr(getattr(owner, "_server", None), "_session", None) for owner in owners]
    with failures("close"):
        client.close()
        for session in sessions:
            if session is not None:
                session.close()


def collection_name(key: ModelKey, space: str = "") -> str:
    """One collection per model and revision; `space` tells banks on one server apart."""
    digest = hashlib.sha256("\0".join((space, key.model, key.revision)).encode()).hexdigest()
    return f"memtui-{digest[:32]}"


def collection(client: Any, name: str) -> Any:
    """The collection, made when it is not there: ids and vectors, no documents, no embedder."""
    return client.get_or_create_collection(
        name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )


def add(target: Any, digests: Sequence[str], blobs: Sequence[bytes]) -> None:
    """Put vectors into the collection, by digest; those already there are replaced."""
    target.upsert(ids=list(digests), embeddings=[list(unpack(blob)) for blob in blobs])


def nearest(target: Any, vector: bytes, k: int) -> list[Neighbour]:
    """The `k` nearest of the collection, best first."""
    found = target.query(
        query_embeddings=[list(unpack(vector))], n_results=max(k, 1), include=["distances"]
    )
    pairs = zip(found["ids"][0], found["distances"][0], strict=True)
    best = [Neighbour(str(digest), 1.0 - float(distance)) for digest, distance in pairs]
    return sorted(best, key=lambda neighbour: (-neighbour.cosine, neighbour.digest))[:k]


@contextmanager
def failures(doing: str) -> Iterator[None]:
    """Whatever Chroma raises becomes VectorIndexError: it documents no list of what it may raise."""
    try:
        yield
    except VectorIndexError:
        raise
    except Exception as error:
        raise VectorIndexError(f"Chroma failed to {doing}: {error}") from error


def _library() -> Any:
    os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
    try:
        return importlib.import_module("chromadb")
    except ImportError as error:
        raise VectorIndexError(f"Chroma does not load: {error}") from error


def _settings() -> Any:
    return importlib.import_module("chromadb.config").Settings(anonymized_telemetry=False)
