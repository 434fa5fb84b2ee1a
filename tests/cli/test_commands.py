"""The command twins as processes, on a copy of the sample bank."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from memtui.workspace.sample import Sample


def run(
    sample: Sample, *words: str, cwd: Path | None = None, **extra: str
) -> subprocess.CompletedProcess[bytes]:
    environ = {**os.environ, **sample.environ(), **extra}
    return subprocess.run(
        [sys.executable, "-m", "memtui", *words],
        cwd=cwd or sample.project,
        env={**environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        check=False,
        timeout=60,
    )


def answer(sample: Sample, *words: str) -> Any:
    done = run(sample, *words, "--json")
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_cards_lists_every_card_with_its_state(sample: Sample) -> None:
    cards = answer(sample, "cards")
    assert len(cards) == 36
    states = {card["name"]: [s["reason"] for s in card["states"]] for card in cards}
    assert states["deploy-by-copying"][0] == "retired"
    assert states["python-3-9-support"][0] == "stale"
    assert states["retry-fixed-delays"][0] == "superseded"
    assert states["sandbox-keys-until-rotation"][0] == "expired"
    assert states["healthz-503-while-pending"][0] == "drifted"
    assert states["one-store-per-request"][0] == "disputed"
    assert states["pool-timeout-unset-env"] == []


def test_cards_filters_by_state_and_words(sample: Sample) -> None:
    assert [c["name"] for c in answer(sample, "cards", "--state", "disputed")] == [
        "one-store-per-request"
    ]
    assert [c["name"] for c in answer(sample, "cards", "pool", "timeouts")] == [
        "pool-timeout-unset-env"
    ]


def test_pages_say_how_far_they_are_behind(sample: Sample) -> None:
    pages = {page["name"]: page for page in answer(sample, "pages")}
    assert len(pages) == 5
    assert pages["change-the-schema"]["behind"] == 2
    assert pages["ship-a-version"]["behind"] >= 1
    assert (
        pages["get-a-red-suite-green"]["behind"] == 0 if "get-a-red-suite-green" in pages else True
    )


def test_sessions_are_those_of_the_project_oldest_first(sample: Sample) -> None:
    sessions = answer(sample, "sessions")
    main = [session for session in sessions if not session["agent"]]
    assert {session["host"] for session in main} == {"claude-code", "codex", "gemini-cli"}
    assert len(main) == 17
    pool = next(s for s in main if s["id"] == "871e05e3-48f3-4cce-90cd-e40e31ca0ec9")
    assert (pool["counts"]["prompts"], pool["counts"]["calls"], pool["counts"]["errors"]) == (
        3,
        9,
        1,
    )


def test_inject_prints_the_planned_bytes_and_nothing_else(sample: Sample) -> None:
    plain = run(sample, "inject", "--host", "claude-code", "--source", "startup")
    planned = answer(sample, "inject", "--host", "claude-code", "--source", "startup")
    assert plain.returncode == 0
    assert plain.stdout == planned["text"].encode()
    assert plain.stdout.startswith(b"<memtui-memory id=")
    assert b"Python 3.9" not in plain.stdout


def test_inject_follows_the_budget(sample: Sample) -> None:
    small = answer(sample, "inject", "--budget", "150")
    assert 0 < small["tokens"] <= 150
    assert answer(sample, "inject", "--budget", "10")["text"] == ""
    bad = run(sample, "inject", "--budget", "-1")
    assert bad.returncode == 2
    assert b"budget" in bad.stderr


def test_walk_goes_down_to_the_record(sample: Sample) -> None:
    done = run(sample, "walk", "pool-timeout-unset-env", "--json")
    steps = json.loads(done.stdout)
    assert [step["kind"] for step in steps][:3] == ["card", "evidence", "record"]
    assert all(step["check"] == "verified" for step in steps)
    assert done.returncode == 0


def test_walk_says_what_does_not_hold(sample: Sample) -> None:
    gone = run(sample, "walk", "wal-mode-rejected", "--json")
    assert gone.returncode == 1
    assert "gone" in [step["check"] for step in json.loads(gone.stdout)]
    changed = run(sample, "walk", "csv-line-ends", "--json")
    assert "changed" in [step["check"] for step in json.loads(changed.stdout)]


def test_walk_of_a_page_reaches_sessions_of_its_cards(sample: Sample) -> None:
    done = run(sample, "walk", "change-the-schema", "--json")
    kinds = {step["kind"] for step in json.loads(done.stdout)}
    assert kinds >= {"page", "claim", "card", "evidence", "record"}


def test_show_finds_cards_sessions_and_records(sample: Sample) -> None:
    assert answer(sample, "show", "k3f9qa")["name"] == "pool-timeout-unset-env"
    session = answer(sample, "show", "claude-code:871e05e3-48f3-4cce-90cd-e40e31ca0ec9")
    assert [turn["kind"] for turn in session["turns"]].count("prompt") == 3
    record = "fe118e6e-4601-41db-a224-e588cc8c37ee"
    turn = answer(sample, "show", f"claude-code:871e05e3-48f3-4cce-90cd-e40e31ca0ec9#{record}")
    assert "no connection within 0.2s (size=0)" in json.dumps(turn)


def test_the_planted_secret_is_masked_wherever_it_is_printed(sample: Sample) -> None:
    ref = "claude-code:97c3a5f2-d80e-4d1b-8a66-3e4b90f7c215"
    texts = [
        run(sample, "show", f"{ref}#d3c522a6-34b1-4287-8578-31c27e6f54e6").stdout,
        run(sample, "show", f"{ref}#d3c522a6-34b1-4287-8578-31c27e6f54e6", "--json").stdout,
        run(sample, "show", ref).stdout,
    ]
    for secret in (b"NotARealSecret", b"AKIADEMO19800EXAMPLE", b"n0t-a-real-pw-7Q"):
        assert all(secret not in text for text in texts)
        for path in (sample.root / "memtui").rglob("*"):
            assert not path.is_file() or secret not in path.read_bytes(), path


def test_log_has_one_line_per_event_in_order(sample: Sample) -> None:
    lines = run(sample, "log").stdout.decode().splitlines()
    assert lines == sorted(lines, key=lambda line: line[4:24])
    assert all(line.startswith("## [2026-") for line in lines)
    assert len(lines) == len(answer(sample, "log"))


def test_doctor_says_what_was_found(sample: Sample) -> None:
    findings = answer(sample, "doctor")
    topics = {finding["topic"] for finding in findings}
    assert topics >= {"versions", "paths", "bank", "sessions", "semantic"}
    assert not [finding for finding in findings if finding["level"] == "error"]


def test_config_names_the_origin_of_each_value(sample: Sample) -> None:
    rows = {row["key"]: row for row in answer(sample, "config")}
    assert rows["hosts.home"] == {
        "key": "hosts.home",
        "value": str(sample.home),
        "origin": "MEMTUI_HOSTS_HOME",
    }
    assert rows["ui.theme"]["origin"] == "default"


def test_nothing_of_bank_or_hosts_is_written(sample: Sample) -> None:
    before = tree(sample.bank), tree(sample.home)
    for words in (("cards",), ("sessions",), ("walk", "k3f9qa"), ("inject",), ("doctor",)):
        run(sample, *words)
    assert (tree(sample.bank), tree(sample.home)) == before


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nonsense", "x"), 2, b"unknown command: nonsense"),
        (("--bank", "/nowhere", "cards"), 2, b"/nowhere: no such folder"),
        (("show", "nothing"), 1, b"nothing is called nothing"),
        (("walk", "nothing"), 1, b"no card or page named nothing"),
        (("show", "codex:none#1"), 1, b"no session codex:none"),
        (("cards", "--bogus"), 2, b"--bogus"),
        ((), 2, b"the app needs a terminal"),
    ],
)
def test_errors_say_what_happened_and_to_what(
    sample: Sample, words: tuple[str, ...], code: int, said: bytes
) -> None:
    done = run(sample, *words)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stdout == b""


def test_a_newer_bank_format_is_refused_and_nothing_is_written(sample: Sample) -> None:
    config = sample.bank / "bank.toml"
    config.write_text(config.read_text().replace("format = 1", "format = 2"))
    before = tree(sample.bank)
    done = run(sample, "cards")
    assert done.returncode == 2
    assert b"format is 2" in done.stderr
    assert tree(sample.bank) == before


def test_hostile_text_reaches_the_terminal_without_control_characters(sample: Sample) -> None:
    card = sample.bank / "cards" / "hostile.md"
    card.write_bytes(
        b'---\nname: hostile\ndescription: "x[/]y \x1b]52;c;aGk=\x07 list[int] \xe2\x80\xae"\n---\n'
        b"body \x1b[31m\n"
    )
    for words in (("cards",), ("show", "hostile"), ("inject", "--explain"), ("inject",)):
        out = run(sample, *words).stdout
        assert b"\x1b" not in out
        assert b"\x07" not in out
        assert "\u202e".encode() not in out
    assert b"x[/]y" in run(sample, "cards").stdout


def test_a_reader_that_goes_away_is_no_error(sample: Sample) -> None:
    command = f"{sys.executable} -m memtui log | head -n 1"
    environ = {**os.environ, **sample.environ()}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""


def test_a_claude_memory_folder_opens_as_it_stands(sample: Sample) -> None:
    folder = sample.home / ".claude/projects/-home-dev-svc-order/memory"
    before = tree(folder)
    done = run(sample, "--bank", str(folder), "cards", "--json")
    assert done.returncode == 0, done.stderr.decode()
    assert len(json.loads(done.stdout)) == 4
    assert tree(folder) == before


def test_hosts_say_what_was_found_and_what_is_never_stored(sample: Sample) -> None:
    hosts = {host["name"]: host for host in answer(sample, "hosts")}
    assert len(hosts) == 13
    assert {name for name, host in hosts.items() if host["found"]} == {
        "claude-code",
        "codex",
        "gemini-cli",
    }
    assert (hosts["gemini-cli"]["sessions"], hosts["gemini-cli"]["skipped"]) == (3, 0)
    assert hosts["cursor"]["lacks"] == ["errors", "model", "results", "times", "tokens"]
    assert hosts["claude-code"]["versions"] == sorted(hosts["claude-code"]["versions"])
