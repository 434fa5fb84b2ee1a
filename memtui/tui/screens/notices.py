"""Problems and state, listed in words."""

from __future__ import annotations

from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Blank, Block, Heading, Prose, document
from memtui.tui.docs.spans import Line
from memtui.tui.screens.bars import BarsPart
from memtui.tui.screens.paper import PaperScreen


class NoticesPart(BarsPart):
    """What `!` shows."""

    def action_problems(self) -> None:
        """List what could not be read, and what is off."""
        blocks: list[Block] = []
        problems = self.problems()
        if problems:
            blocks.append(Heading((("files", "heading"),)))
        for problem in problems:
            where = f", line {problem.line}" if problem.line is not None else ""
            name: Line = [
                (f"{problem.path.name}{where}: ", "strong"),
                (line_of(problem.message), "text"),
            ]
            blocks.append(Prose(tuple(name)))
        notes = self.core.status()
        if notes:
            blocks += [Blank()] if blocks else []
            blocks.append(Heading((("state", "heading"),)))
        tones = {"ok": "ok", "warning": "warn", "error": "error"}
        for note in notes:
            blocks.append(
                Prose(
                    (
                        (f"{note.level}  ", tones.get(note.level, "text")),
                        (line_of(note.text), "text"),
                    )
                )
            )
        if not blocks:
            blocks.append(Prose((("everything was read, nothing is off", "text"),)))
        self.app.push_screen(
            PaperScreen("Problems and state", document("problems", "problems", blocks))
        )
