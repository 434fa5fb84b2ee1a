"""Settings: the file, the environment over it, and mistakes named with where, what and what was wanted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memtui.settings import Settings, SettingsError, compiled_patterns, explain, load_settings

EVERYTHING = """
[ui]
theme = "memtui-light"
ascii = true
mouse = false
[inject]
host = "codex"
source = "compact"
[hosts]
enabled = ["claude-code", "codex"]
home = "/srv/home"
[editor]
command = "nvim -u NONE"
[watch]
polling = true
debounce_ms = 200
[redact]
patterns = ["ACME-[0-9]{6}"]
[keys]
quit = "ctrl+q"
"""


def load(tmp_path: Path, text: str = "", **environ: str) -> Settings:
    (tmp_path / "config.toml").write_text(text)
    return load_settings(tmp_path, environ)


def test_without_a_file_everything_has_a_default(tmp_path: Path) -> None:
    found = load_settings(tmp_path / "absent", {})
    assert found == Settings()
    assert (found.ui.theme, found.ui.mouse, found.ui.animations, found.watch.debounce_ms) == (
        "memtui-dark",
        True,
        False,
        50,
    )
    assert (found.inject.host, found.inject.source) == ("claude-code", "startup")
    assert (found.theme, found.ascii) == ("memtui-dark", False)


def test_the_file_is_read(tmp_path: Path) -> None:
    found = load(tmp_path, EVERYTHING)
    assert (found.theme, found.ascii, found.ui.mouse) == ("memtui-light", True, False)
    assert found.hosts.enabled == ("claude-code", "codex")
    assert found.keys == {"quit": "ctrl+q"}
    (pattern,) = compiled_patterns(found)
    assert pattern.search("see ACME-123456")


@pytest.mark.parametrize(
    ("name", "text", "section", "key", "value"),
    [
        ("MEMTUI_UI_THEME", "x", "ui", "theme", "x"),
        ("MEMTUI_UI_ASCII", "true", "ui", "ascii", True),
        ("MEMTUI_UI_MOUSE", "0", "ui", "mouse", False),
        ("MEMTUI_WATCH_DEBOUNCE_MS", "75", "watch", "debounce_ms", 75),
        ("MEMTUI_HOSTS_ENABLED", "codex,gemini-cli", "hosts", "enabled", ("codex", "gemini-cli")),
        ("MEMTUI_HOSTS_ENABLED", "", "hosts", "enabled", ()),
        ("NO_COLOR", "1", "ui", "color", False),
        ("NO_COLOR", "", "ui", "color", True),
    ],
)
def test_the_environment_wins(
    tmp_path: Path, name: str, text: str, section: str, key: str, value: Any
) -> None:
    found = load(tmp_path, EVERYTHING, **{name: text})
    assert getattr(getattr(found, section), key) == value


@pytest.mark.parametrize(
    ("text", "environ", "parts"),
    [
        ("[ui]\nmouse = 'maybe'", {}, ("config.toml", "ui.mouse", "bool")),
        ("[ui]\ncolour = true", {}, ("config.toml", "colour", "ui")),
        ("[interface]", {}, ("config.toml", "interface")),
        ("ui = 1", {}, ("config.toml", "ui", "object")),
        ("[watch]\ndebounce_ms = 1.5", {}, ("config.toml", "watch.debounce_ms", "int")),
        ("[hosts]\nenabled = 7", {}, ("config.toml", "hosts.enabled", "array")),
        ("[redact]\npatterns = ['(']", {}, ("redact.patterns", "(")),
        ("= broken", {}, ("config.toml", "cannot be read")),
        ("", {"MEMTUI_WATCH_DEBOUNCE_MS": "soon"}, ("MEMTUI_WATCH_DEBOUNCE_MS", "int")),
        ("", {"MEMTUI_UI_ASCII": "maybe"}, ("MEMTUI_UI_ASCII", "bool")),
        ("[watch]\ndebounce_ms = -1", {}, ("config.toml", "watch.debounce_ms", ">= 0")),
    ],
)
def test_mistakes_are_named(
    tmp_path: Path, text: str, environ: dict[str, str], parts: tuple[str, ...]
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, text, **environ)
    for part in parts:
        assert part in str(caught.value)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path, {})


def test_explain_says_where_each_value_came_from(tmp_path: Path) -> None:
    environ = {"MEMTUI_UI_THEME": "x", "NO_COLOR": "1"}
    found = load(tmp_path, EVERYTHING, **environ)
    rows = {key: (value, origin) for key, value, origin in explain(found, tmp_path, environ)}
    file = str(tmp_path / "config.toml")
    assert rows["ui.theme"] == ("x", "MEMTUI_UI_THEME")
    assert rows["ui.color"] == (False, "NO_COLOR")
    assert rows["ui.ascii"] == (True, file)
    assert rows["ui.animations"] == (False, "default")
    assert rows["keys.quit"] == ("ctrl+q", file)


def test_importing_settings_is_light() -> None:
    code = (
        "import sys; import memtui.settings;"
        "print([m for m in ('textual', 'rich', 'pydantic', 'sqlmodel', 'asyncio') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
