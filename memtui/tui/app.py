"""The app: themes, keys, views, and the outside world."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual import events
from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input

from memtui.tui.actions import BY_ID, bindings
from memtui.tui.commands import ActionCommands, ItemCommands
from memtui.tui.glyphs import glyph_set
from memtui.tui.jobs import JobDone, JobFailed
from memtui.tui.keys import KeyMap
from memtui.tui.places import ProjectsPlace
from memtui.tui.ports import Core
from memtui.tui.screens.ask import AskScreen
from memtui.tui.screens.help import HelpScreen
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.view import Severity, ViewScreen
from memtui.tui.services import (
    Clipboard,
    Editor,
    Pager,
    ServiceError,
    SystemClipboard,
    SystemEditor,
    SystemPager,
    osc52,
)
from memtui.tui.sheet import KeptSheet
from memtui.tui.themes import DEFAULT, load_themes, shipped, variable_defaults
from memtui.tui.tones import COMPONENTS
from memtui.tui.upkeep import SleepTold, UpkeepJobs
from memtui.tui.views import VIEWS

if TYPE_CHECKING:
    from memtui.tui.screens.browse import BrowseScreen
    from memtui.workspace.model import ItemView


@runtime_checkable
class Unsaved(Protocol):
    """A screen with a text that may not be saved yet."""

    @property
    def unsaved(self) -> bool:
        """Whether something would be lost."""
        ...

    def action_leave(self) -> None:
        """Ask, then leave."""
        ...


class MemtuiApp(App[None]):
    """Browse and curate what coding agents remember."""

    TITLE = "memtui"
    CSS_PATH = ["styles/tones.tcss", "app.tcss"]
    # Kept once by the app: for each widget that draws toned lines they would be found anew.
    COMPONENT_CLASSES = set(COMPONENTS)
    BINDINGS = bindings("app")
    COMMANDS = {ActionCommands, ItemCommands}
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (80, "-normal"), (120, "-wide"), (180, "-ultra")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-short"), (28, "-tall")]
    PAUSE_GC_ON_SCROLL = True

    def __init__(
        self,
        core: Core,
        *,
        ascii_only: bool = False,
        theme_name: str | None = None,
        clipboard: Clipboard | None = None,
        editor: Editor | None = None,
        pager: Pager | None = None,
        watches: bool = True,
        first: Callable[[Core], Screen[None]] | None = None,
    ) -> None:
        self.core = core
        self.ascii_only = ascii_only or core.settings.ascii
        self.glyphs = glyph_set(self.ascii_only)
        self.keymap = KeyMap(core.settings.keys)
        self.watches = watches
        self._first = first or VIEWS[0].make
        self.clipboard_tool: Clipboard = clipboard or SystemClipboard()
        self.editor: Editor = editor or SystemEditor(core.settings.editor.command)
        self.pager: Pager = pager or SystemPager()
        self.projects_place = ProjectsPlace()
        self.from_projects = False
        """Whether this project was opened from the list of all, to which Esc then leads back."""
        self.theme_titles: dict[str, str] = {}
        self._wanted_theme = theme_name or core.settings.theme or DEFAULT
        self._clashes: set[str] = set()
        self._kept: dict[str, Screen[None]] = {}
        if not core.settings.ui.color:
            os.environ["NO_COLOR"] = "1"  # read, and taken away again, by Textual
        super().__init__()
        self._theme_faults = self._load_themes()
        start = self.get_theme(self._wanted_theme) or self.available_themes[DEFAULT]
        self.stylesheet = KeptSheet(variables=self._variables_of(start))
        self.upkeep = UpkeepJobs(self)
        if not core.settings.ui.animations:
            self.animation_level = "none"

    def on_mount(self) -> None:
        """Take over theme and keys, then open the first view."""
        self._tell_theme_faults()
        if self._wanted_theme in self.available_themes:
            self.theme = self._wanted_theme
        else:
            self.theme = DEFAULT
            self.tell(f"there is no theme {self._wanted_theme!r}; T lists them", "warning")
        self.set_class(self.ascii_only, "-ascii")
        if self.keymap.keymap:
            self.set_keymap(self.keymap.keymap)
        if self.keymap.unknown:
            names = ", ".join(self.keymap.unknown)
            self.tell(f"the settings remap keys that do not exist: {names}", "warning")
        self.push_screen(self._first(self.core))
        if self.watches and self._theme_folder.is_dir():
            self.run_worker(
                self._watch_themes(), exclusive=True, group="themes", exit_on_error=False
            )

    def when_painted(self, screen: Screen[None], call: Callable[[], None]) -> None:
        """Call when this screen was really painted.

        At the start nothing reaches the terminal before the app serves its first own message, and what
        works until then competes with the first frame.
        """
        self.call_later(screen.call_after_refresh, call)

    def tell(self, text: str, severity: Severity = "information") -> None:
        """A toast of literal text."""
        seconds = 4 if severity == "information" else 12
        self.notify(text, severity=severity, markup=False, timeout=seconds)

    # Themes

    @property
    def _theme_folder(self) -> Path:
        return self.core.config_folder / "themes"

    def _load_themes(self) -> tuple[str, ...]:
        """Register the themes of the files; one sentence for every file that could not be used."""
        loaded = load_themes((shipped(), self._theme_folder))
        for theme in loaded.themes:
            self.register_theme(theme)
        self.theme_titles = dict(loaded.titles)
        return loaded.faults

    def _tell_theme_faults(self) -> None:
        if self._theme_faults:
            self.tell("\n".join(self._theme_faults), "warning")

    def _variables_of(self, theme: Theme) -> dict[str, str]:
        """What `get_css_variables` says under a theme."""
        system = theme.to_color_system().generate()
        return {**variable_defaults(theme), **system, **theme.variables}

    async def _watch_themes(self) -> None:
        """Take over edits of the user's themes as they are saved."""
        from watchfiles import awatch

        async for _ in awatch(self._theme_folder, debounce=200, step=20):
            self._theme_faults = self._load_themes()
            self._tell_theme_faults()
            self.refresh_css(animate=False)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """memtui's variables for themes that do not set them."""
        return variable_defaults(self.current_theme)

    def choose_theme(self, name: str) -> None:
        """Switch to a theme."""
        self.theme = name

    def action_theme_menu(self) -> None:
        """Choose a theme; the screen shows each one as the cursor passes it."""
        before = self.theme
        choices = [
            Choice(name, title, chosen=name == before) for name, title in self.theme_titles.items()
        ]

        def chosen(name: str | None) -> None:
            self.theme = name or before

        self.push_screen(MenuScreen("Theme", choices, on_move=self.choose_theme), chosen)

    # Keys

    def handle_bindings_clash(self, clashed_bindings: set[Binding], node: DOMNode) -> None:
        """Say once which keys the settings give to two actions."""
        names = ", ".join(sorted(binding.id or binding.action for binding in clashed_bindings))
        if names and names not in self._clashes:
            self._clashes.add(names)
            self.tell(f"the settings give one key to two actions; lost: {names}", "warning")

    def on_key(self, event: events.Key) -> None:
        """A key typed so fast that it still went to a list belongs to what opened meanwhile."""
        screen = self.screen
        field = screen.focused
        if isinstance(screen, MenuScreen | AskScreen) and screen.take_key(event.character):
            event.prevent_default()
        elif isinstance(field, Input) and event.is_printable and event.character:
            event.prevent_default()
            field.insert_text_at_cursor(event.character)

    async def action_quit(self) -> None:
        """Leave; a text that is not saved is asked about first."""
        editors = [screen for screen in self.screen_stack if isinstance(screen, Unsaved)]
        unsaved = next((screen for screen in editors if screen.unsaved), None)
        if unsaved is None:
            self.exit()
        elif unsaved is self.screen:
            unsaved.action_leave()
        else:
            self.tell("the draft is not saved: go back to it first", "warning")

    async def run_by_id(self, name: str) -> None:
        """Run an action of the registry as if its key had been pressed."""
        action = BY_ID[name]
        place, _, rest = action.run.rpartition(".")
        if place == "screen" and not hasattr(self.screen, f"action_{rest.partition('(')[0]}"):
            self.tell(f"{action.label} is a key of {action.group}: go there first", "warning")
            return
        target = self.screen.focused or self.screen
        await self.run_action(action.run, default_namespace=target)

    def action_help(self) -> None:
        """Show every key; the chosen one runs when the list is gone."""
        screen = self.screen
        here = frozenset(screen.scopes()) if isinstance(screen, ViewScreen) else frozenset()

        def chosen(name: str | None) -> None:
            if name is not None:
                self.call_after_refresh(partial(self.run_by_id, name))

        self.push_screen(HelpScreen(self.keymap, here, self.ascii_only), chosen)

    def action_view(self, name: str) -> None:
        """Go to a view. Browse stays below the others: it keeps the bank up to date for all of them."""
        shown, first = self._shown_view(), VIEWS[0]
        if shown in ("", name):
            return
        if self.find_browse() is None:
            self.switch_screen(first.make(self.core))
        elif shown != first.name:
            self.pop_screen()
        if name != first.name:
            browse = self.find_browse()
            if browse is not None:
                browse.trail.forget(name)
            self.push_screen(self._view_screen(name))

    def _view_screen(self, name: str) -> Screen[None]:
        """The screen of a view: a new one, or the one that was kept."""
        if name in self._kept:
            return self._kept[name]
        view = next(view for view in VIEWS if view.name == name)
        screen = view.make(self.core)
        if view.keep:
            self._kept[name] = screen
            self.install_screen(screen, name)
        return screen

    def find_browse(self) -> BrowseScreen | None:
        """The Browse view, shown or below the one that is; None beside a running agent."""
        from memtui.tui.screens.browse import BrowseScreen

        screens = self.screen_stack
        return next((screen for screen in screens if isinstance(screen, BrowseScreen)), None)

    def _shown_view(self) -> str:
        return self.screen.VIEW if isinstance(self.screen, ViewScreen) else ""

    @property
    def browse(self) -> BrowseScreen:
        """The Browse view, which every view but the watch view stands on."""
        found = self.find_browse()
        assert found is not None
        return found

    def forget_kept(self) -> list[Screen[None]]:
        """The views that were kept, none of them shown: they are of a project that is left."""
        kept, self._kept = list(self._kept.values()), {}
        for screen in kept:
            self.uninstall_screen(screen)
        return kept

    def stands_in_the_way(self) -> str:
        """What must be over before another project is opened, "" for nothing."""
        from memtui.tui.switching import in_the_way

        return in_the_way(self)

    def take_core(self, core: Core, then: Callable[[BrowseScreen], None] | None = None) -> None:
        """Open another project in place of this one; `then` gets its Browse view."""
        from memtui.tui.switching import switch

        self.from_projects = True
        self.call_next(switch, self, core, then)

    def go_to_item(self, found: ItemView) -> None:
        """Show a card or page in Browse, from where Esc leads back."""
        self._go_down()
        self.browse.call_after_refresh(self.browse.go_to_item, found)

    def go_to_turn(self, session: int, seq: int, name: str, note: str) -> None:
        """Show a turn in Browse, from where Esc leads back."""
        self._go_down()
        self.browse.call_after_refresh(self.browse.go_to_turn, session, seq, name, note)

    def _go_down(self) -> None:
        """To Browse, which remembers from which view."""
        shown = self._shown_view()
        self.action_view(VIEWS[0].name)
        title = next((view.title for view in VIEWS if view.name == shown), "")
        if title and shown != VIEWS[0].name:
            self.browse.enter_from(shown, title)

    def on_unmount(self) -> None:
        """What still loads or embeds must not keep the process."""
        self.core.close()

    def speak(self, text: str, severity: Severity = "information") -> None:
        """Tell through the view that is shown, so that its status bar keeps it."""
        if isinstance(self.screen, ViewScreen):
            self.screen.say(text, severity)
        else:
            self.tell(text, severity)

    # Work of the app itself

    def on_sleep_told(self, message: SleepTold) -> None:
        """A sleep goes on."""
        if self.screen_stack:  # none is left while the app ends
            self.upkeep.take_progress(message.progress)

    def on_job_done(self, message: JobDone) -> None:
        """A job of the app is done."""
        if self.screen_stack:
            self.upkeep.take_done(message)

    def on_job_failed(self, message: JobFailed) -> None:
        """A job of the app failed."""
        if self.screen_stack:
            self.upkeep.take_failed(message)

    # The outside world

    def copy_text(self, text: str, what: str) -> None:
        """Copy in a worker: the system's clipboard, else the terminal's; say what was copied."""

        def work() -> None:
            try:
                how = self.clipboard_tool.copy(text)
            except ServiceError as error:
                self.call_from_thread(self.tell, str(error), "error")
                return
            self.call_from_thread(self._copied, text, what, how)

        self.run_worker(work, thread=True, exclusive=True, group="clipboard", exit_on_error=False)

    def _copied(self, text: str, what: str, how: str) -> None:
        if not how:
            if self._driver is not None:
                self._driver.write(osc52(text, os.environ))
            how = "the terminal's clipboard"
        message = f"copied to {how}: {what}"
        self.speak(message)
