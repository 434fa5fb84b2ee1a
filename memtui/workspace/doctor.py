"""What was found, what was skipped and why, versions and paths: the findings of `memtui doctor`."""

from __future__ import annotations

import platform
import shutil
import sqlite3
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from memtui.ledger.access import LedgerError
from memtui.workspace.model import BankView, Finding
from memtui.workspace.recalling import off_note
from memtui.workspace.watching import planned, watched_places
from memtui.workspace.workspace import Workspace


def examine(workspace: Workspace) -> tuple[Finding, ...]:
    """Every finding, in a fixed order. Reads the bank and the catalogue as they are."""
    view = workspace.load()
    return (
        *_versions(),
        *_semantic(workspace),
        *_places(workspace),
        *_bank(workspace, view),
        *_ledger(workspace),
        *_drafter(workspace),
        *_audit(workspace),
        *_sessions(workspace),
        *_watch(workspace),
        *_hooks(workspace),
        *(Finding(note.level, "status", note.text) for note in workspace.status()),
    )


def _versions() -> Iterator[Finding]:
    names = ("memtui", "textual", "sqlmodel", "watchfiles")
    found = ", ".join(f"{name} {_version(name)}" for name in names)
    yield Finding("info", "versions", f"{found}, Python {platform.python_version()}")
    yield Finding("info", "versions", f"SQLite {sqlite3.sqlite_version}")
    if shutil.which("git") is None:
        yield Finding("warning", "git", "not found: drift cannot be computed", "install git")


def _semantic(workspace: Workspace) -> Iterator[Finding]:
    """Search by meaning: whether it can work, with which model, and what the bank's vectors are."""
    settings = workspace.settings.semantic
    packages = [f"{name} {_version(name)}" for name in ("chromadb", "sentence-transformers")]
    recalling = workspace.recalling
    note = off_note(settings)
    if note is not None:
        yield Finding("info", "semantic", f"{note.message}; search is by words", note.fix)
        return
    pinned = f" at {settings.revision}" if settings.revision else ""
    what = f"model {settings.model}{pinned}, chroma {settings.chroma}, {', '.join(packages)}"
    yield Finding("ok", "semantic", what)
    if recalling is None:
        return
    for model, revision, count in recalling.stored():
        yield Finding("info", "semantic", f"{count} vectors of {model} ({revision})")
    for note in recalling.policy()[1]:
        yield Finding("warning", "recall", note.message, note.fix)


def _places(workspace: Workspace) -> Iterator[Finding]:
    places = workspace.setting.places
    for name in ("config", "state", "cache", "data"):
        yield Finding("info", "paths", f"{name}: {getattr(places, name)}")
    for looked in workspace.looked():
        word = "found" if looked.found else "not there"
        yield Finding("info", "looked", f"{looked.what}: {looked.place} ({word})")


def _bank(workspace: Workspace, view: BankView) -> Iterator[Finding]:
    if workspace.bank_root is None:
        yield Finding("warning", "bank", "no bank for this project", "`memtui demo` shows one")
        return
    counts = f"{len(view.cards)} cards, {len(view.pages)} pages, {len(view.contents.events)} events"
    yield Finding("ok", "bank", f"{workspace.bank_root} ({view.contents.layout}): {counts}")
    states: dict[str, int] = {}
    for item in (*view.cards, *view.pages):
        for state in item.states[:1]:
            states[state.reason] = states.get(state.reason, 0) + 1
    for reason, count in sorted(states.items()):
        yield Finding("info", "bank", f"{count} {reason}")
    for problem in view.contents.problems:
        line = f":{problem.line}" if problem.line else ""
        yield Finding(
            "warning", "bank", f"{problem.path}{line}: {problem.message}", "edit the file"
        )
    for note in view.notes:
        yield Finding("info", "bank", note)


def _ledger(workspace: Workspace) -> Iterator[Finding]:
    """Whether acts of a killed process wait to be finished or taken back. Nothing is changed here."""
    if workspace.bank_root is None:
        return
    try:
        waiting = workspace.curating.unfinished()
    except (OSError, LedgerError) as error:
        yield Finding("error", "ledger", f"it cannot be read: {error}")
        return
    if waiting:
        yield Finding(
            "warning",
            "ledger",
            f"acts cut off by a killed process: {waiting}",
            "`memtui history` or opening the app finishes them or takes them back",
        )


def _drafter(workspace: Workspace) -> Iterator[Finding]:
    """Which drafter is asked during sleep: what is sent to it leaves memtui, redacted."""
    drafter = workspace.upkeep.drafter
    if drafter is None:
        return
    limits = f"at most {drafter.sessions} sessions of a sleep, {drafter.timeout:g} s each"
    yield Finding("info", "drafter", f"{drafter.name}: {limits}")
    if drafter.command and shutil.which(drafter.command[0]) is None:
        fix = "correct drafter.command, or unset it; until then the rules draft"
        yield Finding("warning", "drafter", f"{drafter.command[0]} is not found", fix)


def _audit(workspace: Workspace) -> Iterator[Finding]:
    """Whether what is stored was looked at under the redaction rules as they are now."""
    try:
        how, why = workspace.upkeep.audit_due()
    except OSError as error:
        yield Finding("error", "audit", f"when it was audited cannot be read: {error}")
        return
    if how:
        fix = "`memtui audit` looks at everything that is stored"
        yield Finding("warning" if how == "due" else "info", "audit", why, fix)
    elif why:
        yield Finding("ok", "audit", why)


def _sessions(workspace: Workspace) -> Iterator[Finding]:
    catalogue = workspace.catalogue
    db = catalogue.reader()
    try:
        total = catalogue.view(db)
        skipped = catalogue.skipped(db)
    finally:
        db.close()
    yield Finding(
        "ok",
        "sessions",
        f"{total.sessions} sessions, {total.rows} rows in {total.files} files, {total.gone} gone",
    )
    if total.text_behind:
        yield Finding("info", "sessions", f"full text is {total.text_behind} bytes behind")
    for kind in skipped:
        where = f"{kind.path}:{kind.offset}"
        label = f" {kind.label}" if kind.label else ""
        yield Finding(
            "info",
            "skipped",
            f"{kind.count} x {kind.host} {kind.version or '?'}: {kind.reason}{label}, first at {where}",
        )


def _watch(workspace: Workspace) -> Iterator[Finding]:
    """How changes are noticed while memtui is open."""
    mode = planned(workspace, watched_places(workspace))
    if mode.events:
        yield Finding(
            "ok",
            "watching",
            f"{mode.events} folder{'' if mode.events == 1 else 's'} by events of the system",
        )
    for path, reason in mode.polled:
        yield Finding("info", "watching", f"{path} by polling: {reason}")


def _hooks(workspace: Workspace) -> Iterator[Finding]:
    """What hooks left is taken in first, so that one that only waited does not seem quiet."""
    found: tuple[Finding, ...] = ()
    try:
        workspace.agents.take_in()
        found = workspace.agents.examine()
    except (OSError, sqlite3.Error, LedgerError) as error:
        yield Finding("error", "hooks", f"what hooks left cannot be read: {error}")
    yield from found
    if not found:
        yield Finding(
            "info", "hooks", "none installed", "`memtui install HOST` lets agents receive the bank"
        )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"
