"""Every reason why a card or page is, or is not, before the agent: one list for pane, preview and log.

Plain strings and no imports, because the hook reads this module too.
"""

SHOWN = "shown"
OVER_BUDGET = "over budget"
OVER_LINES = "over lines"
OVER_LIMIT = "over host limit"
STALE = "stale"
RETIRED = "retired"
SUPERSEDED = "superseded"
DRIFTED = "drifted"
EXPIRED = "expired"
DISPUTED = "disputed"
UNCHECKED = "unchecked"
EXTERNAL = "external"
TYPE = "type"
SCOPE = "scope"
IN_CONTEXT = "already in this context"
TOMBSTONED = "tombstoned"
BEHIND = "behind"
EVIDENCE_GONE = "evidence gone"
EVIDENCE_CHANGED = "evidence changed"
CONFLICT = "conflict"
UNREADABLE = "unreadable"
SECRET = "secret"

ABSENT = (
    TOMBSTONED,
    CONFLICT,
    UNREADABLE,
    SECRET,
    RETIRED,
    SUPERSEDED,
    STALE,
    EXPIRED,
    DRIFTED,
    DISPUTED,
)
"""States that keep an item out of every injection, strongest first (an item shows its first)."""

UNLISTED = (SUPERSEDED, TOMBSTONED)
"""Computed states that also keep an active item out of `MEMORY.md`."""

WARNINGS = (BEHIND, EVIDENCE_CHANGED, EVIDENCE_GONE)
"""States that are shown but do not hold an item back."""

MEANING = {
    SHOWN: "will be sent",
    OVER_BUDGET: "its line does not fit in what is left of the token budget",
    OVER_LINES: "the line limit was reached before it",
    OVER_LIMIT: "its line would cross the host's own cap",
    STALE: "marked stale by a person",
    RETIRED: "retired by a person",
    SUPERSEDED: "another active card supersedes it",
    DRIFTED: "what it cites in the repository changed since it was last confirmed",
    EXPIRED: "its expiry date has passed",
    DISPUTED: "flagged since it was last confirmed",
    UNCHECKED: "nobody and nothing has checked it, and the unchecked section is full",
    EXTERNAL: "it came from outside (tool or web text) and no person has confirmed it",
    TYPE: "the policy does not inject this type",
    SCOPE: "it belongs to another project or branch",
    IN_CONTEXT: "this context already received the same line",
    TOMBSTONED: "it was purged",
    BEHIND: "cards it rests on changed since it was compiled",
    EVIDENCE_GONE: "the cited transcript no longer exists; the kept excerpt is shown",
    EVIDENCE_CHANGED: "the cited record no longer says what was cited",
    CONFLICT: "the file holds git conflict markers",
    UNREADABLE: "the file cannot be read as a memory file",
    SECRET: "its line would say something that the redaction rules mask",
}
