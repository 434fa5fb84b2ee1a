"""The hosts' caps as measured: units, escaping and the edges."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.inject.diff import Move, compare
from memtui.inject.limits import LIMITS, delivered, limit_of, measure
from memtui.inject.model import HostLimit, Line, Plan


@pytest.mark.parametrize(
    ("host", "text", "size"),
    [
        ("claude-code", "a" * 10_000, 10_000),
        ("claude-code", "😀" * 5_000, 10_000),
        ("claude-code", "é" * 10_000, 10_000),
        ("codex", "é" * 5_000, 10_000),
        ("codex", "😀" * 2_500, 10_000),
        ("gemini-cli", "<>" * 10, 80),
        ("gemini-cli", "&😀", 2),
        ("unheard-of", "é", 2),
    ],
)
def test_measure(host: str, text: str, size: int) -> None:
    assert measure(text, limit_of(host)) == size


def test_only_gemini_escapes() -> None:
    assert delivered("<a> & b", LIMITS["gemini-cli"]) == "&lt;a&gt; & b"
    assert delivered("<a> & b", LIMITS["claude-code"]) == "<a> & b"


def test_unknown_unit_is_refused() -> None:
    with pytest.raises(ValueError, match="furlongs"):
        measure("x", HostLimit("h", "furlongs", 1))


@settings(deadline=None)
@given(st.text(), st.text(), st.sampled_from(sorted(LIMITS)))
def test_sizes_add_up(one: str, other: str, host: str) -> None:
    limit = LIMITS[host]
    assert measure(one + other, limit) == measure(one, limit) + measure(other, limit)


def _plan(*handles: str) -> Plan:
    lines = tuple(Line(handle, f"- [{handle}]", 3, "checked") for handle in handles)
    return Plan("", lines, (), 3 * len(lines), 600, LIMITS["codex"], "")


def test_compare_names_the_fewest_moves() -> None:
    found = compare(_plan("a", "b", "c", "d"), _plan("d", "x", "a", "b"))
    assert [line.handle for line in found.vanished] == ["c"]
    assert [line.handle for line in found.appeared] == ["x"]
    assert found.moved == (Move("d", 4, 1),)
    assert found.tokens == 0


def test_compare_sees_changed_texts() -> None:
    before = _plan("a")
    after = before._replace(lines=(before.lines[0]._replace(text="- [a] now"),))
    assert compare(before, after).changed == ((before.lines[0], after.lines[0]),)
