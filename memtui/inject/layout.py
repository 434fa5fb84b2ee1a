"""The block while it is filled: lines, budget and the host's cap, kept to the byte."""

from __future__ import annotations

from memtui import reasons
from memtui.inject import limits, render
from memtui.inject.model import Candidate, Decision, Line, Plan, PlanPolicy, Request


class Layout:
    """The block while it is filled: what is in it, what it costs, and what was decided.

    Lines that the context already holds keep their place, so that a resumed session does not receive
    the next best ones instead; they are only left out of the text.
    """

    def __init__(self, policy: PlanPolicy, request: Request, project: str, total: int) -> None:
        self.today = request.today
        self.project = project
        self.total = total
        self.policy = policy
        self.budget = policy.budget if request.budget is None else request.budget
        self.limit = limits.limit_of(request.host)
        self.seen = {render.ageless(line) for line in request.seen}
        self.seen_handles = {render.handle_in(line) for line in request.seen}
        self.headers: dict[int, str] = {}
        self.count = {render.CHECKED: 0, render.UNCHECKED: 0}
        self.lines = 0
        around = render.fence_around()
        self.bytes, self.units = _size(around), limits.measure(around, self.limit)
        self.shown: list[tuple[float, Line]] = []
        self.decisions: list[Decision] = []

    def place(self, item: Candidate, value: float) -> None:
        """Show the item, or hold it back and say why."""
        known = self._known(item)
        reason, detail = self._crowded(item)
        cost = 0
        if not reason:
            line = render.line_of(item, self.today)
            cost = line.tokens
            reason, detail = self._fit(line)
            if not reason and not known:
                self.shown.append((value, line))
                return
        if known:
            reason, detail = reasons.IN_CONTEXT, ""
        self.decisions.append(Decision(item.handle, reason, 0, value, cost, detail))

    def full(self, section: str) -> bool:
        """Whether the line limits leave no place in a section."""
        if self.lines >= self.policy.max_lines:
            return True
        return section == render.UNCHECKED and self.count[section] >= self.policy.unchecked_lines

    def room(self) -> int:
        """No line of more UTF-8 bytes than this can still be shown."""
        head = self._header(self.lines + 1)
        in_budget = self.budget * 4 - self.bytes - _size(head)
        in_host = self.limit.size - self.units - limits.measure(head, self.limit)
        return min(in_budget, in_host * 4) - 1

    def _known(self, item: Candidate) -> bool:
        if not self.seen or render.shown_handle(item.handle) not in self.seen_handles:
            return False
        return render.ageless(render.line_of(item, self.today).text) in self.seen

    def _crowded(self, item: Candidate) -> tuple[str, str]:
        """Why the line limits leave no place, before its line is even written."""
        section = render.section_of(item)
        if not self.full(section):
            return "", ""
        if self.lines >= self.policy.max_lines:
            return reasons.OVER_LINES, f"{self.policy.max_lines} lines"
        return reasons.UNCHECKED, f"{self.policy.unchecked_lines} lines"

    def _fit(self, line: Line) -> tuple[str, str]:
        """Take the line's room, or say what it lacks. The header is measured at its present count."""
        added = "\n" + line.text
        if not self.count[line.section]:
            added += "\n" + render.SECTION_HEADERS[line.section]
        head = self._header(self.lines + 1)
        size = self.bytes + _size(added)
        if render.tokens(size + _size(head)) > self.budget:
            left = max(0, self.budget - render.tokens(self.bytes + _size(head)))
            return reasons.OVER_BUDGET, f"~{line.tokens} tokens, ~{left} left"
        units = self.units + limits.measure(added, self.limit)
        if units + limits.measure(head, self.limit) > self.limit.size:
            return reasons.OVER_LIMIT, f"{self.limit.host}: {self.limit.size} {self.limit.unit}"
        self.bytes, self.units = size, units
        self.count[line.section] += 1
        self.lines += 1
        return "", ""

    def _header(self, shown: int) -> str:
        if shown not in self.headers:
            self.headers[shown] = render.header(self.project, self.today, shown, self.total)
        return self.headers[shown]

    def finish(self, held: list[Decision]) -> Plan:
        """The plan: lines in the order of the text, and their decisions before all others."""
        self.shown.sort(key=lambda pair: pair[1].section == render.UNCHECKED)
        lines = tuple(line for _, line in self.shown)
        shown = [
            Decision(line.handle, reasons.SHOWN, rank, value, line.tokens)
            for rank, (value, line) in enumerate(self.shown, start=1)
        ]
        text, digest = "", ""
        if lines:
            text, digest = render.fenced(render.body_of(self._header(len(lines)), lines))
        cost = render.tokens(_size(text))
        decisions = (*shown, *self.decisions, *held)
        return Plan(text, lines, decisions, cost, self.budget, self.limit, digest)


def _size(text: str) -> int:
    return len(text.encode())
