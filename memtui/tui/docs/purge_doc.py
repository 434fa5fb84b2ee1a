"""Every place that a purge erases, and the receipt of one that was done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memtui.curate.purge import PurgePlan, Receipt
from memtui.curate.purging.places import Place
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Blank, Block, Document, Fields, Heading, Prose, document
from memtui.tui.glyphs import Glyphs

_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
_KEPT = ("git", "transcripts")


@dataclass(frozen=True, slots=True)
class Folders:
    """Where a bank's parts lie, so that places are named by what they are and not by a long path."""

    root: Path
    state: Path
    cache: Path
    spool: Path

    def named(self, path: str) -> str:
        """`cards/x.md` in the bank, `state/ledger.db`, `cache`; any other path as it is."""
        for name, folder in (
            ("", self.root),
            ("state", self.state),
            ("cache", self.cache),
            ("spool", self.spool),
        ):
            if path == str(folder):
                return name or "the bank"
            if path.startswith(f"{folder}/"):
                rest = path.removeprefix(f"{folder}/")
                return f"{name}/{rest}" if name else rest
        return path


def purge_document(plan: PurgePlan, folders: Folders, glyphs: Glyphs) -> Document:
    """What holds the items, what happens to each place, and that nothing brings them back."""
    it = "it" if len(plan.items) == 1 else "them"
    blocks: list[Block] = [
        *(Prose(((line_of(item.title or item.name), "title"),)) for item in plan.items),
        Prose((
            (f"{glyphs.warning} A purge erases for good: undo will not bring {it} back.", "error"),
        )),
        Blank(),
        Heading(((f"{len(plan.places)} places hold {it}", "heading"),)),
        *_place_blocks((p for p in plan.places if p.kind not in _KEPT), folders, glyphs),
    ]  # fmt: skip
    kept = [place for place in plan.places if place.kind in _KEPT]
    if kept:
        blocks += [Blank(), Heading((("what memtui does not erase", "state-warn"),))]
        blocks += _place_blocks(kept, folders, glyphs)
    return document(f"purge:{plan.items[0].id}", "purge", blocks)


def receipt_document(receipt: Receipt, folders: Folders, glyphs: Glyphs) -> Document:
    """What was erased, what was scanned after it, and what still holds a byte of it."""
    mb = receipt.scanned_bytes / 1_000_000
    scanned = f"scanned {receipt.scanned_files} files, {mb:.1f} MB"
    if not receipt.remaining:
        verdict = (f"{glyphs.verified} 0 bytes of it found", "ok")
    elif receipt.clean:
        verdict = (f"{glyphs.verified} nothing that memtui keeps holds it", "ok")
    else:
        verdict = (f"{glyphs.warning} {len(receipt.remaining)} places still hold it", "error")
    blocks: list[Block] = [
        Prose(((f"purged {' '.join(receipt.items)}", "title"),)),
        Prose((verdict, (f"  {scanned}", "muted"))),
        Blank(),
        Heading(((f"{len(receipt.erased)} places erased", "heading"),)),
        *_place_blocks(receipt.erased, folders, glyphs),
    ]
    if receipt.remaining:
        blocks += [Blank(), Heading((("still there", "state-warn"),))]
        blocks += _place_blocks(receipt.remaining, folders, glyphs)
    return document(f"receipt:{receipt.act}", "receipt", blocks)


def _place_blocks(places: Iterable[Place], folders: Folders, glyphs: Glyphs) -> list[Block]:
    """`evidence  evidence/77ab...json  deleted`, each hanging under itself."""
    rows = tuple(
        (
            line_of(place.kind, 20),
            (
                (_short(folders.named(place.path), glyphs), "text"),
                (f"  {line_of(place.detail)}", "muted"),
            ),
        )
        for place in places
    )
    return [Fields(rows)]


def _short(path: str, glyphs: Glyphs) -> str:
    """A path whose name is a digest, with its first digits."""
    return line_of(_DIGEST.sub(lambda found: f"{found[1]}{glyphs.ellipsis}", path))
