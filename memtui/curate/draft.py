"""A card drafted from turns by rules: no model, every sentence taken from what was said or printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from memtui.bank.model import Evidence, Scope
from memtui.capture import phrases
from memtui.capture.commands import Run, failed, runs
from memtui.capture.extract.finding import Finding
from memtui.capture.observation import What
from memtui.capture.pairs import Pair, pairs
from memtui.capture.turns import Turn
from memtui.hosts.model import Kind

TITLE_LENGTH = 110
QUOTE_LENGTH = 200
BODY_WORDS = 110


@dataclass(frozen=True, slots=True)
class Draft:
    """A card before it is saved. `rule` says which rule wrote it (`plain` where none applied)."""

    title: str
    body: str
    type: str
    rule: str = "plain"
    tags: tuple[str, ...] = ()
    scope: Scope = field(default_factory=Scope)
    evidence: tuple[Evidence, ...] = ()
    importance: float = 0.5
    origin: str = "session"


Rule = Callable[[Sequence[Turn], Scope], Draft | None]


def draft(turns: Sequence[Turn], scope: Scope, context: Sequence[Turn] | None = None) -> Draft:
    """A draft from marked turns. `context` is the whole session: a failure and its success are drafted
    with what was said between and after them, also when only one of the two is marked.

    Raises ValueError when there are no turns.
    """
    if not turns:
        raise ValueError("nothing is marked")
    meant = _pair_of(turns, context) if context is not None else None
    if context is not None and meant is not None:
        return draft_pair(context, meant, scope)
    for rule in RULES:
        made = rule(turns, scope)
        if made is not None:
            return made
    return _plain(turns, scope)


def draft_pair(turns: Sequence[Turn], pair: Pair, scope: Scope) -> Draft:
    """Symptom, cause and fix, citing the failure and the success."""
    failure, success = turns[pair.failure], turns[pair.success]
    between = turns[pair.failure + 1 : pair.success + 3]
    error = phrases.error_line(failure.output)
    symptom = _short(error or "it fails", 160)
    cause_turn, cause = _said(between, phrases.root_cause)
    fix = _fix(failure, success, turns[pair.failure + 1 : pair.success])
    answers = [t for t in turns[pair.failure + 1 : pair.success] if t.kind is Kind.ANSWER]
    why_turn, why = _said(answers, phrases.explanation)
    lines = [f"Use when: `{_short(pair.key, 80)}` fails with `{symptom}`.", ""]
    lines += [f"Cause: {cause}"] if cause else []
    lines += [why] if why and not cause else []
    lines += [f"Fix: {fix}"]
    cited = [_cite(failure, error), _cite(success, _last_line(success.output))]
    told = cause_turn or why_turn
    cited += [_cite(told, cause or why)] if told else []
    paths = _scoped(turns[pair.failure + 1 : pair.success], scope)
    title = cause or why or f"`{_short(pair.key, 40)}`: {symptom}: {fix}"
    return Draft(
        title=_title(title),
        body="\n".join(lines),
        type="pitfall",
        rule="pair",
        tags=_tags(pair.key),
        scope=paths,
        evidence=tuple(cited),
        importance=0.7 if cause or why else 0.4,
    )


def draft_finding(turns: Sequence[Turn], finding: Finding, scope: Scope) -> Draft:
    """A draft of what an extractor found; `turns` is the whole session."""
    shown = [turns[place] for place in finding.places]
    if finding.kind is What.PAIR:
        for pair in pairs(turns):
            if (pair.failure, pair.success) == finding.places:
                return draft_pair(turns, pair, scope)
    kind, rule, importance = _SAID[finding.kind]
    turn = shown[0]
    why = phrases.reason(turn.text)
    body = [_use_when(shown, scope), "", finding.sentence]
    body += ["Did not work."] if finding.kind is What.DEAD_END else []
    body += [f"Why: {why}"] if why and why not in finding.sentence else []
    title = _LEAD.sub("", finding.sentence)
    made = _spoken(turn, finding.sentence, body, kind, rule, shown, scope, importance)
    return replace(made, title=_title(title))


_SAID = {
    What.PAIR: ("pitfall", "pair", 0.7),
    What.CORRECTION: ("convention", "correction", 0.8),
    What.CAUSE: ("pitfall", "root cause", 0.6),
    What.DECISION: ("decision", "decision", 0.6),
    What.ENVIRONMENT: ("env", "environment", 0.5),
    What.DEAD_END: ("pitfall", "dead end", 0.5),
}
"""Type, rule and importance of a card from a finding of this kind."""
_WRAPPING = re.compile(r"</?[\w-]+>|(?:Process Group PGID|Exit Code): -?\d+")
"""Lines that Gemini CLI puts around what a command printed."""
_LEAD = re.compile(
    r"^\W*(?:found it|problem found|(?:root )?cause|ursache|decision|fixed|confirmed|note)\b"
    r"[*:.!]+\s*",
    re.IGNORECASE,
)


def _pair_rule(turns: Sequence[Turn], scope: Scope) -> Draft | None:
    found = pairs(turns)
    return draft_pair(turns, found[0], scope) if found else None


def _correction_rule(turns: Sequence[Turn], scope: Scope) -> Draft | None:
    for turn in turns:
        sentence = phrases.correction(turn.text) if turn.kind is Kind.PROMPT else None
        if sentence:
            why = phrases.reason(turn.text)
            body = [_use_when(turns, scope), "", sentence]
            body += [f"Why: {why}"] if why and why != sentence else []
            return _spoken(turn, sentence, body, "convention", "correction", turns, scope, 0.8)
    return None


def _cause_rule(turns: Sequence[Turn], scope: Scope) -> Draft | None:
    turn, sentence = _said(turns, phrases.root_cause)
    if turn is None or not sentence:
        return None
    body = [_use_when(turns, scope), "", sentence]
    return _spoken(turn, sentence, body, "pitfall", "root cause", turns, scope, 0.6)


def _decision_rule(turns: Sequence[Turn], scope: Scope) -> Draft | None:
    turn, sentence = _said(turns, phrases.decision)
    if turn is None or not sentence:
        return None
    why = phrases.reason(turn.text)
    body = [_use_when(turns, scope), "", sentence]
    body += [f"Why: {why}"] if why and why != sentence else []
    return _spoken(turn, sentence, body, "decision", "decision", turns, scope, 0.6)


def _environment_rule(turns: Sequence[Turn], scope: Scope) -> Draft | None:
    for turn in turns:
        sentence = phrases.environment(turn.text or turn.output)
        if sentence:
            body = [_use_when(turns, scope), "", sentence]
            return _spoken(turn, sentence, body, "env", "environment", turns, scope, 0.5)
    return None


RULES: tuple[Rule, ...] = (
    _pair_rule,
    _correction_rule,
    _cause_rule,
    _decision_rule,
    _environment_rule,
)
"""In order: the first that applies writes the draft."""


def _plain(turns: Sequence[Turn], scope: Scope) -> Draft:
    turn = next((turn for turn in turns if turn.said and turn.text), turns[0])
    text = turn.text or phrases.error_line(turn.output) or turn.command
    sentence = next(phrases.sentences(text), _short(text, TITLE_LENGTH))
    body = [_use_when(turns, scope), "", sentence]
    return _spoken(turn, sentence, body, "fact", "plain", turns, scope, 0.5)


def _spoken(
    turn: Turn,
    sentence: str,
    body: Sequence[str],
    kind: str,
    rule: str,
    turns: Sequence[Turn],
    scope: Scope,
    importance: float,
) -> Draft:
    cited = {turn.cited: _cite(turn, sentence)}
    for other in turns:
        cited.setdefault(other.cited, _cite(other, ""))
    return Draft(
        title=_title(sentence),
        body="\n".join(body),
        type=kind,
        rule=rule,
        tags=_tags(" ".join(other.command for other in turns)),
        scope=_scoped(turns, scope),
        evidence=tuple(cited.values()),
        importance=importance,
        origin="session" if turn.said else "external",
    )


def _said(turns: Sequence[Turn], find: Callable[[str], str | None]) -> tuple[Turn | None, str]:
    """The last turn in which the agent or the user says it: later statements know more."""
    for turn in reversed(turns):
        sentence = find(turn.text) if turn.said else None
        if sentence:
            return turn, sentence
    return None, ""


def _fix(failure: Turn, success: Turn, between: Sequence[Turn]) -> str:
    """What was done between red and green: a changed command, changed files, commands run."""
    settings = _new_settings(runs(failure.command), runs(success.command))
    if settings:
        return f"run it with `{' '.join(settings)}`."
    changed = sorted({path for turn in between for path in turn.paths if not failed(turn)})
    if changed:
        shown = ", ".join(f"`{PurePosixPath(path).name}`" for path in changed[:3])
        return f"change {shown}."
    done = [
        turn.command for turn in between if turn.command and runs(turn.command) and not failed(turn)
    ]
    if done:
        return f"run `{_short(done[-1], 120)}` first."
    return f"run `{_short(success.command, 120)}`."


def _new_settings(before: Sequence[Run], after: Sequence[Run]) -> list[str]:
    had = {setting for run in before for setting in run.settings}
    return [setting for run in after for setting in run.settings if setting not in had]


def _pair_of(marked: Sequence[Turn], context: Sequence[Turn]) -> Pair | None:
    """The pair that is meant: both its halves are marked, or one of them alone."""
    refs = {turn.ref for turn in marked}
    for pair in pairs(context):
        failures = {context[pair.failure].ref, context[pair.first].ref}
        success = context[pair.success].ref
        if refs & failures and success in refs:
            return pair
        if len(refs) == 1 and refs & {*failures, success}:
            return pair
    return None


def _use_when(turns: Sequence[Turn], scope: Scope) -> str:
    paths = sorted({path for turn in turns for path in turn.paths} or set(scope.paths))
    if paths:
        shown = ", ".join(f"`{_shown(path)}`" for path in paths[:2])
        return f"Use when: you work on {shown}."
    keys = [run.key for turn in turns for run in runs(turn.command)]
    if keys:
        return f"Use when: you run `{_short(keys[0], 80)}`."
    return f"Use when: you work on {scope.project or 'this project'}."


def _scoped(turns: Sequence[Turn], scope: Scope) -> Scope:
    """The scope with the relative paths that the turns touched, five at most."""
    touched = sorted(
        {path for turn in turns for path in turn.paths if not path.startswith(("/", "~"))}
    )
    return Scope(scope.project, scope.branch, tuple(touched[:5]) or scope.paths)


def _shown(path: str) -> str:
    return path if not path.startswith("/") else PurePosixPath(path).name


def _cite(turn: Turn, quote: str) -> Evidence:
    """A citation whose quote stands verbatim in the record, or has none."""
    source = turn.output or turn.text or turn.command
    verbatim = quote if quote in source else ""
    return Evidence(ref=turn.cited, quote=verbatim[:QUOTE_LENGTH])


def _tags(command: str) -> tuple[str, ...]:
    tags = []
    for run in runs(command):
        tags += ["test"] if run.is_test else []
        tags.append(re.sub(r"[^a-z0-9]+", "-", run.program.lower()).strip("-"))
    return tuple(dict.fromkeys(tag for tag in tags if tag))[:3]


def _title(text: str) -> str:
    return _short(re.sub(r"[*_]{2,}", "", text).rstrip(".:;, "), TITLE_LENGTH)


def _short(text: str, length: int) -> str:
    flat = " ".join(text.split())
    if len(flat) <= length:
        return flat
    return flat[: length - 1].rsplit(" ", 1)[0] + "…"


def _last_line(text: str) -> str:
    """The last line that tells something; some hosts wrap an output in lines of their own."""
    lines = (line.strip() for line in reversed(text.splitlines()))
    return next((line for line in lines if line and not _WRAPPING.fullmatch(line)), "")
