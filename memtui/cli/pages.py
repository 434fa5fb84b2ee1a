"""`memtui pages`: the pages of the bank, with what they rest on."""

from __future__ import annotations

import argparse

from memtui.bank.model import Page
from memtui.cli.cards import configure, remark_empty, select
from memtui.cli.command import OK, Context, answer
from memtui.cli.items import item_json, item_line
from memtui.workspace.model import ItemView

__all__ = ["configure", "run"]


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the list."""
    with context.open() as workspace:
        views = select(workspace.load().pages, arguments)
        remark_empty(context, workspace, views, "page")
    answer(context, [item_json(view) for view in views], map(_line, views))
    return OK


def _line(view: ItemView) -> str:
    cards = len(view.item.sources) if isinstance(view.item, Page) else 0
    behind = f", behind {view.behind}" if view.behind else ""
    return f"{item_line(view)}  ({cards} cards{behind})"
