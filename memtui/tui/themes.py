"""Themes as TOML files: the four that are shipped, and the user's own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
from textual.color import Color, ColorParseError
from textual.theme import Theme

DEFAULT = "memtui-dark"

_STYLES = frozenset(
    {"none", "bold", "dim", "italic", "reverse", "strike", "underline", "not", "b", "i", "u"}
)

_ANSI_GROUND = {"ansi-background": "ansi_default", "ansi-foreground": "ansi_default"}
"""What Textual's own style sheets ask of a theme in the terminal's colours."""


class ThemeError(ValueError):
    """A theme file that cannot be used; the text names the fault."""


class _Colors(msgspec.Struct, forbid_unknown_fields=True):
    primary: str
    secondary: str | None = None
    warning: str | None = None
    error: str | None = None
    success: str | None = None
    accent: str | None = None
    foreground: str | None = None
    background: str | None = None
    surface: str | None = None
    panel: str | None = None
    boost: str | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    colors: _Colors
    title: str = ""
    dark: bool = True
    ansi: bool = False
    variables: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Loaded:
    """The themes of some folders, and one sentence for every file that could not be used."""

    themes: tuple[Theme, ...]
    titles: Mapping[str, str]
    faults: tuple[str, ...]


def shipped() -> Path:
    """The folder of the themes that come with memtui: in the wheel, or at the root of a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / "themes"
    return installed if installed.is_dir() else package.parent / "themes"


def load_themes(folders: Iterable[Path]) -> Loaded:
    """All themes of the folders; a later one replaces an earlier one of the same name."""
    themes: dict[str, Theme] = {}
    titles: dict[str, str] = {}
    faults: list[str] = []
    for folder in folders:
        for path in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
            try:
                theme, title = read_theme(path)
            except ThemeError as error:
                faults.append(f"{path.name}: {error}")
                continue
            themes[theme.name] = theme
            titles[theme.name] = title
    return Loaded(tuple(themes.values()), titles, tuple(faults))


def read_theme(path: Path) -> tuple[Theme, str]:
    """The theme in a file, and its title. Raises `ThemeError`."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThemeError(str(error)) from error
    try:
        file = msgspec.convert(raw, _File)
    except msgspec.ValidationError as error:
        raise ThemeError(str(error)) from error
    colors = {name: value for name, value in msgspec.structs.asdict(file.colors).items() if value}
    for name, value in colors.items():
        _check_color(f"colors.{name}", value)
    for name, value in file.variables.items():
        _check_variable(f"variables.{name}", value)
    theme = Theme(
        name=file.name,
        dark=file.dark,
        ansi=file.ansi,
        variables=_ANSI_GROUND | file.variables if file.ansi else file.variables,
        **colors,
    )
    return theme, file.title or file.name


def _check_color(name: str, value: str) -> None:
    try:
        Color.parse(value)
    except ColorParseError as error:
        raise ThemeError(f"{name}: {value!r} is no colour") from error


def _check_variable(name: str, value: str) -> None:
    words = value.split()
    if name.endswith("-style"):
        unknown = [word for word in words if word not in _STYLES]
        if unknown or not words:
            raise ThemeError(f"{name}: {value!r} is no text style")
        return
    if len(words) == 2 and words[1].endswith("%"):
        words = words[:1]
    if len(words) != 1:
        raise ThemeError(f"{name}: {value!r} is no colour")
    _check_color(name, words[0])


def variable_defaults(theme: Theme) -> dict[str, str]:
    """Every variable that memtui's styles use, from the colours of a theme that knows none of them."""
    foreground = theme.foreground or ("#e0e0e0" if theme.dark else "#202020")
    background = theme.background or ("#121212" if theme.dark else "#f4f4f4")
    accent = theme.accent or theme.primary
    secondary = theme.secondary or theme.primary
    warning = theme.warning or theme.primary
    error = theme.error or secondary
    success = theme.success or secondary

    def mix(percent: float) -> str:
        if theme.ansi:
            return foreground
        ground = Color.parse(background)
        return ground.blend(Color.parse(foreground), percent, alpha=1).hex

    return {
        "muted": mix(0.68),
        "muted-style": "dim" if theme.ansi else "none",
        "faint": mix(0.48),
        "faint-style": "dim" if theme.ansi else "none",
        "pane-border": mix(0.25),
        "pane-border-focus": accent,
        "pane-title": mix(0.68),
        "pane-title-focus": background,
        "pane-title-focus-style": "bold",
        "bar": theme.surface or background,
        "cursor": mix(0.18),
        "cursor-style": "reverse" if theme.ansi else "none",
        "cursor-blurred": mix(0.09),
        "cursor-blurred-style": "underline" if theme.ansi else "none",
        "cursor-mark": accent,
        "mark": warning,
        "match": background,
        "match-background": warning,
        "match-style": "bold reverse" if theme.ansi else "bold",
        "heading": secondary,
        "key": accent,
        "trust-confirmed": success,
        "trust-checked": theme.primary,
        "trust-unchecked": mix(0.68),
        "trust-disputed": error,
        "state-warn": warning,
        "state-absent": error,
        "cut": warning,
        "role-prompt": theme.primary,
        "role-answer": foreground,
        "role-call": secondary,
        "role-note": mix(0.6),
        "role-error": error,
        "diff-add": success,
        "diff-remove": error,
        "diff-hunk": theme.primary,
        "code": warning,
        "link": theme.primary,
    }
