"""A style sheet that is parsed once for a theme."""

from __future__ import annotations

from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet

_SOURCES = 1024
"""More than all style sheets of all screens and widgets: what is parsed stays."""


class KeptSheet(Stylesheet):
    """Keeps what it parsed until a variable changes.

    Textual's own parses every source anew for each screen that brings one more, and for a theme that
    is the one it has already.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(_SOURCES)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take other variables. The same ones change nothing."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Parse what is new. Raises StylesheetError, and keeps the rules that it had."""
        self.parse()
