"""The real agent clients, each run in a home of its own against a scripted model on loopback.

`MEMTUI_CLIENTS` names a folder in which they are installed (`node_modules/.bin`); without it they are
installed from npm, once, into the user's cache. The model's side is that of the sample bank's recorder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from memtui.agents.install import Target, apply, plan_install
from memtui.hosts.model import HostHome
from memtui.paths import Places
from tests.agents.banks import World

PACKAGES = (
    "@anthropic-ai/claude-code@2.1.197",
    "@openai/codex@0.171.0",
    "@google/gemini-cli@0.61.0",
    "@modelcontextprotocol/inspector@0.15.0",
)
SECONDS = 120
"""How long a client may take on an idle machine: only one that hangs takes longer."""


@cache
def client_folder() -> Path:
    """Where the clients' commands are; installs them when needed. Skips the test without npm."""
    named = os.environ.get("MEMTUI_CLIENTS")
    root = Path(named) if named else Path(platformdirs.user_cache_dir("memtui-test-clients"))
    commands = root / "node_modules" / ".bin"
    if not all(
        (commands / name).exists() for name in ("claude", "codex", "gemini", "mcp-inspector")
    ):
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed")
        root.mkdir(parents=True, exist_ok=True)
        (root / "package.json").write_text('{"name": "memtui-test-clients", "private": true}')
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", *PACKAGES], cwd=root, check=True
        )
    return commands


@cache
def standins() -> Any:
    """The scripted model APIs of the sample bank's recorder."""
    path = Path(__file__).resolve().parents[2] / "sample_bank" / "recorder" / "standins.py"
    spec = spec_from_file_location("memtui_standins", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Instant:
    """The recorder's clock without its story time: a test waits for nothing."""

    def advance(self, seconds: float) -> None:
        """Let no time pass."""


class RealWorld(World):
    """A world in which memtui's folders are the platform's own, under the client's home.

    Clients start hooks with an environment of their own choice, so that no variable of ours is certain
    to reach them.
    """

    @property
    def environ(self) -> dict[str, str]:
        node = os.path.dirname(shutil.which("node") or "/usr/bin/node")
        path = os.pathsep.join([str(client_folder()), node, "/usr/local/bin", "/usr/bin", "/bin"])
        return {"HOME": str(self.home), "PATH": path, "TERM": "xterm-256color", "LANG": "C.UTF-8"}

    @property
    def places(self) -> Places:
        mac = sys.platform == "darwin"
        state = "Library/Application Support" if mac else ".local/state"
        cache = "Library/Caches" if mac else ".cache"
        share = self.home / (state if mac else ".local/share") / "memtui"
        return Places(share, self.home / state / "memtui", self.home / cache / "memtui", share)

    @property
    def spool(self) -> Path:
        return self.places.spool

    @property
    def host_home(self) -> HostHome:
        """Where the clients of this world keep their transcripts."""
        return HostHome(self.home)


def real_world(root: Path) -> RealWorld:
    """A world of today: clients do not pin the clock."""
    return RealWorld(root, datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a client: its output, and the bodies of its requests in their order."""

    done: subprocess.CompletedProcess[str]
    requests: list[dict[str, Any]]

    def texts(self) -> list[str]:
        """Every text in the requests of the conversation, in order."""
        return [text for request in self.requests for text in _texts(request)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)


@contextmanager
def scripted(name: str, log: Path, turns: list[dict[str, Any]]) -> Iterator[str]:
    """A model that plays `turns`; yields its address."""
    module = standins()
    script = module.Script(Instant(), str(log))
    script.reset({"name": "test", "title": "svc-order", "summary": "A summary."})
    script.main = [dict(turn, gap=0.001) for turn in turns]
    handler = type("Handler", (getattr(module, name),), {"script": script})
    server = module.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = module.threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def install(world: RealWorld, host: str) -> None:
    """Install memtui's hooks as a user does."""
    apply(plan_install(Target(host, world.home, world.places.state)))


def patience() -> float:
    """Seconds after which a client hangs: more of them the more the machine has to do."""
    return SECONDS * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def run_client(
    world: RealWorld,
    host: str,
    prompt: str,
    turns: list[dict[str, Any]],
    resume: bool = False,
    server: list[str] | None = None,
) -> Run:
    """Run one session of a client (or go on with its last one) to its end.

    `server` is the command of an MCP server called memtui that the client starts.
    """
    api, prepare, command = _CLIENTS[host]
    log = world.root / f"wire-{len(list(world.root.glob('wire-*')))}.jsonl"
    log.touch()
    with scripted(api, log, turns) as address:
        environ = world.environ | prepare(world, address)
        more = _SERVED[host](world, server) if server else []
        done = subprocess.run(
            [*command(prompt, resume)[:1], *more, *command(prompt, resume)[1:]], cwd=world.project, env=environ, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=patience(), check=False,
        )  # fmt: skip
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return Run(done, [line["req"] for line in lines if line["req"].get("tools")])


def _claude(world: RealWorld, address: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _claude_command(prompt: str, resume: bool) -> list[str]:
    return [
        "claude",
        "--allowedTools",
        "Bash,mcp__memtui",
        *(["--continue"] if resume else []),
        "-p",
        prompt,
    ]


def _codex(world: RealWorld, address: str) -> dict[str, str]:
    folder = world.home / ".codex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(
        'model_provider = "local"\nmodel = "gpt-5-codex"\n[model_providers.local]\nname = "local"\n'
        f'base_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "X_KEY"\n'
    )
    return {"X_KEY": "x"}


def _codex_command(prompt: str, resume: bool) -> list[str]:
    options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
    if resume:
        return ["codex", "exec", "resume", "--last", *options, prompt]
    return ["codex", "exec", *options, "-s", "danger-full-access", prompt]


def _gemini(world: RealWorld, address: str) -> dict[str, str]:
    path = world.home / ".gemini" / "settings.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    settings.setdefault("security", {"auth": {"selectedType": "gemini-api-key"}})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings, indent=2))
    return {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": address}


def _gemini_command(prompt: str, resume: bool) -> list[str]:
    more = ["--resume", "latest"] if resume else []
    return ["gemini", "--yolo", "--skip-trust", *more, "-p", prompt]


def _claude_server(world: RealWorld, server: list[str]) -> list[str]:
    path = world.root / "mcp.json"
    entry = {"command": server[0], "args": server[1:]}
    path.write_text(json.dumps({"mcpServers": {"memtui": entry}}))
    return ["--mcp-config", str(path)]


def _codex_server(world: RealWorld, server: list[str]) -> list[str]:
    with (world.home / ".codex" / "config.toml").open("a") as stream:
        stream.write(
            f"[mcp_servers.memtui]\ncommand = {json.dumps(server[0])}\nargs = {json.dumps(server[1:])}\n"
            "startup_timeout_sec = 120\n"
        )
    return []


def _gemini_server(world: RealWorld, server: list[str]) -> list[str]:
    path = world.home / ".gemini" / "settings.json"
    settings = json.loads(path.read_text())
    entry = {"command": server[0], "args": server[1:], "trust": True}
    path.write_text(json.dumps(settings | {"mcpServers": {"memtui": entry}}))
    return []


_SERVED: dict[str, Any] = {
    "claude-code": _claude_server,
    "codex": _codex_server,
    "gemini-cli": _gemini_server,
}

_CLIENTS: dict[str, tuple[str, Any, Any]] = {
    "claude-code": ("Anthropic", _claude, _claude_command),
    "codex": ("OpenAI", _codex, _codex_command),
    "gemini-cli": ("Gemini", _gemini, _gemini_command),
}
