"""`memtui demo`: a copy of the sample bank, with nothing of the user's own touched."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

from memtui.cli.app import run_app
from memtui.cli.command import OK, CommandError, Context, answer
from memtui.ledger.access import LedgerError
from memtui.workspace.sample import Sample, copy_sample
from memtui.workspace.sample_past import load_past


def configure(parser: argparse.ArgumentParser) -> None:
    """Where the copy goes."""
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the copy in this new or empty folder"
    )
    parser.add_argument(
        "--no-app",
        action="store_true",
        help="only make the copy (with --keep) and say how to use it",
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Open the app on a copy; without `--keep` the copy goes when the app ends."""
    if arguments.keep is None:
        with tempfile.TemporaryDirectory(prefix="memtui-demo-") as folder:
            return _open(Path(folder), arguments, context)
    target = arguments.keep.resolve()
    if target.exists() and any(target.iterdir()):
        raise CommandError(f"{target} is not empty", "name a folder that is new or empty")
    target.mkdir(parents=True, exist_ok=True)
    return _open(target, arguments, context)


def _open(folder: Path, arguments: argparse.Namespace, context: Context) -> int:
    try:
        sample = copy_sample(folder)
        load_past(sample)
    except (OSError, LedgerError) as error:
        raise CommandError(f"cannot copy the sample bank to {folder}: {error}") from error
    if arguments.no_app:
        answer(context, {"folder": str(folder), "environ": sample.environ()}, _usage(sample))
        return OK
    inside = replace(
        context,
        bank=sample.bank,
        cwd=sample.project,
        environ={**context.environ, **sample.environ()},
    )
    return run_app(inside, None, ascii_only=arguments.ascii, theme=arguments.theme)


def _usage(sample: Sample) -> list[str]:
    exports = [f"export {key}={value}" for key, value in sample.environ().items()]
    return [*exports, f"cd {sample.project}"]
