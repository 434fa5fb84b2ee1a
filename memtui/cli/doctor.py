"""`memtui doctor`: what was found, what was skipped and why, versions, paths."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from memtui.cli.command import NOT_FOUND, OK, Context, answer
from memtui.cli.scanning import scan_first
from memtui.workspace.doctor import examine
from memtui.workspace.model import Finding


def configure(parser: argparse.ArgumentParser) -> None:
    """Nothing to choose."""


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print every finding. Exit code 1 when one of them is an error."""
    with context.open() as workspace:
        scan_first(workspace)
        findings = examine(workspace)
    answer(context, [asdict(finding) for finding in findings], map(_line, findings))
    return NOT_FOUND if any(finding.level == "error" for finding in findings) else OK


def _line(finding: Finding) -> str:
    fix = f"  -> {finding.fix}" if finding.fix else ""
    return f"{finding.level:<8} {finding.topic:<10} {finding.message}{fix}"
