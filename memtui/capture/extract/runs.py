"""What was run: test reports, builds and checks, and every other command that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memtui.capture import phrases
from memtui.capture.commands import Run, failed, runs
from memtui.capture.extract.finding import Finding, same
from memtui.capture.observation import What
from memtui.capture.turns import Turn

_CHECKS = re.compile(r"(?:^|[ :_-])(?:test|tests|lint|build|check|typecheck|e2e)(?:$|[ :_./-])")
_CHECKERS = frozenset({
    "ruff", "mypy", "pyright", "flake8", "eslint", "tsc", "biome", "golangci-lint", "clippy",
    "shellcheck", "prettier", "make", "bazel", "ninja", "cmake",
})  # fmt: skip
_RUNNERS = frozenset({
    "bun", "cargo", "deno", "go", "gradle", "hatch", "just", "mise", "mvn", "npm", "pnpm", "rake",
    "task", "yarn",
})  # fmt: skip
_COUNTS = re.compile(
    r"^(?:Ran \d+ tests?.*|=+ .*\b(?:passed|failed|errors?)\b.*=+|OK\b.*|FAILED\b.*|ok\s+\S+\s.*|"
    r"test result: .*|Tests:\s.*|\s*\d+ (?:pass|passed|passing|fail|failed|failing)\b.*|\d+ issues?\b.*|"
    r"Found \d+ errors?.*|Success: no issues.*|All checks passed.*)$",
    re.MULTILINE,
)


def reports(turns: Sequence[Turn]) -> Iterator[Finding]:
    """Runs of tests, builds, linters and type checkers, with what they reported."""
    for place, turn in enumerate(turns):
        run = next((run for run in runs(turn.command) if is_check(run)), None)
        if run is not None and _answered(turn):
            ok = not failed(turn)
            told = _told(turn, ok)
            sentence = f"`{run.key[:80]}` {'passes' if ok else 'fails'}" + (
                f": {told}" if told else ""
            )
            detail = "" if ok else turn.output
            yield Finding(What.REPORT, (place,), sentence, same(run.key), detail, ok)


def results(turns: Sequence[Turn]) -> Iterator[Finding]:
    """Other commands that failed, with their exit code."""
    for place, turn in enumerate(turns):
        own = runs(turn.command)
        if not own or not failed(turn) or any(is_check(run) for run in own):
            continue
        code = f" ({turn.exit_code})" if turn.exit_code else ""
        error = phrases.error_line(turn.output) or "no output"
        sentence = f"`{own[0].key[:80]}` fails{code}: {error}"
        key = same(f"{own[0].key}: {error}")
        yield Finding(What.RESULT, (place,), sentence, key, turn.output, ok=False)


def is_check(run: Run) -> bool:
    """Whether a run judges the code: tests, build, lint, types."""
    name = run.program.rsplit("/", 1)[-1]
    runner = name.split()[0] if name else ""
    first = " ".join((name, *run.targets[:2])) if runner in _RUNNERS else name
    return run.is_test or name in _CHECKERS or bool(_CHECKS.search(first))


def _answered(turn: Turn) -> bool:
    return turn.exit_code is not None or bool(turn.output) or bool(turn.result_ref)


def _told(turn: Turn, ok: bool) -> str:
    if not ok:
        return phrases.error_line(turn.output)
    found = [match.group().strip() for match in _COUNTS.finditer(turn.output)]
    return found[-1] if found else ""
