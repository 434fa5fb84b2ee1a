"""Every place that holds what is purged, found before anything is erased."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.bank.events import event_files
from memtui.bank.layout import INDEX
from memtui.bank.model import BankContents, Item
from memtui.curate.create import in_git
from memtui.curate.curator import Curator
from memtui.curate.files import path_of
from memtui.curate.purging.needles import Needles, own_excerpts, unpacked
from memtui.curate.purging.progress import Step, Tell, untold
from memtui.index.states import key_of
from memtui.ledger.access import LEDGER_NAME

GIT_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Place:
    """One place that holds it. `kind` is file, index line, page, card, events, ledger, evidence,
    archive, weights, spool, state, cache, git or transcripts; `detail` says what happens there."""

    kind: str
    path: str
    detail: str


@dataclass(frozen=True, slots=True)
class Quoting:
    """Items whose text quotes or links the purged ones."""

    cards: tuple[Item, ...]
    pages: tuple[Item, ...]


def places_of(
    curator: Curator,
    items: Sequence[Item],
    contents: BankContents,
    needles: Needles,
    tell: Tell = untold,
) -> Iterator[Place]:
    """The places, in the order in which they are erased; the items' own files come last."""
    looks: tuple[tuple[str, Callable[[], Iterator[Place]]], ...] = (
        ("cards and pages", lambda: _in_texts(curator, items, contents, needles)),
        ("the events", lambda: _in_events(curator, items, needles)),
        ("the evidence", lambda: _in_evidence(curator, items, contents)),
        ("archive, weights, spool and state", lambda: _in_folders(curator, items, needles)),
        ("the history of git", lambda: git_places(curator, items, needles)),
    )
    for done, (what, look) in enumerate(looks):
        tell(Step(f"looking at {what}", done, len(looks)))
        yield from look()
    for item in items:
        yield Place("file", path_of(curator, item), "deleted")


def _in_texts(
    curator: Curator, items: Sequence[Item], contents: BankContents, needles: Needles
) -> Iterator[Place]:
    quoting = quoting_items(items, contents, needles)
    for page in quoting.pages:
        yield Place("page", path_of(curator, page), "its claims and citations are taken out")
    for card in quoting.cards:
        yield Place("card", path_of(curator, card), "what it quotes is masked")
    index = curator.read(INDEX) or b""
    if needles.in_bytes(index) or any(path_of(curator, item).encode() in index for item in items):
        yield Place("index line", INDEX, "the line is removed")


def _in_events(curator: Curator, items: Sequence[Item], needles: Needles) -> Iterator[Place]:
    keys = [key_of(item).encode() for item in items]
    for path in event_files(curator.files.events):
        data = path.read_bytes()
        if any(key in data for key in keys) or needles.in_bytes(data):
            what = "rows stay (who, when, which verb), their content goes"
            yield Place("events", str(path), what)
    ledger = str(curator.state / LEDGER_NAME)
    yield Place("ledger", ledger, "undo bytes and what was shown are erased")


def _in_evidence(
    curator: Curator, items: Sequence[Item], contents: BankContents
) -> Iterator[Place]:
    for digest in own_excerpts(items, contents):
        for folder in excerpt_folders(curator):
            if (folder / f"{digest}.json").exists():
                yield Place("evidence", str(folder / f"{digest}.json"), "deleted")


def quoting_items(items: Sequence[Item], contents: BankContents, needles: Needles) -> Quoting:
    """Other items that hold their text, link to them or rest on them."""
    ids, names = {item.id for item in items}, {item.name for item in items}

    def quotes(other: Item) -> bool:
        text = f"{other.title}\n{other.body}\n" + "\n".join(c.quote for c in other.evidence)
        linked = bool(names & set(other.links)) or bool((ids | names) & set(other.supersedes))
        return other.id not in ids and (linked or needles.in_text(text))

    pages = tuple(
        p for p in contents.pages if p.id not in ids and (ids & set(p.sources) or quotes(p))
    )
    return Quoting(tuple(filter(quotes, contents.cards)), pages)


def excerpt_folders(curator: Curator) -> tuple[Path, ...]:
    """Where excerpts lie: with the bank, and in state."""
    return tuple(dict.fromkeys((curator.files.evidence, curator.state / "evidence")))


def own_archive(curator: Curator, items: Sequence[Item], needles: Needles) -> list[Path]:
    """Archived files of the items, compressed or not."""
    own = {word for item in items for word in (item.name, item.id)}
    found = []
    for path in files_in(curator.files.archive):
        data = unpacked(path)
        if path.name.split(".")[0] in own or needles.in_bytes(data):
            found.append(path)
    return found


def holding_files(folder: Path, needles: Needles) -> list[Path]:
    """Files below a folder that hold the text."""
    return [path for path in files_in(folder) if needles.in_bytes(unpacked(path))]


def files_in(folder: Path) -> Iterator[Path]:
    """Every file below a folder, git's own aside."""
    if folder.is_dir():
        for path in sorted(folder.rglob("*")):
            if path.is_file() and ".git" not in path.relative_to(folder).parts:
                yield path


def git_places(curator: Curator, items: Sequence[Item], needles: Needles) -> Iterator[Place]:
    """The repository's history, where it holds the files or their text."""
    git = shutil.which("git")
    if git is None or not in_git(curator.root):
        return
    run = [git, "-C", str(curator.root), "log", "--all", "--format=%h"]
    commits = set(_lines([*run, "--", *(str(item.path) for item in items)]))
    for needle in needles.all[: 5 * len(items)]:
        commits |= set(_lines([*run, f"-S{needle}", "--", "."]))
    if commits:
        detail = (
            f"{len(commits)} commits hold it (such as {min(commits)}); memtui does not rewrite history: "
            "`git filter-repo --invert-paths --path FILE`, then every clone must be made again"
        )
        yield Place("git", str(curator.root), detail)


def _in_folders(curator: Curator, items: Sequence[Item], needles: Needles) -> Iterator[Place]:
    for path in own_archive(curator, items, needles):
        yield Place("archive", str(path), "deleted")
    for path in holding_files(curator.root / "weights", needles):
        trained = path.suffix in (".jsonl", ".txt", ".md", ".json")
        detail = "its lines are removed" if trained else "trained on it: retrain without"
        yield Place("weights", str(path), detail)
    for path in holding_files(curator.places.spool, needles):
        yield Place("spool", str(path), "deleted")
    for path in state_files(curator):
        if needles.in_bytes(path.read_bytes()):
            yield Place("state", str(path), "its lines are removed")
    if curator.cache.exists():
        what = "index, full text and vectors are deleted and rebuilt"
        yield Place("cache", str(curator.cache), what)


def state_files(curator: Curator) -> Iterator[Path]:
    """Files of the bank's state folder that are neither ledger, lock, event nor excerpt."""
    own = {curator.state / "evidence", curator.files.events, curator.files.archive}
    for path in files_in(curator.state):
        known = path.name.startswith(LEDGER_NAME) or path.suffix == ".lock"
        if not known and not own & set(path.parents):
            yield path


def _lines(command: list[str]) -> list[str]:
    """The lines that git prints. Raises OSError when it fails: a history not looked at is not clean."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=GIT_SECONDS, check=True
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise OSError(f"git history could not be searched: {error}") from error
    return done.stdout.split()
