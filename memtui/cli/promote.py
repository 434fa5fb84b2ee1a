"""`memtui promote`: turns of a session become a card; stale and retired cards and pages become active."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from memtui.bank.model import Card
from memtui.cli.asking import EditorFile, text_from
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.desk import CODES, Desk, desk
from memtui.cli.scanning import scan_first
from memtui.curate.act import ActResult, CurateError
from memtui.curate.draft import Draft
from memtui.curate.draft_text import draft_from, draft_text
from memtui.curate.lint import DraftWarning, draft_lint, neighbours_of
from memtui.curate.verbs import create, promote
from memtui.workspace.drafting import Material, UnknownTurnError


def configure(parser: argparse.ArgumentParser) -> None:
    """What to promote, and how a draft is finished."""
    parser.epilog = CODES
    parser.add_argument(
        "items",
        nargs="+",
        metavar="REF | ITEM",
        help="turns as host:session#record, or handles and names of cards and pages",
    )
    parser.add_argument("--reason", default="", help="why, for the history (cards and pages)")
    turns = parser.add_argument_group("turns", "drafted by rules; then $VISUAL or $EDITOR opens")
    turns.add_argument(
        "--yes", action="store_true", help="save the draft as it is, or as --from has it"
    )
    turns.add_argument("--dry-run", action="store_true", help="print the draft, change nothing")
    turns.add_argument(
        "--from", dest="source", metavar="FILE", help="the edited draft, `-` for standard input"
    )
    turns.add_argument(
        "--drafter", action="store_true", help="let the drafter of your settings word the draft"
    )
    turns.add_argument("--name", default="", help="file name of the card, without .md")
    turns.add_argument(
        "--supersedes",
        nargs="+",
        default=[],
        metavar="CARD",
        help="cards that the new one replaces",
    )
    turns.add_argument(
        "--keep-both", action="store_true", help="save it although a card says the same"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Promote turns or items; they do not mix."""
    refs = [word for word in arguments.items if ":" in word and "#" in word]
    if refs and len(refs) < len(arguments.items):
        raise CommandError("turns and cards do not mix", "promote them one after the other")
    with desk(context) as bank:
        if refs:
            return _turns(bank, refs, arguments)
        items = bank.items(arguments.items)
        bank.tell(bank.act(lambda curator: promote(curator, items, arguments.reason)))
    return OK


def _turns(bank: Desk, refs: Sequence[str], arguments: argparse.Namespace) -> int:
    old = bank.cards(arguments.supersedes)
    scan_first(bank.workspace)
    try:
        material = bank.workspace.drafting.draft_of(refs)
    except UnknownTurnError as error:
        raise CommandError(
            str(error), "`memtui show SESSION` lists the turns", NOT_FOUND
        ) from error
    told: list[str] = []
    if arguments.drafter:
        material, told = _worded(bank, material)
    draft = material.draft
    if arguments.source is not None:
        draft = draft_from(text_from(arguments.source), draft)
    warnings = _warnings(bank, draft, material)
    if arguments.dry_run:
        shown = {**draft_json(draft, warnings), "drafter": told}
        answer(bank.context, shown, [draft_text(draft), *_lines(warnings), *told])
        return OK
    if arguments.yes or arguments.source is not None:
        result = _save(bank, draft, material, old, arguments)
    else:
        result = _edited(bank, draft, material, old, arguments)
    noted = [_warning_json(warning) for warning in warnings]
    bank.tell(result, [*_lines(warnings), *told], warnings=noted, drafter=told)
    return OK


def _worded(bank: Desk, material: Material) -> tuple[Material, list[str]]:
    """The draft in the drafter's words, else as it is; and what it cost, or why it failed."""
    found = bank.workspace.upkeep.word(material, lambda: False)
    name = found.record.drafter
    if found.problem:
        return material, [f"drafted by rules instead: {name}: {found.problem} ({found.cost})"]
    refused = f", {found.record.refused} refused" if found.record.refused else ""
    return found.materials[0], [f"drafter: {name}, {found.cost}{refused}"]


def _edited(
    bank: Desk, draft: Draft, material: Material, old: Sequence[Card], arguments: argparse.Namespace
) -> ActResult:
    file = EditorFile("draft", draft_text(draft).encode("utf-8", "surrogateescape"))
    text = file.edit(bank.context.environ)
    try:
        result = _save(bank, draft_from(text, draft), material, old, arguments)
    except (CurateError, CommandError, OSError) as error:
        kept = f"your text is in {file.path}: give it with --from"
        do = f"{getattr(error, 'do', '')}; {kept}".removeprefix("; ")
        raise CommandError(str(error), do) from error
    file.forget()
    return result


def _save(
    bank: Desk, draft: Draft, material: Material, old: Sequence[Card], arguments: argparse.Namespace
) -> ActResult:
    replaced = {card.id for card in old}
    for warning in _warnings(bank, draft, material):
        same = [match.item for match in warning.near if match.item.id not in replaced]
        if warning.rule == "same" and same and not arguments.keep_both:
            raise CommandError(
                f"{same[0].name} says the same",
                f"replace it with --supersedes {same[0].name}, or save both with --keep-both",
            )
    return bank.act(
        lambda curator: create(
            curator, draft, material.records, name=arguments.name, supersedes=old
        )
    )


def _warnings(bank: Desk, draft: Draft, material: Material) -> list[DraftWarning]:
    return draft_lint(draft.title, draft.body, neighbours_of(bank.view.contents), material.texts)


def draft_json(draft: Draft, warnings: Sequence[DraftWarning] = ()) -> dict[str, Any]:
    """A draft and what is doubtful about it."""
    return {
        "title": draft.title,
        "body": draft.body,
        "type": draft.type,
        "rule": draft.rule,
        "tags": list(draft.tags),
        "scope": {
            "project": draft.scope.project,
            "branch": draft.scope.branch,
            "paths": list(draft.scope.paths),
        },
        "importance": draft.importance,
        "origin": draft.origin,
        "evidence": [{"ref": cited.ref, "quote": cited.quote} for cited in draft.evidence],
        "warnings": [_warning_json(warning) for warning in warnings],
    }


def _warning_json(warning: DraftWarning) -> dict[str, Any]:
    near = [{"name": match.item.name, "score": round(match.score, 4)} for match in warning.near]
    return {"rule": warning.rule, "message": warning.message, "near": near}


def _lines(warnings: Sequence[DraftWarning]) -> list[str]:
    return [f"warning: {warning.message}" for warning in warnings]
