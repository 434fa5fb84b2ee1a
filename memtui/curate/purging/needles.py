"""What a purge looks for: the texts of an item, in every spelling in which a file may hold them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import zstandard

from memtui.bank.evidence import EvidenceError, read_excerpt
from memtui.bank.model import BankContents, Item
from memtui.curate.similar import words

SHORTEST = 12
"""Characters of a text that is looked for by itself; shorter ones stand elsewhere by chance."""
PURGED = "[purged]"
_MARKUP = re.compile(r"^(?:use when:|cause:|fix:|why:|[-*+]|\d+\.|#+|>)\s+", re.IGNORECASE)
_TOKEN = re.compile(r"[^\s\"'`()\[\]{}<>,;]{8,}")
_PACKED_LIMIT = 256 * 1024 * 1024


@dataclass(frozen=True)
class Needles:
    """Texts to be found and erased. `phrases` were named by the user and count at any length."""

    texts: tuple[str, ...]
    phrases: tuple[str, ...] = ()

    @cached_property
    def all(self) -> tuple[str, ...]:
        """Every text to look for, longest first."""
        return tuple(sorted({*self.texts, *self.phrases} - {""}, key=lambda t: (-len(t), t)))

    @cached_property
    def encoded(self) -> tuple[bytes, ...]:
        """The same as bytes, also as JSON escapes them."""
        found: set[bytes] = set()
        for text in self.all:
            for spelling in (
                text,
                json.dumps(text)[1:-1],
                json.dumps(text, ensure_ascii=False)[1:-1],
            ):
                found.add(spelling.encode("utf-8", "surrogateescape"))
        return tuple(sorted(found))

    def in_text(self, text: str) -> bool:
        """Whether a text holds any of them."""
        return self.in_bytes(text.encode("utf-8", "surrogateescape"))

    def in_bytes(self, data: bytes) -> bool:
        """Whether bytes hold any of them, in any spelling."""
        return any(needle in data for needle in self.encoded)

    def without(self, text: str) -> str:
        """The text with each of them replaced."""
        for needle in self.all:
            text = text.replace(needle, PURGED)
        return text


def needles_of(
    item: Item,
    contents: BankContents,
    excerpt_folders: Iterable[Path],
    phrases: Iterable[str] = (),
) -> Needles:
    """The item's title, lines, quotes and excerpts of its own, and words that only it has.

    What another card says as well, or a record that others cite, is not its own and stays, unless that
    card links to it or was made from it.
    """
    own = [item.title, *item.body.splitlines(), *(cited.quote for cited in item.evidence)]
    folders = tuple(excerpt_folders)
    excerpts = own_excerpts(item, contents)
    recorded = _lines_of(folders, excerpts)
    # A frame of a traceback, a banner: a record of something else says it too, so it tells nothing.
    shared = _lines_of(folders, _other_excerpts(contents, excerpts)) if recorded else set()
    own += sorted(recorded - shared)
    lines = {_MARKUP.sub("", line.strip()).strip() for line in own}
    others = "\n".join(
        f"{other.title}\n{other.body}"
        for other in contents.cards
        if other.id != item.id and item.id not in other.supersedes and item.name not in other.links
    )
    kept = {line for line in lines if len(line) >= SHORTEST and line not in others}
    rare = {token.strip(".:!?") for line in own for token in _TOKEN.findall(line)}
    kept |= {token for token in rare if _unusual(token) and token not in others}
    return Needles(tuple(sorted(kept)), tuple(p for p in phrases if p.strip()))


def own_excerpts(item: Item, contents: BankContents) -> tuple[str, ...]:
    """The excerpts that no other item cites."""
    others = {
        cited.excerpt
        for other in (*contents.cards, *contents.pages)
        if other.id != item.id
        for cited in other.evidence
    }
    found = (cited.excerpt for cited in item.evidence)
    return tuple(dict.fromkeys(e for e in found if e and e not in others))


def _other_excerpts(contents: BankContents, own: Collection[str]) -> list[str]:
    items = (*contents.cards, *contents.pages)
    found = dict.fromkeys(cited.excerpt for item in items for cited in item.evidence)
    return [digest for digest in found if digest and digest not in own]


def _lines_of(folders: Iterable[Path], excerpts: Iterable[str]) -> set[str]:
    """The lines of excerpts; one that is missing or damaged holds nothing to look for."""
    lines: set[str] = set()
    for digest in excerpts:
        try:
            text = read_excerpt(folders, digest).text
        except EvidenceError:
            continue
        lines |= {line.strip() for line in text.splitlines()}
    return lines


def unpacked(path: Path) -> bytes:
    """The bytes of a file, decompressed where its name says that it is compressed. Raises OSError."""
    data = path.read_bytes()
    try:
        if path.suffix == ".gz":
            return gzip.decompress(data)
        if path.suffix == ".zst":
            with zstandard.ZstdDecompressor().stream_reader(data) as stream:
                return stream.read(_PACKED_LIMIT)
    except (OSError, EOFError, zstandard.ZstdError):
        # Not what its name says: its own bytes are all there is to look at.
        return data
    return data


def prints(title: str, body: str) -> tuple[str, ...]:
    """Fingerprints of a text that do not tell the text: sha256 over its words in order of the alphabet."""
    found = (words(text) for text in (title, body))
    return tuple(sha256(" ".join(sorted(w)).encode()).hexdigest() for w in found if len(w) >= 3)


def _unusual(token: str) -> bool:
    return any(c.isdigit() for c in token) and any(c.isalpha() for c in token)
