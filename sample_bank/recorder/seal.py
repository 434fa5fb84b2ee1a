#!/usr/bin/env python3
"""Seal the hand-written bank: record hashes, redacted excerpts, page digests.

usage: seal.py          (with memtui installed; writes ../bank, safe to repeat)

What is wrong on purpose stays so: a citation whose quote is not in its record gets the hash of the quote
instead of the record's, and one whose session does not exist keeps an excerpt of its quote alone.
"""
import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from memtui.bank.cards import evidence_value
from memtui.bank.evidence import make_excerpt, write_excerpt
from memtui.bank.frontmatter import set_keys
from memtui.bank.load import load
from memtui.hosts.digest import record_digest
from memtui.hosts.jsonl import open_lines, read_span
from memtui.hosts.model import Entry, HostHome, Kind, SessionInfo, Span
from memtui.hosts.read import parse_file
from memtui.hosts.registry import HOSTS
from memtui.safety.redact import redact

HERE = Path(__file__).resolve().parent
BANK, HOME = HERE.parent / "bank", HERE.parent / "home"
BEHIND = ("change-the-schema", "f0x5mv")
"""The page that must be behind, and the card that grew a paragraph after the page was compiled."""


def host_records():
    """{(host, record): (time, kind, text, digest)} of every record of the hosts that memtui reads."""
    found = {}
    for host in HOSTS:
        for source in host.discover(HostHome(HOME)):
            texts, spans, firsts = {}, {}, {}
            for event in parse_file(source):
                if isinstance(event, SessionInfo) or not isinstance(event, Entry):
                    continue
                texts.setdefault(event.record, []).append(event.text)
                if event.diff:
                    texts[event.record].append(event.diff)
                spans[event.record] = event.span
                firsts.setdefault(event.record, event)
            for record, parts in texts.items():
                raw = json.loads(read_span(spans[record], source.compressed))
                key = (host.name, record)
                found.setdefault(key, (firsts[record], "\n".join(filter(None, parts)), record_digest(host.name, raw)))
            if host.name == "codex":
                add_untold(found, source)
    return found


def add_untold(found, source):
    """Codex tells an answer in two records; a citation may name the one that the adapter passes over."""
    for line in open_lines(source):
        raw = json.loads(line.data)
        key = ("codex", f"{line.ordinal}@{raw.get('timestamp')}")
        if key not in found and raw.get("type") == "response_item":
            entry = Entry(Kind.ANSWER, key[1], Span(source.path, line.offset, len(line.data)), at=millis(raw["timestamp"]))
            text = "\n".join(part.get("text", "") for part in raw["payload"].get("content") or [])
            found[key] = (entry, text, record_digest("codex", raw))


def millis(stamp):
    from datetime import datetime

    return int(datetime.fromisoformat(stamp).timestamp() * 1000)


def gemini_records():
    """{record: (time, text)} of Gemini CLI, whose adapter comes later."""
    found = {}
    for path in HOME.glob(".gemini/tmp/*/chats/*.jsonl"):
        for line in path.read_text().split("\n"):
            if not line:
                continue
            row = json.loads(line)
            for message in [*row.get("$set", {}).get("messages", []), row]:
                if "id" in message and "type" in message:
                    found[message["id"]] = (message.get("timestamp"), "\n".join(strings(message)))
    return found


def strings(value):
    """Every text in a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def time_of(entry):
    from datetime import UTC, datetime

    return None if entry.at is None else datetime.fromtimestamp(entry.at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def sealed(cited, records, gemini):
    """The citation with its hashes, and the excerpt to keep."""
    host, _, rest = cited.ref.partition(":")
    record = rest.rpartition("#")[2]
    if host == "gemini-cli" and record in gemini:
        at, text = gemini[record]
        excerpt = make_excerpt(cited.ref, at, "record", redact(text).text, "")
        return replace(cited, excerpt=excerpt.sha256), excerpt
    known = records.get((host, record))
    if known is None:
        excerpt = make_excerpt(cited.ref, None, "record", redact(cited.quote).text, "")
        digest = "1:" + sha256(cited.quote.encode()).hexdigest()
        return replace(cited, record=digest, excerpt=excerpt.sha256), excerpt
    entry, text, digest = known
    if cited.quote not in text:
        text, digest = cited.quote, "1:" + sha256(cited.quote.encode()).hexdigest()
    excerpt = make_excerpt(cited.ref, time_of(entry), str(entry.kind), redact(text).text, digest)
    return replace(cited, record=digest, excerpt=excerpt.sha256), excerpt


def seal_items(records, gemini):
    folder = BANK / "evidence"
    for old in folder.glob("*.json"):
        old.unlink()
    folder.mkdir(exist_ok=True)
    contents = load(BANK)
    for item in (*contents.cards, *contents.pages):
        if not item.evidence:
            continue
        cited = []
        for evidence in item.evidence:
            done, excerpt = sealed(replace(evidence, record="", excerpt=""), records, gemini)
            write_excerpt(folder, excerpt)
            cited.append(evidence_value(done))
        text = item.path.read_text("utf-8")
        item.path.write_text(set_keys(text, {("metadata", "evidence"): cited}), "utf-8")


def seal_pages():
    contents = load(BANK)
    cards = {card.id: card for card in contents.cards}
    for page in contents.pages:
        sources = {}
        for card_id in page.sources:
            card = cards[card_id]
            data = card.path.read_bytes()
            if (page.name, card_id) == BEHIND:
                data = data.rstrip(b"\n").rpartition(b"\n\n")[0] + b"\n"
            sources[card_id] = sha256(data).hexdigest()
        text = page.path.read_text("utf-8")
        page.path.write_text(set_keys(text, {("metadata", "sources"): sources}), "utf-8")


def main():
    records, gemini = host_records(), gemini_records()
    seal_items(records, gemini)
    seal_pages()


if __name__ == "__main__":
    main()
