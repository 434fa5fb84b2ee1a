"""One test for each public bug report about reading the two hosts' transcripts.

The numbers are those of the list in the project's notes; each name says what went wrong.
"""

from __future__ import annotations

from pathlib import Path

import zstandard

from memtui.hosts.digest import record_digest
from memtui.hosts.jsonl import LineReader
from memtui.hosts.model import HostHome, Kind
from memtui.hosts.registry import host, sniff_file
from tests.hosts.host_fixtures import (
    SESSION,
    assistant,
    attachment,
    claude_source,
    codex_source,
    entries,
    event,
    feed,
    item,
    lines,
    message,
    meta,
    parse,
    row,
    skipped,
    text,
    texts,
    title,
    told,
    user,
)


def test_01_bad_line_does_not_hide_what_follows(tmp_path: Path) -> None:
    bad = b'{"type":"attachment","attachment":{"type":"queued_com'
    data = lines([user("one"), bad, assistant(text("two"))])
    events = parse(claude_source(tmp_path / "s.jsonl", data))
    assert texts(events, Kind.PROMPT, Kind.ANSWER) == ["one", "two"]
    assert skipped(events) == [("not JSON", "")]


def test_02_cut_last_line_is_pending_not_an_error(tmp_path: Path) -> None:
    source = claude_source(tmp_path / "s.jsonl", lines([user("one")]) + b'{"type":"user","mess')
    assert texts(parse(source)) == ["one"]
    assert skipped(parse(source)) == []
    reader = LineReader(source.path)
    list(reader)
    assert reader.pending == 20


def test_03_nul_blocks_after_a_crash(tmp_path: Path) -> None:
    data = lines([user("one")])[:-1] + b"\0" * 9000 + b"\n" + b"\0" * 143_000 + b"\n"
    events = parse(claude_source(tmp_path / "s.jsonl", data))
    assert texts(events) == ["one"]
    assert skipped(events) == [("recovered", "user"), ("NUL bytes", "")]


def test_04_raw_line_separator_inside_a_string(tmp_path: Path) -> None:
    events = parse(claude_source(tmp_path / "s.jsonl", lines([user("a\u2028b\u0085c")])))
    assert texts(events) == ["a\u2028b\u0085c"]
    assert title(events) == "a b c"


def test_05_line_over_one_megabyte(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 1_500_000}}
    events = parse(
        claude_source(
            tmp_path / "s.jsonl", lines([user([image, text("look")]), user("next", "u2")])
        )
    )
    assert texts(events, Kind.PROMPT) == ["[image]\nlook", "next"]
    assert skipped(events) == []


def test_06_line_bigger_than_memory_allows_is_skipped(tmp_path: Path) -> None:
    huge = b'{"type":"user","x":"' + b"A" * (9 * 1024 * 1024) + b'"}'
    events = parse(
        claude_source(tmp_path / "s.jsonl", lines([user("one"), huge, user("two", "u2")]))
    )
    assert texts(events) == ["one", "two"]
    assert skipped(events) == [("too long", "")]


def test_07_rows_of_one_answer_share_their_message_and_growing_tokens() -> None:
    events = feed(
        "claude-code",
        *(
            assistant(text(f"part {n}"), uuid=f"a{n}", output=output)
            for n, output in enumerate((9, 9, 159))
        ),
    )
    answers = entries(events, Kind.ANSWER)
    assert {answer.message for answer in answers} == {"msg_1"}
    assert max(answer.tokens.output for answer in answers if answer.tokens) == 159
    assert answers[0].tokens is not None
    assert (answers[0].tokens.input, answers[0].tokens.cached) == (123, 100)


def test_08_row_copied_into_a_sub_agent_file_has_the_same_record_id() -> None:
    shared = assistant(text("same"))
    main = entries(feed("claude-code", shared))
    copy = entries(feed("claude-code", {**shared, "isSidechain": True}, agent="x"))
    assert [(e.record, e.message) for e in main] == [(e.record, e.message) for e in copy]
    assert copy[0].agent == "x"


