#!/usr/bin/env python3
"""Record the sample sessions again with the real clients (see ../README.md).

usage: record.py --clients NODE_MODULES_PARENT [--only NAME] [--keep-home]

Creates /home/dev and /home/dev/svc-order from scratch, plays scripts/*.toml in the order of their start
times, then writes ../home and ../project.fi.  Needs Linux, git, node and a Python 3.11+ in /usr/bin.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from datetime import datetime
from pathlib import Path

import neutral
from standins import Anthropic, Clock, Gemini, OpenAI, Script, serve

HERE = Path(__file__).resolve().parent
HOME, PROJECT = Path("/home/dev"), Path("/home/dev/svc-order")
PEOPLE = {"dana": ("Dana Reyes", "dana@example.com"), "lee": ("Lee Park", "lee@example.com")}
GIT = """#!/bin/sh
now=$(( $(/bin/date +%s) + $(cat {tmp}/offset) ))
. {tmp}/who
export GIT_AUTHOR_DATE="@$now +0000" GIT_COMMITTER_DATE="@$now +0000"
exec /usr/bin/git "$@"
"""


def calls(entry, host):
    """The tool calls of one turn, in the words of the host."""
    out = []
    c, x = host == "claude-code", host == "codex"
    if cmd := entry.get("bash"):
        args = {"cmd": cmd} if x else {"command": cmd, "description": entry.get("desc", "Run a command")}
        out.append(("Bash" if c else "exec_command" if x else "run_shell_command", args))
    full = lambda f: str(PROJECT / f)
    if f := entry.get("read"):
        out.append(("Read" if c else "read_file", {"file_path": full(f)}))
    if e := entry.get("edit"):
        args = {"file_path": full(e["file"]), "old_string": e["old"], "new_string": e["new"]}
        if not c:
            args["instruction"] = e.get("why", "Change the code as described.")
        out.append(("Edit" if c else "replace", args))
    if w := entry.get("write"):
        out.append(("Write" if c else "write_file", {"file_path": full(w["file"]), "content": w["content"]}))
    if p := entry.get("patch"):
        out.append(("apply_patch", p))
    if a := entry.get("agent"):
        out.append(("Agent", {"description": a["description"], "prompt": a["prompt"],
                              "subagent_type": a.get("type", "Explore")}))
    for t in entry.get("tools", []):
        out.append((t["name"], t["input"]))
    return out


def turn(entry, host):
    keep = {k: entry[k] for k in ("say", "think", "error", "message", "gap") if k in entry}
    return {**keep, "calls": calls(entry, host)}


def load(path):
    spec = tomllib.loads(path.read_text())
    spec["name"] = path.stem
    spec["prompts"] = []
    for entry in spec["do"]:
        if "prompt" in entry:
            spec["prompts"].append({**entry, "turns": [], "agents": []})
            continue
        spec["prompts"][-1]["turns"].append(turn(entry, spec["host"]))
        if a := entry.get("agent"):
            spec["prompts"][-1]["agents"].append(
                {"prompt": a["prompt"], "turns": [turn(t, spec["host"]) for t in a["do"]]})
    return spec


class Recorder:
    def __init__(self, args):
        self.bin = Path(args.clients).resolve() / "node_modules" / ".bin"
        self.tmp = Path("/tmp/svc-order-recorder")
        shutil.rmtree(self.tmp, ignore_errors=True)
        (self.tmp / "bin").mkdir(parents=True)
        self.clock = Clock(self.tmp / "offset")
        self.script = Script(self.clock, self.tmp / "requests.jsonl")
        self.urls = {n: serve(h, self.script) for n, h in
                     [("claude-code", Anthropic), ("codex", OpenAI), ("gemini-cli", Gemini)]}
        wrapper = self.tmp / "bin" / "git"
        wrapper.write_text(GIT.format(tmp=self.tmp))
        wrapper.chmod(0o755)

    def env(self, spec):
        base = {"PATH": f"{self.tmp}/bin:/usr/bin:/bin:{self.bin}", "HOME": str(HOME), "TERM": "xterm-256color",
                "LANG": "C.UTF-8", "TZ": "UTC", "SHELL": "/bin/bash", "PYTHONDONTWRITEBYTECODE": "1"}
        base |= {"ANTHROPIC_BASE_URL": self.urls["claude-code"], "ANTHROPIC_API_KEY": "x",
                 "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"} \
            if spec["host"] == "claude-code" else {}
        base |= {"X_KEY": "x"} if spec["host"] == "codex" else {}
        base |= {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": self.urls["gemini-cli"]} \
            if spec["host"] == "gemini-cli" else {}
        return base | spec.get("env", {})

    def person(self, who):
        name, mail = PEOPLE[who]
        (self.tmp / "who").write_text("".join(
            f'export GIT_{r}_NAME="{name}" GIT_{r}_EMAIL="{mail}"\n' for r in ("AUTHOR", "COMMITTER")))

    def start_home(self):
        shutil.rmtree(HOME, ignore_errors=True)
        (HOME / ".codex").mkdir(parents=True)
        (HOME / ".gemini").mkdir()
        (HOME / ".codex/config.toml").write_text(
            'model = "gpt-5.5"\nmodel_provider = "local"\ncheck_for_update_on_startup = false\n'
            f'[model_providers.local]\nname = "local"\nbase_url = "{self.urls["codex"]}/v1"\n'
            'wire_api = "responses"\nenv_key = "X_KEY"\n'
            '[projects."/home/dev/svc-order"]\ntrust_level = "trusted"\n')
        (HOME / ".gemini/settings.json").write_text(json.dumps(
            {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False},
             "general": {"sessionRetention": {"enabled": False}}}))
        # Codex runs tools in a login shell, which starts from its own PATH.
        (HOME / ".bash_profile").write_text(f'export PATH="{self.tmp}/bin:$PATH"\n')
        seed = tomllib.loads((HERE / "seed.toml").read_text())
        PROJECT.mkdir()
        git = lambda *a, **k: subprocess.run(["/usr/bin/git", *a], cwd=PROJECT, check=True, capture_output=True, **k)
        git("init", "-q", "-b", "main")
        git("remote", "add", "origin", "git@example.com:shop/svc-order.git")
        git("config", "gc.auto", "0")
        for commit in seed["commit"]:
            for f in commit["file"]:
                p = PROJECT / f["path"]
                p.parent.mkdir(parents=True, exist_ok=True)
                p.write_text(f["text"])
            name, mail = PEOPLE[commit["who"]]
            env = os.environ | {f"GIT_{r}_{k}": v for r in ("AUTHOR", "COMMITTER")
                                for k, v in (("NAME", name), ("EMAIL", mail), ("DATE", commit["at"]))}
            git("add", "-A")
            git("commit", "-q", "-m", commit["message"], env=env)
        for f in seed.get("untracked", []):
            (PROJECT / f["path"]).write_text(f["text"])

    def play(self, spec):
        self.clock.begin(datetime.fromisoformat(spec["start"]).timestamp())
        self.person(spec["who"])
        self.script.reset(spec)
        if pre := spec.get("before"):
            subprocess.run(["/bin/bash", "-c", pre], cwd=PROJECT, env=self.env(spec), check=True, capture_output=True)
        helper = subprocess.Popen(["/bin/sh", "-c", "exec " + spec["background"]], cwd="/tmp", env={"PATH": "/usr/bin:/bin"},
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if "background" in spec else None

        time.sleep(0.5 if helper else 0)
        try:
            getattr(self, "play_" + spec["host"].split("-")[0])(spec)
        finally:
            if helper:
                helper.kill()
        if self.script.main:
            print("   !! turns left:", len(self.script.main))
        return {"name": spec["name"], "marks": self.clock.marks, 
                "real": (self.clock.marks[0][0], time.time())}

    def prompt(self, p, first):
        if not first:
            self.clock.advance(p.get("gap", 75))
        self.script.main, self.script.agents = list(p["turns"]), p["agents"]

    def play_claude(self, spec):
        proc, seen = None, threading.Condition()
        results = []

        def pump(out):
            for line in out:
                if '"type":"result"' in line:
                    with seen:
                        results.append(line)
                        seen.notify()

        for i, p in enumerate(spec["prompts"]):
            self.prompt(p, i == 0)
            if proc is None or p.get("resume"):
                if proc:
                    proc.stdin.close()
                    proc.wait(60)
                cmd = ["claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
                       "--allowedTools", "Bash", "Edit", "Write", "Read", "Agent", "Grep", "Glob"]
                cmd += ["--continue"] if p.get("resume") else ["--session-id", spec["session"]]
                proc = subprocess.Popen(cmd, cwd=PROJECT, env=self.env(spec), text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=open(self.tmp / "claude.err", "a"))
                threading.Thread(target=pump, args=(proc.stdout,), daemon=True).start()
            n = len(results)
            proc.stdin.write(json.dumps({"type": "user", "message": {"role": "user", "content": p["prompt"]}}) + "\n")
            proc.stdin.flush()
            with seen:
                if not seen.wait_for(lambda: len(results) > n, 150):
                    print("   !! no answer to:", p["prompt"][:60])
        proc.stdin.close()
        try:
            proc.wait(60)
        except subprocess.TimeoutExpired:
            proc.kill()

    def run(self, cmd, spec):
        done = subprocess.run(cmd, cwd=PROJECT, env=self.env(spec), stdin=subprocess.DEVNULL, timeout=240,
                              capture_output=True, text=True)
        with open(self.tmp / "clients.out", "a") as f:
            f.write(f"## {spec['name']} {cmd[:3]}\n{done.stdout}\n{done.stderr}\n")
        if done.returncode:
            print("   !! exit", done.returncode, done.stderr[-300:])

    def play_codex(self, spec):
        for i, p in enumerate(spec["prompts"]):
            self.prompt(p, i == 0)
            cmd = ["codex", "exec", "--skip-git-repo-check", "-s", "danger-full-access"]
            self.run(cmd + (["resume", "--last"] if i else []) + [p["prompt"]], spec)

    def play_gemini(self, spec):
        for i, p in enumerate(spec["prompts"]):
            self.prompt(p, i == 0)
            self.run(["gemini", "--yolo", "--skip-trust"] + (["--resume", "latest"] if i else []) + ["-p", p["prompt"]],
                     spec)
        # The client tidies up old chats when it starts: keep each file as it is now.
        shutil.copytree(HOME / ".gemini/tmp", self.tmp / "chats", dirs_exist_ok=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--clients", required=True, help="the folder where the three clients were npm-installed")
    ap.add_argument("--only", help="record only the scripts whose name contains this, into a scratch home")
    ap.add_argument("--out", default=str(HERE.parent))
    args = ap.parse_args()
    rec = Recorder(args)
    rec.start_home()
    specs = sorted((load(p) for p in (HERE / "scripts").glob("*.toml")), key=lambda s: s["start"])
    takes = []
    for spec in specs:
        if args.only and args.only not in spec["name"]:
            continue
        t = time.time()
        takes.append(rec.play(spec))
        print(f"{spec['name']:40} {time.time() - t:5.1f}s", flush=True)
    (rec.tmp / "takes.json").write_text(json.dumps(takes))
    if not args.only:
        shutil.copytree(rec.tmp / "chats", HOME / ".gemini/tmp", dirs_exist_ok=True)
        neutral.publish(HOME, PROJECT, takes, Path(args.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
