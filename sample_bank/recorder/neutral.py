"""From what the clients wrote today to what the sample shows: times, dates, long host texts.

Nothing that a person or the model said is changed.  See ../README.md for the list.
"""
import json
import re
import shutil
import subprocess
from datetime import datetime, timezone
from pathlib import Path

STAMP = re.compile(r"\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?")
CLF = re.compile(r"\d\d/[A-Z][a-z]{2}/\d{4} \d\d:\d\d:\d\d")
UUID7 = re.compile(r"\b([0-9a-f]{8})-([0-9a-f]{4})(-7[0-9a-f]{3}-)")
EPOCH = re.compile(r"(?<![\d.])(1[789]\d{8})(\d{3})?(\.\d+)?(?![\d])")
KEEP = 320


class Warp:
    def __init__(self, takes):
        self.takes = takes

    def __call__(self, real, slack=2.0):
        """Story time for a real time of the recording, or None when it lies outside."""
        for take in self.takes:
            if take["real"][0] - slack <= real <= take["real"][1] + slack:
                best = take
                if take["real"][0] <= real <= take["real"][1]:
                    break
        else:
            if "best" not in locals():
                return None
        marks = best["marks"]
        if real <= marks[0][0]:
            return marks[0][1] + (real - marks[0][0])
        for (r0, s0), (r1, s1) in zip(marks, marks[1:]):
            if real <= r1:
                return s0 + (s1 - s0) * (real - r0) / (r1 - r0)
        return marks[-1][1] + (real - marks[-1][0])


def utc(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc)


def shift(text, warp):
    """Every time, date and time-ordered id in one line of a transcript."""
    days = {}

    def stamp(m):
        real = datetime.fromisoformat(m[0].replace("Z", "+00:00"))
        real = real.replace(tzinfo=real.tzinfo or timezone.utc).timestamp()
        if (story := warp(real)) is None:
            return m[0]
        days[utc(real).date()] = utc(story).date()
        digits = len(m[2]) - 1 if m[2] else 0
        out = utc(story).strftime(f"%Y-%m-%d{m[1]}%H:%M:%S")
        return out + (f".{utc(story).microsecond:06d}000"[: digits + 1] if digits else "") + (m[3] or "")

    def clf(m):
        real = datetime.strptime(m[0], "%d/%b/%Y %H:%M:%S").replace(tzinfo=timezone.utc).timestamp()
        story = warp(real)
        return m[0] if story is None else utc(story).strftime("%d/%b/%Y %H:%M:%S")

    def uuid7(m):
        story = warp(int(m[1] + m[2], 16) / 1000)
        if story is None:
            return m[0]
        h = f"{int(story * 1000):012x}"
        return f"{h[:8]}-{h[8:]}{m[3]}"

    def epoch(m):
        scale = 1000 if m[2] else 1
        story = warp(float(m[0]) / scale)
        if story is None:
            return m[0]
        return f"{story * scale:.{len(m[3]) - 1}f}" if m[3] else str(int(story * scale))

    text = EPOCH.sub(epoch, UUID7.sub(uuid7, CLF.sub(clf, STAMP.sub(stamp, text))))
    for real, story in days.items():
        text = text.replace(real.isoformat(), story.isoformat())
        text = text.replace(real.strftime("%A, %B %-d, %Y"), story.strftime("%A, %B %-d, %Y"))
    return text


def shorten(value, note="shortened for the sample"):
    return value if len(value) <= KEEP else value[:KEEP].rstrip() + f" […{note}: {len(value)} characters]"


def trim(row):
    """Host texts that no developer wrote: kept in shape, cut in length."""
    p = row.get("payload", {})
    if p.get("base_instructions"):
        p["base_instructions"]["text"] = shorten(p["base_instructions"]["text"])
    if p.get("role") == "developer":
        for part in p["content"]:
            part["text"] = shorten(part["text"])
    if row.get("type") == "world_state":
        def walk(v):
            if isinstance(v, dict):
                return {k: walk(x) for k, x in v.items()}
            if isinstance(v, list):
                return [walk(x) for x in v]
            return shorten(v) if isinstance(v, str) else v
        row["payload"] = walk(p)
    a = row.get("attachment", {})
    if a.get("type") in ("skill_listing", "agent_listing_delta"):
        for k, v in a.items():
            if isinstance(v, str):
                a[k] = shorten(v)
            if isinstance(v, list):
                a[k] = [shorten(x) if isinstance(x, str) else x for x in v]
    if p.get("type") == "task_complete":
        p["duration_ms"] = (p["completed_at"] - p["started_at"]) * 1000
    return row


def lines(src, warp):
    out, times = [], {}
    for raw in src.read_bytes().decode().split("\n"):
        if raw:
            row = trim(json.loads(shift(raw, warp)))
            times[row.get("uuid")] = row.get("timestamp")
            result = row.get("toolUseResult")
            if isinstance(result, dict) and "totalDurationMs" in result:
                began = datetime.fromisoformat(times[row["sourceToolAssistantUUID"]])
                result["totalDurationMs"] = int((datetime.fromisoformat(row["timestamp"]) - began).total_seconds() * 1000)
            out.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    return "\n".join(out) + "\n"


def publish(home, project, takes, out):
    warp, target = Warp(takes), out / "home"
    for part in (".claude/projects", ".codex/sessions", ".gemini"):
        for old in (target / part).rglob("*.jsonl"):
            old.unlink()
    for src in sorted(home.glob(".claude/projects/**/*.json*")) + sorted(home.glob(".codex/sessions/**/*.jsonl")) + \
            sorted(home.glob(".gemini/tmp/*/chats/*")):
        rel = str(src.relative_to(home))
        text = lines(src, warp) if src.suffix == ".jsonl" else shift(src.read_text(), warp)
        if ".codex" in rel or ".gemini" in rel:
            day = re.search(r"(\d{4}-\d\d-\d\d)T\d\d", rel)[1]
            first = datetime.fromisoformat(re.search(r'"(?:startTime|timestamp)":"([^"]+)"', text)[1].replace("Z", "+00:00"))
            rel = shift(rel, warp).replace(day.replace("-", "/"), first.strftime("%Y/%m/%d"))
            shape = ("-%S", r"-\d\d") if ".codex" in rel else ("", "")
            rel = re.sub(r"\d{4}-\d\d-\d\dT\d\d-\d\d" + shape[1],
                         lambda m: first.strftime("%Y-%m-%dT%H-%M" + shape[0]), rel)
        to = target / rel
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text)
    for rel in (".gemini/projects.json", ".gemini/tmp/svc-order/.project_root"):
        (target / rel).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(home / rel, target / rel)
    history = subprocess.run(["/usr/bin/git", "fast-export", "--all"], cwd=project, check=True, capture_output=True)
    (out / "project.fi").write_bytes(history.stdout)
