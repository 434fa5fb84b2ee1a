"""The past injections of the sample bank: texts beside it, loaded into the ledger of a copy.

They are told, not recorded: the sample's sessions ran without hooks, so no transcript holds them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memtui.bank.load import identify
from memtui.clock import parse_time
from memtui.inject.render import fenced, tokens
from memtui.ledger.access import using_ledger
from memtui.ledger.model import InjectionRecord, ReceiptRecord
from memtui.paths import places
from memtui.reasons import SHOWN
from memtui.workspace.sample import Sample

RECEIVED = "as the story of the sample bank tells it"


def load_past(sample: Sample) -> int:
    """Put the past injections of a copy into its ledger; how many there are.

    Loading them again changes nothing. Raises OSError, ValueError or KeyError for a damaged file,
    LedgerError.
    """
    files = sorted(sample.injections.glob("*.json"))
    if not files:
        return 0
    root = sample.bank.resolve()
    config, _ = identify(root)
    records = [_record(path) for path in files]
    with using_ledger(places(sample.environ()).bank_state(config.id, root)) as ledger:
        for record in records:
            ledger.add_injection(record)
            receipt = ReceiptRecord(record.id, record.at, "delivered", record.digest, RECEIVED)
            ledger.add_receipt(receipt)
    return len(records)


def _record(path: Path) -> InjectionRecord:
    data: dict[str, Any] = json.loads(path.read_bytes())
    lines = tuple((line["handle"], line["text"]) for line in data["lines"])
    text, digest = fenced("\n".join(f"- {line}" for _, line in lines))
    shown = (
        {"handle": handle, "reason": SHOWN, "rank": rank, "tokens": tokens(len(line.encode()))}
        for rank, (handle, line) in enumerate(lines, start=1)
    )
    return InjectionRecord(
        id=f"sample-{path.stem}",
        at=parse_time(data["at"]),
        session=data["session"],
        host=data["session"].partition(":")[0],
        source=data["source"],
        budget=data["budget"],
        tokens=tokens(len(text.encode())),
        text=text,
        digest=digest,
        lines=lines,
        decisions=tuple(shown),
    )
