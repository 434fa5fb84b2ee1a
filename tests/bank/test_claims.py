"""The claims of a page: what it says, and what each part rests on."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.bank.model import Claim
from memtui.bank.pages import claims_in


def said(body: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.text, claim.cards) for claim in claims_in(body)]


@pytest.mark.parametrize(
    ("body", "claims"),
    [
        ("Set it to 8. [[pool]]\n", [("Set it to 8.", ("pool",))]),
        ("Set it to 8 [[pool]].\n", [("Set it to 8.", ("pool",))]),
        ("Set it to 8 ([[pool]]; [[env|the env]]).\n", [("Set it to 8.", ("pool", "env"))]),
        ("One. [[a]] Two! [[b]] [[c]] Three\n", [("One.", ("a",)), ("Two!", ("b", "c")), ("Three", ())]),
        ("First line\ngoes on. [[a]]\nSecond. [[b]]", [("First line goes on.", ("a",)), ("Second.", ("b",))]),
        ("As [[a]] says, wait. [[b]]", [("As a says, wait.", ("a", "b"))]),
        ("Use e.g. `x` or vs. that. [[a]]", [("Use e.g. `x` or vs. that.", ("a",))]),
        ("- one [[a]]\n- two. And more. [[b]]\n", [("one", ("a",)), ("two. And more.", ("b",))]),
        ("1. one [[a]]\n   goes on [[b]]\n2) two\n", [("one a goes on", ("a", "b")), ("two", ())]),
        ("* x [[a]]\n\n  - nested [[b]]\n", [("x", ("a",)), ("nested", ("b",))]),
        ("```\nnot. [[a]]\n```\nyes. [[b]]", [("yes.", ("b",))]),
        ("~~~~\n~~~\nnot\n~~~~\nyes", [("yes", ())]),
        ("```\nnever closed. [[a]]", []),
        ("<!-- no.\nno -->\nyes", [("yes", ())]),
        ("<!-- no -->\nyes", [("yes", ())]),
        ("| a | b |\n|---|:-:|\n| port | taken [[p]] |\n", [("port | taken", ("p",))]),
        ("> quoted. [[a]]\n> more\n", [("quoted.", ("a",)), ("more", ())]),
        ("***\n- - -\n", []),
        ("[[a]] [[b]]\n", [("", ("a", "b"))]),
        ("", []),
    ],
)  # fmt: skip
def test_claims(body: str, claims: list[tuple[str, tuple[str, ...]]]) -> None:
    assert said(body) == claims


def test_claims_know_their_line_and_section() -> None:
    body = "Intro.\n\n# Steps #\n\n1. one\n2. two\n\n## Why\nText\nthat. Goes on. [[a]]\n"
    assert claims_in(body) == (
        Claim("Intro.", (), 0, ""),
        Claim("one", (), 4, "Steps"),
        Claim("two", (), 5, "Steps"),
        Claim("Text that.", (), 8, "Why"),
        Claim("Goes on.", ("a",), 9, "Why"),
    )


@given(st.text(st.sampled_from("ab .!?\n[]|-*#`>~<1:()"), max_size=120))
def test_any_body_gives_claims_in_order(body: str) -> None:
    lines = [claim.line for claim in claims_in(body)]
    assert lines == sorted(lines)
    assert all(0 <= line < len(body.split("\n")) for line in lines)


@pytest.mark.parametrize(
    "unit", ["[[a]]", "[[", "]]", "a. ", ". ", "- ", "| ", "|-", "```\n", "<!--", " ", "[[a]],", "* * ", "(", "> "]
)  # fmt: skip
def test_hostile_bodies_take_linear_time(unit: str) -> None:
    began = time.process_time()
    claims_in(unit * (200_000 // len(unit)))
    claims_in("x " + unit * (200_000 // len(unit)) + "y")
    assert time.process_time() - began < 3
