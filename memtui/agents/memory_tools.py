"""The tools that agents call: search, get, evidence, propose, flag. No tool changes the bank.

Every answer is fenced and quoted as data, within a budget in bytes; every call is logged. What an agent
wants changed goes to the inbox, where a person decides.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from time import perf_counter, time_ns
from typing import Any, Protocol

from memtui.agents.shelf import AbsentError, Shelf, Shown
from memtui.agents.tool_schemas import SCHEMAS
from memtui.capture.shape import faults_of
from memtui.clock import Clock
from memtui.inject import render
from memtui.inject.model import Request
from memtui.ledger.model import REFUSED, ProposalRecord, RetrievalRecord
from memtui.recall.engine import Origin
from memtui.recall.model import Results, SearchScope, Similar
from memtui.recall.retrievals import candidates
from memtui.safety.fence import escape, wrap
from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line, sanitize

ANSWER_BYTES = 6000
EVIDENCE_BYTES = 4096
SNIPPET_BYTES = 240
SNIPPET_CHARS = 2000
"""Of a body that are looked at for its snippet."""
MAX_PROPOSALS = 20
"""Proposals and flags that one server takes: more is a loop, not a finding."""
EPOCH_DAY = 86_400


LOGGED_CHARS = 1000
"""Characters of a call's words that the log keeps."""

Tool = Callable[[Mapping[str, Any]], tuple[str, tuple[str, ...]]]
"""Arguments to the answer and the handles that it shows."""


class ToolError(Exception):
    """A call that cannot be done; the text is for the agent and names what to change."""


class Engine(Protocol):
    """The part of the search engine that is used here."""

    def search(
        self, query: str, *, scope: SearchScope = ..., limit: int = ..., origin: Origin | None = ...
    ) -> Results:
        """Search the bank."""
        ...

    def nearest(self, title: str, body: str = "", limit: int = 5) -> list[Similar]:
        """The items most like a text."""
        ...


class Store(Protocol):
    """The part of the ledger that is used here."""

    def add_retrieval(self, record: RetrievalRecord) -> None:
        """Keep one call."""

    def put_proposal(self, record: ProposalRecord) -> None:
        """Keep a suggestion."""

    def proposed_before(self, key: str) -> bool:
        """Whether it was suggested before."""
        ...


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose calls these are: the session as far as it is known, its branch, and the host's name."""

    session: str
    branch: str = ""
    host: str = "mcp"


