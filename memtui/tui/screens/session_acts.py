"""What can be done with the session under the cursor: go on with it, read it, export it, tag it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on

from memtui.curate import verbs
from memtui.tui.acting import Deed
from memtui.tui.docs.clean import line_of
from memtui.tui.jobs import cancelled
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.verbs import VerbsPart
from memtui.tui.services import ServiceError
from memtui.tui.widgets.input_line import InputLine
from memtui.workspace.session_tools import ToolError

if TYPE_CHECKING:
    from memtui.sessions.timeline import SessionRow


class SessionActsPart(VerbsPart):
    """The session's own actions, each by its key and all of them in one menu."""

    _asked_about: SessionRow | None = None

    def session_here(self) -> SessionRow | None:
        """The session that the cursor of pane 1 is in; says so when there is none."""
        row = self.timeline_row()
        if row is None:
            self.say("there is no session here")
            return None
        return row.session

    def action_session_menu(self) -> None:
        """Choose what to do with the session."""
        session = self.session_here()
        if session is None:
            return
        hidden = session.ref in self.core.hidden
        doings: dict[str, tuple[str, str, Callable[[], None]]] = {
            "resume": ("r", "copy the command that resumes it", self.action_resume),
            "read": ("v", "read it in $PAGER", self.action_read_session),
            "open": ("V", "open the host's file in $EDITOR", self.action_open_transcript),
            "export": ("X", "export it as Markdown, secrets masked", self.action_export),
            "tag": ("#", "tag it", self.action_tag),
            "hide": (
                "p" if hidden else "d",
                "show it in the list again" if hidden else "hide it from the list",
                partial(self.hide_session, session, not hidden),
            ),
        }
        choices = [Choice(name, text, key=key) for name, (key, text, _) in doings.items()]

        def chosen(name: str | None) -> None:
            if name is not None:
                doings[name][2]()

        title = line_of(session.title or session.agent or session.id, 40)
        self.app.push_screen(MenuScreen(title, choices), chosen)

    def action_resume(self) -> None:
        """Copy the command line that goes on with the session."""
        session = self.session_here()
        if session is None:
            return
        try:
            command = self.core.session_tools.resume(session)
        except ToolError as error:
            self._refuse_tool(error)
            return
        self.memtui.copy_text(command, line_of(command, 60))

    def action_read_session(self) -> None:
        """Read the session as text in the user's pager."""
        session = self.session_here()
        if session is None:
            return
        try:
            self.memtui.pager.page(self.memtui, self.core.session_tools.reading(session))
        except ServiceError as error:
            self.say(str(error), "error")

    def action_open_transcript(self) -> None:
        """Open the host's own file, at the user's wish and risk, in the user's editor."""
        session = self.session_here()
        if session is not None:
            work = partial(self.core.session_tools.file, session)
            self.jobs.run("tool", "finding the transcript", work, self._edit_file, self._no_tool)

    def _edit_file(self, path: Path) -> None:
        try:
            self.memtui.editor.edit(self.memtui, path)
        except ServiceError as error:
            self.say(str(error), "error")

    # Export

    def action_export(self) -> None:
        """Ask for the file, and write the session to it."""
        session = self.session_here()
        if session is not None:
            self._asked_about = session
            name = self.core.session_tools.name_for(session)
            self.input_line.ask("export", "export to", name, "a new file; ~ is your home")

    @on(InputLine.Done)
    def _path_given(self, message: InputLine.Done) -> None:
        if message.purpose != "export":
            return
        self.give(self.sessions_list)
        session, text = self._asked_about, message.text.strip()
        if session is None or not text:
            self.say("nothing was exported")
            return
        path = self.core.cwd / Path(text).expanduser()
        export = self.core.session_tools.export
        self.jobs.run(
            "export",
            "exporting",
            lambda: export(session, path, cancelled=cancelled),
            partial(self._exported, path),
            self._no_tool,
        )
        self.say(f"exporting to {line_of(path.name, 60)}; esc stops it")

    def _exported(self, path: Path, size: int) -> None:
        self.say(f"exported {size:,} bytes to {line_of(str(path), 200)}")

    # Tags

    def action_tag(self) -> None:
        """Ask for the session's tags."""
        session = self.session_here()
        if session is None:
            return
        if session.agent:
            self.say("a sub-agent has no tags: tag the session that started it")
            return
        if self.core.bank_root is None:
            self.say("tags are kept with a bank, and there is none here", "warning")
            return
        self._asked_about = session
        known = self.core.tags.get(session.ref, ())
        self.input_line.ask("tag", "tags", " ".join(known), "words; empty takes all tags away")

    @on(InputLine.Done)
    def _tags_given(self, message: InputLine.Done) -> None:
        session = self._asked_about
        if message.purpose != "tag" or session is None:
            return
        self.give(self.sessions_list)
        verb = partial(
            verbs.tag_session,
            host=session.host,
            session=session.id,
            tags=message.text.replace(",", " ").split(),
            title=session.title,
        )
        self.acts.run(Deed("tag", verb))

    # What stands in the way

    def _no_tool(self, error: Exception) -> None:
        if isinstance(error, ToolError):
            self._refuse_tool(error)
        else:
            self.say(f"that did not work: {line_of(str(error), 200)}", "error")

    def _refuse_tool(self, error: ToolError) -> None:
        told = "; ".join(filter(None, (error.what, error.do)))
        self.say(line_of(told, 200), "warning")
