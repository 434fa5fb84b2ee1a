"""Whether a command failed, told by its report where a pipe hides its exit code."""

from __future__ import annotations

import time

import pytest

from memtui.capture.commands import failed
from memtui.capture.concern import concerns, names_in
from memtui.capture.turns import Turn
from memtui.hosts.model import Kind

RED = [
    ("pytest -q | tail -5", "FAILED tests/a.py::test_a - assert 1 == 2\n1 failed, 3 passed in 0.12s"),
    ("pytest -q | tail -1", "1 failed, 3 passed in 0.12s"),
    ("pytest -q 2>&1 | tail -1", "1 failed in 0.05s"),
    ("pytest -q | tail -1", "2 passed, 1 error in 1.20s"),
    ("pytest -q | tail -1", "3 passed, 2 skipped, 1 failed, 4 warnings in 61.20s (0:01:01)"),
    ("pytest -q --color=yes | tail -1", "\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m3 passed\x1b[0m\x1b[31m in 0.12s\x1b[0m"),
    ("pytest | tail -1", "======= 1 failed, 3 passed in 0.12s ======="),
    ("python -m unittest 2>&1 | tail -3", "Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=2)"),
    ("npx jest | tail -4", "Test Suites: 1 failed, 1 total\nTests:       1 failed, 3 passed, 4 total"),
    ("npx vitest run | tail -4", " Test Files  1 failed (1)\n      Tests  1 failed | 3 passed (4)"),
    ("npx mocha | tail -4", "  3 passing (9ms)\n  1 failing\n"),
    ("npx playwright test | tail -3", "  1 failed\n    a.spec.ts:3:1 › adds\n  3 passed (2.1s)"),
    ("bun test | tail -3", " 3 pass\n 1 fail\n 4 expect() calls"),
    ("node --test | tail -3; npm test | tail", "ℹ pass 3\nℹ fail 1\nℹ cancelled 0"),
    ("npm test | tail -3", "not ok 2 - adds\n# fail 1"),
    ("go test ./... | tail -3", "--- FAIL: TestA (0.00s)\nFAIL\tshop/order\t0.01s\nFAIL"),
    ("cargo test | tail -2", "test result: FAILED. 3 passed; 1 failed; 0 ignored; finished in 0.00s"),
    ("cargo nextest run | tail -3", "     Summary [   0.01s] 4 tests run: 3 passed, 1 failed, 0 skipped"),
    ("deno test | tail -2", "FAILED | 3 passed | 1 failed (10ms)"),
    ("bundle exec rspec | tail; rspec | tail -2", "4 examples, 1 failure"),
    ("rake test | tail -1", "4 runs, 5 assertions, 1 failures, 0 errors, 0 skips"),
    ("vendor/bin/phpunit | tail -2", "FAILURES!\nTests: 4, Assertions: 4, Failures: 1."),
    ("mvn test | tail -2", "Tests run: 4, Failures: 1, Errors: 0, Skipped: 0"),
    ("gradle test | tail -2", "4 tests completed, 1 failed"),
    ("dotnet test | tail -1", "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4"),
    ("swift test | tail -1", "Executed 4 tests, with 1 failure (0 unexpected) in 0.01 seconds"),
    ("ctest | tail -3", "75% tests passed, 1 tests failed out of 4"),
    ("tox | tail -2", "  py311: FAIL code 1 (3.05=setup[2.00]+cmd[1.05] seconds)\n  evaluation failed :( (3.10 seconds)"),
    ("mypy . | tail -1", "Found 3 errors in 1 file (checked 20 source files)"),
    ("ruff check . | tail -2", "Found 1 error."),
    ("npx pyright | tail -1", "3 errors, 0 warnings, 0 informations"),
    ("npx eslint . | tail -2", "✖ 3 problems (2 errors, 1 warning)"),
    ("npx tsc --noEmit | head", "src/a.ts(3,1): error TS2304: Cannot find name 'x'."),
    ("make build 2>&1 | tail -1", "make: *** [Makefile:3: build] Error 1"),
    ("cargo build 2>&1 | tail -1", "error: could not compile `shop` (bin \"shop\") due to 1 previous error"),
    ("npm run build | tail -2", "npm ERR! code 1"),
]  # fmt: skip

