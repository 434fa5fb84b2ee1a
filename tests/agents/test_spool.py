"""The spool: whole files, valid when drained, nothing lost, nothing foreign taken in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memtui.capture import spool
from memtui.capture.shape import faults_of

SCHEMA = json.loads((Path(spool.__file__).parent / "schema" / "spool.schema.json").read_bytes())


def record(number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "format": 1, "id": f"{number:019d}-7", "event": "prompt", "host": "codex", "session": "s1",
        "at": "2026-11-20T12:00:00Z", "cwd": "/w", "bank": "b-1", "prompt": "hello", **more,
    }  # fmt: skip


def drained(folder: Path, **options: Any) -> tuple[list[dict[str, Any]], spool.Drained]:
    taken: list[dict[str, Any]] = []

    def handle(one: dict[str, Any]) -> bool:
        taken.append(one)
        return True

    return taken, spool.drain(str(folder), handle, **options)


def test_records_come_out_in_order_and_once(tmp_path: Path) -> None:
    for number in (3, 1, 2):
        spool.write(str(tmp_path), record(number))
    taken, done = drained(tmp_path)
    assert [one["id"][:19] for one in taken] == [f"{n:019d}" for n in (1, 2, 3)]
    assert done.handled == 3
    assert drained(tmp_path)[0] == []


def test_banks_are_kept_apart(tmp_path: Path) -> None:
    spool.write(str(tmp_path), record(1))
    spool.write(str(tmp_path), record(2, bank="b-2"))
    taken, _ = drained(tmp_path, bank="b-2")
    assert [one["bank"] for one in taken] == ["b-2"]
    assert len(drained(tmp_path)[0]) == 1


def test_what_fails_stays(tmp_path: Path) -> None:
    spool.write(str(tmp_path), record())

    def handle(_: dict[str, Any]) -> bool:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        spool.drain(str(tmp_path), handle)
    spool.drain(str(tmp_path), lambda _: False)
    assert len(drained(tmp_path)[0]) == 1


BAD: dict[str, bytes] = {
    "half": b'{"format": 1',
    "a list": b"[]",
    "newer": json.dumps(record(format=2)).encode(),
    "unknown host": json.dumps(record(host="emacs")).encode(),
    "unknown key": json.dumps(record(run="rm")).encode(),
    "long prompt": json.dumps(record(prompt="x" * 5000)).encode(),
    "wrong type": json.dumps(record(tool={"name": 7})).encode(),
    "too large": b" " * (spool.MAX_BYTES + 1),
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("content", [pytest.param(data, id=name) for name, data in BAD.items()])
def test_what_is_no_record_is_put_aside(tmp_path: Path, content: bytes) -> None:
    path = Path(spool.write(str(tmp_path), record()))
    path.write_bytes(content)
    taken, done = drained(tmp_path)
    assert taken == []
    ((name, why),) = done.rejected
    assert name == path.name
    assert why
    assert (tmp_path / spool.REJECTED / name).read_bytes() == content
    assert drained(tmp_path)[1].rejected == []


def test_foreign_files_are_left_alone(tmp_path: Path) -> None:
    for name in ("notes.txt", ".half.json", "a.b.json"):
        (tmp_path / name).write_text("{}")
    assert drained(tmp_path)[0] == []
    assert len(list(tmp_path.iterdir())) == 3


def test_a_missing_spool_is_empty(tmp_path: Path) -> None:
    assert drained(tmp_path / "none")[0] == []
    assert spool.injections(str(tmp_path / "none"), "b", "codex", "s") == []
    assert spool.prune(str(tmp_path / "none")) == 0


def test_the_checker_agrees_with_a_full_validator() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    samples: list[Any] = [
        record(),
        {},
        [],
        7,
        None,
        record(at=5),
        record(tool={"name": "x", "failed": True}),
    ]
    for content in BAD.values():
        try:
            samples.append(json.loads(content))
        except (ValueError, RecursionError):
            continue
    injection = {
        "text": "t", "digest": "d", "tokens": 1, "budget": 600, "version": "v", "project": "",
        "branch": "", "today": 1, "seen": [], "whole": True, "lines": [["a", "b"]],
        "decisions": [{"handle": "a", "reason": "shown", "rank": 1, "score": 0.5}],
    }  # fmt: skip
    samples += [record(injection=injection), record(injection={**injection, "lines": [["a"]]})]
    samples += [
        record(injection={**injection, "tokens": -1}),
        record(injection={**injection, "tokens": True}),
    ]
    for sample in samples:
        assert bool(faults_of(sample, SCHEMA)) is not validator.is_valid(sample), sample


def test_a_purge_finds_every_record_with_the_text(tmp_path: Path) -> None:
    spool.write(str(tmp_path), record(1, prompt="the größe of it"))
    spool.write(str(tmp_path), record(2, prompt="other"))
    rejected = Path(spool.write(str(tmp_path), record(3)))
    rejected.write_bytes("half größe".encode())
    drained_nothing = spool.drain(str(tmp_path), lambda _: False)
    assert len(drained_nothing.rejected) == 1
    found = spool.holding(str(tmp_path), lambda text: "größe" in text)
    assert [Path(path).parent.name for path in found] == [tmp_path.name, spool.REJECTED]
