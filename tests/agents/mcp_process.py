"""A memory server over a test's world, as `memtui mcp` starts one: `python -m ... FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from memtui.agents.mcp_server import serve
from memtui.agents.memory_tools import Caller, MemoryTools
from memtui.agents.shelf import Place, Shelf
from memtui.clock import clock_from
from memtui.ledger.access import open_ledger
from memtui.recall.corpus import Bank
from memtui.recall.engine import Recall
from tests.agents.banks import World


def main() -> None:
    """Serve until the client goes away."""
    world = World(Path(sys.argv[1]))
    known = world.refresh()
    index, state = Path(known.index), Path(known.state)
    ledger = open_ledger(state)
    engine = Recall([Bank(known.key, index.parent)], load=None, clock=clock_from())
    place = Place(world.bank, index, (world.bank / "evidence", state / "evidence"))
    tools = MemoryTools(Shelf(place), engine, ledger, clock_from(), Caller("codex:s1", "main"))
    serve(lambda name, given, _: tools.call(name, given), "0")
    ledger.close()


if __name__ == "__main__":
    main()