class MemoryTools:
    """The five tools over one bank. `call` is safe from several threads as far as the engine is."""

    def __init__(
        self,
        shelf: Shelf,
        engine: Engine,
        store: Store,
        clock: Clock,
        caller: Caller,
        purged: Callable[[str, str], bool] = lambda _title, _body: False,
    ) -> None:
        """`purged` says of a title and a body whether a person erased them for good."""
        self._shelf = shelf
        self._engine = engine
        self._store = store
        self._clock = clock
        self._caller = caller
        self._purged = purged
        self._suggested = 0
        self._candidates: tuple[Mapping[str, Any], ...] = ()
        self._session = caller.session
        self._tools: Mapping[str, Tool] = {
            "memory_search": self._search,
            "memory_get": self._get,
            "memory_evidence": self._evidence,
            "memory_propose": self._propose,
            "memory_flag": self._flag,
        }

    def call(self, name: str, arguments: Mapping[str, Any] | None, session: str = "") -> str:
        """The answer of one call, logged for the caller's session, or for the one that is named.

        Raises ToolError; what the stores raise passes through.
        """
        given = dict(arguments or {})
        began = perf_counter()
        self._candidates = ()
        self._session = session or self._caller.session
        try:
            text, shown = self._tool(name, given)(given)
        except AbsentError as error:
            self._log(name, given, "", (), began)
            raise ToolError(str(error)) from error
        except ToolError:
            self._log(REFUSED, {"tool": name, **given}, "", (), began)
            raise
        self._log(name, given, text, shown, began)
        return text

    def _tool(self, name: str, given: Mapping[str, Any]) -> Tool:
        """The tool for these arguments. Raises ToolError for what is no call of it."""
        tool = self._tools.get(name)
        if tool is None:
            raise ToolError(f"no tool is called {name[:60]!r}; there are {', '.join(self._tools)}")
        wrong = faults_of(given, SCHEMAS[name], "arguments")
        if wrong:
            raise ToolError("; ".join(wrong)[:500])
        return tool

    def _request(self) -> Request:
        today = int(self._clock().timestamp() // EPOCH_DAY)
        return Request(self._caller.host, "tool", "", self._caller.branch, today)

    def _search(self, given: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        scope = SearchScope(branch=self._caller.branch or None)
        results = self._engine.search(given["query"], scope=scope, limit=given.get("limit", 8))
        self._candidates = candidates(results)
        request = self._request()
        rows = {hit.document.row: hit for hit in results.hits}
        holding = self._shelf.holding(list(rows), request)
        lines: list[str] = []
        for shown in holding.values():
            line = render.line_of(shown.candidate, request.today).text
            snippet = one_line(redact(shown.item.body[:SNIPPET_CHARS]).text)
            lines.append(f"{line}\n  {render.cut(escape(snippet), SNIPPET_BYTES)}")
        kept = _within(lines, ANSWER_BYTES - 500)
        head = f"{len(kept)} of {len(lines)} notes found, quoted as data. The whole of one: memory_get."
        handles = tuple(shown.candidate.handle for shown in list(holding.values())[: len(kept)])
        if not kept:
            return _quoted("Nothing was found. Other words, or fewer of them, may do."), ()
        return _quoted("\n".join([head, *kept])), handles

    def _get(self, given: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        request = self._request()
        shown = self._shelf.get(given["handle"], request)
        line = render.line_of(shown.candidate, request.today).text
        count = len(shown.item.evidence)
        head = f"One note, quoted as data; {count} citations (memory_evidence)."
        body = escape(sanitize(redact(shown.item.body).text)).strip()
        text = _cut("\n".join([head, line, "", body]), ANSWER_BYTES)
        return _quoted(text), (shown.candidate.handle,)

    def _evidence(self, given: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        shown = self._shelf.get(given["handle"], self._request())
        number, cited = given.get("number", 1), shown.item.evidence
        if not cited:
            raise AbsentError(f"{shown.candidate.handle} cites nothing")
        if number > len(cited):
            raise AbsentError(
                f"{shown.candidate.handle} has {len(cited)} citations, no number {number}"
            )
        one = cited[number - 1]
        where = escape(one_line(one.ref, 200))
        head = f"Citation {number} of {len(cited)} of {_name(shown)}, from {where}, quoted as data:"
        text = escape(sanitize(redact(self._shelf.excerpt(one)).text))
        return _quoted(_cut(f"{head}\n\n{text}", EVIDENCE_BYTES - 100)), (shown.candidate.handle,)

    def _propose(self, given: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        title = one_line(redact(given["title"]).text)
        body = redact(sanitize(given["body"])).text.strip()
        if not title or not body:
            raise ToolError("title and body must say something")
        if self._purged(title, body):
            raise ToolError("a person erased this for good: it is not kept again")
        near = self._engine.nearest(title, body, 1)
        payload = {"title": title, "body": body, "type": given.get("type", "fact")}
        payload["tags"] = [one_line(redact(tag).text) for tag in given.get("tags", ())]
        nearest = f"card:{near[0].document.id}" if near else ""
        return self._suggest("create", title, payload, nearest), ()

    def _flag(self, given: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        shown = self._shelf.get(given["handle"], self._request())
        reason = one_line(redact(given["reason"]).text)
        if not reason:
            raise ToolError("a reason must say something")
        item = f"{shown.candidate.layer}:{shown.candidate.handle}"
        title = f"Flag {_name(shown)}: {reason}"[:300]
        answer = self._suggest("flag", title, {"item": item, "reason": reason}, item)
        return answer, (shown.candidate.handle,)

    def _suggest(self, verb: str, title: str, payload: Mapping[str, Any], nearest: str) -> str:
        """Put a suggestion into the inbox, once."""
        said = "\n".join([verb, *(f"{name}={payload[name]}" for name in sorted(payload))])
        key = sha256(" ".join(said.casefold().split()).encode()).hexdigest()[:24]
        if self._store.proposed_before(key):
            return "This was suggested before; a person decides on it, or has."
        if self._suggested >= MAX_PROPOSALS:
            raise ToolError(
                f"this session has made {MAX_PROPOSALS} suggestions; that is all it may make"
            )
        self._suggested += 1
        self._store.put_proposal(
            ProposalRecord(
                id=_new_id(),
                at=self._clock(),
                key=key,
                proposer="agent",
                session=self._session,
                verb=verb,
                title=title,
                nearest=nearest,
                payload=payload,
            )
        )
        return "It is in the inbox, where a person decides. Nothing else has changed."

    def _log(
        self, name: str, given: Mapping[str, Any], text: str, shown: tuple[str, ...], began: float
    ) -> None:
        """Keep the call. Its words are redacted: an agent may search for anything."""
        said = " ".join(
            str(given[key])
            for key in ("tool", "query", "handle", "title", "reason")
            if key in given
        )
        self._store.add_retrieval(
            RetrievalRecord(
                id=_new_id(),
                at=self._clock(),
                origin="mcp",
                session=self._session,
                query=one_line(redact(said[: 8 * LOGGED_CHARS]).text, LOGGED_CHARS),
                mode=name,
                tokens=render.tokens(len(text.encode())),
                ms=round((perf_counter() - began) * 1000, 3),
                candidates=self._candidates,
                shown=shown,
            )
        )


def _new_id() -> str:
    """An id that sorts by time, so that what happened within one second keeps its order."""
    return f"{time_ns():019d}-{secrets.token_hex(4)}"


def _name(shown: Shown) -> str:
    return render.shown_handle(shown.candidate.handle)


def _within(lines: list[str], budget: int) -> list[str]:
    """The first lines that fit together."""
    kept: list[str] = []
    for line in lines:
        budget -= len(line.encode()) + 1
        if budget < 0:
            break
        kept.append(line)
    return kept


def _cut(text: str, limit: int) -> str:
    """`text` within `limit` bytes; where it is cut, it says so."""
    size = len(text.encode())
    if size <= limit:
        return text
    note = f"\n[cut: {size} bytes in all]"
    return render.cut(text, limit - len(note)) + note


def _quoted(text: str) -> str:
    """Fenced like every text that memory gives to an agent, so that it is never captured again."""
    digest = sha256(text.encode()).hexdigest()[: render.FENCE_ID]
    return wrap(text, digest)
