"""`memtui mcp`: the memory tools for agents, over the Model Context Protocol on standard input and output."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from memtui.cli.command import ERROR, OK, CommandError, Context, no_bank


def configure(parser: argparse.ArgumentParser) -> None:
    """Whose calls these are, as far as the host can tell."""
    parser.add_argument("--host", default="mcp", help="the agent host that starts this server")
    parser.add_argument("--session", default="", help="the session, for the log (host:session)")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Serve until the client goes away. Exit code 2 without a bank or without the SDK."""
    if find_spec("mcp") is None:
        raise CommandError(
            "the MCP server needs the official SDK, which is not installed",
            "install memtui[mcp]: pip install 'memtui[mcp]'",
            ERROR,
        )
    if context.json:
        raise CommandError(
            "an MCP server has no other answer than its protocol", "leave --json out"
        )
    with context.open() as workspace:
        # An agent started this: only a person's opening lets hooks send a bank.
        workspace.agents.announces = False
        if workspace.bank_root is None:
            raise no_bank()
        from memtui.ledger.access import LedgerError
        from memtui.workspace.memory_server import serve_memory

        try:
            serve_memory(workspace, arguments.host, arguments.session)
        except (OSError, LedgerError) as error:
            raise CommandError(
                f"the memory tools cannot be served: {error}", "`memtui doctor` says what is wrong"
            ) from error
    return OK
