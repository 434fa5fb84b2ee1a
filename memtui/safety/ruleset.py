"""The name of the redaction rules in force: another one means that what is stored was not audited yet.

Standard library and no `re`, because the session-start hook compares names.
"""

from __future__ import annotations

from memtui.safety.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BUILT_IN = "1-0d63dfaca227486d"
"""Number of the code in `redact.py`, and a digest of `secret_rules.py`. A test says when it is not true."""


def name_of(patterns: Sequence[str]) -> str:
    """The name of the built-in rules together with the user's own patterns."""
    if not patterns:
        return BUILT_IN
    own = sha256("\0".join(patterns).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{BUILT_IN}+{own}"
