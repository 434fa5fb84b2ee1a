"""Python processes of our own that are started in folders of others."""

from __future__ import annotations

import sys


def running(module: str) -> tuple[str, str, str]:
    """The start of a command that runs `main` of a module with the arguments that follow.

    It imports from where this process does. `python -m` would look first into the folder that it is
    started in, which is a project's: its own `json.py` would be run.
    """
    paths = f"import sys; sys.path[:] = {sys.path!r}; sys.argv[0] = 'memtui'"
    return sys.executable, "-c", f"{paths}; from {module} import main; sys.exit(main(sys.argv[1:]))"
