"""What a purge looks for: the texts of an item, in every spelling in which a file may hold them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import zstandard

from memtui.bank.evidence import EvidenceError, read_excerpt
from memtui.bank.items import LINK
from memtui.bank.model import BankContents, Item

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
    items: Sequence[Item],
    contents: BankContents,
    excerpt_folders: Iterable[Path],
    phrases: Iterable[str] = (),
) -> Needles:
    """The items' titles, lines, quotes and excerpts of their own, and words that only they have.

    What another card says or quotes as well, or a record that others cite, is not their own and stays, unless
    that card was made from one of them or the line of it links to one.
    """
    own = [
        line
        for item in items
        for line in (item.title, *item.body.splitlines(), *(c.quote for c in item.evidence))
    ]
    ids, names = {item.id for item in items}, {item.name for item in items}
    folders = tuple(excerpt_folders)
    excerpts = own_excerpts(items, contents)
    recorded = _lines_of(folders, excerpts)
    # A frame of a traceback, a banner: a record of something else says it too, so it tells nothing.
    shared = _lines_of(folders, _other_excerpts(contents, excerpts)) if recorded else set()
    own += sorted(recorded - shared)
    lines = {_MARKUP.sub("", line.strip()).strip() for line in own}
    others = "\n".join(
        line
        for other in contents.cards
        if other.id not in ids and not (ids | names) & set(other.supersedes)
        for line in (other.title, *other.body.splitlines(), *(c.quote for c in other.evidence))
        if not names & {name.strip() for name in LINK.findall(line)}
    )
    # What other items are called is theirs, wherever this one names them.
    others += "".join(
        f"\n{other.name}\n{other.id}"
        for other in (*contents.cards, *contents.pages)
        if other.id not in ids
    )
    kept = {line for line in lines if len(line) >= SHORTEST and line not in others}
    rare = {token.strip(".:!?") for line in own for token in _TOKEN.findall(line)}
    kept |= {token for token in rare if _unusual(token) and token not in others}
    return Needles(tuple(sorted(kept)), tuple(p for p in phrases if p.strip()))


def own_excerpts(items: Sequence[Item], contents: BankContents) -> tuple[str, ...]:
    """The excerpts that no other item cites."""
    ids = {item.id for item in items}
    others = {
        cited.excerpt
        for other in (*contents.cards, *contents.pages)
        if other.id not in ids
        for cited in other.evidence
    }
    found = (cited.excerpt for item in items for cited in item.evidence)
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


def _unusual(token: str) -> bool:
    return any(c.isdigit() for c in token) and any(c.isalpha() for c in token)
