"""Actions, keys and themes: one declaration, no clash, everything remappable."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from memtui.tui.actions import ACTIONS, bindings, footer_actions
from memtui.tui.docs.bars import footer_parts
from memtui.tui.docs.spans import plain
from memtui.tui.keys import KeyMap
from memtui.tui.services import osc52
from memtui.tui.themes import ThemeError, load_themes, read_theme, shipped, variable_defaults
from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle, text_of

PANES = ("sessions", "cards", "pages", "detail", "preview")


def test_ids_are_unique() -> None:
    ids = [action.id for action in ACTIONS]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("pane", PANES)
def test_no_key_means_two_things_in_one_place(pane: str) -> None:
    seen: dict[str, str] = {}
    for action in ACTIONS:
        if {pane, "list", "browse", "app"}.intersection(action.scopes):
            for key in action.keys.split(","):
                assert key not in seen, f"{key}: {seen.get(key)} and {action.id} in {pane}"
                seen[key] = action.id


def test_every_binding_has_its_id_and_a_tooltip() -> None:
    for scope in (*PANES, "list", "browse", "app"):
        for binding in bindings(scope):
            assert getattr(binding, "id", None)
            assert getattr(binding, "tooltip", None)


@pytest.mark.parametrize("pane", PANES)
@pytest.mark.parametrize(("width", "limit"), [(80, 7), (50, 4)])
def test_the_key_line_fits(pane: str, width: int, limit: int) -> None:
    scopes = (pane, "list", "browse", "app")
    assert len(footer_actions(scopes, limit)) <= limit
    parts = footer_parts(scopes, KeyMap(), width, limit, False)
    text = "  ".join(plain(part.spans) for part in parts)
    assert len(text) <= width
    assert "? help" in text


async def test_keys_are_remapped_by_the_settings(open_app: Open, sample: Sample) -> None:
    config = Path(sample.environ()["MEMTUI_CONFIG_HOME"])
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[keys]\n"pane-5" = "x"\n"no-such" = "z"\n')
    app = open_app()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        assert "no-such" in text_of(app)
        await pilot.press("x")
        await settle(pilot)
        assert app.focused is not None
        assert app.focused.id == "preview-list"


async def test_help_finds_and_runs(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark", *"next session", "enter")
        await settle(pilot)
        assert "1 Sessions" in text_of(app)
        await pilot.press("question_mark", *"go to 5", "enter")
        await settle(pilot)
        assert app.focused is not None
        assert app.focused.id == "preview-list"


async def test_the_palette_goes_to_a_card(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("colon", *"pool timeouts")
        await pilot.pause(0.5)
        await pilot.press("enter")
        await settle(pilot)
        assert "pool-timeout-unset-env" in text_of(app)


# Themes


def test_shipped_themes_set_every_variable() -> None:
    loaded = load_themes([shipped()])
    assert not loaded.faults
    assert {theme.name for theme in loaded.themes} == {
        "memtui-dark",
        "memtui-light",
        "memtui-contrast",
        "memtui-16",
    }
    for theme in loaded.themes:
        wanted = {name for name in variable_defaults(theme) if not name.endswith("-style")}
        assert wanted <= set(theme.variables), theme.name


def _contrast(one: str, other: str) -> float:
    def luminance(text: str) -> float:
        parts = [value / 255 for value in Color.parse(text).rgb]
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("name", "text", "quiet"),
    [("memtui-dark", 4.5, 3.5), ("memtui-light", 4.5, 3.5), ("memtui-contrast", 7.0, 7.0)],
)
def test_text_can_be_read(name: str, text: float, quiet: float) -> None:
    theme = next(theme for theme in load_themes([shipped()]).themes if theme.name == name)
    tones = [n for n in theme.variables if n.startswith(("trust", "state", "role", "diff"))]
    for ground in (str(theme.background), theme.variables["cursor"]):
        for tone in (*tones, "muted", "code", "link", "heading", "key", "cut"):
            assert _contrast(theme.variables[tone], ground) >= text, (tone, ground)
    assert _contrast(theme.variables["faint"], str(theme.background)) >= quiet


GOOD = 'name = "mine"\n[colors]\nprimary = "#336699"\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("name = ", "Invalid value"),
        ('name = "x"\n', "colors"),
        ('name = "x"\n[colors]\nprimary = "#zzz"\n', "colors.primary"),
        ('name = "x"\n[colors]\nprimary = "red"\nprimry = "red"\n', "primry"),
        (GOOD + '[variables]\nmuted = "two words"\n', "variables.muted"),
        (GOOD + '[variables]\ncursor-style = "loud"\n', "cursor-style"),
    ],
)
def test_a_broken_theme_names_its_fault(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "broken.toml").write_text(text)
    with pytest.raises(ThemeError, match=fault):
        read_theme(tmp_path / "broken.toml")
    loaded = load_themes([tmp_path])
    assert loaded.faults[0].startswith("broken.toml: ")


async def test_own_themes_beside_broken_ones(open_app: Open, sample: Sample) -> None:
    folder = Path(sample.environ()["MEMTUI_CONFIG_HOME"]) / "themes"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(GOOD)
    (folder / "bad.toml").write_text('name = "bad"\n[colors]\nprimary = "nope"\n')
    app = open_app(theme_name="mine")
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        assert app.theme == "mine"
        assert "bad.toml: colors.primary" in text_of(app)


async def test_a_theme_is_taken_over_as_it_is_saved(open_app: Open, sample: Sample) -> None:
    folder = Path(sample.environ()["MEMTUI_CONFIG_HOME"]) / "themes"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(GOOD)
    app = open_app(theme_name="mine", watches=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        (folder / "mine.toml").write_text(GOOD.replace("#336699", "#993366"))
        for _ in range(100):
            await pilot.pause(0.05)
            if app.theme_variables["primary"].lower() == "#993366":
                break
        assert app.theme_variables["primary"].lower() == "#993366"


async def test_the_theme_menu_shows_and_gives_back(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        before = app.theme
        await pilot.press("T", "j")
        await settle(pilot)
        assert app.theme != before
        await pilot.press("escape")
        await settle(pilot)
        assert app.theme == before


def test_osc52_passes_through_tmux() -> None:
    assert osc52("hi", {}) == "\x1b]52;c;aGk=\a"
    assert osc52("hi", {"TMUX": "1"}) == "\x1bPtmux;\x1b\x1b]52;c;aGk=\a\x1b\\"
