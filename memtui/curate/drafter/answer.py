"""From a drafter's answer to drafts: against the schema, every claim with records, nothing else trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from memtui.bank.model import Evidence, Scope
from memtui.capture.shape import faults_of
from memtui.capture.turns import Turn
from memtui.curate.draft import BODY_WORDS, TITLE_LENGTH, Draft
from memtui.curate.drafter.model import DrafterError
from memtui.curate.drafter.prompt import Prompt
from memtui.safety.fence import strip
from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line

RULE = "drafter"
_BLOCK = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)
_LITERAL = re.compile(r"`([^`\n]+)`")
_MOST_PATHS = 5


def drafts_of(answer: str, prompt: Prompt, scope: Scope) -> tuple[list[Draft], list[str]]:
    """The drafts of an answer, and why others of its cards were refused. Raises DrafterError."""
    value = _json(answer)
    wrong = faults_of(value, schema(), "answer")
    if wrong:
        raise DrafterError(f"its answer does not fit: {one_line(wrong[0], 160)}")
    made, refused = [], []
    for number, card in enumerate(value["cards"], start=1):
        why = _fault(card, prompt.turns)
        if why:
            refused.append(f"card {number}: {why}")
        else:
            made.append(_draft(card, prompt.turns, scope))
    return made, refused


@lru_cache(maxsize=1)
def schema() -> Mapping[str, Any]:
    """The JSON Schema of an answer."""
    file = Path(__file__).with_name("schema") / "drafts.schema.json"
    loaded: Mapping[str, Any] = json.loads(file.read_bytes())
    return loaded


def _json(answer: str) -> Any:
    """The JSON object of an answer: alone, in a code block, or after some words."""
    text = answer.strip()
    block = _BLOCK.search(text)
    start = text.find("{")
    for part in (text, block[1] if block else "", text[start:] if start >= 0 else ""):
        try:
            value, _ = json.JSONDecoder().raw_decode(part.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    raise DrafterError("its answer holds no JSON object")


def _fault(card: Mapping[str, Any], turns: Mapping[str, Turn]) -> str:
    """Why a card cannot stand, "" when it can."""
    parts = [(card["title"], card["records"])]
    parts += [(claim["text"], claim["records"]) for claim in card["claims"]]
    for text, records in parts:
        unknown = [name for name in records if name not in turns]
        if unknown:
            return f"cites {one_line(unknown[0], 12)}, which it was not given"
        if len(_line(text)) < 8:
            return "nothing is left of a text of it"
        shown = " ".join(_shown(turns[name] for name in records).split())
        for literal in _LITERAL.findall(_line(text)):
            if " ".join(literal.split()) not in shown:
                return f"says `{one_line(literal, 40)}`, which no cited record holds"
    return ""


def _shown(turns: Iterable[Turn]) -> str:
    """Everything that turns show, as the drafter could read it, and the paths that they touched."""
    return "\n".join(
        "\n".join((turn.text, turn.command, turn.output, *turn.paths)) for turn in turns
    )


def _draft(card: Mapping[str, Any], turns: Mapping[str, Turn], scope: Scope) -> Draft:
    names = dict.fromkeys(
        (*card["records"], *(name for claim in card["claims"] for name in claim["records"]))
    )
    cited = [turns[name] for name in names]
    claims = [_line(claim["text"]) for claim in card["claims"]]
    body = f"Use when: {_line(card['use_when']).rstrip('.')}.\n\n" + "\n".join(_fitting(claims))
    paths = sorted({p for turn in cited for p in turn.paths if not p.startswith(("/", "~"))})
    return Draft(
        title=one_line(_line(card["title"]), TITLE_LENGTH),
        body=body,
        type=card["type"],
        rule=RULE,
        scope=Scope(scope.project, scope.branch, tuple(paths[:_MOST_PATHS]) or scope.paths),
        evidence=tuple(Evidence(ref=turn.cited) for turn in cited),
        importance=0.6,
        # What rests on tool output alone came from outside: only a person makes it trusted.
        origin="session" if any(turn.said for turn in cited) else "external",
    )


def _fitting(claims: Sequence[str]) -> list[str]:
    """Whole claims, as many as a card should hold."""
    kept: list[str] = []
    for claim in claims:
        if kept and sum(len(one.split()) for one in (*kept, claim)) > BODY_WORDS:
            break
        kept.append(claim)
    return kept


def _line(text: str) -> str:
    return one_line(redact(strip(text)).text)
