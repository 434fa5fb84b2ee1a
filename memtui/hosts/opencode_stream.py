"""OpenCode's messages and parts as records in the order in which they came to be.

A part is updated in its row while it grows: a call gets its result there, a text its end. What a
part says at one moment becomes a record of its own, sorted by that moment, so that what comes later
comes behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memtui.hosts.shape import map_of, millis, text_of

Record = dict[str, Any]

_LAST = 2**62
_ENDED = ("completed", "error")


def session_stream(
    header: Mapping[str, Any],
    messages: Iterable[Mapping[str, Any]],
    parts: Iterable[Mapping[str, Any]],
) -> Iterator[Record]:
    """The records of one session: its header, then each message's, oldest first."""
    yield {"type": "opencode.session", **{k: v for k, v in header.items() if v is not None}}
    of_message: dict[str, list[Mapping[str, Any]]] = {}
    for part in parts:
        of_message.setdefault(text_of(part.get("messageID")), []).append(part)
    for message in sorted(messages, key=_age):
        own = sorted(of_message.get(text_of(message.get("id")), []), key=_id)
        if message.get("role") == "user":
            yield from _user(message, own)
        else:
            yield from _assistant(message, own)


def _user(message: Mapping[str, Any], parts: list[Mapping[str, Any]]) -> Iterator[Record]:
    if parts:
        kept = ("id", "type", "text", "synthetic", "ignored", "filename", "url", "auto", "prompt")
        yield {
            "type": "user",
            "id": message.get("id"),
            "at": _created(message),
            "parts": [{k: p[k] for k in kept if k in p and k != "url"} for p in parts],
        }


def _assistant(message: Mapping[str, Any], parts: list[Mapping[str, Any]]) -> Iterator[Record]:
    created = _created(message) or 0
    about: Record = {"message": message.get("id"), "model": message.get("modelID")}
    if message.get("summary") is True:
        about["summary"] = True
    moments: list[tuple[int, int, Record]] = []
    for number, part in enumerate(parts):
        for at, record in _moments(part, created):
            moments.append((at, number, {**about, "id": part.get("id"), **record}))
    ended = millis(map_of(message.get("time")).get("completed"))
    if ended is not None or message.get("error"):
        end = {**about, "type": "end", "id": message.get("id"), "at": ended}
        end.update({key: message[key] for key in ("tokens", "error", "finish") if message.get(key)})
        moments.append((ended or _LAST, len(parts), end))
    for _, _, record in sorted(moments, key=lambda moment: moment[:2]):
        yield record


def _moments(part: Mapping[str, Any], created: int) -> Iterator[tuple[int, Record]]:
    """(when, record) of what a part says; nothing of one that has yet to say something."""
    kind, time = text_of(part.get("type")), map_of(part.get("time"))
    start, end = millis(time.get("start")), millis(time.get("end"))
    if kind in ("text", "reasoning"):
        if text := text_of(part.get("text")):
            yield (
                end or start or created,
                {"type": kind, "text": text, "at": end or start or created},
            )
    elif kind == "tool":
        yield from _tool(part, created)
    elif kind in ("step-start", "step-finish", "snapshot"):
        return
    else:
        kept = (
            "type",
            "files",
            "error",
            "attempt",
            "description",
            "prompt",
            "agent",
            "name",
            "auto",
        )
        yield start or created, {**{k: part[k] for k in kept if k in part}, "at": start or created}


def _tool(part: Mapping[str, Any], created: int) -> Iterator[tuple[int, Record]]:
    state = map_of(part.get("state"))
    status, time = text_of(state.get("status")), map_of(state.get("time"))
    if status == "pending":
        return
    start = millis(time.get("start")) or created
    end = millis(time.get("end")) or start
    about = {"tool": part.get("tool"), "call": part.get("callID") or part.get("id")}
    yield start, {**about, "type": "call", "input": state.get("input"), "at": start}
    if status in _ENDED:
        metadata = map_of(state.get("metadata"))
        told = {key: metadata[key] for key in ("exit", "diff", "sessionId") if key in metadata}
        yield end, {
            **about, "type": "result", "status": status, "output": state.get("output"),
            "error": state.get("error"), "metadata": told, "at": end,
        }  # fmt: skip


def _created(message: Mapping[str, Any]) -> int | None:
    return millis(map_of(message.get("time")).get("created")) or millis(message.get("created"))


def _age(message: Mapping[str, Any]) -> tuple[int, str]:
    return _created(message) or 0, _id(message)


def _id(value: Mapping[str, Any]) -> str:
    return text_of(value.get("id"))
