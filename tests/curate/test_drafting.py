"""Drafts by rules, and pairs of a failure and its success, on labelled cases and recorded sessions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.bank.model import Scope
from memtui.capture.commands import failed, runs
from memtui.capture.pairs import pairs, partner
from memtui.capture.turns import Turn, turn_of, turns_of
from memtui.curate.candidates import candidates
from memtui.curate.draft import draft
from memtui.curate.lint import draft_lint
from memtui.curate.similar import Neighbours
from memtui.hosts.model import Entry, Kind, SourceFile
from memtui.hosts.read import parse_file
from memtui.hosts.registry import sniff_file
from memtui.sessions.turn import LongText, TurnDetail
from memtui.workspace.sample import Sample

SCOPE = Scope("svc-order", "main")
OK = "== 3 passed in 0.1s =="
BAD = "E       AssertionError: 4 != 3\n== 1 failed, 2 passed in 0.2s =="

# (first command, exit code, output), (second command, exit code, output), whether they are a pair.
CASES: list[tuple[tuple[str, int | None, str], tuple[str, int | None, str], bool]] = [
    (("pytest", 1, BAD), ("pytest", 0, OK), True),
    (("pytest -x -q", 1, BAD), ("pytest", 0, OK), True),
    (("python -m pytest tests/a.py", 1, BAD), ("pytest tests/a.py -v", 0, OK), True),
    (("python3.11 -m pytest tests/a.py", 1, BAD), ("python3 -m pytest tests/a.py", 0, OK), True),
    (("pytest tests/a.py::test_one", 1, BAD), ("pytest tests/a.py", 0, OK), True),
    (("pytest tests/a.py::test_one", 1, BAD), ("pytest", 0, OK), True),
    (("pytest tests/a.py", 1, BAD), ("pytest tests", 0, OK), True),
    (("cd app && pytest tests/a.py", 1, BAD), ("pytest tests/a.py", 0, OK), True),
    (("pytest", 1, BAD), ("SIZE=8 pytest", 0, OK), True),
    (("pytest", 1, BAD), ("export SIZE=8 && pytest", 0, OK), True),
    (("pytest | tail -5", 0, BAD), ("pytest | tail -5", 0, OK), True),
    (("pytest 2>&1 | tail", 0, BAD), ("pytest", 0, OK), True),
    (("timeout 60 pytest", 1, BAD), ("pytest", 0, OK), True),
    (("python -m unittest", 1, "FAILED (errors=1)"), ("python -m unittest", 0, "OK"), True),
    (("python -m unittest tests.test_a", 1, "FAILED"), ("python -m unittest", 0, "OK"), True),
    (("npm test", 1, "Tests:  1 failed, 2 total"), ("npm test", 0, "ok"), True),
    (("npm run build", 1, "error: no"), ("npm run build", 0, "done"), True),
    (("go test ./...", 1, "FAIL"), ("go test ./...", 0, "ok"), True),
    (("cargo test", 101, "test result: FAILED."), ("cargo test", 0, "ok"), True),
    (("cargo build --release", 101, "error[E0308]"), ("cargo build", 0, "Finished"), True),
    (("make lint", 2, "Error 1"), ("make lint", 0, "clean"), True),
    (("ruff check .", 1, "Found 1 error"), ("ruff check .", 0, "All checks passed!"), True),
    (("mypy src", 1, "error: x"), ("mypy --strict src", 0, "Success"), True),
    (("docker build .", 1, "failed"), ("docker build .", 0, "ok"), True),
    (("./run.sh start", 1, "no"), ("bash -c true; ./run.sh start", 0, "yes"), True),
    (("python3 -m order serve", 1, "OSError"), ("python3 -m order serve", 0, "up"), True),
    (("sudo systemctl start x", 1, "no"), ("systemctl start x", 0, "up"), True),
    (("npx vitest run", 1, "1 failing"), ("npx vitest run", 0, "ok"), True),
    (("tox -e py311", 1, "FAIL"), ("tox -e py311", 0, "ok"), True),
    (("terraform plan", 1, "Error: x"), ("terraform plan", 0, "No changes"), True),
    (("pytest tests/a.py", 1, BAD), ("pytest tests/b.py", 0, OK), False),
    (("pytest", 1, BAD), ("pytest tests/a.py", 0, OK), False),
    (("npm test", 1, "x"), ("npm run build", 0, "ok"), False),
    (("ls /nowhere", 2, "No such file"), ("ls /tmp", 0, "a"), False),
    (("grep x y", 1, ""), ("grep x y", 0, "x"), False),
    (("mypy src", 1, "error: x"), ("ruff check src", 0, "ok"), False),
    (("pytest", 1, BAD), ("pytest", 1, BAD), False),
    (("curl a.example", 7, "refused"), ("curl b.example", 0, "ok"), False),
]


def call(number: int, command: str, code: int | None, output: str) -> Turn:
    ref = f"h:s#c{number}"
    return Turn(Kind.CALL, ref, "", command, output, code, is_error=bool(code))


def say(number: int, text: str, kind: Kind = Kind.ANSWER) -> Turn:
    return Turn(kind, f"h:s#{kind.value}{number}", text=text)


def test_pairs_on_the_labelled_cases() -> None:
    wrong = []
    for first, second, is_pair in CASES:
        turns = [call(0, *first), say(1, "Hm."), call(2, *second)]
        if bool(pairs(turns)) != is_pair:
            wrong.append((first[0], second[0]))
    positives = sum(case[2] for case in CASES)
    assert positives == 30
    assert wrong == []


def test_a_run_of_failures_is_one_pair_from_the_last() -> None:
    turns = [call(0, "pytest", 1, BAD), call(1, "pytest", 1, BAD), call(2, "pytest", 0, OK)]
    [pair] = pairs(turns)
    assert (pair.first, pair.failure, pair.success) == (0, 1, 2)
    assert [partner(turns, place) for place in range(3)] == [2, 2, 1]
    assert partner([turns[0]], 0) is None


def test_a_row_of_the_timeline_is_a_turn() -> None:
    detail = TurnDetail(
        1, 2, Kind.CALL, 0, "h:s#r", 1000, LongText("pytest", 6), input={"cmd": "pytest"},
        result=LongText(BAD, len(BAD)), exit_code=1, is_error=True,
    )  # fmt: skip
    turn = turn_of(detail)
    assert (turn.command, turn.output, turn.exit_code) == ("pytest", BAD, 1)
    assert turn.at == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    read = replace(detail, text=LongText("/a/b.py", 7), input={"file_path": "/a/b.py"}, result=None)
    assert turn_of(read).command == ""
    said = replace(detail, kind=Kind.ANSWER, text=LongText("Yes.", 4), result=None)
    assert turn_of(said).text == "Yes."


def test_a_call_without_result_is_neither() -> None:
    assert pairs([call(0, "pytest", 1, BAD), call(1, "pytest", None, "")]) == []
    assert not failed(say(0, "it failed"))


def test_commands_are_read_without_their_wrapping() -> None:
    [run] = runs("cd x && A=1 timeout 9 python -m pytest -q tests/a.py 2>&1 | tail -3")
    assert (run.program, run.targets, run.settings) == ("pytest", ("tests/a.py",), ("A=1",))
    assert runs("cat <<'EOF' > f") == ()
    assert runs("") == ()


def test_a_pair_becomes_symptom_cause_and_fix_citing_both() -> None:
    turns = [
        call(
            0,
            "python -m unittest",
            1,
            "order.pool.PoolTimeout: no connection (size=0)\nFAILED",
        ),
        say(1, "The real cause is the unset ORDER_POOL_SIZE: every acquire times out."),
        call(2, "ORDER_POOL_SIZE=8 python -m unittest", 0, "Ran 3 tests\n\nOK"),
    ]
    made = draft([turns[0]], SCOPE, context=turns)
    assert made.rule == "pair"
    assert made.type == "pitfall"
    assert made.body.splitlines() == [
        "Use when: `unittest` fails with `order.pool.PoolTimeout: no connection (size=0)`.",
        "",
        "Cause: The real cause is the unset ORDER_POOL_SIZE: every acquire times out.",
        "Fix: run it with `ORDER_POOL_SIZE=8`.",
    ]
    assert {cited.ref for cited in made.evidence} == {"h:s#c0", "h:s#c2", "h:s#answer1"}
    assert all(cited.quote for cited in made.evidence)
    assert draft([turns[2]], SCOPE, context=turns) == made
    assert draft_lint(made.title, made.body, Neighbours(())) == []


@pytest.mark.parametrize(
    ("turn", "rule", "kind"),
    [
        (
            say(0, "no, always pass the sleep in as an argument", Kind.PROMPT),
            "correction",
            "convention",
        ),
        (say(0, "The root cause is a stale lock file in /tmp/x."), "root cause", "pitfall"),
        (
            say(0, "We use cursors instead of offsets because inserts shift pages."),
            "decision",
            "decision",
        ),
        (say(0, "The server is listening on port 8417 by default."), "environment", "env"),
        (say(0, "Python 3.11.4 is what the image has."), "environment", "env"),
        (say(0, "The tests pass now."), "plain", "fact"),
    ],
)
def test_each_rule_writes_its_type_and_cites_the_turn(turn: Turn, rule: str, kind: str) -> None:
    made = draft([turn], SCOPE)
    assert (made.rule, made.type) == (rule, kind)
    assert made.body.startswith("Use when: ")
    assert made.evidence[0].ref == turn.ref
    assert made.evidence[0].quote in turn.text
    assert made.scope.project == "svc-order"


def test_plans_and_questions_are_no_outcomes() -> None:
    for text in ("I'll use cursors instead of offsets here.", "Is it because of the lock file?"):
        assert draft([say(0, text)], SCOPE).rule == "plain"


def test_text_from_a_tool_alone_is_of_external_origin() -> None:
    turn = call(0, "curl x", 0, "The API listens on port 9000 by default.")
    made = draft([turn], SCOPE)
    assert made.origin == "external"
    assert draft([say(0, "The API listens on port 9000 by default.")], SCOPE).origin == "session"


def test_nothing_marked_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing is marked"):
        draft([], SCOPE)


def test_candidates_are_ranked_and_said_once() -> None:
    turns = [
        say(0, "The server is listening on port 8417 by default."),
        call(1, "pytest", 1, BAD),
        say(2, "No, never patch the clock in these tests", Kind.PROMPT),
        call(3, "pytest", 0, OK),
        say(4, "The server is listening on port 8417 by default."),
    ]
    found = candidates(turns, SCOPE)
    assert [candidate.draft.rule for candidate in found] == ["pair", "correction", "environment"]
    assert [candidate.places for candidate in found] == [(1, 3), (2,), (0,)]


def test_recorded_sessions_give_their_known_pairs(sample: Sample) -> None:
    found = {}
    for path in sorted(sample.home.rglob("*.jsonl")):
        host = sniff_file(path)
        if host is not None:
            source = SourceFile(host.name, path)
            entries = [event for event in parse_file(source) if isinstance(event, Entry)]
            turns = turns_of(host.name, path.stem, entries)
            found[path.name[:8]] = [candidate.draft for candidate in candidates(turns, SCOPE)]
    pool = found["871e05e3"][0]
    assert pool.rule == "pair"
    assert "`ORDER_POOL_SIZE` is unset" in pool.body
    assert pool.body.endswith("Fix: run it with `ORDER_POOL_SIZE=8`.")
    assert found["3c1d7f0a"][1].title.startswith('no, not `patch("time.sleep")`')
    paired = [name for name, drafts in found.items() if any(d.rule == "pair" for d in drafts)]
    assert len(paired) >= 8


def test_real_transcripts_never_stop_it(samples_folder: Path) -> None:
    count = 0
    for path in sorted(samples_folder.rglob("*.jsonl"))[:60]:
        host = sniff_file(path)
        if host is not None and path.stat().st_size < 2_000_000:
            events = parse_file(SourceFile(host.name, path))
            turns = turns_of(host.name, "s", [e for e in events if isinstance(e, Entry)])
            for candidate in candidates(turns, SCOPE):
                assert candidate.draft.title
                assert candidate.draft.evidence
                count += 1
    assert count > 10
