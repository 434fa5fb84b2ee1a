"""What a shell command runs, apart from how it was run, and whether it failed."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from memtui.capture.turns import Turn

_HERE = re.compile(
    r"<<-?\s*['\"]?(\w+)['\"]?(?P<rest>[^\n]*)\n.*?(?:^\s*\1\b|\Z)", re.DOTALL | re.MULTILINE
)
_PIECE = re.compile(r"""\s*(?P<end>&&|\|\||;|\n)\s*|"(?:\\.|[^"\\])*"|'[^']*'|.""", re.DOTALL)
_SETTING = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*=")
_WRAPPERS = {
    "sudo",
    "time",
    "timeout",
    "env",
    "nice",
    "npx",
    "uv",
    "poetry",
    "run",
    "exec",
    "command",
}
_TRIVIAL = {
    "[", "cat", "cd", "cp", "date", "echo", "export", "false", "find", "grep", "head", "ls", "mkdir",
    "mv", "printf", "pwd", "rg", "rm", "sed", "set", "sleep", "source", "tail", "test", "touch", "true",
    "which",
}  # fmt: skip
_GIT = {"push", "pull", "merge", "rebase", "cherry-pick", "clone", "am"}
"""What of git can fail for a reason worth keeping; the rest looks or records."""
_TEST_RUNNERS = {
    "ava", "bats", "ctest", "cypress", "jest", "mocha", "nextest", "nox", "phpunit", "playwright", "pytest",
    "rspec", "tap", "tox", "unittest", "vitest",
}  # fmt: skip
_LAST_WORDS = [[name] for name in sorted(_TEST_RUNNERS)]
_TEST_COMMANDS = {
    "go",
    "cargo",
    "npm",
    "yarn",
    "pnpm",
    "make",
    "mvn",
    "gradle",
    "bun",
    "deno",
    "dotnet",
    "rake",
    "swift",
}
_REPORT_FAILED = re.compile(
    r"^[\Wℹ]{0,8}(?:=+ .*\b[1-9]\d* (?:failed|errors?)\b.*=+|FAILED(?: [(|].*)?|FAIL\b.*|FAILURES!.*|"
    # pytest -q, playwright, bun: a line of counts and nothing else
    r"(?:[1-9]\d* (?:failed|fail|errors?)\b|\d+ (?:passed|skipped|deselected|xfailed|xpassed|warnings?), "
    r".*\b[1-9]\d* (?:failed|errors?)\b)(?:, .*)?(?: in [\d.]+ ?m?s.*)?|"
    r"test result: FAILED.*|not ok \d.*|fail [1-9]\d*|"
    r"Tests?:?\s+(?:\d+ \w+ ?[|,] ?)?[1-9]\d* failed.*|Test Files\s+[1-9]\d* failed.*|"
    r"Tests:? .*\b(?:Failures|Errors): [1-9]\d*.*|Tests run: .*(?:Failures|Errors): [1-9]\d*.*|"
    r"\d+ (?:examples?|runs|tests?)\b.*\b[1-9]\d* (?:failures?|errors?|failed)\b.*|"
    r"\d+% tests passed, [1-9]\d* tests? failed.*|[1-9]\d* tests? failed\b.*|"
    r"Failed! {1,4}- Failed: {1,9}[1-9]\d*.*|Executed \d+ tests?, with [1-9]\d* failures?.*|"
    r"Summary \[.*\b[1-9]\d* failed.*|evaluation failed .*|\S+: FAIL(?:ED)?\b.*|"
    r"(?:.*\s)?[1-9]\d* failing)\s*$",
    re.MULTILINE,
)
_CHECK_FAILED = re.compile(
    r"^(?:Found [1-9]\d* errors?\b|[1-9]\d* errors?, \d+ warnings?\b|"
    r"\W*[1-9]\d* problems? \([1-9]\d* errors?|"
    r"make(?:\[\d+\])?: \*\*\* |error(?:\[E\d+\])?: (?:could not compile|aborting due)|npm (?:ERR!|error) |"
    r"error: (?:script|recipe) .*exit(?:ed)? (?:with )?code |.*\berror TS\d+: |"
    r"BUILD FAILED\b|FAILURE: Build failed|\[ERROR\] BUILD FAILURE|ninja: build stopped)",
    re.MULTILINE,
)
"""How linters, type checkers and builds end when they failed, whatever the pipe behind them says."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_HIDES = re.compile(r"[|;]")
_REFUSED = re.compile(
    r"rejected(?:\(| by|:)|requested permissions? to|doesn't want to proceed with this tool use|"
    r"not allowed by|has not been read yet",
    re.IGNORECASE,
)
_SHOWN = 4000
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Run:
    """One program run: `targets` are its arguments without flags, `settings` its `NAME=value` prefix."""

    program: str
    targets: tuple[str, ...]
    settings: tuple[str, ...] = ()

    @property
    def is_test(self) -> bool:
        """Whether this runs tests, where a wider run covers a narrower one."""
        return self.program.endswith(" test") or self.program.split()[-1:] in _LAST_WORDS

    @property
    def key(self) -> str:
        """The same for two runs of the same thing."""
        return " ".join((self.program, *self.targets))

    def covers(self, other: Run) -> bool:
        """Whether success of this run means that what `other` ran now works."""
        if self.program != other.program:
            # What failed under a wrapper works without it.
            return bool(self.targets) and other.key.endswith(f" {self.key}")
        if self.targets == other.targets:
            return True
        if not self.is_test:
            return False
        return not self.targets or (
            bool(other.targets)
            and all(any(o.startswith(t.rstrip("/")) for t in self.targets) for o in other.targets)
        )


def runs(command: str) -> tuple[Run, ...]:
    """The programs of a command line, without what only looks, moves or prints."""
    found = (_run(part) for part in _parts(command) if part)
    return tuple(run for run in found if run is not None)


def failed(turn: Turn) -> bool:
    """Whether a tool call failed: by its exit code, its host, or the report that it printed.

    The report counts because `pytest | tail` exits with 0.
    """
    if not turn.command and not turn.output:
        return False
    if turn.is_error or turn.exit_code not in (None, 0):
        return True
    own = runs(turn.command)
    output = _COLOUR.sub("", turn.output) if "\x1b" in turn.output else turn.output
    if any(run.is_test for run in own) and _REPORT_FAILED.search(output):
        return True
    if own and _HIDES.search(turn.command) and _CHECK_FAILED.search(output):
        return True
    return "|" in turn.command and bool(_TRACEBACK.search(output))


def refused(turn: Turn) -> bool:
    """Whether a call never ran: its host or its user said no."""
    return bool(_REFUSED.search(turn.output[:_SHOWN])) and turn.exit_code is None


def _parts(command: str) -> list[str]:
    """The commands of a line, split where no quote is open; what a here-document feeds is left out."""
    parts = [""]
    for piece in _PIECE.finditer(_HERE.sub(r"\g<rest>\n", command.strip())):
        if piece["end"]:
            parts.append("")
        else:
            parts[-1] += piece.group()
    return parts


def _run(part: str) -> Run | None:
    words = _words(part.split("|")[0])
    settings = []
    while words and (_SETTING.match(words[0]) or words[0] in _WRAPPERS or words[0].isdigit()):
        if _SETTING.match(words[0]):
            settings.append(words[0])
        words = words[1:]
    if not words:
        return None
    program, rest = _program(words)
    if program in _TRIVIAL or (program == "git" and not _GIT & set(rest[:3])):
        return None
    targets = tuple(word for word in rest if not word.startswith(("-", ">", "<", "2>", "&>")))
    return Run(program, targets, tuple(settings))


def _program(words: list[str]) -> tuple[str, list[str]]:
    """The program's name and its arguments, with `python -m x` read as `x` and `go test` as one."""
    name, rest = words[0].rsplit("/", 1)[-1], words[1:]
    if re.fullmatch(r"python[\d.]*", name) and rest[:1] == ["-m"] and len(rest) > 1:
        name, rest = rest[1], rest[2:]
    if name in _TEST_COMMANDS and rest:
        verb = next((word for word in rest if not word.startswith("-")), "")
        if verb:
            rest = [word for word in rest if word != verb]
            name = f"{name} {verb}"
    return name, rest


def _words(part: str) -> list[str]:
    try:
        return shlex.split(part)
    except ValueError:
        # An open quote (a here-document, a cut command): words are good enough to compare.
        return part.split()
