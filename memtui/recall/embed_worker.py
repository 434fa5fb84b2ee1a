"""The process that holds a model: `python -m memtui.recall.embed_worker MODEL REVISION`.

It ends when its standard input does, so it never outlives its owner.
"""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

from memtui.recall.embed import EmbedderError, load_embedder
from memtui.recall.embed_wire import receive_json, send, send_json


def main(arguments: list[str]) -> int:
    """Load the model, say which one it is, then answer requests until there are no more."""
    model, revision = arguments
    # Whatever a library prints must not be taken for an answer.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        try:
            embedder = load_embedder(model, revision or None)
        except EmbedderError as error:
            send_json(answers, {"error": str(error), "fix": error.fix})
            return 1
        send_json(
            answers,
            {"model": embedder.model, "revision": embedder.revision, "dim": embedder.dim},
        )
        questions: BinaryIO = sys.stdin.buffer
        while (asked := receive_json(questions)) is not None:
            try:
                vectors = embedder.embed([str(text) for text in asked["texts"]])
            except EmbedderError as error:
                send_json(answers, {"error": str(error)})
                continue
            send_json(answers, {"count": len(vectors)})
            send(answers, b"".join(vectors))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