GREEN = [
    ("pytest -q | tail -1", "4 passed in 0.12s"),
    ("pytest -q | tail -1", "3 passed, 1 xfailed in 0.12s"),
    ("pytest -q | tail -1", "4 passed, 0 failed in 0.12s"),
    ("pytest -q | tail -3", "tests/test_errors.py ..\n2 passed, 1 warning in 0.1s"),
    ("pytest -v | tail -3", "tests/a.py::test_1_failed_order_is_retried PASSED\n1 passed in 0.1s"),
    ("npx jest | tail -4", "Tests:       3 passed, 3 total"),
    ("npx vitest run | tail -4", "      Tests  3 passed (3)"),
    ("bun test | tail -3", " 3 pass\n 0 fail"),
    ("npm test | tail -3", "ℹ pass 3\nℹ fail 0"),
    ("cargo test | tail -2", "test result: ok. 3 passed; 0 failed; 0 ignored"),
    ("rspec | tail -2", "4 examples, 0 failures"),
    ("mvn test | tail -2", "Tests run: 4, Failures: 0, Errors: 0, Skipped: 0"),
    ("ctest | tail -3", "100% tests passed, 0 tests failed out of 4"),
    ("swift test | tail -1", "Executed 4 tests, with 0 failures (0 unexpected) in 0.01 seconds"),
    ("mypy . | tail -1", "Success: no issues found in 20 source files"),
    ("npx pyright | tail -1", "0 errors, 0 warnings, 0 informations"),
    ("cat log.txt | grep failed", "1 failed, 3 passed in 0.1s"),
    ("docker logs shop | tail -1", "1 failed, 3 passed"),
]


def ran(command: str, output: str) -> Turn:
    return Turn(Kind.CALL, "h:s#1", "", command, output, 0)


@pytest.mark.parametrize(("command", "output"), RED)
def test_red_behind_a_pipe(command: str, output: str) -> None:
    assert failed(ran(command, output))


@pytest.mark.parametrize(("command", "output"), GREEN)
def test_green_behind_a_pipe(command: str, output: str) -> None:
    assert not failed(ran(command, output))


def test_a_long_output_takes_no_time() -> None:
    turn = ran("pytest | tail", ("12 passed, " * 300 + "\n") * 20 + "= 1 failed " * 2000)
    begun = time.process_time()
    failed(turn)
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("fact", "command", "output", "does"),
    [
        ("The database listens on port 5433 here", "pytest", "4 passed", False),
        ("The database listens on port 5433 here", "DB=localhost:5433 pytest", "4 passed", True),
        ("Tests need ORDER_POOL_SIZE", "ORDER_POOL_SIZE=8 pytest", "4 passed", True),
        ("Tests need `ORDER_POOL_SIZE=8`", "ORDER_POOL_SIZE=8 pytest", "4 passed", True),
        ("Tests need ORDER_POOL_SIZE", "MY_ORDER_POOL_SIZE=8 pytest", "4 passed", False),
        ("Python is 3.11 here", "pytest", "platform linux -- Python 3.11.4\n4 passed", True),
        ("Node is missing in this sandbox", "ruff check .", "All checks passed!", False),
        ("Use `uv run` for everything", "uv run pytest", "4 passed", True),
    ],
)
def test_a_check_concerns_what_it_names(fact: str, command: str, output: str, does: bool) -> None:
    assert concerns(ran(command, output), fact) is does


def test_names_are_not_words() -> None:
    assert names_in("Since 2026-11-30 the cache is slow in `make dev` and order/pool.py") == {
        "make dev",
        "order/pool.py",
    }
