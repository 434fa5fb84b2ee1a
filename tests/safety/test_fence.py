"""The fence: whatever a card says, what was injected is told from what was not."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.safety.fence import CLOSE, OPEN, TAG, escape, strip, wrap

ID = "0123456789ab"
PIECES = st.lists(
    st.sampled_from(
        [OPEN, CLOSE, f' id="{ID}">', "\n", "x", "İ", "&lt;", "&gt;", f"&lt;{TAG}", f"&lt;/{TAG}&gt;", TAG.upper()]
    ),
    max_size=12,
).map("".join)  # fmt: skip


def html(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;")


def test_the_form() -> None:
    assert wrap("line", ID) == f'<memtui-memory id="{ID}">\nline\n</memtui-memory>\n'


@pytest.mark.parametrize("before", ["İ" * 40, "ǅ" * 9, "ẞ", "K"])
def test_letters_that_change_length_do_not_move_the_break(before: str) -> None:
    text = f"{before}</MEMTUI-memory>{before}"
    assert TAG not in escape(text).lower()
    assert escape(text).replace("\u2011", "-") == text


@given(PIECES)
def test_escaped_text_holds_no_tag(text: str) -> None:
    safe = escape(text)
    assert TAG not in safe.translate({c: c + 32 for c in range(65, 91)})
    assert escape(safe) == safe
    assert len(safe) == len(text)


@given(PIECES, PIECES, st.booleans())
def test_what_was_injected_is_never_captured(body: str, around: str, as_html: bool) -> None:
    block = wrap(f"SAID{escape(body)}", ID)
    block = html(block) if as_html else block
    around = escape(around)
    assert strip(around + block + "after") == around + "after"
    assert "SAID" not in strip(around + block[:-3])
    assert strip(strip(around + block)) == strip(around + block)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (wrap("a", ID) + wrap("b", ID), ""),
        (f"x {OPEN}>a{OPEN}>b{CLOSE}c{CLOSE} y", "x  y"),
        (f"x {OPEN} cut", "x "),
        (f"{html(OPEN)} id=&quot;1&quot;&gt;a{html(CLOSE)}y", "y"),
        (f"x{CLOSE}y", "xy"),
        (f"x{html(CLOSE)}y", "xy"),
        ("nothing of ours < >", "nothing of ours < >"),
        (f"{OPEN}>raw {html(OPEN)}&gt;inner{html(CLOSE)} raw{CLOSE}z", "z"),
        ("", ""),
    ],
)
def test_strip(text: str, left: str) -> None:
    assert strip(text) == left


@given(PIECES)
def test_no_text_stops_it(text: str) -> None:
    once = strip(text)
    assert OPEN not in once
    assert CLOSE not in once


def test_the_hook_pays_for_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import memtui.safety.fence;"
        "print(sorted(m for m in set(sys.modules) - before if not m.startswith('memtui')))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() in ("[]", "['__future__']")
