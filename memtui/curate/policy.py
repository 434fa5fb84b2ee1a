"""Changing one table of `bank.toml`: comments, order and everything else in the file stay."""

from __future__ import annotations

from collections.abc import Mapping

from memtui.curate.act import Act, ActResult, CurateError, FileChange
from memtui.curate.acts import perform
from memtui.curate.curator import Curator

ITEM = "bank:policy"


def set_table(curator: Curator, table: str, values: Mapping[str, object], title: str) -> ActResult:
    """Make `table` hold these values and nothing else; keys that keep their value keep their comment.

    `title` is what the log calls it. Raises CurateError when there is nothing to change or the file
    cannot be read, OSError.
    """

    def build(_act_id: str) -> Act:
        path = curator.relative(curator.files.config)
        base = curator.read(path)
        new = _changed(base or b"", table, values)
        if new == base:
            raise CurateError(f"the bank's {table} settings are these already")
        event = curator.event("act", "policy", ITEM, title=title, data={"table": table})
        summary = f"saved to {curator.files.config.name}: {title}"
        return Act("policy", (ITEM,), title, summary, (FileChange(path, base, new),), (event,))

    return perform(curator, build)


def _changed(base: bytes, table: str, values: Mapping[str, object]) -> bytes:
    # Only this verb needs it, and it takes 60 ms to import.
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(base.decode("utf-8"))
    except (UnicodeDecodeError, TOMLKitError) as error:
        raise CurateError(f"bank.toml cannot be read: {error}", "correct it by hand") from error
    held = document.get(table)
    if held is None:
        held = tomlkit.table()
        if document.as_string().strip():
            document.add(tomlkit.nl())
        document.add(table, held)
    elif not isinstance(held, dict):
        raise CurateError(f"{table} in bank.toml is no table", "correct it by hand")
    for key in [key for key in held if key not in values]:
        del held[key]
    for key, value in values.items():
        if key not in held or held[key] != value:
            held[key] = value
    return document.as_string().encode("utf-8")
