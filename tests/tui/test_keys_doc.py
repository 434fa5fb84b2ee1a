"""`docs/keys.md` says what the action registry says."""

from __future__ import annotations

import os
from pathlib import Path

from memtui.tui.actions import ACTIONS
from memtui.tui.keys import KeyMap

PAGE = Path(__file__).resolve().parents[2] / "docs" / "keys.md"
HEAD = """# Keys

Every key by its place; `?` shows the same in the app, searchable. Remap any of them by its id in
`config.toml`:

```toml
[keys]
"budget-up" = "plus"
```
"""


def render() -> str:
    """The page as the registry has it."""
    keymap = KeyMap()
    lines = [HEAD]
    for group in dict.fromkeys(action.group for action in ACTIONS):
        lines += [f"## {group}", "", "| key | what it does | id |", "|---|---|---|"]
        for action in ACTIONS:
            if action.group == group:
                keys = " ".join(f"`{key}`" for key in keymap.all_shown(action).split())
                lines.append(
                    f"| {keys.replace('|', chr(92) + '|')} | {action.help} | `{action.id}` |"
                )
        lines.append("")
    return "\n".join(lines)


def test_the_page_is_what_the_registry_says() -> None:
    if os.environ.get("WRITE_DOCS"):
        PAGE.write_text(render(), "utf-8")
    assert PAGE.read_text("utf-8") == render()
