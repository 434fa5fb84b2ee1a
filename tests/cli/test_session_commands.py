"""`resume`, `open`, `export`, `tag`, `hide` and what `sessions` shows of them, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

from memtui.workspace.sample import Sample
from tests.cli.running import Call, answer, editor, files, run


def a_session(call: Call) -> str:
    rows = call("sessions")
    return str(next(row["ref"] for row in rows if not row["agent"] and not row["gone"]))


def test_resume_prints_a_command_and_an_unknown_session_is_exit_1(call: Call) -> None:
    ref = a_session(call)
    told = call("resume", ref)
    host, _, name = ref.partition(":")
    assert told["session"] == ref
    assert told["command"].endswith(f"{name}")
    assert told["command"].startswith("cd ")
    assert host in ("claude-code", "codex")
    assert "no session codex:none" in call("resume", "codex:none", code=1)["error"]


def test_export_to_a_file_once_and_over_it_only_by_force(sample: Sample, tmp_path: Path) -> None:
    ref = next(row["ref"] for row in answer(sample, "sessions") if not row["agent"])
    target = tmp_path / "out.md"
    told = answer(sample, "export", ref, "-o", str(target))
    text = target.read_text("utf-8")
    assert told == {"session": ref, "file": str(target), "bytes": len(text.encode())}
    assert text.startswith("# ")
    assert "\n## Prompt" in text
    refused = answer(sample, "export", ref, "-o", str(target), code=2)
    assert "is there already" in refused["error"]
    answer(sample, "export", ref, "-o", str(target), "--force")
    shown = run(sample, "export", ref)
    assert shown.stdout.decode() == text
    assert answer(sample, "export", ref)["markdown"] == text


def test_open_prints_in_a_pipe_and_hands_the_file_to_the_editor(
    sample: Sample, tmp_path: Path
) -> None:
    rows = answer(sample, "sessions")
    ref = next(row["ref"] for row in rows if not row["agent"] and not row["gone"])
    assert b"## Prompt" in run(sample, "open", ref).stdout
    file = answer(sample, "open", ref, "--editor")["file"]
    assert Path(file).is_file()
    seen = tmp_path / "seen"
    script = editor(tmp_path, f'echo "$1" > {seen}')
    assert run(sample, "open", ref, "--editor", EDITOR=script, VISUAL="").returncode == 0
    assert seen.read_text().strip() == file
    gone = run(sample, "open", ref, "--editor", EDITOR="/no/such/editor", VISUAL="")
    assert gone.returncode == 2
    assert b"cannot run the editor" in gone.stderr


def test_tags_and_hiding_are_local_undone_and_shown(sample: Sample, call: Call) -> None:
    ref = a_session(call)
    before = files(sample)
    assert call("tag", ref, "#Flaky", "pool")["tags"] == ["flaky", "pool"]
    assert call("tag", ref, "ci", "--remove", "pool")["tags"] == ["flaky", "ci"]
    assert call("tag", ref) == {"session": ref, "tags": ["flaky", "ci"]}
    assert [row["ref"] for row in call("sessions", "--tag", "flaky", "--tag", "#CI")] == [ref]
    assert call("sessions", "--tag", "pool") == []
    call("hide", ref)
    assert ref not in {row["ref"] for row in call("sessions")}
    shown = {row["ref"]: row["hidden"] for row in call("sessions", "--hidden")}
    assert shown[ref] is True
    call("undo")
    assert ref in {row["ref"] for row in call("sessions")}
    call("undo")
    assert call("tag", ref)["tags"] == ["flaky", "pool"]
    assert "not a tag" in call("tag", ref, "two words", code=2)["error"]
    assert files(sample) == before
    assert not any(
        "hide" in line
        for path in (sample.bank / "events").glob("*.jsonl")
        for line in path.read_text().splitlines()
        if json.loads(line)["verb"] in ("hide", "tag")
    )
