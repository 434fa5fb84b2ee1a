"""What the next session costs: files in the host's order, imports, and the cut of MEMORY.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.agents.costs import BLOCK, MEMORY, next_session, where_of
from memtui.agents.imports import imported
from memtui.agents.instructions import CODEX_LIMIT, Part, Where, instructions
from memtui.agents.memory_file import MAX_LINES, MAX_UNITS, cut_memory
from memtui.bank.project import claude_slug
from tests.agents.banks import card, make_world

LONG = "x" * 249 + "\n"

CUTS: dict[str, tuple[str, int, str, int]] = {
    "empty": ("", 0, "", 0),
    "short": ("a\nb\n", 3, "", 0),
    "200 lines": ("a\n" * 200, 399, "", 0),
    "200 lines and white space": ("a\n" * 200 + "\n \n", 399, "", 0),
    "201 lines": ("a\n" * 201, 399, "lines", 201),
    "25,000 units": (LONG * 99 + "x" * 250, 25_000, "", 0),
    "25,000 units and a line end": (LONG * 99 + "x" * 250 + "\n", 25_000, "", 0),
    "25,001 units": (LONG * 99 + "x" * 251, 24_749, "units", 100),
    "a line end just at the limit": (LONG * 99 + "x" * 250 + "\nb", 25_000, "units", 101),
    "one line": ("x" * 30_000, 25_000, "units", 1),
    "emoji": (("😀" * 124 + "\n") * 101, 125 * 100 - 1, "units", 101),
    "lines and units": (("y" * 199 + "\n") * 210, 24_999, "units", 126),
    "white space first": ("\n\n" + LONG * 99 + "x" * 250, 25_002, "", 0),
}


@pytest.mark.parametrize("name", sorted(CUTS))
def test_the_cut_is_where_the_client_makes_it(name: str) -> None:
    text, end, reason, lost = CUTS[name]
    cut = cut_memory(text)
    assert (cut.end, cut.reason, cut.lost_line) == (end, reason, lost)


@given(st.text(alphabet="a\n\r 😀\ufeff", max_size=400).map(lambda text: text * 90))
def test_what_is_sent_is_within_both_limits(text: str) -> None:
    cut = cut_memory(text)
    sent = cut.sent(text)
    assert len(sent.encode("utf-16-le", "surrogatepass")) // 2 <= MAX_UNITS
    assert sent.count("\n") < MAX_LINES
    assert sent == sent.strip(" \n\r\ufeff") or cut.reason
    if not cut.reason:
        assert text[: cut.start].strip(" \n\r\ufeff") == text[cut.end :].strip(" \n\r\ufeff") == ""


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def where(tmp_path: Path) -> Where:
    """The tree that was tried on the real clients (tests/real_clients/test_instructions.py)."""
    home, work = tmp_path / "home", tmp_path / "work"
    project = work / "svc-order"
    put(home / ".claude/CLAUDE.md", "user\n@extra.md\n")
    put(home / ".claude/extra.md", "user extra")
    put(home / ".claude/rules/u.md", "user rule")
    put(work / "CLAUDE.md", "parent")
    put(
        project / "CLAUDE.md",
        "p @a.md `@code.md`\n```\n@fence.md\n```\n@missing.md @CLAUDE.md <!-- @com.md -->\n"
        "@~/.claude/extra.md mail@a.md (@par.md) @sub/s.md",
    )
    for name, text in {
        "a": "a @b.md", "b": "b @c.md @a.md", "c": "c @d.md", "d": "d @e.md", "e": "e", "code": "",
        "fence": "", "com": "", "par": "", "sub/s": "s @t.md", "sub/t": "t",
    }.items():  # fmt: skip
        put(project / f"{name}.md", text)
    put(project / ".claude/CLAUDE.md", "dot")
    put(project / ".claude/rules/z.md", "rule z")
    put(project / ".claude/rules/a/n.md", "nested")
    put(project / ".claude/rules/p.md", '---\npaths: ["src/**"]\n---\nrule')
    put(project / "CLAUDE.local.md", "local")
    put(project / "AGENTS.md", "ROOTAG")
    put(project / "sub/CLAUDE.md", "sub")
    return Where(project, home, project)


def names(where: Where, parts: tuple[Part, ...]) -> list[str]:
    base = where.home.parent
    return [
        str(part.path.relative_to(base)) for part in parts if part.path is not None and part.sent
    ]


CLAUDE_ORDER = [
    "home/.claude/CLAUDE.md", "home/.claude/extra.md", "home/.claude/rules/u.md", "work/CLAUDE.md",
    "work/svc-order/CLAUDE.md", "work/svc-order/a.md", "work/svc-order/b.md", "work/svc-order/c.md",
    "work/svc-order/d.md", "work/svc-order/sub/s.md", "work/svc-order/sub/t.md",
    "work/svc-order/.claude/CLAUDE.md", "work/svc-order/.claude/rules/z.md",
    "work/svc-order/.claude/rules/a/n.md", "work/svc-order/CLAUDE.local.md",
]  # fmt: skip


def test_claude_code_in_its_order(where: Where) -> None:
    parts = instructions("claude-code", where)
    assert names(where, parts) == CLAUDE_ORDER
    assert [part.depth for part in parts[4:9]] == [0, 1, 2, 3, 4]


def test_imports_from_outside_the_working_folder_need_approval(where: Where) -> None:
    sub = Where(where.cwd / "sub", where.home, where.cwd)
    parts = instructions("claude-code", sub)
    assert "work/svc-order/a.md" not in names(where, parts)
    (held,) = (part for part in parts if part.path == where.cwd / "a.md")
    assert "approved" in held.note
    approved = {"projects": {str(where.cwd): {"hasClaudeMdExternalIncludesApproved": True}}}
    (where.home / ".claude.json").write_text(json.dumps(approved))
    assert "work/svc-order/a.md" in names(where, instructions("claude-code", sub))


def test_agents_md_counts_for_newer_claude_code(tmp_path: Path) -> None:
    put(tmp_path / "p" / "AGENTS.md", "agents")
    old = where_of(tmp_path / "p", tmp_path / "h", None, {}, "2.1.197")
    (part,) = (part for part in instructions("claude-code", old) if part.path)
    assert (part.sent, "2.1.277" in part.note) == (0, True)
    new = where_of(tmp_path / "p", tmp_path / "h", None, {}, "2.1.300")
    assert [part.sent for part in instructions("claude-code", new)] == [6]


def test_codex_takes_one_file_a_folder_and_32_kib(where: Where) -> None:
    put(where.home / ".codex/AGENTS.md", "CODEXUSER")
    put(where.cwd / "AGENTS.override.md", "x" * (CODEX_LIMIT - 10))
    put(where.cwd / "sub/AGENTS.md", "ü" * 10)
    parts = instructions("codex", Where(where.cwd / "sub", where.home, where.cwd))
    assert names(where, parts) == [
        "home/.codex/AGENTS.md", "work/svc-order/AGENTS.override.md", "work/svc-order/sub/AGENTS.md",
    ]  # fmt: skip
    assert (parts[-1].size, parts[-1].sent, parts[-1].cut) == (20, 10, 5)
    put(where.home / ".codex/config.toml", "project_doc_max_bytes = 0")
    assert names(where, instructions("codex", where)) == ["home/.codex/AGENTS.md"]


def test_gemini_imports_in_place(where: Where) -> None:
    put(where.home / ".gemini/GEMINI.md", "user @imp.md")
    put(where.home / ".gemini/imp.md", "imported")
    put(where.cwd.parent / "GEMINI.md", "above the project")
    put(where.cwd / "GEMINI.md", "root @./gi.md @GEMINI.md")
    put(where.cwd / "gi.md", "gi")
    assert names(where, instructions("gemini-cli", where)) == [
        "home/.gemini/GEMINI.md", "home/.gemini/imp.md", "work/svc-order/GEMINI.md", "work/svc-order/gi.md",
    ]  # fmt: skip
    put(where.home / ".gemini/settings.json", '{"context": {"fileName": ["AGENTS.md"]} /* own */}')
    assert names(where, instructions("gemini-cli", where)) == ["work/svc-order/AGENTS.md"]


def test_the_whole_in_one_place(tmp_path: Path, where: Where) -> None:
    memory = where.home / ".claude" / "projects" / claude_slug(where.cwd) / "memory" / "MEMORY.md"
    put(memory, "- [x](x.md)\n" * 300)
    plan = make_world(tmp_path / "w", {"aaaaaa": card("aaaaaa", "A <fact>")}).preview()
    cost = next_session("claude-code", where, plan)
    assert [part.kind for part in cost.parts[-2:]] == [MEMORY, BLOCK]
    (host,) = cost.of(MEMORY)
    assert host.cut == len("- [x](x.md)\n") * 200 - 1
    assert "line 201" in host.note
    assert cost.tokens == sum(part.tokens for part in cost.parts)
    (block,) = next_session("gemini-cli", where, plan).of(BLOCK)
    assert block.sent == block.size  # not escaped: the plan was made for another host
    off = Where(where.cwd, where.home, where.project, {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"})
    assert next_session("claude-code", off, None).of(MEMORY) == ()
    assert next_session("unknown", where, None).parts == ()


def test_odd_files_cost_nothing_and_break_nothing(where: Where) -> None:
    (where.cwd / "CLAUDE.md").write_bytes(b"\xff\xfe@a.md \xff")
    (where.cwd / "a.md").unlink()
    (where.cwd / "a.md").mkdir()
    (where.cwd / "CLAUDE.local.md").unlink()
    (where.cwd / "CLAUDE.local.md").symlink_to(where.cwd / "CLAUDE.local.md")
    assert "work/svc-order/CLAUDE.md" in names(where, instructions("claude-code", where))


@given(st.text(alphabet="`@a.~<!->\n (", max_size=80))
def test_any_text_can_be_looked_through(text: str) -> None:
    for path in imported(text, Path("/p/f.md"), Path("/h")):
        assert "`" not in str(path) or "`" in text