def test_09_restamped_parent_history_is_not_counted_again() -> None:
    parent, child = "019ed50c-2fb3-7002-a384-360bea6e7f04", "019ed510-0000-7000-8000-000000000001"
    old_turn, new_turn = (
        "019ed50c-a0fa-7fc3-960f-b274cd3ba498",
        "019ed510-00ff-7000-8000-000000000002",
    )
    at = "2026-06-17T10:11:00.000Z"
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": parent, "agent_nickname": "Euler"}}}
    events = feed(
        "codex",
        meta(child, "2026-06-17T10:10:56.000Z", source=spawn),
        {**meta(parent), "timestamp": at},
        event("task_started", at, turn_id=old_turn),
        {**message("user", "the parent's prompt"), "timestamp": at},
        {**message("assistant", "the parent's answer"), "timestamp": at},
        event("task_started", at, turn_id=new_turn),
        {**message("user", "explore"), "timestamp": at},
        {**message("assistant", "explored"), "timestamp": at},
    )
    assert texts(events, Kind.PROMPT, Kind.ANSWER) == ["explore", "explored"]
    assert told(events, "parent") == [parent]
    assert told(events, "agent") == ["Euler"]
    assert set(told(events, "session")) == {child}


def test_09_copy_without_dated_turns_ends_with_its_burst() -> None:
    at, later = "2026-06-17T10:11:00.000Z", "2026-06-17T10:11:09.000Z"
    events = feed(
        "codex",
        meta("child", "2026-06-17T10:10:59.000Z", forked_from_id="parent"),
        {**meta("parent"), "timestamp": at},
        {**message("user", "old"), "timestamp": at},
        {**message("user", "new"), "timestamp": later},
    )
    assert texts(events, Kind.PROMPT) == ["new"]


def test_09_fork_that_copies_nothing_keeps_all_its_turns() -> None:
    fork, turn = "01a22ad3-6126-7751-bb5a-ae637f2448a4", "01a22ad3-6143-7f30-9466-3a15c207c2f9"
    before = "01a22ad3-6100-7f30-9466-3a15c207c2f9"
    at = "2026-11-30T05:00:25.770Z"
    first = meta(fork, at, forked_from_id="01a22ad3-53cd-7880-90f1-1f9aa7884b87")
    own = [event("task_started", at, turn_id=turn), {**message("user", "second"), "timestamp": at}]
    assert texts(feed("codex", first, *own), Kind.PROMPT) == ["second"]
    old = [event("task_started", at, turn_id=before), {**message("user", "first"), "timestamp": at}]
    assert texts(feed("codex", first, *old, *own), Kind.PROMPT) == ["second"]


def test_10_fork_repeats_uuids_and_digests_under_a_new_session() -> None:
    original = user("one", "u1")
    copy = {
        **original,
        "sessionId": "f" * 36,
        "sessionKind": "bg",
        "session_id": SESSION,
        "version": "2.1.270",
    }
    here, there = feed("claude-code", original), feed("claude-code", copy)
    assert [e.record for e in entries(here)] == [e.record for e in entries(there)]
    assert record_digest("claude-code", original) == record_digest("claude-code", copy)
    assert told(there, "parent") == [SESSION]


def test_11_editor_context_is_not_the_prompt_and_does_not_hide_it() -> None:
    glued = "<ide_opened_file>The user opened a.py.</ide_opened_file>Fix the test"
    events = feed("claude-code", user(glued))
    assert texts(events, Kind.NOTICE) == ["The user opened a.py."]
    assert texts(events, Kind.PROMPT) == ["Fix the test"]
    assert title(events) == "Fix the test"
    alone = feed("claude-code", user("<ide_opened_file>The user opened a.py.</ide_opened_file>"))
    assert texts(alone, Kind.PROMPT) == []


def test_12_compressed_rollouts_are_found_and_plain_wins(tmp_path: Path) -> None:
    day = tmp_path / ".codex/sessions/2026/06/17"
    day.mkdir(parents=True)
    data = lines([meta(), message("user", "packed")])
    ids = [f"019ed50c-2fb3-7002-a384-00000000000{n}" for n in range(2)]
    for thread in ids:
        packed = zstandard.ZstdCompressor().compress(data)
        (day / f"rollout-2026-06-17T10-06-46-{thread}.jsonl.zst").write_bytes(packed)
    (day / f"rollout-2026-06-17T10-06-46-{ids[0]}.jsonl").write_bytes(data)
    found = {source.session: source for source in host("codex").discover(HostHome(tmp_path))}
    assert {thread: source.compressed for thread, source in found.items()} == {
        ids[0]: False,
        ids[1]: True,
    }
    assert texts(parse(found[ids[1]]), Kind.PROMPT) == ["packed"]
    sniffed = sniff_file(found[ids[1]].path)
    assert sniffed is not None
    assert sniffed.name == "codex"


