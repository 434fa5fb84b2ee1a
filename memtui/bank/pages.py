"""Pages: from a file's bytes, with the claims that they make and the cards those cite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui.bank.cards import metadata, render
from memtui.bank.frontmatter import as_text
from memtui.bank.items import KNOWN_PAGE, LINK, Fields, common, links_in
from memtui.bank.model import Claim, Page
from memtui.clock import format_time

BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*_`]{0,3}\s+")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no)\.$", re.IGNORECASE)
CITED = re.compile(r"\(?\[\[[^\[\]\n]{1,400}\]\](?:[\s,;]*\[\[[^\[\]\n]{1,400}\]\])*\)?[.]?\s*")
RULE = re.compile(r"(?:[-*_][ \t]*){3,}$")


def parse_page(path: Path, data: bytes) -> Page:
    """The page in a file's bytes. Never raises: what does not read is among its problems."""
    values, fields = common(path, data, KNOWN_PAGE)
    before = len(fields.problems)
    sources = _sources(fields)
    compiled = fields.time("compiled_at")
    generation = int(fields.number("generation", 0, 0, 1_000_000))
    if not values["conflict"]:
        values["problems"] = (*values["problems"], *fields.problems[before:])
    return Page(
        **values,
        sources=sources,
        compiled_at=compiled,
        generation=generation,
        claims=claims_in(values["body"]),
    )


def render_page(page: Page) -> str:
    """The text of a new file for `page`, in a stable key order; `parse_page` reads it back."""
    inner: dict[str, Any] = metadata(page)
    inner["sources"] = dict(page.sources)
    inner["compiled_at"] = format_time(page.compiled_at) if page.compiled_at else None
    inner["generation"] = page.generation
    return render(page, inner)


def _sources(fields: Fields) -> dict[str, str]:
    value = fields.data.get("sources")
    if isinstance(value, dict):
        return {key: as_text(digest) for key, digest in value.items()}
    if isinstance(value, list):
        return {as_text(key): "" for key in value if not isinstance(key, (dict, list))}
    if value is not None:
        fields.problem("`sources` is not a map of card ids to digests")
    return {}


def claims_in(body: str) -> tuple[Claim, ...]:
    """What a page says, claim by claim: list items, table rows, and the sentences of paragraphs.

    Headings, code fences and comments make no claims. A claim's text is what stands before its
    citations; a claim that cites nothing has no cards.
    """
    claims: list[Claim] = []
    for kind, line, section, text in _blocks(body):
        if kind == "row":
            text = " | ".join(cell for part in text.strip("|").split("|") if (cell := part.strip()))
        if kind == "text":
            claims.extend(_sentences(text, line, section))
        else:
            claims.append(_claim(text, line, section))
    return tuple(claim for claim in claims if claim.text or claim.cards)


def _blocks(body: str) -> Iterator[tuple[str, int, str, str]]:
    """Paragraphs ("text"), list items ("item") and table rows ("row"): kind, line, section, text."""
    section, fence, comment = "", "", False
    kind, start, parts = "", 0, list[str]()
    lines = body.split("\n")
    rules = {at for at, line in enumerate(lines) if _is_table_rule(line)}
    for at, raw in enumerate(lines):
        line = raw.strip(" \t\r")
        ends = not line or line[0] == "#" or line[:3] in ("```", "~~~") or line.startswith("<!--")
        quoted = line.lstrip("> ") if line[:1] == ">" else line
        bullet = BULLET.match(quoted)
        row = line[:1] == "|"
        if parts and (fence or comment or ends or bullet or row or RULE.match(line)):
            yield kind, start, section, "\n".join(parts)
            parts = []
        if fence:
            fence = "" if line.startswith(fence) and not line.strip(fence[0]) else fence
        elif comment or line.startswith("<!--"):
            comment = "-->" not in line
        elif line[:3] in ("```", "~~~"):
            fence = line[: len(line) - len(line.lstrip(line[0]))]
        elif line[:1] == "#":
            section = line.strip("# ")
        elif row:
            if at not in rules and at + 1 not in rules:
                yield "row", at, section, line
        elif line and not RULE.match(line):
            if not parts:
                kind, start = ("item" if bullet else "text"), at
            parts.append(quoted[bullet.end() :] if bullet else quoted)
    if parts:
        yield kind, start, section, "\n".join(parts)


def _sentences(text: str, line: int, section: str) -> Iterator[Claim]:
    """One claim for each sentence; citations after a full stop belong to the sentence before it."""
    start = 0
    for found in SENTENCE_END.finditer(text):
        end = found.end()
        if end <= start or ABBREVIATION.search(
            text[max(start, found.start() - 12) : found.start()]
        ):
            continue
        cited = CITED.match(text, end)
        if cited:
            end = cited.end()
        yield _claim(text[start:end], line, section)
        line += text.count("\n", start, end)
        start = end
    if text[start:].strip():
        yield _claim(text[start:], line, section)


def _claim(text: str, line: int, section: str) -> Claim:
    cards = links_in(text)
    if cards:
        text = _without_citations(text)
    return Claim(" ".join(text.split()), cards, line, section)


def _without_citations(text: str) -> str:
    """The text without the citations at its end; links on the way keep their words."""
    text = text.rstrip()
    stop = text[-1:] if text[-1:] in ".!?" else ""
    head, cited = text[: len(text) - len(stop)], False
    while (bare := head.rstrip(" \t\n,;)|")).endswith("]]"):
        at = bare.rfind("[[")
        if at < 0 or not LINK.fullmatch(bare, at):
            break
        head, cited = bare[:at].rstrip(" \t\n,;(|"), True
    if cited:
        text = head if head[-1:] in ".!?" else head + stop
    return LINK.sub(lambda found: found[1].strip(), text)


def _is_table_rule(line: str) -> bool:
    return "|" in line and "-" in line and not line.strip("|:- \t\r")
