"""Small banks on disk for the tests of this folder."""

from __future__ import annotations

from pathlib import Path


def memory(name: str, item_id: str = "", extra: str = "", body: str = "Body.\n") -> str:
    """A memory file of memtui's shape; without `item_id` it carries no id."""
    own = f"  id: {item_id}\n" if item_id else ""
    return f"---\nname: {name}\ndescription: Title of {name}\nmetadata:\n{own}  type: fact\n{extra}---\n{body}"


def memtui_bank(root: Path, **cards: str) -> Path:
    """A bank in memtui's layout with one card for each name -> id."""
    for folder in ("cards", "pages", "events"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "bank.toml").write_text('format = 1\nid = "svc-order"\n')
    for name, item_id in cards.items():
        (root / "cards" / f"{name}.md").write_text(memory(name, item_id))
    return root


def tree_bytes(root: Path) -> dict[str, bytes]:
    """Every file below `root` with its bytes."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
