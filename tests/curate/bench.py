"""A small bank to curate, in either layout, and what tests compare."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui.bank.cards import render_card
from memtui.bank.load import identify, load
from memtui.bank.model import BankContents, Card, Event, Evidence, Item, Layout, Page, Scope, Status
from memtui.bank.pages import render_page
from memtui.curate.curator import Curator
from memtui.paths import Places

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
OLD = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)

CARDS = {
    "aaaaa2": ("pool-timeout", "Pool timeouts come from an unset ORDER_POOL_SIZE", "pitfall"),
    "bbbbb2": ("own-env", "Tests set their own environment in tests/__init__.py", "convention"),
    "ccccc2": ("port-8417", "The service listens on port 8417", "env"),
    "ddddd2": ("pool-hangs", "Pool timeouts come from ORDER_POOL_SIZE being unset", "pitfall"),
}
BODIES = {
    "aaaaa2": "Use when: order tests fail with a pool timeout.\n\nCause: the default of 0 lets every acquire "
    "time out.\nFix: export ORDER_POOL_SIZE=8 first. See [[own-env]].\n",
    "bbbbb2": "Use when: a test needs a variable.\n\nUse setdefault, never a shell profile.\n",
    "ccccc2": "Use when: you start the server.\n\nThe gateway owns 8080 everywhere.\n",
    "ddddd2": "Use when: acquire hangs.\n\nSet ORDER_POOL_SIZE=8.\n",
}


def card(item_id: str, name: str, title: str, kind: str, body: str, **more: object) -> Card:
    values: dict[str, object] = {
        "id": item_id,
        "name": name,
        "title": title,
        "type": kind,
        "body": body,
        "path": Path(f"{name}.md"),
        "digest": "",
        "tags": ("test",),
        "scope": Scope("svc-order"),
        "origin": "session",
        "author": "human",
        "created": OLD,
        "evidence": (Evidence(f"claude-code:s-{item_id}#r1", quote="seen"),),
    }
    return Card(**{**values, **more})  # type: ignore[arg-type]


@dataclass
class Bench:
    """One bank below `root`; the clock moves a second with each look."""

    root: Path
    layout: Layout = Layout.MEMTUI
    ticks: int = 0
    curators: list[Curator] = field(default_factory=list)

    @property
    def bank(self) -> Path:
        return self.root / "bank"

    @property
    def places(self) -> Places:
        return Places(*(self.root / name for name in ("config", "state", "cache", "data")))

    @property
    def state(self) -> Path:
        config, _ = identify(self.bank)
        return self.places.bank_state(config.id, self.bank)

    def build(self) -> Bench:
        """Write four cards, a page over three of them, and the index."""
        flat = self.layout is Layout.CLAUDE
        folder = self.bank if flat else self.bank / "cards"
        folder.mkdir(parents=True)
        for item_id, (name, title, kind) in CARDS.items():
            tags = () if flat else ("test",)
            made = card(item_id, name, title, kind, BODIES[item_id], tags=tags)
            (folder / f"{name}.md").write_text(render_card(made))
        index = [
            f"- [{title}]({'' if flat else 'cards/'}{name}.md) — hook\n"
            for name, title, _ in CARDS.values()
        ]
        if flat:
            (self.bank / "MEMORY.md").write_text("# Notes\n\nProse stays.\n" + "".join(index))
            return self
        (self.bank / "bank.toml").write_text(
            'format = 1\nid = "svc-order"\n\n[scope]\nproject = "svc-order"\n'
        )
        (self.bank / "pages").mkdir()
        (self.bank / "pages" / "red-suite.md").write_text(render_page(self.page()))
        head = "# svc-order\n\nProse stays.\n\n## Pages\n\n- [Get a red suite green](pages/red-suite.md) — 3 cards\n"
        (self.bank / "MEMORY.md").write_text(head + "\n## Cards\n\n" + "".join(index))
        return self

    def page(self) -> Page:
        body = (
            "## When\n\n- Order tests fail. [[pool-timeout]]\n\n## Steps\n\n1. Use setdefault. [[own-env]]\n"
            "2. Mind the port. [[port-8417]]\n"
        )
        return Page(
            id="ppppp2", name="red-suite", title="Get a red suite green", type="procedure", body=body,
            path=Path("red-suite.md"), digest="", scope=Scope("svc-order"), author="human", created=OLD,
            sources={"aaaaa2": "", "bbbbb2": "", "ccccc2": ""}, compiled_at=OLD, generation=1,
        )  # fmt: skip

    def clock(self) -> datetime:
        self.ticks += 1
        return NOW + timedelta(seconds=self.ticks)

    def curator(self, writer: str = "ada-laptop", by: str = "human") -> Curator:
        config, layout = identify(self.bank)
        made = Curator(self.bank, layout, config, self.places, writer, self.clock, by)
        self.curators.append(made)
        return made

    def close(self) -> None:
        for curator in self.curators:
            curator.close()

    def contents(self) -> BankContents:
        return load(self.bank, state=self.state)

    def item(self, word: str) -> Card | Page:
        contents = self.contents()
        items: list[Card | Page] = [*contents.cards, *contents.pages]
        return next(item for item in items if word in (item.id, item.name))

    def items(self, *words: str) -> list[Item]:
        return [self.item(word) for word in words]

    def cards(self, *words: str) -> list[Card]:
        return [item for item in self.items(*words) if isinstance(item, Card)]

    def events(self) -> tuple[Event, ...]:
        return self.contents().events

    def index(self) -> str:
        return (self.bank / "MEMORY.md").read_text()

    def files(self) -> dict[str, bytes]:
        """Every file of the bank, events aside, and the excerpts that lie in state."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for folder in (self.bank, self.state / "evidence")
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.parent.name != "events" and ".git" not in path.parts
        }

    def status(self, word: str) -> Status:
        return self.item(word).status
