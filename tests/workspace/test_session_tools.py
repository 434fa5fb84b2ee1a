"""Resuming, reading and exporting a session: quoted for a shell, masked, and host files as they were."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memtui.hosts.model import Kind
from memtui.safety.sanitize import sanitize
from memtui.sessions.export import head_lines, masked, turn_lines
from memtui.sessions.timeline_rows import SessionRow
from memtui.sessions.turn import LongText, TurnDetail
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample
from memtui.workspace.session_tools import SessionTools, ToolError
from memtui.workspace.workspace import Workspace
from tests.safety.test_redact import IN_CONTEXT, SECRETS
from tests.sessions.session_fixtures import Talk, session_id

ROW = SessionRow(
    session=1, host="claude-code", id="abc-1", agent="", project="/w", title="Fix it", cwd="/w/my shop",
    branch="main", remote="", version="2.1", model="m", parent=None, started=None, ended=None, count=1,
    counts=(),
)  # fmt: skip
NASTY = st.text(alphabet=st.sampled_from("`~#>![]()<x /\n*_-\\|=\t\x1b\u2028\ud800é1"), max_size=80)


def detail(kind: Kind, text: str, result: str | None = None, diff: str | None = None) -> TurnDetail:
    def long(one: str | None) -> LongText | None:
        return None if one is None else LongText(one, len(one))

    return TurnDetail(
        1, 1, kind, 0, "claude-code:s#r", None, LongText(text, len(text)), result=long(result), diff=long(diff)
    )  # fmt: skip


@pytest.fixture
def desk(sample: Sample) -> Workspace:
    return open_workspace(bank=None, cwd=sample.project, environ=sample.environ())


def say(sample: Sample, talk: Talk) -> Path:
    talk.cwd = str(sample.project)
    for row in talk.rows:
        row["cwd"] = talk.cwd
    folder = Path(sample.environ()["MEMTUI_HOSTS_HOME"]) / ".claude" / "projects" / "-w-x"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{talk.session}.jsonl"
    path.write_bytes(talk.data)
    return path


# Resuming


@given(st.text(min_size=1, max_size=40), st.text(max_size=40))
def test_a_resume_command_is_three_words_for_a_shell_or_refused(name: str, folder: str) -> None:
    tools = SessionTools.__new__(SessionTools)
    try:
        command = tools.resume(replace(ROW, id=name, cwd=folder))
    except ToolError:
        assert (
            name.startswith("-")
            or sanitize(name + folder) != name + folder
            or "\n" in name + folder
        )
        return
    cd = ["cd", folder, "&&"] if folder else []
    assert shlex.split(command) == [*cd, "claude", "--resume", name]


def test_a_session_name_that_is_a_command_is_only_a_word_to_a_real_shell(tmp_path: Path) -> None:
    tools = SessionTools.__new__(SessionTools)
    row = replace(ROW, id="$(touch pwned)`touch pwned`;touch pwned", cwd=str(tmp_path))
    script = f'claude() {{ printf %s "$2"; }}; {tools.resume(row)}'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == row.id
    assert not list(tmp_path.iterdir())


def test_each_host_says_how_or_that_it_cannot() -> None:
    tools = SessionTools.__new__(SessionTools)
    row = replace(ROW, cwd="")
    assert tools.resume(replace(row, host="codex")) == "codex resume abc-1"
    assert tools.resume(replace(row, host="gemini-cli")) == "gemini --resume abc-1"
    with pytest.raises(ToolError, match="Aider has no command"):
        tools.resume(replace(row, host="aider"))
    with pytest.raises(ToolError, match="sub-agent"):
        tools.resume(replace(row, agent="x"))
    with pytest.raises(ToolError, match="option"):
        tools.resume(replace(row, id="--dangerously-skip-permissions"))


# Masking


@pytest.mark.parametrize("hidden", ["", "\u200b", "\x1b[0m"])
def test_no_planted_secret_leaves_with_an_export(hidden: str) -> None:
    planted = [*((one, one) for one in SECRETS), *IN_CONTEXT]
    assert len(planted) >= 60
    for text, secret in planted:
        at = len(text) - len(secret) // 2 if text.endswith(secret) else 0
        told = text[:at] + hidden + text[at:]
        turns = [
            detail(Kind.PROMPT, told),
            detail(Kind.ANSWER, told),
            detail(Kind.CALL, told, result=told, diff=told),
        ]
        lines = [*head_lines(replace(ROW, title=told, cwd=told, branch=told), masked)]
        lines += [line for turn in turns for line in turn_lines(turn, masked)]
        assert secret not in sanitize("\n".join(lines)), text


# The Markdown


@given(NASTY, NASTY)
def test_text_cannot_step_out_of_its_place_or_fetch_anything(text: str, title: str) -> None:
    lines = [*head_lines(replace(ROW, title=title), masked)]
    for kind in (Kind.PROMPT, Kind.ANSWER, Kind.THINKING, Kind.CALL):
        lines += turn_lines(detail(kind, text, result=text, diff=text), masked)
    whole = "\n".join([*lines, "## The end", ""])
    assert sanitize(whole) == whole
    tokens = MarkdownIt("commonmark").parse(whole)
    outer = [token for token in tokens if token.level == 0 and token.type == "heading_open"]
    assert [token.tag for token in outer] == ["h1", "h2", "h2", "h2", "h2", "h2"]
    flat = [one for token in tokens for one in (token, *(token.children or ()))]
    assert not [token for token in flat if token.type in ("image", "html_block", "html_inline")]


def test_code_in_an_answer_stays_as_it_is() -> None:
    answer = "Use this:\n```html\n<b>![x](y)</b>\n```\nthen ![x](http://e.example)"
    text = "\n".join(turn_lines(detail(Kind.ANSWER, answer), masked))
    assert "> <b>![x](y)</b>" in text
    assert "> then \\![x](http://e.example)" in text


def test_a_call_of_a_host_without_results_says_so() -> None:
    turn = replace(detail(Kind.CALL, "ls"), ref="cursor:s#r")
    assert "*result not stored*" in list(turn_lines(turn, masked))
    assert "*no result yet*" in list(turn_lines(detail(Kind.CALL, "ls"), masked))


# From and to files


def test_an_export_holds_the_whole_session_and_leaves_the_hosts_files(
    sample: Sample, desk: Workspace, tmp_path: Path
) -> None:
    talk = Talk(session_id(41)).prompt("why do the tests hang?")
    talk.run("pytest -q", "no connection\x1b]52;c;aGk=\x07 within 30s", failed=True)
    talk.say("The pool has no size, token ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAabcd.")
    path = say(sample, talk)
    before = (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).digest())
    desk.scan()
    tools = desk.session_tools
    row = tools.find(talk.session)
    target = tmp_path / "out.md"
    size = tools.export(row, target)
    text = target.read_text("utf-8")
    assert size == len(text.encode())
    for part in ("> why do the tests hang?", "pytest -q", "no connection within 30s", "[redacted:"):
        assert part in text
    assert "ghp_" not in text
    assert "\x1b" not in text
    assert before == (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).digest())
    assert tools.file(row) == path
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out.md", "sample"]
    assert "ghp_" in "\n".join(tools.reading(row)), "one's own screen shows what is there"


def test_the_users_own_patterns_are_masked_too(sample: Sample, tmp_path: Path) -> None:
    say(sample, Talk(session_id(45)).prompt("ticket ACME-123456 is open"))
    environ = {**sample.environ(), "MEMTUI_REDACT_PATTERNS": "ACME-[0-9]{6}"}
    with open_workspace(bank=None, cwd=sample.project, environ=environ) as desk:
        desk.scan()
        row = desk.session_tools.find(session_id(45))
        desk.session_tools.export(row, tmp_path / "x.md")
        name = desk.session_tools.name_for(row)
    assert "ACME-" not in (tmp_path / "x.md").read_text()
    assert "acme" not in name


def test_a_file_that_is_there_is_never_replaced_unasked(
    sample: Sample, desk: Workspace, tmp_path: Path
) -> None:
    say(sample, Talk(session_id(42)).prompt("hello"))
    desk.scan()
    row = desk.session_tools.find(session_id(42))
    target = tmp_path / "mine.md"
    target.write_text("mine")
    with pytest.raises(ToolError, match="there already"):
        desk.session_tools.export(row, target)
    assert target.read_text() == "mine"
    with pytest.raises(ToolError, match="no folder"):
        desk.session_tools.export(row, tmp_path / "nowhere" / "x.md")
    with pytest.raises(ToolError, match="stopped"):
        desk.session_tools.export(row, tmp_path / "y.md", cancelled=lambda: True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["mine.md", "sample"]
    desk.session_tools.export(row, target, over=True)
    assert "> hello" in target.read_text()


def test_sub_agents_follow_their_session(sample: Sample, desk: Workspace) -> None:
    main = Talk(session_id(43)).prompt("look around")
    path = say(sample, main)
    agent = Talk(session_id(43), agent="a1").prompt("count the files").say("There are 12.")
    folder = path.parent / main.session / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-a1.jsonl").write_bytes(agent.data)
    desk.scan()
    text = "\n".join(desk.session_tools.reading(desk.session_tools.find(main.session)))
    assert text.index("> look around") < text.index("- agent: `a1`") < text.index("> There are 12.")
    assert "\n### Answer" in text


def test_a_session_is_found_by_how_its_id_begins_and_never_guessed(
    sample: Sample, desk: Workspace
) -> None:
    for number in (0x51, 0x52):
        say(sample, Talk(session_id(number << 96)).prompt("hello"))
    desk.scan()
    tools = desk.session_tools
    one = session_id(0x51 << 96)
    assert tools.find(one[:8]).id == one
    assert tools.find(f"claude-code:{one[:8]}").id == one
    with pytest.raises(ToolError, match="2 sessions are called 0000005"):
        tools.find("0000005")
    with pytest.raises(ToolError, match="no session nobody"):
        tools.find("nobody")


def test_a_transcript_that_is_gone_says_so(sample: Sample, desk: Workspace) -> None:
    path = say(sample, Talk(session_id(44)).prompt("hello"))
    desk.scan()
    path.unlink()
    desk.scan()
    row = desk.session_tools.find(session_id(44))
    with pytest.raises(ToolError, match="deleted this transcript"):
        desk.session_tools.file(row)
    assert any("gone" in line for line in desk.session_tools.reading(row))


def test_names_of_exports_are_plain(desk: Workspace) -> None:
    tools = desk.session_tools
    row = replace(ROW, ended=1_790_000_000_000)
    assert tools.name_for(row) == "2026-09-21-fix-it.md"
    assert (
        tools.name_for(replace(row, title="../../etc/passwd\x00\u202e"))
        == "2026-09-21-etc-passwd.md"
    )
    assert tools.name_for(replace(ROW, title="日本")) == "session.md"
