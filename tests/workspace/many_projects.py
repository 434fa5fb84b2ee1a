"""A user with many projects: sessions of several hosts, banks of every kind, folders that are gone."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memtui.bank.find import SHARED, data_bank
from memtui.curate.proposals import Proposal, Verb, to_record
from memtui.ledger.access import open_ledger
from memtui.paths import places
from memtui.workspace.open import open_workspace
from memtui.workspace.workspace import Workspace
from tests.sessions.session_fixtures import NOON, Talk, session_id

NOW = "2026-09-25T12:00:00+00:00"
HOSTILE = "evil[bold]x\u202e\u2028y"
_DAY = 86_400_000


@dataclass(frozen=True, slots=True)
class Many:
    """Where everything lies."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    def environ(self) -> dict[str, str]:
        names = ("CONFIG", "STATE", "CACHE", "DATA")
        own = {f"MEMTUI_{name}_HOME": str(self.root / name.lower()) for name in names}
        hosts = {"MEMTUI_HOSTS_HOME": str(self.home), "MEMTUI_NOW": NOW, "MEMTUI_WRITER": "ada"}
        return {**own, **hosts}

    @property
    def data(self) -> Path:
        return self.root / "data"

    def folder(self, name: str, *, there: bool = True, remote: str = "") -> Path:
        path = self.home / "work" / name
        if there:
            (path / ".git").mkdir(parents=True, exist_ok=True)
            (path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
            if remote:
                (path / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n')
        return path

    def session(self, number: int, cwd: Path, *prompts: str, days: int = 0) -> Talk:
        talk = Talk(session_id(number), at=NOON - days * _DAY, cwd=str(cwd))
        for prompt in prompts:
            talk.prompt(prompt).run("pytest -q", "1 passed")
        folder = self.home / ".claude" / "projects" / f"-p-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{talk.session}.jsonl"
        path.write_bytes(talk.data)
        os.utime(path, ns=(talk.at * 1_000_000, talk.at * 1_000_000))
        return talk

    def codex(self, number: int, cwd: str, prompt: str) -> None:
        name = session_id(number)
        at = "2026-09-01T09:00:00.000Z"
        rows = [
            {"timestamp": at, "type": "session_meta", "payload": {"id": name, "cwd": cwd, "timestamp": at}},
            {"timestamp": at, "type": "event_msg", "payload": {"type": "user_message", "message": prompt}},
        ]  # fmt: skip
        folder = self.home / ".codex" / "sessions" / "2026" / "09" / "01"
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"rollout-2026-09-01T09-00-00-{name}.jsonl").write_text(text)

    def bank(self, root: Path, project: str, cards: int = 2, **scope: str) -> Path:
        (root / "cards").mkdir(parents=True)
        (root / "pages").mkdir()
        keys = "".join(
            f"{key} = {json.dumps(text)}\n" for key, text in scope.items() if key != "aliases"
        )
        aliases = json.dumps(scope["aliases"].split()) if "aliases" in scope else "[]"
        (root / "bank.toml").write_text(
            f'format = 1\nid = "b-{root.name[:12]}"\n[scope]\nproject = {json.dumps(project)}\n'
            f"aliases = {aliases}\n{keys}"
        )
        for number in range(cards):
            (root / "cards" / f"fact-{number}.md").write_text(
                f'---\nname: fact-{number}\ndescription: "{project} fact {number}: the wombat sleeps"\n'
                f"metadata:\n  id: aaaa{number:02}\n  type: fact\n  status: active\n---\nUse when: {number}.\n\nText.\n"
            )
        return root

    def propose(self, bank: Path, count: int) -> None:
        environ = self.environ()
        with self.open(bank=bank) as workspace:
            state = places(environ).bank_state(workspace.config.id, bank)
        ledger = open_ledger(state)
        at = datetime(2026, 9, 1, tzinfo=UTC)
        for number in range(count):
            ledger.put_proposal(
                to_record(
                    Proposal(
                        id=f"p{number}",
                        key=f"k{number}",
                        at=at,
                        verb=Verb.STALE,
                        title=f"proposal {number}",
                        reason="seen",
                        session="codex:x",
                    )
                )
            )
        ledger.close()

    def open(self, cwd: Path | None = None, bank: Path | None = None) -> Workspace:
        return open_workspace(bank=bank, cwd=cwd or self.folder("shop"), environ=self.environ())


def many(root: Path) -> Many:
    """The usual case: a shop with a bank, a shared one, one that was moved, one broken, some without."""
    world = Many(root)
    shop = world.folder("shop", remote="git@example.org:ada/shop.git")
    world.session(1, shop, "why do the tests hang?", "fix the flaky pool")
    world.session(2, shop, "release notes", days=1)
    world.bank(data_bank(world.data, shop), "shop", 3)
    shared = world.folder("team-site")
    world.session(3, shared, "the wombat page is slow", days=2)
    world.bank(shared / SHARED, "team-site", 1)
    moved = world.folder("api")
    old = world.folder("api-old", there=False)
    world.session(4, old, "rename the endpoint", days=30)
    world.session(5, moved, "add a health check", days=3)
    world.bank(data_bank(world.data, moved), "api", 2, aliases=str(old))
    broken = world.folder("broken")
    world.session(6, broken, "what is wrong?", days=4)
    (data_bank(world.data, broken)).mkdir(parents=True)
    (data_bank(world.data, broken) / "bank.toml").write_text("format = [")
    world.session(7, world.folder(HOSTILE), "look at the name", days=5)
    world.session(8, world.folder("gone", there=False), "this folder is gone", days=6)
    world.codex(9, str(world.folder("tools")), "sort the imports")
    world.codex(10, "", "no folder at all")
    return world
