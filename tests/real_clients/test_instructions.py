"""The instruction files and the cut of MEMORY.md are as the real clients send them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memtui.agents.costs import host_memory
from memtui.agents.instructions import Where, instructions
from memtui.agents.memory_file import cut_memory
from memtui.bank.project import claude_slug
from tests.agents.banks import make_world
from tests.agents.test_costs import CLAUDE_ORDER, CUTS, put, where
from tests.real_clients.clients import RealWorld, real_world, run_client

__all__ = ["where"]

pytestmark = [pytest.mark.real_clients, pytest.mark.timeout(900)]

MEMORY_HEAD = "MEMORY.md (user's auto-memory, persists across conversations):\n\n"


class Chain(RealWorld):
    """A world in the folders of `where`."""

    @property
    def project(self) -> Path:
        return self.root / "work" / "svc-order"


def chain_world(where: Where) -> Chain:
    world = Chain(where.home.parent)
    (world.project / ".git").mkdir()
    (world.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return world


def sent_texts(world: RealWorld, host: str) -> str:
    run = run_client(world, host, "hello", [{"say": "That is all."}])
    assert run.done.returncode == 0, run.done.stderr
    return "\n".join(run.texts())


def test_claude_code_sends_them_in_this_order(where: Where) -> None:
    world = chain_world(where)
    text = sent_texts(world, "claude-code")
    found = [
        path for path in re.findall(r"Contents of (\S+)[^\n]*:\n", text) if "MEMORY.md" not in path
    ]
    assert [str(Path(path).relative_to(world.root)) for path in found] == CLAUDE_ORDER


def test_codex_and_gemini_send_what_is_counted(where: Where) -> None:
    world = chain_world(where)
    put(where.home / ".codex/AGENTS.md", "CODEXUSER")
    put(where.home / ".gemini/GEMINI.md", "GEMUSER @imp.md")
    put(where.home / ".gemini/imp.md", "GEMIMPORT")
    put(where.cwd / "GEMINI.md", "GEMROOT")
    put(where.cwd.parent / "GEMINI.md", "GEMABOVE")
    for host, user in (("codex", "CODEXUSER"), ("gemini-cli", "GEMUSER")):
        text = sent_texts(world, host)
        for part in instructions(host, where):
            assert part.path is not None
            assert part.path.read_text().split(" @")[0] in text
        assert user in text
        assert "GEMABOVE" not in text


@pytest.mark.parametrize("name", sorted(CUTS))
def test_memory_is_cut_at_this_character(tmp_path: Path, name: str) -> None:
    world = make_world(real_world(tmp_path), {})
    assert isinstance(world, RealWorld)
    text = CUTS[name][0]
    path = world.home / ".claude" / "projects" / claude_slug(world.project) / "memory" / "MEMORY.md"
    put(path, text)
    part = host_memory("claude-code", Where(world.project, world.home, world.project))
    assert part is not None
    sent = sent_texts(world, "claude-code")
    cut = cut_memory(text)
    if not cut.sent(text):
        return
    _, head, rest = sent.partition(MEMORY_HEAD)
    assert head
    assert rest.startswith(cut.sent(text) + ("\n\n> WARNING" if cut.reason else "\n"))
    assert part.sent == len(cut.sent(text).encode())
