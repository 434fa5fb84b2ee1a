"""A process that searches by meaning and owns Chroma while it may: told by lines, it answers in lines.

Started in a project. `warm` loads the model, embeds, and takes the index; other
lines are queries, answered with a JSON object of the names found and the topics of what took no part.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from memtui.workspace.open import open_workspace
from memtui.workspace.recalling import Ask


def main() -> None:
    """Serve until standard input ends, then close everything."""
    with open_workspace(None, Path.cwd(), os.environ) as workspace:
        workspace.load()
        recalling = workspace.recalling
        assert recalling is not None
        for line in sys.stdin:
            if line.strip() == "warm":
                recalling.warm()
                index = recalling.engine.vectors[recalling.home.bank.key].index
                notes = [note.message for note in recalling.engine.semantic.notes()]
                say({"current": index is not None and index.state().current, "notes": notes})
                continue
            results = recalling.search(Ask(line.strip()))
            say(
                {
                    "names": [hit.document.name for hit in results.hits],
                    "topics": [note.topic for note in results.degraded],
                    "mode": results.mode.value,
                }
            )


def say(value: object) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
