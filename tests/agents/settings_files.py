"""Thirty settings files as users have them: (name, host, bytes or None for no file)."""

from __future__ import annotations

import json

OTHER = {
    "hooks": {
        "SessionStart": [{"hooks": [{"type": "command", "command": "echo hello"}]}],
        "Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "say done"}]}],
    }
}
PLAIN = {"model": "opus", "permissions": {"allow": ["Bash(ls:*)"], "deny": []}, "env": {"A": "1"}}
BOTH = {**PLAIN, **OTHER}


def _json(value: object, indent: int | str | None = 2, end: str = "\n") -> bytes:
    return (json.dumps(value, indent=indent) + end).encode()


def _crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


FILES: list[tuple[str, str, bytes | None]] = [
    ("missing", "claude-code", None),
    ("zero bytes", "claude-code", b""),
    ("white space only", "claude-code", b"\n\n  \n"),
    ("empty object", "claude-code", b"{}"),
    ("empty object, line end", "claude-code", b"{}\n"),
    ("empty object with a space", "claude-code", b"{ }\n"),
    ("empty object over two lines", "claude-code", b"{\n}\n"),
    ("plain", "claude-code", _json(PLAIN)),
    ("no final line end", "claude-code", _json(PLAIN, end="")),
    ("several final line ends", "claude-code", _json(PLAIN, end="\n\n\n")),
    ("tabs", "claude-code", _json(PLAIN, indent="\t")),
    ("four spaces", "claude-code", _json(BOTH, indent=4)),
    ("one line", "claude-code", _json(BOTH, indent=None)),
    ("one line without hooks", "claude-code", _json(PLAIN, indent=None, end="")),
    ("windows line ends", "claude-code", _crlf(_json(BOTH))),
    ("windows line ends, no hooks", "claude-code", _crlf(_json(PLAIN))),
    ("byte order mark", "claude-code", b"\xef\xbb\xbf" + _json(BOTH)),
    ("byte order mark, empty", "claude-code", b"\xef\xbb\xbf{}"),
    ("byte order mark alone", "claude-code", b"\xef\xbb\xbf"),
    ("other hooks", "claude-code", _json(OTHER)),
    ("empty hooks", "claude-code", b'{\n  "hooks": {},\n  "model": "x"\n}\n'),
    ("empty event", "claude-code", b'{"hooks": {"SessionStart": [], "PreToolUse": [ ]}}'),
    ("odd spacing", "claude-code", b'{ "a" :1 ,"hooks":{"Stop" :[ ] } ,  "b":[1,2 ]}\n\n'),
    (
        "other scripts",
        "claude-code",
        '{\n  "note": "größe 日本 🎉\\n",\n  "x": "\u2028"\n}'.encode(),
    ),
    ("codex missing", "codex", None),
    ("codex other hooks", "codex", _json(OTHER, indent=4)),
    ("codex mixed line ends", "codex", b'{\r\n  "hooks": {\n    "Stop": []\r\n  }\n}'),
    (
        "gemini comments",
        "gemini-cli",
        b'// mine\n{\n  // look\n  "ui": {"theme": "x"} // last\n}\n// end\n',
    ),
    (
        "gemini comments among hooks",
        "gemini-cli",
        b'{\n  "hooks": {\n    /* why, not what */\n    "SessionStart": [\n      // one\n'
        b'      {"hooks": [{"type": "command", "command": "x // not a comment"}]} /* , */\n'
        b"      // two\n    ] // three\n  }\n}\n",
    ),
    ("gemini comment in an empty object", "gemini-cli", b"{\n  // nothing yet\n}\n"),
    ("gemini block comment only inside", "gemini-cli", b"{ /* nothing */ }"),
    ("gemini hooksConfig", "gemini-cli", _json({"hooksConfig": {"enabled": False}, **OTHER}, "\t")),
]

BROKEN: list[tuple[str, str, bytes, int]] = [
    ("half an object", "claude-code", b'{\n  "a": 1,\n', 3),
    ("trailing comma", "claude-code", b'{\n  "a": 1,\n}\n', 2),
    ("comment in a strict file", "claude-code", b'{\n  // no\n  "a": 1\n}\n', 2),
    ("missing comma", "codex", b'{\n  "a": 1\n  "b": 2\n}\n', 3),
    ("two values", "codex", b"{}\n{}\n", 2),
    ("no object", "gemini-cli", b"\n[1]\n", 2),
    ("hooks is a list", "gemini-cli", b'{\n "hooks": []\n}', 2),
    ("an event is an object", "claude-code", b'{\n "hooks": {\n  "SessionStart": {}}\n}', 3),
    ("comment without an end", "gemini-cli", b'{\n "a": 1 /* b\n}', 2),
    ("trailing comma with comments", "gemini-cli", b'{\n "a": 1, // b\n}', 2),
    ("line end in a string", "claude-code", b'{\n "a": "b\nc"}', 2),
    ("not UTF-8", "claude-code", b'{\n "a": "\xff"}', 2),
]
