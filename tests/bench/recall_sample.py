"""Questions to the sample bank in other words than its cards: by words, by meaning, by both.

    python -m tests.bench.recall_sample [--json]

Needs the semantic extra. A small set (one question a card), written before it was first measured:
differences below ten points say nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from memtui.bank.load import load
from memtui.clock import fixed_clock
from memtui.index.refresh import refresh
from memtui.recall.corpus import Bank
from memtui.recall.engine import Recall
from memtui.recall.model import DEFAULTS, Mode
from memtui.workspace.sample import SAMPLE_NOW, sample_source

QUESTIONS = {
    "how can I make the server stop printing every HTTP hit": "access-log-setting",
    "loading a big file row by row takes ages": "bulk-import-one-transaction",
    "how should a unit test fake waiting and dates": "clock-as-argument",
    "agent is not allowed to delete its leftovers": "codex-refuses-rm",
    "which style do we want in git history": "commit-messages",
    "race condition when two jobs create the same record": "compare-after-failed-insert",
    "accounting cannot read our spreadsheet because of Windows newlines": "csv-line-ends",
    "how does new software get onto the machine": "deploy-by-copying",
    "first header of a spreadsheet upload is not recognised": "excel-csv-bom",
    "what should the program give back to the shell when something fails": "exit-codes",
    "francs and euros are summed in the accounting report": "export-by-currency",
    "keep users away from a half upgraded instance": "healthz-503-while-pending",
    "testing against a generic container type crashes": "isinstance-list-int",
    "part of a message disappears on the display": "log-viewer-eats-brackets",
    "an old SQL script relies on the position of fields": "migration-0002-without-columns",
    "rounding lost a penny in prices": "money-cents-exact",
    "do not leak credentials in debugging output": "no-foreign-env-values",
    "may I alter tables during the inventory count": "no-schema-change-until-stocktake",
    "mandatory field added to a filled table is rejected": "not-null-needs-default",
    "should workers reuse a single database handle": "one-store-per-request",
    "the app refuses to boot because a setting is absent": "order-pool-size-required",
    "which time zone are timestamps saved in": "placed-at-utc",
    "client sends a purchase again after losing the answer": "placing-twice-is-a-no-op",
    "suite hangs half a minute although the server is healthy": "pool-timeout-unset-env",
    "another program occupies our network socket": "port-8417-gateway-owns-8080",
    "European number format with dot and comma": "refuse-ambiguous-amounts",
    "steps to publish a build": "release-order",
    "all clients hammer the server at the same instant after an outage": "retry-full-jitter",
    "should we try more often before giving up": "retry-three-attempts",
    "credentials for the trial system are denied": "sandbox-keys-until-rotation",
    "where may I put throwaway data while experimenting": "scratch-databases",
    "make checks pass on a fresh clone without shell configuration": "tests-bring-own-env",
    "concurrent writers block each other, change journaling?": "wal-mode-rejected",
}
CUTS = (1, 5)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        bank = Bank("sample", Path(folder))
        contents = load(sample_source() / "bank")
        refresh(bank.index, contents, clock=fixed_clock(SAMPLE_NOW))
        recall = Recall([bank], clock=fixed_clock(SAMPLE_NOW))
        recall.semantic.refresh()
        report = _measure(recall)
        recall.close()
    print(json.dumps(report, indent=1) if options.json else _table(report))
    return 0


def _measure(recall: Recall) -> dict[str, dict[str, float]]:
    live = {
        name: question
        for question, name in QUESTIONS.items()
        if any(
            hit.document.name == name
            for hit in recall.search(name, limit=50, mode=Mode.LEXICAL).hits
        )
    }
    report: dict[str, dict[str, float]] = {}
    for mode in (Mode.LEXICAL, Mode.SEMANTIC, Mode.HYBRID):
        found = dict.fromkeys(CUTS, 0)
        for name, question in live.items():
            results = recall.search(question, settings=DEFAULTS, limit=max(CUTS), mode=mode)
            names = [hit.document.name for hit in results.hits]
            for cut in CUTS:
                found[cut] += name in names[:cut]
        report[mode] = {f"recall@{cut}": count / len(live) for cut, count in found.items()}
        report[mode]["questions"] = len(live)
    return report


def _table(report: Mapping[str, Mapping[str, float]]) -> str:
    lines = ["| mode | questions | R@1 | R@5 |", "|---|---|---|---|"]
    lines += [
        f"| {mode} | {found['questions']:.0f} | {found['recall@1']:.2f} | {found['recall@5']:.2f} |"
        for mode, found in report.items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
