"""The user's own patterns of secrets as a hook finds them: no import where none are set."""

# A hook has no time for pathlib.
# ruff: noqa: PTH118, PTH123
from __future__ import annotations

import os

from memtui.agents.whereabouts import config_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "config.toml"
VARIABLE = "MEMTUI_REDACT_PATTERNS"
LIMIT = 1024 * 1024


def patterns_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The patterns, as `memtui.settings` reads them. Raises ValueError, or OSError for a file that
    cannot be read: what is not known to be clean is not sent.
    """
    said = environ.get(VARIABLE)
    if said is not None:
        return tuple(part for part in said.split(",") if part)
    try:
        with open(os.path.join(config_folder(environ), FILE), "rb") as stream:
            data = stream.read(LIMIT)
    except FileNotFoundError:
        return ()
    if b"redact" not in data:
        return ()
    import tomllib

    table = tomllib.loads(data.decode("utf-8")).get("redact", {})
    found = table.get("patterns", []) if isinstance(table, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ValueError(f"{FILE}: redact.patterns is no list of texts")
    return tuple(found)


def use_own_patterns(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The patterns; from now on this process masks what they match. Raises as `patterns_of`."""
    found = patterns_of(environ)
    if found:
        import re

        from memtui.safety.redact import use_patterns

        try:
            use_patterns(tuple(map(re.compile, found)))
        except re.error as error:
            raise ValueError(f"redact.patterns: {error}") from error
    return found
