"""What each extractor sees, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.bank.model import Scope
from memtui.capture.extract.all import findings
from memtui.capture.extract.finding import Finding, same
from memtui.capture.extract.sequences import sequences, steps
from memtui.capture.noise import told
from memtui.capture.observation import (
    DETAIL,
    Observation,
    ObservationError,
    What,
    from_json,
    to_json,
)
from memtui.capture.observe import Where, observe
from memtui.capture.outcome import outcome_of
from memtui.capture.transcripts import clean
from memtui.capture.turns import Turn, turns_of
from memtui.curate.candidates import candidates
from memtui.hosts.model import Entry, Kind, SourceFile
from memtui.hosts.read import parse_file, without_rolled_back
from memtui.hosts.registry import sniff_file

RED = "E   AssertionError: 4 != 3\n=== 1 failed in 0.01s ==="
WHERE = Where("claude-code", "s1", "shop", "main")


def call(
    number: int, command: str, output: str = "ok", code: int | None = 0, **more: object
) -> Turn:
    return Turn(
        Kind.CALL,
        f"claude-code:s1#c{number}",
        command=command,
        output=output,
        exit_code=code,
        result_ref=f"claude-code:s1#r{number}",
        **more,  # type: ignore[arg-type]
    )


def say(number: int, text: str, kind: Kind = Kind.ANSWER) -> Turn:
    return Turn(kind, f"claude-code:s1#t{number}", text=text)


def of(turns: Sequence[Turn], *kinds: What) -> list[Finding]:
    return [finding for finding in findings(turns) if finding.kind in kinds]


@pytest.mark.parametrize(
    ("text", "kind", "wanted"),
    [
        ("No, never patch the clock in these tests.", Kind.PROMPT, What.CORRECTION),
        ("commit. rule for the repo: money is integer cents", Kind.PROMPT, What.CORRECTION),
        ("The root cause is the unset pool size in this shell.", Kind.ANSWER, What.CAUSE),
        ("Found it: the hook calls a tool that was removed.", Kind.ANSWER, What.CAUSE),
        ("We decided to keep fixed delays because tests can state them.", Kind.ANSWER, What.DECISION),
        ("`placed_at` is deliberately not compared with the old row.", Kind.ANSWER, What.DECISION),
        ("The gateway sidecar owns 8080 on every dev box here.", Kind.PROMPT, What.ENVIRONMENT),
        ("`core.hooksPath` is not set in this checkout of ours.", Kind.ANSWER, What.ENVIRONMENT),
        ("The premise does not hold, so throw it away.", Kind.ANSWER, What.DEAD_END),
    ],
)  # fmt: skip
def test_what_is_said(text: str, kind: Kind, wanted: What) -> None:
    found = list(findings([say(0, text, kind)]))
    assert wanted in {finding.kind for finding in found}
    assert all(finding.sentence in text for finding in found)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I'll look at how the store writes today.", Kind.ANSWER),
        ("Let me check whether the port is 8080 instead of 8081.", Kind.ANSWER),
        ("Should I rebase it instead of merging?", Kind.ANSWER),
        ("This is likely a checkout-local issue rather than a code change.", Kind.ANSWER),
        ("Can you add a task for security review as well?", Kind.PROMPT),
        ("continue, network should be better now", Kind.PROMPT),
        ("# Plan\n\n" + "We should never do this by hand again. " * 60, Kind.PROMPT),
        ("| Mechanism | Status |\n|---|---|\n| `git add` | Dead code instead |", Kind.ANSWER),
    ],
)
def test_what_is_no_outcome(text: str, kind: Kind) -> None:
    assert list(findings([say(0, text, kind)])) == []


def test_what_is_said_first_after_a_failure_is_its_cause() -> None:
    turns = [call(0, "pytest tests", RED, 1), say(1, "The loop sleeps once too often here.")]
    assert [f.places for f in of(turns, What.CAUSE)] == [(1,)]
    fine = [call(0, "pytest tests"), say(1, "The loop sleeps once too often here.")]
    assert of(fine, What.CAUSE) == []
    wanted = [call(0, "pytest tests", RED, 1), say(1, "It fails for the right reason: no offset.")]
    assert of(wanted, What.CAUSE) == []


def test_pairs_reports_and_results() -> None:
    turns = [
        call(0, "pytest tests/test_a.py", RED, 1),
        call(1, "terraform plan", "Error: no state\n", 1),
        call(2, "pytest tests/test_a.py", "=== 2 passed in 0.01s ==="),
        call(3, "npm run lint", "0 issues.\n"),
    ]
    pair = of(turns, What.PAIR)[0]
    assert pair.places == (0, 2)
    assert "AssertionError: 4 != 3" in pair.sentence
    reports = of(turns, What.REPORT)
    assert [report.ok for report in reports] == [False, True, True]
    assert reports[1].sentence.endswith("=== 2 passed in 0.01s ===")
    assert reports[2].sentence == "`npm run lint` passes: 0 issues."
    result = of(turns, What.RESULT)[0]
    assert (result.sentence, result.ok) == ("`terraform plan` fails (1): Error: no state", False)


def test_a_refused_call_is_no_failure_of_the_command() -> None:
    refused = call(
        0, "rm -rf build; make all", "exec failed: rejected by policy", None, is_error=True
    )
    turns = [refused, call(1, "make all", "done")]
    assert of(turns, What.PAIR) == []
    barrier = of(turns, What.ENVIRONMENT)[0]
    assert "rejected by policy" in barrier.sentence


def test_barriers_are_told_once() -> None:
    missing = "bash: rg: command not found"
    turns = [call(n, f"rg needle{n}", missing, 127) for n in range(3)]
    assert [f.places for f in of(turns, What.ENVIRONMENT)] == [(0,)]


@pytest.mark.parametrize(
    ("command", "subject", "rest"),
    [
        ('git add -A && git commit -m "Keep cents whole; no floats"', "Keep cents whole; no floats", ""),
        ("git commit -q -m 'One' -m 'Because of two.'", "One", "Because of two."),
        ("git commit -m \"$(cat <<'EOF'\nAdd it\n\nThe why.\n\nCo-Authored-By: X <x@y.z>\nEOF\n)\"", "Add it", "The why."),
    ],
)  # fmt: skip
def test_commits_give_their_reason(command: str, subject: str, rest: str) -> None:
    change = of([call(0, command, "[main 1a2b3c4] it\n 1 file changed")], What.CHANGE)[0]
    assert (change.sentence, change.detail) == (subject, rest)
    assert of([call(0, command, "error: nothing", 1)], What.CHANGE) == []


def test_dead_ends() -> None:
    never = [call(n, "make deploy", "fatal: no route", 2) for n in range(3)]
    assert "never worked in 3 tries" in of(never, What.DEAD_END)[0].sentence
    assert of([*never, call(3, "make deploy")], What.DEAD_END) == []
    refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    refused = call(0, "git push --force", refusal, None, is_error=True)
    assert of([refused], What.DEAD_END)[0].sentence == "the user refused: git push --force"


def test_sequences_need_three_sessions() -> None:
    commands = ["make build", "docker compose up", "pytest tests"]
    own = steps([call(n, command) for n, command in enumerate(commands)])
    assert [command for command, _ in own] == ["make build", "docker compose up", "pytest tests"]
    assert list(sequences({"a": own, "b": own})) == []
    found = list(sequences({"a": own, "b": own, "c": [("ls x", 0), *own]}))
    assert [shared.commands for shared in found] == [tuple(command for command, _ in own)]
    assert [name for name, _ in found[0].sessions] == ["a", "b", "c"]


def test_a_long_result_becomes_a_small_observation() -> None:
    lines = [f"{number}% [=====>      ]" for number in range(100)]
    lines += [f"line {number} of a body" for number in range(10_000)]
    frames = [f'  File "/srv/app/m{n}.py", line {n}, in f{n}' for n in range(50)]
    output = "\n".join([*lines, "Traceback (most recent call last):", *frames, "ValueError: odd"])
    seen = observe([call(0, "terraform apply", output, 1)], WHERE)[0].observation
    assert len(seen.detail) <= DETAIL
    assert "ValueError: odd" in seen.detail
    assert seen.summary == "`terraform apply` fails (1): ValueError: odd"
    kept = told(
        "\n".join(["Traceback (most recent call last):", *frames, "ValueError: odd"]), DETAIL
    )
    assert kept.count("File ") == 3


def test_observations_fit_their_schema() -> None:
    turns = [
        say(0, "tests are red, the service should listen on port 8417", Kind.PROMPT),
        call(1, "pytest tests/test_a.py", RED, 1),
        say(2, "The loop sleeps once too often here."),
        call(3, "pytest tests/test_a.py", "=== 2 passed in 0.01s ==="),
        call(4, 'git commit -m "Sleep between attempts only"', "[main 1a2b3c4] Sleep"),
    ]
    seen = [one.observation for one in observe(turns, WHERE)]
    assert {one.kind for one in seen} >= {What.PAIR, What.CAUSE, What.CHANGE, What.REPORT}
    assert [from_json(to_json(one)) for one in seen] == seen
    outcome = outcome_of(turns, seen)
    assert outcome.title == "tests are red, the service should listen on port 8417"
    assert outcome.line == (
        "changed: Sleep between attempts only; learned: The loop sleeps once too often here."
    )
    with pytest.raises(ObservationError, match="kind"):
        from_json({**to_json(seen[0]), "kind": "guess"})


TEXT = st.text(max_size=300) | st.sampled_from(
    ["Found it: x", "instead of", "\x1b]52;c;aGk=\x07", "\ud800", "\u2028", "[/]", "a\x00b" * 40]
)


@given(
    st.lists(
        st.builds(
            Turn,
            kind=st.sampled_from([Kind.PROMPT, Kind.ANSWER, Kind.CALL, Kind.THINKING]),
            ref=st.just("claude-code:s1#x"),
            text=TEXT,
            command=TEXT,
            output=TEXT,
            exit_code=st.sampled_from([None, 0, 1]),
            is_error=st.booleans(),
        ),
        max_size=8,
    )
)
def test_any_turns_give_valid_observations(turns: list[Turn]) -> None:
    for one in observe(turns, WHERE):
        assert from_json(to_json(one.observation)) == one.observation
        assert isinstance(one.observation, Observation)
        assert "\x1b" not in one.observation.summary
        assert "\n" not in one.observation.summary


@given(st.text(max_size=200))
def test_a_key_does_not_change_with_numbers(text: str) -> None:
    assert same(text) == same(same(text)) or "#" in same(text)
    assert same(f"{text} took 12.5 s at 0xdeadbeef") == same(f"{text} took 3 s at 0xcafe")


def test_every_sample_of_every_host_goes_through(samples_folder: Path) -> None:
    hosts: set[str] = set()
    kinds: set[What] = set()
    for path in sorted(samples_folder.rglob("*")):
        if not path.is_file() or path.stat().st_size > 3_000_000:
            continue
        host = sniff_file(path)
        if host is None:
            continue
        events = parse_file(SourceFile(host.name, path))
        entries = without_rolled_back(e for e in events if isinstance(e, Entry))
        turns = clean(turns_of(host.name, path.stem, entries))
        where = Where(host.name, path.stem)
        for one in observe(turns, where):
            assert from_json(to_json(one.observation)) == one.observation
            kinds.add(one.observation.kind)
        assert isinstance(outcome_of(turns, []).title, str)
        assert all(one.draft.title and one.draft.evidence for one in candidates(turns, Scope()))
        hosts.add(host.name)
    assert hosts >= {"claude-code", "codex", "gemini-cli"}
    assert len(kinds) >= 8
