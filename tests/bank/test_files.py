"""Evidence, `MEMORY.md` and the writing of files: every byte that is not asked for stays."""

from __future__ import annotations

import json
import os
import stat
import time
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.bank.cards import parse_card
from memtui.bank.evidence import (
    LIMIT,
    EvidenceError,
    excerpt_bytes,
    excerpt_path,
    make_excerpt,
    read_excerpt,
    write_excerpt,
)
from memtui.bank.memory_index import index_line, parse_index, render_index, with_line
from memtui.bank.model import Layout
from memtui.bank.write import (
    ChangedError,
    atomic_write,
    current_digest,
    digest_of,
    remove_if,
    replace_if,
)
from tests.bank.banks import memory


def test_an_excerpt_is_named_by_its_bytes(tmp_path: Path) -> None:
    made = make_excerpt("claude-code:s#r", "2026-08-26T09:12:31Z", "answer", "size=0 ü", "1:9f")
    path = write_excerpt(tmp_path, made)
    assert path.stem == sha256(path.read_bytes()).hexdigest() == made.sha256
    assert read_excerpt([tmp_path / "absent", tmp_path], made.sha256) == made
    before = path.stat().st_ino
    write_excerpt(tmp_path, made)
    assert path.stat().st_ino == before


def test_a_long_record_is_cut(tmp_path: Path) -> None:
    made = make_excerpt("h:s#r", None, "result", "x" * (LIMIT + 5), "")
    assert made.text.endswith("[5 characters cut]")
    write_excerpt(tmp_path, made)
    assert read_excerpt([tmp_path], made.sha256) == made


def test_a_changed_or_missing_excerpt_is_said(tmp_path: Path) -> None:
    made = make_excerpt("h:s#r", None, "result", "x", "")
    with pytest.raises(EvidenceError, match="not kept with this bank"):
        read_excerpt([tmp_path], made.sha256)
    path = write_excerpt(tmp_path, made)
    path.write_bytes(path.read_bytes().replace(b'"x"', b'"y"'))
    with pytest.raises(EvidenceError, match="do not match its name"):
        read_excerpt([tmp_path], made.sha256)
    for data in (b"[]", b"{}", b"\xff", b'{"ref": 1}'):
        name = sha256(data).hexdigest()
        excerpt_path(tmp_path, name).write_bytes(data)
        with pytest.raises(EvidenceError, match="damaged"):
            read_excerpt([tmp_path], name)


@pytest.mark.parametrize("name", ["", "x", "../" + "a" * 61, "A" * 64, "g" * 64])
def test_only_a_sha256_names_an_excerpt(tmp_path: Path, name: str) -> None:
    with pytest.raises(EvidenceError, match="cannot be read"):
        read_excerpt([tmp_path], name)


@given(st.text(st.characters(codec="utf-8")))
def test_excerpts_are_canonical(text: str) -> None:
    made = make_excerpt("h:s#r", None, "answer", text, "")
    data = excerpt_bytes(made)
    again = json.dumps(json.loads(data), sort_keys=True, separators=(",", ":")).encode() + b"\n"
    assert data == again


INDEX = """\
# Memory

Some prose with [a link](https://example.com/x.md).
- [Pool timeouts](pool.md) — set the size
* [Ports [8080]](ports.md): taken
+ [Plain](plain.md)
  1. [Numbered](sub/num.md) - nested
- [No file](notes.txt) — text
- broken [link](
"""


def test_an_index_is_read_tolerantly() -> None:
    found = parse_index(INDEX.encode())
    assert [(line.number, line.title, line.stem, line.hook) for line in found[:4]] == [
        (3, "Pool timeouts", "pool", "set the size"),
        (4, "Ports [8080]", "ports", "taken"),
        (5, "Plain", "plain", ""),
        (6, "Numbered", "num", "nested"),
    ]


