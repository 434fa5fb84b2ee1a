"""Codex messages: what a person typed, and what the host or a hook put there itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memtui.hosts.model import Kind
from memtui.hosts.shape import list_of, map_of, text_of

_HOOK_KIND = "hooks.additional_context"
_REQUEST = re.compile(r"^## My request for Codex:?[ \t]*\n?", re.MULTILINE)
_ENVIRONMENT_CWD = (
    re.compile(r"<cwd>([^<]+)</cwd>"),
    re.compile(r"^Current working directory: (.+)$", re.MULTILINE),
)
_HOST_TAGS = re.compile(
    r"\s*<(environment_context|user_instructions|instructions|permissions|permissions instructions|"
    r"turn_aborted|user_action|user_shell_command|skill|skills_instructions|apps_instructions|"
    r"plugins_instructions|collaboration_mode|model_switch|personality_spec|"
    r"subagent_notification|subagent_context|tools|multi_agent_mode|goal_context|token_budget)>",
    re.IGNORECASE,
)
_HOST_STARTS = (
    "# AGENTS.md instructions",
    "# Context from my IDE setup:",
    "Warning: apply_patch was requested via",
    "Warning: The maximum number of unified exec processes",
)
_IMAGE_TAG = re.compile(r"\s*</?image(?:\s[^>]*)?>\s*")


def message_texts(payload: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts of a message with what the host says each is ("" where it does not)."""
    content = payload.get("content")
    if isinstance(content, str):
        yield content, ""
        return
    passed = map_of(payload.get("internal_chat_message_metadata_passthrough"))
    kinds = list_of(passed.get("content_item_kinds"))
    for number, item in enumerate(list_of(content)):
        kind = text_of(kinds[number]) if number < len(kinds) else ""
        fields = map_of(item)
        text = item if isinstance(item, str) else text_of(fields.get("text"))
        if not text and "image" in text_of(fields.get("type")).lower():
            text = "[image]"
        elif _IMAGE_TAG.fullmatch(text):
            # The host puts such tags around an image block; they are not part of the prompt.
            text = ""
        if text:
            yield text, kind


def user_kind(text: str, told: str) -> Kind:
    """PROMPT, INJECTION or NOTICE: what a text of a user-role message is."""
    if told == _HOOK_KIND:
        return Kind.INJECTION
    if told and not told.startswith("user.") and told != "unknown":
        return Kind.NOTICE
    if told != "user.text" and is_host_text(text):
        return Kind.NOTICE
    return Kind.PROMPT


def is_host_text(text: str) -> bool:
    """Whether the host wrote a user-role text by itself."""
    stripped = text.lstrip()
    if stripped.startswith(_HOST_STARTS):
        return not _REQUEST.search(stripped)
    return bool(_HOST_TAGS.match(text))


def developer_injection(text: str, told: str) -> bool:
    """Whether a developer-role text came from a hook. Before the host told, all but tagged texts."""
    return told == _HOOK_KIND or (
        not told and bool(text.strip()) and not text.lstrip().startswith("<")
    )


def request(text: str) -> str:
    """The prompt of a person inside what an editor extension sent."""
    asked = _REQUEST.split(text)[-1].strip()
    return asked or text


def cwd_in(text: str) -> str:
    """The folder that an environment text names, or ""."""
    if "<environment_context>" not in text[:200]:
        return ""
    return next(
        (found.group(1).strip() for rule in _ENVIRONMENT_CWD if (found := rule.search(text))), ""
    )
