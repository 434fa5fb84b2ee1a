"""A start: painted before anything is read, style sheets parsed once, the process tuned."""

from __future__ import annotations

import subprocess

import pytest
from textual.css.stylesheet import StylesheetParseError
from textual.screen import Screen

from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.sheet import KeptSheet
from tests.tui.conftest import Open, settle


async def test_nothing_is_read_before_the_first_frame_is_out(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    display, begin = MemtuiApp._display, BrowseScreen.begin

    def displayed(app: MemtuiApp, screen: Screen[None], frame: object) -> None:
        display(app, screen, frame)  # type: ignore[arg-type]
        if frame is not None and not app._batch_count and isinstance(screen, BrowseScreen):
            happened.append("frame")

    def begun(screen: BrowseScreen) -> None:
        happened.append("begin")
        begin(screen)

    monkeypatch.setattr(MemtuiApp, "_display", displayed)
    monkeypatch.setattr(BrowseScreen, "begin", begun)
    async with open_app().run_test(size=(120, 40)) as pilot:
        await settle(pilot)
    assert happened[0] == "frame"
    assert happened.count("begin") == 1


async def test_a_first_scan_that_told_nothing_on_its_way_ends_at_the_newest_turn(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BrowseScreen, "_tell", lambda screen, progress: None)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        rows = app.browse.sessions_list
        assert len(rows) > 100
        assert rows.at_end


def test_what_was_parsed_is_kept_until_a_variable_changes() -> None:
    sheet = KeptSheet(variables={"c": "red"})
    sheet.add_source("A { color: $c; }", ("a", ""))
    sheet.parse()
    (first,) = sheet.rules
    sheet.add_source("B { color: $c; }", ("b", ""))
    sheet.set_variables({"c": "red"})
    sheet.reparse()
    assert sheet.rules[0] is first
    assert len(sheet.rules) == 2
    sheet.set_variables({"c": "blue"})
    sheet.reparse()
    assert [rule.styles.color.hex for rule in sheet.rules] == ["#0000FF", "#0000FF"]


def test_a_source_that_cannot_be_parsed_leaves_the_rules_as_they_were() -> None:
    sheet = KeptSheet(variables={})
    sheet.add_source("A { color: red; }", ("a", ""))
    sheet.parse()
    before = list(sheet.rules)
    sheet.add_source("B { no-such: 1; }", ("b", ""))
    with pytest.raises(StylesheetParseError):
        sheet.reparse()
    sheet.reparse()
    assert sheet.rules == before


async def test_a_theme_is_not_parsed_twice(open_app: Open) -> None:
    app = open_app(theme_name="memtui-light")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert app.stylesheet._variables == app.get_css_variables()
        rule = app.stylesheet.rules[0]
        await pilot.press("question_mark")
        await settle(pilot)
        assert app.stylesheet.rules[0] is rule
        app.theme = "memtui-dark"
        await settle(pilot)
        assert app.stylesheet.rules[0] is not rule


def test_only_a_tuned_process_keeps_what_was_read(python: str) -> None:
    code = (
        "import gc, sys; from memtui.tui.process import begin, keep, tune; keep(); "
        "print(gc.get_freeze_count()); begin(); tune(); first = gc.get_freeze_count(); "
        "read = [[number] for number in range(9999)]; keep(); "
        "print(sys.getswitchinterval() < 0.001, first > 0, gc.get_freeze_count() - first > 9999, "
        "gc.isenabled())"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "True", "True", "True", "True"]