def test_one_line_is_edited_and_no_other_byte() -> None:
    data = INDEX.encode() + b"\xff\xfe no utf-8"
    new = with_line(data, "pool", "- [New](pool.md) — hook")
    assert new == data.replace(
        "- [Pool timeouts](pool.md) — set the size".encode(), "- [New](pool.md) — hook".encode()
    )
    gone = with_line(data, "pool", None)
    assert gone == data.replace("- [Pool timeouts](pool.md) — set the size\n".encode(), b"")
    assert with_line(data, "absent", None) == data
    assert with_line(gone, "more", "- [M](more.md)") == gone + b"\n- [M](more.md)\n"
    assert with_line(b"", "m", "- [M](m.md)") == b"- [M](m.md)\n"


def test_line_endings_stay() -> None:
    data = INDEX.replace("\n", "\r\n").encode()
    new = with_line(with_line(data, "pool", "- [P](pool.md)"), "new", "- [N](new.md)")
    assert new.count(b"\n") == new.count(b"\r\n")


def test_several_lines_of_one_item_become_one() -> None:
    data = b"- [A](a.md)\n- [B](b.md)\n- [A again](a.md)\n"
    assert with_line(data, "a", "- [New](a.md)") == b"- [New](a.md)\n- [B](b.md)\n"


def test_our_own_lines_read_back() -> None:
    card = parse_card(Path("c.md"), memory("pool", body="\nUse when: x.\n").encode())
    text = render_index([card], [])
    assert text == "# Memory\n\n## Cards\n\n- [Title of pool](cards/pool.md) — Use when: x.\n"
    (line,) = parse_index(text.encode())
    assert (line.stem, line.target) == ("pool", "cards/pool.md")
    assert index_line(card, Layout.CLAUDE) == "- [Title of pool](pool.md) — Use when: x."
    stale = parse_card(Path("c.md"), memory("pool", extra="  status: stale\n").encode())
    assert render_index([stale], []) == "# Memory\n"


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40))
def test_any_title_makes_one_line_that_reads_back(title: str) -> None:
    text = f"---\ndescription: {json.dumps(title)}\n---\n{title}"
    card = parse_card(Path("pool.md"), text.encode())
    line = index_line(card, Layout.CLAUDE)
    assert len(line.encode().splitlines()) == 1
    assert [entry.stem for entry in parse_index(line.encode())] == ["pool"]
    assert with_line(b"x\n", "pool", line) == b"x\n" + line.encode() + b"\n"


@given(st.binary(max_size=200), st.sampled_from(["pool", "x"]))
def test_any_bytes_can_be_edited(data: bytes, name: str) -> None:
    parse_index(data)
    assert with_line(data, name, None) in (data, with_line(data, name, None))


@pytest.mark.parametrize(
    "unit", ["- [", "- [[", "[a]", "- [a](", "- [a](b.md", " ", "- [a](b(c", "- [x](y)("]
)
def test_hostile_lines_take_linear_time(unit: str) -> None:
    began = time.process_time()
    parse_index(unit.encode() * (200_000 // len(unit)))
    parse_index((unit + "\n").encode() * 20_000)
    assert time.process_time() - began < 3


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.md"
    atomic_write(path, b"one")
    path.chmod(0o600)
    atomic_write(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == ["a.md"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_bytes(b"one")
    (tmp_path / "a.md").symlink_to(tmp_path / "real" / "a.md")
    atomic_write(tmp_path / "a.md", b"two")
    assert (tmp_path / "a.md").is_symlink()
    assert (tmp_path / "real" / "a.md").read_bytes() == b"two"


def test_a_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_bytes(b"one")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("memtui.bank.write.os.fsync", fail)
    with pytest.raises(OSError, match="No space"):
        atomic_write(tmp_path / "a.md", b"two")
    assert os.listdir(tmp_path) == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"one"


def test_a_write_over_someone_elses_change_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    replace_if(path, None, b"one")
    with pytest.raises(ChangedError, match="changed by someone else") as caught:
        replace_if(path, None, b"two")
    assert caught.value.path == path
    replace_if(path, digest_of(b"one"), b"two")
    with pytest.raises(ChangedError):
        remove_if(path, digest_of(b"one"))
    remove_if(path, digest_of(b"two"))
    assert current_digest(path) is None
