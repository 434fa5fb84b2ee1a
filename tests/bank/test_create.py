"""A new bank is one that opens, whatever its project is called, and nothing is ever overwritten."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.bank.create import create_bank
from memtui.bank.load import BankError, load, open_bank
from memtui.bank.model import Layout
from memtui.bank.project import ProjectIdentity, project_of


def identity(name: str, remote: str = "", aliases: tuple[str, ...] = ()) -> ProjectIdentity:
    return ProjectIdentity(name, Path("/w/service"), None, remote, "", aliases)


@given(name=st.text(), remote=st.text(), aliases=st.lists(st.text(), max_size=3))
def test_any_name_makes_a_bank_that_opens(name: str, remote: str, aliases: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "bank"
        create_bank(root, identity(name, remote, tuple(aliases)))
        reader = open_bank(root)
        assert reader.layout is Layout.MEMTUI
        assert reader.config.project == name
        assert reader.config.remote == remote
        assert reader.config.aliases == tuple(aliases)
        contents = load(root)
        assert (contents.cards, contents.pages, contents.problems) == ((), (), ())


def test_a_lone_surrogate_is_no_reason_to_fail(tmp_path: Path) -> None:
    create_bank(tmp_path / "bank", identity("caf\udce9"))
    assert open_bank(tmp_path / "bank").config.project == "caf?"


def test_two_banks_of_one_name_have_two_ids(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        create_bank(tmp_path / folder, identity("service"))
    ids = [open_bank(tmp_path / folder).config.id for folder in ("a", "b")]
    assert ids[0] != ids[1]
    assert all(one.startswith("service-") for one in ids)


@pytest.mark.parametrize("there", ["bank", "memory", "other", "file"])
def test_what_is_there_stays(tmp_path: Path, there: str) -> None:
    root = tmp_path / "place"
    if there == "file":
        root.write_text("mine")
    else:
        root.mkdir()
        name = {"bank": "bank.toml", "memory": "MEMORY.md", "other": "notes.txt"}[there]
        (root / name).write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(BankError, match="already"):
        create_bank(root, identity("service"))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_project_is_named_by_its_remote(tmp_path: Path) -> None:
    project = tmp_path / "checkout"
    for words in (
        ("init", "-q", str(project)),
        ("-C", str(project), "remote", "add", "origin", "git@example.com:shop/orders.git"),
    ):
        subprocess.run(["git", *words], check=True)
    found = project_of(project, tmp_path)
    assert found is not None
    create_bank(tmp_path / "bank", found)
    config = open_bank(tmp_path / "bank").config
    assert (config.project, config.remote) == ("orders", "example.com/shop/orders")
    assert "checkout" in config.aliases
