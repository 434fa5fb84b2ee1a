"""Generated banks, indexed and known to hooks, each in a world of its own."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtui.agents.announce import announce
from memtui.agents.bankmap import Known
from memtui.bank.load import BankReader, identify
from memtui.bank.model import BankContents
from memtui.bank.trust import trust_by_id
from memtui.index.refresh import refresh
from memtui.index.rows import Facts, day_of, ingredients_of
from memtui.inject.model import Plan, Request, Snapshot
from memtui.inject.plan import plan
from memtui.inject.snapshot import build
from memtui.paths import Places, places

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HANDLES = "abcdefghijkmnpqrstuvwxyz23456789"
WORDS = [
    "pool",
    "timeout",
    "cache",
    "retry",
    "migration",
    "schema",
    "token",
    "export",
    "import",
    "worker",
    "queue",
    "index",
    "build",
    "flag",
    "größe",
    "naïve",
    "日本語",
    "emoji🎉",
    "<b>html</b>",
    "&",
    '"quoted"',
    "`code`",
    "path/to/file.py",
    "ORDER_POOL_SIZE",
    "E1042",
]
TYPES = ("constraint", "pitfall", "fact", "decision", "env", "convention")


@dataclass(frozen=True, slots=True)
class World:
    """A bank at `bank` for the project at `project`, with memtui's folders and a home beside it."""

    root: Path
    now: datetime = NOW

    @property
    def bank(self) -> Path:
        return self.root / "bank"

    @property
    def project(self) -> Path:
        return self.root / "work" / "svc-order"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def environ(self) -> dict[str, str]:
        """What every process of this world sees."""
        return {
            "HOME": str(self.home),
            "PATH": os.environ.get("PATH", ""),
            "MEMTUI_STATE_HOME": str(self.root / "state"),
            "MEMTUI_CACHE_HOME": str(self.root / "cache"),
            "MEMTUI_NOW": self.now.isoformat(),
        }

    @property
    def places(self) -> Places:
        return places(self.environ)

    @property
    def spool(self) -> Path:
        return self.root / "state" / "spool"

    def contents(self) -> BankContents:
        config, layout = identify(self.bank)
        return BankReader(
            self.bank, config, layout, self.places.bank_state(config.id, self.bank)
        ).read()

    def facts(self, contents: BankContents) -> Facts:
        return Facts(now=self.now, trust=trust_by_id(contents.events))

    def refresh(self) -> Known:
        """Index the bank and let hooks find it."""
        contents = self.contents()
        config_id = contents.config.id
        refresh(
            self.places.bank_cache(config_id, self.bank) / "index.db",
            contents,
            clock=lambda: self.now,
        )
        return announce(self.places, config_id, self.bank, self.project)

    def snapshot(self) -> Snapshot:
        contents = self.contents()
        return build(ingredients_of(contents, self.facts(contents)))

    def preview(self, host: str = "claude-code", **fields: Any) -> Plan:
        """The plan that screen and commands show."""
        request = Request(host, "startup", "svc-order", "main", day_of(self.now))
        return plan(self.snapshot(), request._replace(**fields))

    def records(self, event: str = "") -> list[dict[str, Any]]:
        """The spool's records, oldest first."""
        files = sorted(self.spool.glob(f"*{event}.json"))
        return [json.loads(path.read_bytes()) for path in files]


def card(handle: str, title: str, **more: Any) -> str:
    """The text of one card."""
    fields: dict[str, Any] = {"type": "pitfall", "status": "active", "importance": 0.5, **more}
    body = fields.pop("body", "The body.")
    lines = [f"  {name}: {json.dumps(value)}" for name, value in fields.items()]
    head = ["---", f"name: card-{handle}", f"description: {json.dumps(title)}", "metadata:"]
    rest = [f"  id: {handle}", "  created: 2026-11-01T09:00:00Z", *lines, "---", body, ""]
    return "\n".join([*head, *rest])


def make_world(root: Path | World, cards: dict[str, str], confirmed: tuple[str, ...] = ()) -> World:
    """A world with these cards by handle; those in `confirmed` have a person's word."""
    world = World(root) if isinstance(root, Path) else root
    for folder in (world.bank / "cards", world.bank / "events", world.project, world.home):
        folder.mkdir(parents=True)
    git = world.project / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    world.bank.joinpath("bank.toml").write_text(
        'format = 1\nid = "generated"\n[scope]\nproject = "svc-order"\n'
    )
    for handle, text in cards.items():
        (world.bank / "cards" / f"card-{handle}.md").write_text(text, encoding="utf-8")
    events = [
        {
            "v": 1, "id": f"ev{number:010x}", "at": "2026-11-02T09:00:00Z", "writer": "dana-laptop",
            "kind": "verdict", "verb": "confirm", "item": f"card:{handle}", "by": "human",
        }
        for number, handle in enumerate(confirmed)
    ]  # fmt: skip
    lines = "".join(json.dumps(event) + "\n" for event in events)
    (world.bank / "events" / "dana-laptop.jsonl").write_text(lines)
    world.refresh()
    return world


def generated(root: Path | World, seed: int, size: int | None = None) -> World:
    """A bank drawn by chance: the same for the same seed."""
    rng = random.Random(seed)
    count = rng.randint(1, 40) if size is None else size
    handles = ["".join(rng.choices(HANDLES, k=6)) for _ in range(count)]
    handles = list(dict.fromkeys(handles))
    cards = {
        handle: card(
            handle,
            " ".join(rng.choices(WORDS, k=rng.randint(3, 14))),
            type=rng.choice(TYPES),
            importance=round(rng.random(), 2),
            status=rng.choice(["active"] * 6 + ["stale"]),
            pinned=rng.random() < 0.05,
            tags=rng.sample(["test", "env", "db", "ci"], rng.randint(0, 3)),
        )
        for handle in handles
    }
    confirmed = tuple(handle for handle in handles if rng.random() < 0.6)
    return make_world(root, cards, confirmed)


def run_hook(
    world: World,
    event: str,
    payload: dict[str, Any] | bytes | None = None,
    host: str = "claude-code",
    more: tuple[str, ...] = (),
    **options: Any,
) -> subprocess.CompletedProcess[bytes]:
    """The hook as a process of its own, with `payload` on its standard input."""
    if isinstance(payload, bytes):
        data = payload
    else:
        data = json.dumps(
            {"cwd": str(world.project), "session_id": "s1", **(payload or {})}
        ).encode()
    options.setdefault("env", world.environ)
    options.setdefault("cwd", world.project)
    return subprocess.run(
        [*hook_command(), event, "--host", host, *more],
        input=data, capture_output=True, timeout=30, check=False, **options,
    )  # fmt: skip


def hook_command() -> list[str]:
    """How the hook is started in tests: as its console script does, from this checkout."""
    code = "import sys; sys.path[0] = sys.argv.pop(1); from memtui.agents.hook import main; main()"
    return [sys.executable, "-c", code, str(Path(__file__).resolve().parents[2])]


def sent(done: subprocess.CompletedProcess[bytes]) -> str:
    """The text that a hook's output carries, "" when it said nothing."""
    if not done.stdout:
        return ""
    value = json.loads(done.stdout)
    assert set(value) == {"hookSpecificOutput"}
    assert set(value["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    return str(value["hookSpecificOutput"]["additionalContext"])


def faults(world: World) -> list[str]:
    """What the fault log says, oldest first."""
    path = world.root / "state" / "hook.log"
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line)["what"] for line in lines]