def test_13_archived_sessions_are_listed(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere/archived_sessions"
    folder.mkdir(parents=True)
    name = "rollout-2026-06-17T10-06-46-019ed50c-2fb3-7002-a384-360bea6e7f04.jsonl"
    (folder / name).write_bytes(lines([meta()]))
    home = HostHome(tmp_path, {"CODEX_HOME": str(tmp_path / "elsewhere")})
    assert [(s.archived, s.session) for s in host("codex").discover(home)] == [
        (True, "019ed50c-2fb3-7002-a384-360bea6e7f04")
    ]


def test_14_exec_output_is_another_grammar_than_a_rollout(tmp_path: Path) -> None:
    rollout, printed = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    rollout.write_bytes(lines([meta(), message("user", "hi")]))
    printed.write_bytes(
        lines(
            [{"type": "thread.started", "thread_id": "x"}, {"type": "item.completed", "item": {}}]
        )
    )
    assert sniff_file(printed) is None
    sniffed = sniff_file(rollout)
    assert sniffed is not None
    assert sniffed.name == "codex"
    assert skipped(parse(codex_source(printed, printed.read_bytes()))) == [
        ("unknown type", "thread.started"),
        ("unknown type", "item.completed"),
    ]


def test_16_folders_that_share_a_slug_are_told_apart_by_cwd() -> None:
    first = feed("claude-code", user("a", cwd="/w/my_project"))
    second = feed("claude-code", user("a", cwd="/w/my-project"))
    assert (told(first, "cwd"), told(second, "cwd")) == (["/w/my_project"], ["/w/my-project"])


def test_16_every_folder_of_a_session_is_told() -> None:
    events = feed(
        "claude-code", user("a"), user("b", "u2", cwd="/w/other"), user("c", "u3", cwd="/w/shop")
    )
    assert told(events, "cwd") == ["/w/shop", "/w/other", "/w/shop"]


def test_19_only_what_reached_the_model_counts_as_injected() -> None:
    ignored = attachment(
        "hook_success", hookEvent="SessionStart", content="", stdout='{"additionalContext":"x"}\n'
    )
    delivered = attachment(
        "hook_additional_context", content=["block \u2028 one", "two"], hookEvent="SessionStart"
    )
    plain = attachment(
        "hook_success", hookEvent="UserPromptSubmit", content="plain", stdout="plain\n"
    )
    older = attachment("hook_success", hookEvent="SessionStart", stdout="older\n")
    silent = attachment("hook_success", hookEvent="PostToolUse", content="unseen", stdout="unseen")
    events = feed("claude-code", ignored, delivered, plain, older, silent)
    assert texts(events, Kind.INJECTION) == ["block \u2028 one", "two", "plain", "older"]
    assert [e.part for e in entries(events)][:2] == [0, 1]


def test_20_late_hook_text_is_not_mined_as_a_prompt() -> None:
    block = attachment("hook_additional_context", content=["our block"], hookEvent="SessionStart")
    late = attachment(
        "queued_command", "t2", prompt="SessionStart hook additional context: our block"
    )
    events = feed("claude-code", block, user("our block\n"), late, user("our block or so", "u2"))
    assert texts(events, Kind.PROMPT) == ["our block or so"]
    assert len(entries(events, Kind.INJECTION)) == 3


def test_version_drift_odd_field_does_not_lose_the_row() -> None:
    odd = tool_with_odd_fields()
    events = feed("claude-code", odd)
    assert texts(events, Kind.ANSWER) == ["still here"]
    assert skipped(feed("claude-code", row("hologram", "h1"))) == [("unknown type", "hologram")]
    assert skipped(feed("codex", event("hologram"), item("hologram"))) == [
        ("unknown type", "event_msg/hologram"),
        ("unknown type", "response_item/hologram"),
    ]


def tool_with_odd_fields() -> dict[str, object]:
    odd = assistant(text("still here"))
    return {**odd, "timestamp": {"odd": 1}, "cwd": 5, "gitBranch": [], "version": None}
