"""`memtui inbox`: what was proposed, and the decision about it."""

from __future__ import annotations

import argparse
from typing import Any

from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.clock import format_time
from memtui.curate.act import ConflictError, CurateError
from memtui.curate.proposals import Proposal, Verb, draft_json
from memtui.ledger.access import LedgerError
from memtui.safety.sanitize import one_line
from memtui.workspace.inbox import Entry, InboxView
from memtui.workspace.upkeep import Upkeep


def configure(parser: argparse.ArgumentParser) -> None:
    """One decision at a time; without one, the list."""
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--accept", metavar="ID", help="do what it suggests")
    chosen.add_argument("--reject", metavar="ID", nargs="+", help="never propose it again")
    chosen.add_argument("--merge", metavar="ID", nargs="+", help="accept several as one card")
    chosen.add_argument("--show", metavar="ID", help="print one with its evidence")
    parser.add_argument(
        "--verb",
        choices=[verb.value for verb in Verb],
        help="with --accept: do this instead of what was suggested",
    )
    parser.add_argument("--reason", default="", metavar="TEXT", help="with --reject: why")
    parser.add_argument("--expired", action="store_true", help="those that nobody decided in time")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """List, or decide. Exit code 1 when there is nothing, or no such proposal."""
    with context.open() as workspace:
        workspace.load()
        upkeep = workspace.upkeep
        try:
            found = upkeep.inbox()
            if arguments.accept:
                return _accept(upkeep, found, arguments, context)
            if arguments.merge:
                return _merge(upkeep, found, arguments, context)
            if arguments.reject:
                return _reject(upkeep, found, arguments, context)
        except ConflictError as error:
            raise CommandError(error.what, "look at the file, then try again") from error
        except CurateError as error:
            raise CommandError(error.what, error.do) from error
        except LedgerError as error:
            raise CommandError(str(error), "`memtui doctor` says where it lies") from error
    if arguments.show:
        entry = _entry(found, arguments.show)
        answer(context, entry_json(entry), _full(entry))
        return OK
    rows = found.expired if arguments.expired else found.waiting
    answer(context, inbox_json(found), [*map(_line, rows), *_tail(found)])
    return OK if rows else NOT_FOUND


def _accept(
    upkeep: Upkeep, found: InboxView, arguments: argparse.Namespace, context: Context
) -> int:
    proposal = _entry(found, arguments.accept).proposal
    if arguments.verb and arguments.verb != proposal.verb:
        proposal = upkeep.switch(proposal, Verb(arguments.verb))
    done = upkeep.accept(proposal)
    data = {"act": done.result.act, "verb": done.result.verb, "items": done.result.items}
    answer(context, data, [done.result.summary])
    return OK


def _merge(
    upkeep: Upkeep, found: InboxView, arguments: argparse.Namespace, context: Context
) -> int:
    chosen = tuple(_entry(found, word).proposal for word in arguments.merge)
    done = upkeep.merge(chosen)
    data = {
        "act": done.result.act,
        "merged": [one.id for one in chosen],
        "items": done.result.items,
    }
    answer(context, data, [done.result.summary])
    return OK


def _reject(
    upkeep: Upkeep, found: InboxView, arguments: argparse.Namespace, context: Context
) -> int:
    chosen = tuple(_entry(found, word).proposal for word in arguments.reject)
    done = upkeep.reject(chosen, arguments.reason)
    data = {"act": done.result.act, "rejected": [proposal.id for proposal in chosen]}
    answer(context, data, [done.result.summary])
    return OK


def _entry(found: InboxView, word: str) -> Entry:
    entry = found.find(word)
    if entry is None:
        raise CommandError(
            f"no waiting proposal {word}", "`memtui inbox` lists them with their ids", NOT_FOUND
        )
    return entry


def inbox_json(found: InboxView) -> dict[str, Any]:
    """The whole inbox."""
    return {
        "waiting": [entry_json(entry) for entry in found.waiting],
        "expired": [entry_json(entry) for entry in found.expired],
        "accepted": found.accepted,
        "rejected": found.rejected,
        "sessions_read": found.read,
        "sessions_failed": [{"session": name, "why": why} for name, why in found.failed],
        "drafter": found.drafted,
        "drafted_by_rules": [{"session": name, "why": why} for name, why in found.fell_back],
    }


def entry_json(entry: Entry) -> dict[str, Any]:
    """One proposal."""
    proposal = entry.proposal
    return {
        "id": proposal.id,
        "verb": proposal.verb.value,
        "title": proposal.title,
        "reason": proposal.reason,
        "session": proposal.session,
        "by": proposal.proposer,
        "sightings": entry.sightings,
        "targets": list(proposal.targets),
        "likeness": round(proposal.likeness, 4),
        "surprise": round(proposal.surprise, 4),
        "at": format_time(proposal.at),
        "expires": format_time(proposal.expires),
        "draft": draft_json(proposal.draft) if proposal.draft else None,
        "evidence": [record.ref for record in proposal.records],
    }


def _line(entry: Entry) -> str:
    proposal = entry.proposal
    times = f"  seen {entry.sightings} times" if entry.sightings > 1 else ""
    title = one_line(proposal.title, 90)
    return f"{short_id(proposal)}  {proposal.verb:<7}  {title}  ({one_line(proposal.reason, 80)}){times}"


def short_id(proposal: Proposal) -> str:
    """The end of an id, which tells proposals apart."""
    return proposal.id[-8:]


def _full(entry: Entry) -> list[str]:
    proposal = entry.proposal
    lines = [_line(entry), f"expires {format_time(proposal.expires)}", ""]
    if proposal.draft is not None:
        lines += [f"# {proposal.draft.title}", f"type: {proposal.draft.type}", ""]
        lines += [*proposal.draft.body.splitlines(), ""]
    lines += [f"about: {key}" for key in proposal.targets]
    for record in proposal.records:
        lines += [
            f"evidence: {record.ref}",
            *(f"    {row}" for row in record.text.splitlines()[:8]),
        ]
    return lines


def _tail(found: InboxView) -> list[str]:
    told = [f"{len(found.waiting)} waiting, {found.read} sessions read"]
    if found.failed:
        told.append(f"{len(found.failed)} failed")
    if found.expired:
        told.append(f"{len(found.expired)} expired")
    lines = [", ".join(told)]
    lines += [f"failed: {name}: {why}" for name, why in found.failed[:5]]
    if found.drafted:
        lines.append(found.drafted)
    fell_back = [f"drafted by rules instead: {name}: {why}" for name, why in found.fell_back[-5:]]
    return [*lines, *fell_back]
