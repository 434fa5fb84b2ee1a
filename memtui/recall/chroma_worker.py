"""The process in which Chroma has one folder open, started by `chroma_process`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memtui.recall import chroma_client as chroma
from memtui.recall.neighbours import VectorIndexError
from memtui.recall.wire import Message
from memtui.recall.worker import Answer, serve


def main(arguments: list[str]) -> None:
    """Open the collection of this folder and name, then count, add and find."""
    folder, name = arguments

    def prepare() -> tuple[Message, Answer]:
        with chroma.failures("open"):
            client = chroma.open_folder(Path(folder))
            collection = chroma.collection(client, name)
        return Message({}), lambda asked: _answer(collection, asked)

    serve(prepare, VectorIndexError)


def _answer(collection: Any, asked: Message) -> Message:
    match asked.head:
        case {"do": "add", "digests": [*digests]}:
            size = len(asked.body) // len(digests)
            blobs = [asked.body[at : at + size] for at in range(0, len(asked.body), size)]
            with chroma.failures("add vectors"):
                chroma.add(collection, digests, blobs)
            return Message({})
        case {"do": "nearest", "k": int(k)}:
            with chroma.failures("answer"):
                found = chroma.nearest(collection, asked.body, k)
            return Message({"found": [[one.digest, one.cosine] for one in found]})
        case {"do": "count"}:
            with chroma.failures("count"):
                return Message({"count": collection.count()})
        case _:
            raise VectorIndexError("Chroma's process was asked for what it does not know")
