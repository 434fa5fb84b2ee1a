"""A check that passed after the fact validates the card that cites the fact, in the act that saves it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.bank.model import Event, Evidence
from memtui.curate.act import FileChange, digest
from memtui.curate.curator import Curator
from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line

if TYPE_CHECKING:
    from memtui.curate.create import CitedRecord

CHECK_LENGTH = 120
RULE = "passed after"


def validations(
    curator: Curator,
    saved: Event,
    change: FileChange,
    evidence: Iterable[Evidence],
    known: Mapping[str, CitedRecord],
) -> list[Event]:
    """One event for each record that shows a check passing after cited records: a rule's word.

    `saved` is the event of the act that writes `change`, the card's file; `known` are records by `ref`.
    Only evidence that is still cited counts. A person's confirmation is another thing.
    """
    records = (known.get(cited.ref) for cited in evidence)
    found = {
        record.passed.ref: record.passed
        for record in records
        if record is not None and record.passed
    }
    return [
        replace(
            curator.event(
                "verdict",
                "validated",
                saved.item,
                name=saved.name,
                title=saved.title,
                reason=one_line(redact(passed.check).text, CHECK_LENGTH),
                data={"digest": digest(change.new), "ref": passed.ref, "rule": RULE},
            ),
            by="job",
        )
        for passed in found.values()
    ]
