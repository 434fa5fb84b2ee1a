"""The ranking that a bank chose: the table `[recall]` of its `bank.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from memtui.recall.model import DEFAULTS, Note, Settings
from memtui.recall.scoring import clamp

TABLE = "recall"


def read_policy(config: Path) -> tuple[Settings, tuple[Note, ...]]:
    """The bank's settings, and a note for everything in the table that cannot be used.

    A missing file or table gives the defaults. Never raises.
    """
    try:
        values = tomllib.loads(config.read_text("utf-8")).get(TABLE, {})
    except FileNotFoundError:
        return DEFAULTS, ()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return DEFAULTS, (Note("policy", f"{config.name} cannot be read: {error}", "correct it"),)
    if not isinstance(values, dict):
        return DEFAULTS, (_note(f"{TABLE} is no table"),)
    found, notes = DEFAULTS, []
    for key, value in values.items():
        try:
            found = _with(found, key, value)
        except (TypeError, ValueError) as error:
            notes.append(_note(str(error)))
    return clamp(found), tuple(notes)


def changed_values(settings: Settings) -> dict[str, Any]:
    """What of the settings is not the default, as it stands in the table."""
    default = DEFAULTS.to_dict()
    values = {key: value for key, value in settings.to_dict().items() if value != default[key]}
    return {key: str(value) if isinstance(value, str) else value for key, value in values.items()}


def _with(settings: Settings, key: str, value: object) -> Settings:
    if key not in Settings.__dataclass_fields__:
        raise ValueError(f"{key} is no setting of {TABLE}")
    default = getattr(DEFAULTS, key)
    if key == "budget":
        fits = isinstance(value, int) and not isinstance(value, bool)
    elif isinstance(default, bool):
        fits = isinstance(value, bool)
    elif isinstance(default, str):
        return Settings.from_dict({**settings.to_dict(), key: value})
    elif isinstance(default, int):
        fits = isinstance(value, int) and not isinstance(value, bool)
    else:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        value = float(value) if isinstance(value, int | float) else value
    if not fits:
        raise TypeError(f"{key} is {value!r}, which is no value for it")
    return Settings.from_dict({**settings.to_dict(), key: value})


def _note(what: str) -> Note:
    return Note("policy", f"bank.toml: [{TABLE}] {what}", "correct it; the default is used")
