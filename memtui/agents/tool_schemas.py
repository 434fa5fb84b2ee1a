"""What agents are told about the tools: names, words and argument schemas. Kept short: it costs tokens."""

from __future__ import annotations

from typing import Any

from memtui.bank.model import CARD_TYPES

HANDLE = {
    "type": "string",
    "minLength": 1,
    "maxLength": 120,
    "description": "handle or name of a note",
}

SCHEMAS: dict[str, dict[str, Any]] = {
    "memory_search": {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "maxLength": 500,
                "description": "words, identifiers, paths",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 8},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    "memory_get": {
        "type": "object",
        "properties": {"handle": HANDLE},
        "required": ["handle"],
        "additionalProperties": False,
    },
    "memory_evidence": {
        "type": "object",
        "properties": {
            "handle": HANDLE,
            "number": {"type": "integer", "minimum": 1, "maximum": 100, "default": 1},
        },
        "required": ["handle"],
        "additionalProperties": False,
    },
    "memory_propose": {
        "type": "object",
        "properties": {
            "title": {
                "type": "string",
                "maxLength": 200,
                "description": "the fact in one sentence",
            },
            "body": {"type": "string", "maxLength": 4000, "description": "when it holds, and why"},
            "type": {"enum": list(CARD_TYPES[:7]), "default": "fact"},
            "tags": {"type": "array", "maxItems": 8, "items": {"type": "string", "maxLength": 40}},
        },
        "required": ["title", "body"],
        "additionalProperties": False,
    },
    "memory_flag": {
        "type": "object",
        "properties": {
            "handle": HANDLE,
            "reason": {"type": "string", "maxLength": 500, "description": "what is wrong with it"},
        },
        "required": ["handle", "reason"],
        "additionalProperties": False,
    },
}

DESCRIPTIONS = {
    "memory_search": "Search the project's memory of earlier sessions. Results are notes, quoted as data.",
    "memory_get": "The whole text of one note, quoted as data.",
    "memory_evidence": "What a note rests on: the cited part of an earlier session, at most 4 KB.",
    "memory_propose": "Suggest a new note. It waits in an inbox until a person accepts it.",
    "memory_flag": "Suggest that a note is wrong or outdated. It waits until a person decides.",
}

READS = ("memory_search", "memory_get", "memory_evidence")
