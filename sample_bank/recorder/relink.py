#!/usr/bin/env python3
"""Point the evidence of the cards at a new recording.

usage: relink.py

Every citation keeps its quote; its session and record id are looked up again in ../home.  sessions.json
remembers which script each session id belongs to.  Quotes that are wrong on purpose keep their record's
place (see ../README.md) and are listed, as are citations of sessions that no longer exist.
"""
import json
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
BANK, HOME = HERE.parent / "bank", HERE.parent / "home"
REF = re.compile(r'ref: "([a-z-]+):([0-9a-f-]+)#([^"]+)"')
QUOTE = re.compile(r'quote: ("(?:[^"\\]|\\.)*")')


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for v in value.values():
            yield from strings(v)
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)


def sessions():
    """{script name: (host, session id, [files])} of what lies in ../home."""
    out = {}
    for path in sorted((HERE / "scripts").glob("*.toml")):
        spec = tomllib.loads(path.read_text())
        start = spec["start"]
        if spec["host"] == "claude-code":
            folder = HOME / ".claude/projects/-home-dev-svc-order"
            files = [folder / (spec["session"] + ".jsonl"), *folder.glob(spec["session"] + "/subagents/*.jsonl")]
            out[path.stem] = ("claude-code", spec["session"], files)
        elif spec["host"] == "codex":
            day = start[:10].replace("-", "/")
            files = list((HOME / ".codex/sessions" / day).glob("*.jsonl"))
            out[path.stem] = ("codex", files[0].stem[-36:], files)
        else:
            files = list(HOME.glob(f".gemini/tmp/*/chats/session-{start[:10]}*.jsonl"))
            out[path.stem] = ("gemini-cli", json.loads(files[0].open().readline())["sessionId"], files)
    return out


def records(host, files):
    """(record id, kind, strings) of everything that can be cited, answers and results first."""
    for path in files:
        for n, line in enumerate(path.read_bytes().decode().split("\n")):
            if not line:
                continue
            row = json.loads(line)
            if host == "claude-code" and row.get("type") in ("user", "assistant"):
                yield row["uuid"], row["type"], list(strings(row["message"]["content"]))
            elif host == "codex" and row["type"] == "response_item":
                yield f"{n}@{row['timestamp']}", row["payload"]["type"], list(strings(row["payload"]))
            elif host == "gemini-cli" and row.get("type") in ("user", "gemini"):
                own = [row.get("content"), row.get("toolCalls")]
                yield row["id"], row["type"], list(strings(own))


def find(host, files, quote):
    hits = {}
    for rid, kind, texts in records(host, files):
        if any(quote in t for t in texts):
            hits.setdefault(rid, kind)
    answers = [r for r, k in hits.items() if k not in ("function_call", "custom_tool_call")]
    return (answers or list(hits) or [None])[0]


def main():
    known = json.loads((HERE / "sessions.json").read_text())
    now = sessions()
    name_of = {v[1]: k for k, v in known.items()}
    for card in sorted(BANK.glob("cards/*.md")):
        text = card.read_text()
        lines = text.split("\n")
        for i, line in enumerate(lines):
            ref, quote = REF.search(line), QUOTE.search(line)
            if not ref or not quote:
                continue
            name = name_of.get(ref[2])
            if name is None:
                print(f"{card.name}: session {ref[2]} is not here")
                continue
            host, sid, files = now[name]
            rid = find(host, files, json.loads(quote[1]))
            if rid is None:
                print(f"{card.name}: no record holds {quote[1]}")
                continue
            lines[i] = line.replace(ref[0], f'ref: "{host}:{sid}#{rid}"')
        if "\n".join(lines) != text:
            card.write_text("\n".join(lines))
            print("relinked", card.name)
    (HERE / "sessions.json").write_text(json.dumps({k: v[:2] for k, v in now.items()}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
