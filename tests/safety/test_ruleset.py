"""Rules that change have another name, and a user's patterns are applied everywhere."""

from __future__ import annotations

import re
from hashlib import sha256

import pytest

from memtui.safety import secret_rules
from memtui.safety.redact import redact, rules_name, use_patterns
from memtui.safety.ruleset import BUILT_IN, name_of


def rules_digest() -> str:
    """Everything in `secret_rules` that decides what is masked."""

    def told(value: object) -> object:
        if isinstance(value, re.Pattern):
            return value.pattern, value.flags
        if isinstance(value, frozenset):
            return sorted(value)
        if isinstance(value, tuple):
            return [told(part) for part in value]
        return value

    own = {
        name: told(value)
        for name, value in vars(secret_rules).items()
        if name.isupper() and not name.startswith("_")
    }
    return sha256(repr(sorted(own.items())).encode()).hexdigest()[:16]


def test_the_name_is_that_of_the_rules() -> None:
    """Rules that were changed need their new name in `ruleset.BUILT_IN`; a change of `redact.py` that
    masks other things needs the next number before it."""
    assert BUILT_IN.partition("-")[2] == rules_digest()


def test_own_patterns_have_a_name_of_their_own() -> None:
    names = {name_of(()), name_of(["a"]), name_of(["b"]), name_of(["a", "b"]), name_of(["b", "a"])}
    assert len(names) == 5
    use_patterns((re.compile("a"), re.compile("b")))
    assert rules_name() == name_of(["a", "b"])


@pytest.mark.parametrize(
    ("pattern", "text", "masked"),
    [
        ("ACME-[0-9]+", "an ACME-12 and ACME-3", "an [redacted:custom] and [redacted:custom]"),
        ("x*", "axxb", "a[redacted:custom]b"),
        ("dact|custom", "custom [redacted:email] x", "[redacted:custom] [redacted:email] x"),
        ("", "as it is", "as it is"),
    ],
)
def test_own_patterns_mask_what_they_match_and_no_mask(
    pattern: str, text: str, masked: str
) -> None:
    use_patterns((re.compile(pattern),))
    assert redact(text).text == masked
    assert redact(masked).text == masked
    assert redact(text, ()).text == redact(text, extra=()).text
