"""Claude Code: titles, and how sub-agents are linked."""

from __future__ import annotations

from typing import Any

from memtui.hosts.model import Kind
from tests.hosts.host_fixtures import (
    SESSION,
    attachment,
    entries,
    feed,
    row,
    text,
    texts,
    title,
    told,
    tool_result,
    user,
)


def claude(*records: Any, agent: str | None = None) -> Any:
    return feed("claude-code", *records, agent=agent)


def test_sub_agent_is_announced_once_whoever_tells_first() -> None:
    progress = row(
        "progress",
        "p1",
        data={"type": "agent_progress", "agentId": "a5c", "prompt": "look"},
        parentToolUseID="toolu_1",
    )
    result = tool_result(
        [text("found")], {"agentId": "a5c", "prompt": "look", "status": "completed"}
    )
    first = claude(progress, progress, result)
    assert [(e.kind, e.agent, e.call) for e in entries(first)] == [
        (Kind.SUBAGENT, "a5c", "toolu_1"),
        (Kind.RESULT, None, "toolu_1"),
    ]
    assert [e.kind for e in entries(claude(result))] == [Kind.RESULT, Kind.SUBAGENT]


def test_sub_agent_of_a_task_notification() -> None:
    note = (
        "<task-notification>\n<task-id>b7</task-id>\n"
        "<tool-use-id>toolu_9</tool-use-id>\n<summary>done</summary></task-notification>"
    )
    queued = {
        "type": "queue-operation",
        "operation": "enqueue",
        "content": note,
        "sessionId": SESSION,
    }
    events = claude(queued, attachment("queued_command", prompt=note, commandMode="prompt"))
    assert [(e.agent, e.call, e.text) for e in entries(events, Kind.SUBAGENT)] == [
        ("b7", "toolu_9", "done")
    ]
    assert texts(events, Kind.PROMPT) == []


def test_file_of_a_sub_agent_names_its_agent_and_parent() -> None:
    events = claude({**user("the task"), "isSidechain": True}, agent="a5c")
    assert told(events, "agent") == ["a5c"]
    assert told(events, "parent") == [SESSION]
    assert entries(events)[0].agent == "a5c"
    assert title(events) == "the task"


def test_inline_side_chain_does_not_title_the_session() -> None:
    events = claude({**user("the task"), "isSidechain": True}, user("mine", "u2"))
    assert [e.agent for e in entries(events)] == ["sidechain", None]
    assert title(events) == "mine"


def test_titles_by_rank_and_the_last_of_equals() -> None:
    first = user("please\nfix it")
    last = {"type": "last-prompt", "lastPrompt": "last one", "sessionId": SESSION}
    ai = [
        {"type": "ai-title", "aiTitle": name, "sessionId": SESSION} for name in ("Draft", "Fix it")
    ]
    custom = {"type": "custom-title", "customTitle": "Mine", "sessionId": SESSION}
    assert title(claude(first)) == "please"
    assert title(claude(last)) == "last one"
    assert title(claude(last, first)) == title(claude(first, last)) == "please"
    assert title(claude(*ai, first, last)) == "Fix it"
    assert title(claude(custom, first, *ai, last)) == "Mine"


def test_summary_counts_only_for_the_session_that_it_describes() -> None:
    foreign = {"type": "summary", "summary": "Another session", "leafUuid": "elsewhere"}
    own = {"type": "summary", "summary": "This session", "leafUuid": "u1"}
    assert title(claude(foreign, user("hello"))) == "hello"
    assert title(claude(own, foreign, user("hello"))) == "This session"
    assert title(claude(user("hello"), own)) == "This session"
