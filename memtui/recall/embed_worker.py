"""The process that holds a model, started by `embed_process`."""

from __future__ import annotations

from memtui.recall.embed import EmbedderError, load_embedder
from memtui.recall.wire import Message
from memtui.recall.worker import Answer, serve


def main(arguments: list[str]) -> None:
    """Load the model of this name and revision, say which one it is, then embed texts."""
    model, revision = arguments

    def prepare() -> tuple[Message, Answer]:
        embedder = load_embedder(model, revision or None)

        def answer(asked: Message) -> Message:
            vectors = embedder.embed([str(text) for text in asked.head["texts"]])
            return Message({"count": len(vectors)}, b"".join(vectors))

        what = {"model": embedder.model, "revision": embedder.revision, "dim": embedder.dim}
        return Message(what), answer

    serve(prepare, EmbedderError)
