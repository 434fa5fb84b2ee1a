"""Repairs that the linter offers and that are no other verb's."""

from __future__ import annotations

from collections.abc import Collection

from memtui.bank.model import BankContents
from memtui.curate.act import Act, ActResult, NothingToDoError
from memtui.curate.acts import perform
from memtui.curate.curator import Curator
from memtui.curate.index_lines import mended


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
