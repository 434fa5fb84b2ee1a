"""Evidence: the cited records, redacted, one canonical JSON file each, named by its sha256."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from memtui.bank.model import Excerpt
from memtui.bank.write import atomic_write

LIMIT = 16 * 1024
"""Characters of a record's text that are kept."""


class EvidenceError(ValueError):
    """A kept excerpt that is missing, damaged, or not what its name says."""


def make_excerpt(ref: str, at: str | None, kind: str, text: str, record: str) -> Excerpt:
    """An excerpt of already redacted text, cut to `LIMIT` characters, under its own hash."""
    kept = text if len(text) <= LIMIT else text[:LIMIT] + f"\n[{len(text) - LIMIT} characters cut]"
    body = {"v": 1, "ref": ref, "at": at, "kind": kind, "record": record, "text": kept}
    digest = sha256(_canonical(body)).hexdigest()
    return Excerpt(digest, ref, at, kind, kept, record)


def excerpt_bytes(excerpt: Excerpt) -> bytes:
    """The file of an excerpt: canonical JSON of which the name is the sha256."""
    return _canonical(
        {
            "v": 1,
            "ref": excerpt.ref,
            "at": excerpt.at,
            "kind": excerpt.kind,
            "record": excerpt.record,
            "text": excerpt.text,
        }
    )


def excerpt_path(folder: Path, digest: str) -> Path:
    """Where the excerpt named `digest` lies. Raises ValueError when that is no sha256."""
    if len(digest) != 64 or not all(char in "0123456789abcdef" for char in digest):
        raise ValueError(f"not a sha256: {digest!r}")
    return folder / f"{digest}.json"


def write_excerpt(folder: Path, excerpt: Excerpt) -> Path:
    """Keep an excerpt in `folder`; one that is there already stays. Raises OSError."""
    path = excerpt_path(folder, excerpt.sha256)
    if not path.exists():
        atomic_write(path, excerpt_bytes(excerpt))
    return path


def read_excerpt(folders: Iterable[Path], digest: str) -> Excerpt:
    """The excerpt named `digest` from the first folder that has it. Raises EvidenceError."""
    for folder in folders:
        try:
            data = excerpt_path(folder, digest).read_bytes()
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise EvidenceError(f"excerpt {digest[:12]} cannot be read: {error}") from error
        return _parse(data, digest)
    raise EvidenceError(f"excerpt {digest[:12]} is not kept with this bank")


def _parse(data: bytes, digest: str) -> Excerpt:
    if sha256(data).hexdigest() != digest:
        raise EvidenceError(f"excerpt {digest[:12]} was changed: its bytes do not match its name")
    try:
        body = json.loads(data)
        return Excerpt(digest, body["ref"], body["at"], body["kind"], body["text"], body["record"])
    except (ValueError, KeyError, TypeError) as error:
        raise EvidenceError(f"excerpt {digest[:12]} is damaged: {error}") from error


def _canonical(body: dict[str, Any]) -> bytes:
    text = json.dumps(body, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return text.encode() + b"\n"
