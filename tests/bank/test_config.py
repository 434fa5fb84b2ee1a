"""`bank.toml`: read with its defaults, and every mistake named with file, key and expectation."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.bank.config import ConfigError, derived_bank_id, read_config
from memtui.bank.model import BankConfig, Policy


def config(tmp_path: Path, text: str) -> BankConfig:
    (tmp_path / "bank.toml").write_text(text)
    return read_config(tmp_path / "bank.toml", "fallback")


def test_everything_said(tmp_path: Path) -> None:
    found = config(
        tmp_path,
        """
        format = 1
        id = "svc-order"
        share_evidence = true
        later = 1
        [scope]
        project = "svc-order"
        aliases = ["order"]
        remote = "git.example.com/shop/svc-order"
        [policy]
        types = ["pitfall"]
        max_lines = 5
        budget = 300
        unchecked_lines = 0
        weights = {importance = 2, trust = 0.5, recency = 0}
        """,
    )
    assert (found.id, found.project, found.aliases, found.share_evidence) == (
        "svc-order",
        "svc-order",
        ("order",),
        True,
    )
    assert found.policy == Policy(("pitfall",), 5, 300, 0, 2.0, 0.5, 0.0)
    assert found.raw["later"] == 1


@pytest.mark.parametrize("text", [None, ""])
def test_the_defaults(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "bank.toml").write_text(text)
    found = read_config(tmp_path / "bank.toml", "fallback")
    assert (found.id, found.format, found.policy) == ("fallback", 1, Policy())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format = 2", "format is 2, this memtui reads up to 1; install a newer memtui"),
        ('format = "1"', "format is '1', wanted a whole number"),
        ("id = 7", "id is 7, wanted a text"),
        ('id = "a/b"', "id is 'a/b', wanted a name without slashes"),
        ('id = ""', "id is ''"),
        ("scope = 1", "scope is 1, wanted a table"),
        ("[scope]\naliases = 'x'", "aliases is 'x', wanted a list of texts"),
        ("[policy]\nbudget = 1.5", "budget is 1.5, wanted a whole number"),
        ("[policy]\nbudget = true", "budget is True, wanted a whole number"),
        ("[policy]\nmax_lines = -1", "max_lines is -1, wanted 0 or more"),
        ("[policy.weights]\ntrust = 'x'", "trust is 'x', wanted a number"),
        ("share_evidence = 1", "share_evidence is 1, wanted true or false"),
        ("= broken", "cannot be read"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config(tmp_path, text)
    assert message in str(caught.value)
    assert "bank.toml" in str(caught.value)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "bank.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_config(tmp_path / "bank.toml", "x")


def test_the_id_of_a_bank_without_one_depends_on_its_place() -> None:
    assert derived_bank_id(Path("/a/bank")) != derived_bank_id(Path("/b/bank"))
    assert derived_bank_id(Path("/a/my bank")).startswith("my-bank-")
    assert derived_bank_id(Path("/")).startswith("bank-")
