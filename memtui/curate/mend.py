"""Repairs that the linter offers and that are no other verb's."""

from __future__ import annotations

from collections.abc import Collection

from memtui.bank.model import BankContents, Item
from memtui.curate.act import Act, ActResult, NothingToDoError
from memtui.curate.acts import perform
from memtui.curate.curator import Curator
from memtui.curate.files import read_now
from memtui.curate.index_lines import mended, raised
from memtui.index.states import key_of


def mend_index(curator: Curator, contents: BankContents, absent: Collection[str] = ()) -> ActResult:
    """Bring `MEMORY.md` in step with the bank: one line per live item, every other byte left alone.

    `absent` are ids of active items that do not belong there (superseded, tombstoned).
    """

    def build(_act_id: str) -> Act:
        changes = mended(curator, contents, absent)
        if not changes:
            raise NothingToDoError("the index is in step already", "")
        event = curator.event("act", "index", "", title=curator.files.index.name)
        return Act("index", (), event.title, "wrote the index again", changes, (event,))

    return perform(curator, build)


def raise_line(curator: Curator, item: Item) -> ActResult:
    """Put the item's line first in the index, where a host that cuts the index off still loads it."""

    def build(_act_id: str) -> Act:
        path, _, now = read_now(curator, item)
        changes = raised(curator, path)
        if not changes:
            raise NothingToDoError("its line is the first of the index, or there is none", "")
        event = curator.event("act", "index", key_of(now), name=now.name, title=now.title)
        summary = f"first in the index: {now.title}"
        return Act("index", (key_of(now),), now.title, summary, changes, (event,))

    return perform(curator, build)
