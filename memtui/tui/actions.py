"""Every key of the screen, declared once: bindings, footer, help and palette are made from this list.

A scope is where a key works: `app` and `browse` everywhere in their screen, `list` in any list, the
others in one pane. A new verb is one more `Action` here and one `action_<name>` method on the screen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.binding import Binding, BindingType

from memtui.tui.views import VIEWS


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a key does. `footer` orders the key line (0 keeps it out); lower comes first."""

    id: str
    keys: str
    run: str
    label: str
    help: str
    group: str
    scopes: tuple[str, ...]
    footer: int = 0
    palette: bool = True
    priority: bool = False


EVERYWHERE, PANES, LISTS = "Everywhere", "Panes", "Lists"
SESSIONS, CARDS, PREVIEW = "Sessions", "Cards and pages", "Next session"
CURATE, HISTORY, HEALTH, INBOX = "Curate", "History", "Health", "Inbox"
LIVE, RECALL, PROJECTS = "Beside an agent", "Recall", "All projects"

_PANE_NAMES = ("Sessions", "Cards", "Pages", "Detail", "Next session")

ACTIONS: tuple[Action, ...] = (
    Action("help", "question_mark,f1", "app.help", "help", "Show and search every key", EVERYWHERE, ("app",), 90),
    Action("palette", "colon,ctrl+p", "app.command_palette", "commands", "Find a command by name", EVERYWHERE, ("app",), palette=False),
    Action("theme", "T", "app.theme_menu", "theme", "Choose a theme", EVERYWHERE, ("app",)),
    Action("quit", "q", "app.quit", "quit", "Leave memtui", EVERYWHERE, ("app",), 95),
    Action("quit-now", "ctrl+q", "app.quit", "quit", "Leave memtui from anywhere, also while typing", EVERYWHERE, ("app", "recall-typing"), palette=False, priority=True),
    Action("back", "escape", "screen.back", "back", "One step back: input, zoom, walk, filter, running job", EVERYWHERE, ("browse", "view", "watch"), palette=False),
    Action("reload", "R", "screen.reload", "reload", "Read bank and sessions again", EVERYWHERE, ("browse", "view", "watch")),
    Action("pause", "Z", "screen.pause", "pause", "Let the reading of the sessions rest, or go on", EVERYWHERE, ("browse", "watch")),
    Action("problems", "exclamation_mark", "screen.problems", "problems", "List what could not be read, and what is off", EVERYWHERE, ("browse", "inbox", "recall")),
    *(
        Action(f"view-{view.name}", view.key, f"app.view('{view.name}')", view.title, view.help, EVERYWHERE, ("app",))
        for view in VIEWS
    ),
    *(
        Action(f"pane-{n}", str(n), f"screen.pane({n})", name.lower(), f"Go to {n} {name}", PANES, ("browse",))
        for n, name in enumerate(_PANE_NAMES, 1)
    ),
    Action("next-pane", "tab", "screen.cycle(1)", "pane", "Go to the next pane", PANES, ("browse", "view", "watch", "recall-typing"), palette=False),
    Action("previous-pane", "shift+tab", "screen.cycle(-1)", "pane", "Go to the previous pane", PANES, ("browse", "view", "watch"), palette=False),
    Action("zoom-in", "plus", "screen.zoom(True)", "zoom", "Show this pane alone", PANES, ("browse", "view")),
    Action("zoom-out", "underscore", "screen.zoom(False)", "all panes", "Show all panes again", PANES, ("browse", "view")),
    Action("toggle-preview", "vertical_line", "screen.toggle_preview", "preview", "Show or hide the next session", PANES, ("browse",)),
    Action("open", "enter,l,right", "screen.open", "open", "Open, or go one layer down", LISTS, ("list",), 10, palette=False),
    Action("up-layer", "h,left", "screen.back", "back", "Back to where you came from", LISTS, ("list",), palette=False),
    Action("move-down", "j,down", "move(1)", "down", "Next row", LISTS, ("list",), palette=False),
    Action("move-up", "k,up", "move(-1)", "up", "Previous row", LISTS, ("list",), palette=False),
    Action("page-down", "pagedown", "page(1)", "page down", "One page down", LISTS, ("list",), palette=False),
    Action("page-up", "pageup", "page(-1)", "page up", "One page up", LISTS, ("list",), palette=False),
    Action("half-page-down", "ctrl+d", "page(0.5)", "half down", "Half a page down", LISTS, ("list",), palette=False),
    Action("half-page-up", "ctrl+u", "page(-0.5)", "half up", "Half a page up", LISTS, ("list",), palette=False),
    Action("first-row", "g,home", "ends(0)", "first", "First row", LISTS, ("list",), palette=False),
    Action("last-row", "G,end", "ends(1)", "last", "Last row", LISTS, ("list",), palette=False),
    Action("mark", "space", "mark", "mark", "Mark or unmark the row", LISTS, ("list",), palette=False),
    Action("facets", "t", "screen.facets", "facets", "Show only some kinds of rows", LISTS, ("sessions", "cards", "pages", "inbox", "health", "recall-log", "projects"), 30),
    Action("sort", "s", "screen.sort", "sort", "Choose the order of the rows", LISTS, ("cards", "pages", "projects"), 40),
    Action("filter", "slash", "screen.filter", "filter", "Show only rows that have these words", CARDS, ("cards", "pages", "history", "health", "projects"), 20),
    Action("yank", "y", "screen.yank", "yank", "Copy id, name, text or path", LISTS, ("browse", "watch"), 70),
    Action("promote", "p", "screen.promote", "promote", "Up: marked turns become a card, a stale or retired item becomes active", CURATE, ("browse", "health", "watch"), 12),
    Action("demote", "d", "screen.demote", "demote", "Down: a card goes from active to stale to retired, a page is retired, a session is hidden", CURATE, ("browse", "health"), 14),
    Action("pin", "P", "screen.pin", "pin", "Always first in the next session, or no longer", CURATE, ("browse",)),
    Action("confirm", "c", "screen.confirm", "confirm", "Say that it is true", CURATE, ("browse", "health"), 16),
    Action("flag", "f", "screen.flag", "flag", "Say that it is wrong or doubtful, and why", CURATE, ("browse", "health")),
    Action("merge", "m", "screen.merge", "merge", "Marked cards or pages into one; the sources are kept", CURATE, ("browse", "health")),
    Action("compile", "C", "screen.compile", "compile", "Marked cards become a page; a page is rebuilt from the cards that hold", CURATE, ("browse", "health")),
    Action("supersede", "x", "screen.supersede", "superseded by", "Another card, or a new one, takes the place of this one", CURATE, ("browse",)),
    Action("purge", "D", "screen.purge", "purge", "Erase for good: shows every place that holds it, then asks", CURATE, ("browse", "health")),
    Action("undo", "u", "screen.undo", "undo", "Take back your last act, to any depth", CURATE, ("browse", "view", "watch"), 18),
    Action("redo", "ctrl+r", "screen.redo", "redo", "Do again what was undone last", CURATE, ("browse", "view")),
    Action("begin-bank", "B", "screen.begin_bank", "begin a bank", "Begin a bank for this project, where there is none", CURATE, ("browse",)),
    Action("sleep", "z", "screen.sleep", "sleep", "Read finished sessions, propose what to remember, put away what has rested", CURATE, ("browse", "inbox"), 80),
    Action("accept", "p", "screen.accept", "accept", "Do what the proposal suggests; with marks, all that are marked", INBOX, ("inbox",), 11),
    Action("reject", "d", "screen.reject", "reject", "Never propose it again; with marks, all that are marked", INBOX, ("inbox",), 12),
    Action("edit-accept", "e", "screen.edit_accept", "edit, accept", "Change the card in $EDITOR, then accept it", INBOX, ("inbox",), 13),
    Action("switch-verb", "v", "screen.switch", "verb", "Do something else with it: add, update, merge, stale, nothing", INBOX, ("inbox",), 14),
    Action("merge-proposals", "m", "screen.merge", "merge", "Marked proposals become one card, through its editor", INBOX, ("inbox",)),
    Action("accept-group", "A", "screen.accept_group", "accept group", "Accept everything that came from the same session or check", INBOX, ("inbox",), 15),
    Action("edit", "e", "screen.edit", "edit", "Open the text in $EDITOR; it is checked before it is saved", CURATE, ("browse", "health")),
    Action("edit-inline", "E", "screen.edit_inline", "edit here", "Edit fields and text inline", CURATE, ("browse",)),
    Action("blame", "b", "screen.blame", "blame", "Who, when, from what, approved by whom; on a session or turn, the cards made from it", CURATE, ("browse",)),
    Action("offers", "o", "screen.offers", "could be promoted", "List what could be promoted in this session", SESSIONS, ("sessions",)),
    Action("why", "w", "screen.why", "why", "Why it is shown or held back, and how its trust adds up", CARDS, ("browse", "health", "recall")),
    Action("find", "slash", "screen.find", "find", "Find words in the text of the sessions", SESSIONS, ("sessions",), 20),
    Action("find-next", "n", "screen.find_next(1)", "next match", "Next match", SESSIONS, ("sessions",)),
    Action("find-previous", "N", "screen.find_next(-1)", "previous match", "Previous match", SESSIONS, ("sessions",)),
    Action("previous-session", "left_square_bracket", "screen.jump('session',-1)", "session", "Previous session", SESSIONS, ("sessions",), 40),
    Action("next-session", "right_square_bracket", "screen.jump('session',1)", "session", "Next session", SESSIONS, ("sessions",)),
    Action("previous-prompt", "left_curly_bracket", "screen.jump('prompt',-1)", "prompt", "Previous prompt", SESSIONS, ("sessions",)),
    Action("next-prompt", "right_curly_bracket", "screen.jump('prompt',1)", "prompt", "Next prompt", SESSIONS, ("sessions",)),
    Action("failure", "left_parenthesis", "screen.jump('failure',-1)", "failure", "Previous failure", SESSIONS, ("sessions",), 50),
    Action("success", "right_parenthesis", "screen.jump('pair',1)", "success", "From a failure to the success of the same command, else to the next failure", SESSIONS, ("sessions",)),
    Action("go-time", "at", "screen.go_time", "time", "Go to a time: 14:02, 2026-11-05, yesterday, -2h", SESSIONS, ("sessions",)),
    Action("follow", "F", "screen.follow", "follow", "Follow the newest turn", SESSIONS, ("sessions", "watch"), 60),
    Action("session-menu", "a", "screen.session_menu", "session ...", "What can be done with the session: resume, read, open, export, tag, hide", SESSIONS, ("sessions",), 35),
    Action("resume", "r", "screen.resume", "resume", "Copy the command that resumes the session in its folder", SESSIONS, ("sessions",)),
    Action("read-session", "v", "screen.read_session", "read", "Read the whole session in $PAGER", SESSIONS, ("sessions",)),
    Action("open-transcript", "V", "screen.open_transcript", "open file", "Open the host's own transcript in $EDITOR", SESSIONS, ("sessions",)),
    Action("export", "X", "screen.export", "export", "Export the session as Markdown, secrets masked", SESSIONS, ("sessions",)),
    Action("tag", "number_sign", "screen.tag", "tag", "Tag the session; / #tag shows only those that have it", SESSIONS, ("sessions",)),
    Action("budget-down", "minus", "screen.budget(-1)", "budget", "A smaller budget", PREVIEW, ("preview",), 11),
    Action("budget-up", "equals_sign", "screen.budget(1)", "budget", "A larger budget", PREVIEW, ("preview",)),
    Action("budget-reset", "0", "screen.budget(0)", "policy's budget", "The budget of the bank's policy", PREVIEW, ("preview",)),
    Action("next-host", "H", "screen.next_host", "host", "The next agent host: its own files, its caps, its text", PREVIEW, ("preview",), 11),
    Action("next-source", "S", "screen.next_source", "source", "How the session starts: startup, resume, clear, compact, fork", PREVIEW, ("preview",), 11),
    Action("copy-preview", "Y", "screen.copy_preview", "copy", "Copy the exact bytes that the session receives", PREVIEW, ("preview",), 11),
    Action("to-results", "down", "screen.to_results", "results", "From the query to its results", RECALL, ("recall-typing",), 10, palette=False),
    Action("query", "slash", "screen.query", "search", "Type what to search for", RECALL, ("recall",), 12),
    Action("ask-about", "a", "screen.ask_about", "ask about", "At which stage any card or page fell out, by handle or name", RECALL, ("recall",), 24),
    Action("setting-down", "minus", "screen.turn(-1)", "less", "Turn the chosen setting of the laboratory down", RECALL, ("recall-memory",), 14),
    Action("setting-up", "equals_sign", "screen.turn(1)", "more", "Turn the chosen setting of the laboratory up", RECALL, ("recall-memory",)),
    Action("previous-setting", "left_square_bracket", "screen.choose(-1)", "setting", "Choose the setting above", RECALL, ("recall-memory",)),
    Action("next-setting", "right_square_bracket", "screen.choose(1)", "setting", "Choose the setting below", RECALL, ("recall-memory",), 16),
    Action("setting-reset", "0", "screen.reset_setting", "bank's", "The chosen setting as the bank has it", RECALL, ("recall-memory",)),
    Action("lab-reset", "backspace", "screen.reset_lab", "reset", "All settings as the bank has them", RECALL, ("recall-memory",)),
    Action("compare", "x", "screen.compare", "compare", "The bank's ranking beside the laboratory's, or in its place", RECALL, ("recall-memory",), 18),
    Action("save-ranking", "S", "screen.save_ranking", "save", "Save the laboratory's settings to the bank", RECALL, ("recall-memory",), 20),
    Action("mode", "M", "screen.mode", "mode", "By words and meaning, by words alone, by meaning alone", RECALL, ("recall-memory",), 30),
    Action("where", "o", "screen.where", "where", "In this project, or in all your banks", RECALL, ("recall",), 32),
    Action("what", "v", "screen.what", "sessions", "Search the sessions, or cards and pages again", RECALL, ("recall",), 22),
    Action("log", "L", "screen.log", "log", "Every search of terminal, hooks and agents", RECALL, ("recall",), 26),
    Action("revert", "r", "screen.revert", "take back", "Take back this act, whoever did it: first shows what that would change", HISTORY, ("history",), 12),
    Action("as-of", "at", "screen.as_of", "as of", "The bank as it was at a time: 2026-11-05, yesterday, -2h", HISTORY, ("history",), 14),
    Action("go-item", "o", "screen.go_item", "its item", "Go to what the act was about", HISTORY, ("history",), 16),
    Action("repair", "r", "screen.repair", "repair", "Do what the finding says helps", HEALTH, ("health",), 11),
    Action("clean-up", "z", "screen.clean_up", "clean up", "What sleep would do, cold and expired cards: a plan, done from there", HEALTH, ("health",), 18),
    Action("drift-day", "at", "screen.drift_day", "drift day", "Cards whose files changed since a commit, a date, or their last confirmation", HEALTH, ("health",), 17),
    Action("search-all", "S", "screen.search_all", "search all", "Search cards, pages and sessions of all projects", PROJECTS, ("projects",), 12),
    Action("other-session", "w", "screen.other_session", "session", "Follow another session of this project", LIVE, ("watch",), 65),
)  # fmt: skip


BY_ID = {action.id: action for action in ACTIONS}


def in_scopes(scopes: Iterable[str]) -> list[Action]:
    """The actions of these scopes, in the order of the list."""
    wanted = set(scopes)
    return [action for action in ACTIONS if wanted.intersection(action.scopes)]


def bindings(scope: str) -> list[BindingType]:
    """The bindings of one scope: each has the id under which the settings remap it."""
    return [
        Binding(
            action.keys,
            action.run,
            action.label,
            id=action.id,
            tooltip=action.help,
            show=False,
            priority=action.priority,
            group=None,
        )
        for action in ACTIONS
        if scope in action.scopes
    ]


def footer_actions(scopes: Iterable[str], limit: int) -> list[Action]:
    """The `limit` most useful keys here, most useful first; help and quit stay when there is room."""
    ranked = sorted((a for a in in_scopes(scopes) if a.footer), key=lambda a: a.footer)
    if len(ranked) <= limit:
        return ranked
    help_key = [action for action in ranked if action.id == "help"]
    rest = [action for action in ranked if action.id not in ("help", "quit")]
    return [*rest[: limit - len(help_key)], *help_key]
