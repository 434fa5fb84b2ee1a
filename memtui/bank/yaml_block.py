"""Indented maps and lists of the YAML subset that memory files use. Standard library, str methods only.

Tolerant where hand-written memory files break YAML and the meaning is plain: `: ` inside a plain value,
` #12` (a comment needs a space after its `#`), text after a closing quote or bracket, `*emphasis*`.
"""

from __future__ import annotations

from memtui.bank.yaml_flow import (
    MAX_DEPTH,
    FlowError,
    Unfinished,
    parse_flow,
    quote_end,
    resolve,
    unquote,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Spans = dict[tuple[str, ...], tuple[int, int, int]]

MAX_PROBLEMS = 20


class Reader:
    """Reads the lines of one front matter from first to last, once.

    `problems` holds (line number, message). `spans`, where asked for, maps the path of each key to its
    first line, the line after its value, and its indentation; lines count from 0 there.
    """

    __slots__ = ("count", "end", "first", "lines", "pos", "problems", "spans")

    def __init__(self, lines: list[str], first: int = 1, spans: Spans | None = None) -> None:
        self.lines = lines
        self.count = len(lines)
        self.first = first
        self.pos = 0
        self.end = 0
        self.problems: list[tuple[int, str]] = []
        self.spans = spans

    def read(self) -> dict[str, Any]:
        """The top-level map; lines that are not part of one become problems."""
        result: dict[str, Any] = {}
        while self._peek() is not None:
            before = self.pos
            result.update(self._map(_indent(self.lines[self.pos]), ()))
            if self.pos == before:
                self._skip("not a `key: value` line")
        return result

    def _peek(self) -> str | None:
        """The next line that is neither blank nor comment, without its margins; None at the end."""
        lines = self.lines
        while self.pos < self.count:
            content = lines[self.pos].strip(" \t")
            if content and content[0] != "#":
                return content
            self.pos += 1
        return None

    def _skip(self, message: str) -> None:
        self._problem(message)
        self.pos += 1

    def _problem(self, message: str, at: int | None = None) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(((self.pos if at is None else at) + self.first, message))

    def _map(self, indent: int, path: tuple[str, ...]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        lines, count, spans = self.lines, self.count, self.spans
        while self.pos < count:
            line = lines[self.pos]
            content = line.strip(" \t")
            if not content or content[0] == "#":
                self.pos += 1
                continue
            found = line.find(content[0])
            if found < indent:
                break
            if found > indent:
                self._skip("unexpected indentation")
                continue
            if "\t" in line[:found]:
                self._problem("tab in the indentation")
            pair = split_key(content)
            if pair is None:
                if content[0] == "-" and path:
                    break
                self._skip("not a `key: value` line")
                continue
            start = self.pos
            self.pos = self.end = start + 1
            own = (*path, pair[0])
            if (
                spans is not None and own in spans
            ):  # the last of two equal keys counts, with its own
                for stale in [known for known in spans if known[: len(own)] == own]:
                    del spans[stale]
            result[pair[0]] = self._value(pair[1], indent, own)
            if spans is not None:
                spans[own] = (start, self.end, indent)
        return result

    def _list(self, indent: int, path: tuple[str, ...]) -> list[Any]:
        items: list[Any] = []
        while (content := self._peek()) is not None:
            found = _indent(self.lines[self.pos])
            if found < indent or (found == indent and not _is_dash(content)):
                break
            if found > indent:
                self._skip("unexpected indentation")
                continue
            rest = content[1:].lstrip(" \t")
            if rest and (_is_dash(rest) or split_key(rest) is not None):
                inner = found + len(content) - len(rest)
                self.lines[self.pos] = " " * inner + rest
                items.append(self._block(inner, (*path, "")))
            else:
                self.pos = self.end = self.pos + 1
                items.append(self._value(rest, found, (*path, "")))
        return items

    def _block(self, indent: int, path: tuple[str, ...]) -> Any:
        if len(path) > MAX_DEPTH:
            self._problem("nested too deeply")
            self._continuation(indent - 1)
            return None
        content = self.lines[self.pos].strip(" \t")
        if _is_dash(content):
            return self._list(indent, path)
        if split_key(content) is None:
            return self._folded("", indent - 1)
        return self._map(indent, path)

    def _value(self, rest: str, indent: int, path: tuple[str, ...]) -> Any:
        """The value that begins with `rest` after a key or dash that stands at `indent`."""
        if not rest or rest[0] == "#":
            return self._nested(indent, path)
        mark = rest[0]
        if mark in "\"'":
            return self._quoted(rest, indent)
        if mark in "[{":
            return self._flow(rest, indent)
        if mark in "|>":
            header = _block_header(rest)
            if header is not None:
                return self._text_block(mark == ">", indent, *header)
        return self._plain(rest, indent)

    def _nested(self, indent: int, path: tuple[str, ...]) -> Any:
        content = self._peek()
        if content is None:
            return None
        found = _indent(self.lines[self.pos])
        if found > indent:
            return self._block(found, path)
        # YAML lets the list of a key stand at the key's own indentation.
        if found == indent and _is_dash(content) and path[-1:] != ("",):
            return self._list(indent, path)
        return None

    def _plain(self, rest: str, indent: int) -> Any:
        text = strip_comment(rest)
        # Only a blank or deeper line can go on with this value.
        more = self.pos < self.count and not self.lines[self.pos][: indent + 1].strip(" \t")
        if more and len(text) == len(rest):
            return self._folded(text, indent)
        return resolve(text)

    def _folded(self, text: str, indent: int) -> Any:
        """A plain scalar that may go on over deeper lines."""
        parts, end = [text] if text else [], self.pos
        for at in range(self.pos, self.count):
            line = self.lines[at]
            content = line.strip(" \t")
            if content:
                if _indent(line) <= indent or content[0] == "#" or (text and split_key(content)):
                    break
                end = at + 1
            parts.append(strip_comment(content))
        del parts[(1 if text else 0) + end - self.pos :]
        if end > self.pos:
            self.pos = self.end = end
        return resolve(parts[0]) if len(parts) == 1 else fold(parts)

    def _continuation(self, indent: int) -> list[str]:
        """The lines deeper than `indent` that follow, taken; a closing bracket may stand at it."""
        start = end = self.pos
        for at in range(start, self.count):
            line = self.lines[at]
            content = line.strip(" \t")
            if content:
                found = _indent(line)
                if found < indent or (found == indent and content[0] not in "]}"):
                    break
                end = at + 1
        self.pos = self.end = end
        return self.lines[start:end]

    def _quoted(self, rest: str, indent: int) -> Any:
        end = quote_end(rest, 0)
        if end < 0:
            start = self.pos
            joined = "\n".join([rest, *self._continuation(indent)])
            end = quote_end(joined, 0)
            if end < 0 or strip_comment(joined[end + 1 :].partition("\n")[0]):
                self.pos = self.end = start
                self._problem("a quote is never closed", start - 1)
                return rest
            self.pos = self.end = start + joined.count("\n", 0, end)
            return unquote(joined[1:end], rest[0])
        if strip_comment(rest[end + 1 :]):
            return self._plain(rest, indent)
        return unquote(rest[1:end], rest[0])

    def _flow(self, rest: str, indent: int) -> Any:
        start, text = self.pos, rest
        try:
            try:
                value, end = parse_flow(text)
            except Unfinished:
                text = "\n".join([rest, *self._continuation(indent)])
                value, end = parse_flow(text)
            if not strip_comment(text[end:].replace("\n", " ")):
                return value
        except FlowError as error:
            self.pos = self.end = start
            # `[WIP] a title` is text; what spans brackets to the end of the line was meant as data.
            if rest[-1] in "]},[{":
                self._problem(str(error), start - 1)
        self.pos = self.end = start
        return self._plain(rest, indent)

    def _text_block(self, folded: bool, parent: int, digit: int, chomp: str) -> str:
        """A `|` or `>` scalar whose key stands at `parent`."""
        indent = parent + digit if digit else 0
        taken: list[str] = []
        while self.pos < self.count:
            line = self.lines[self.pos]
            if line.strip(" "):
                found = len(line) - len(line.lstrip(" "))
                if found <= parent or (indent and found < indent):
                    break
                indent = indent or found
            taken.append(line)
            self.pos += 1
        self.end = self.pos
        lines = [
            line[indent:] if line.strip(" ") else line[indent or len(line) :] for line in taken
        ]
        body = len(lines)
        while body and not lines[body - 1]:
            body -= 1
        trailing = len(lines) - body
        text = fold_block(lines[:body]) if folded else "\n".join(lines[:body])
        if chomp == "-":
            return text
        if chomp == "+":
            return text + "\n" * (trailing + (1 if body else 0))
        return text + "\n" if body else text


def split_key(content: str) -> tuple[str, str] | None:
    """Key and the rest of a `key: value` line, both without margins; None when it is no such line."""
    at = content.find(": ")
    if at > 0 and content[:at].isidentifier():
        return content[:at], content[at + 2 :].strip(" \t")
    first = content[0]
    if first in "\"'":
        end = quote_end(content, 0)
        if end < 0:
            return None
        rest = content[end + 1 :].lstrip(" \t")
        if rest[:1] != ":" or (len(rest) > 1 and rest[1] not in " \t"):
            return None
        return unquote(content[1:end], first), rest[1:].strip(" \t")
    if at < 0:
        at = content.find(":\t")
        if at < 0:
            if content[-1] != ":":
                return None
            at = len(content) - 1
    key = content[:at].rstrip(" \t")
    if not key or first in "[{?|>" or " #" in key or _is_dash(content):
        return None
    return key, content[at + 1 :].strip(" \t")


def strip_comment(text: str) -> str:
    """`text` without a trailing comment: a `#` with a space on either side, or the last character."""
    text = text.strip(" \t")
    if "#" not in text:
        return text
    if text[0] == "#":
        return ""
    at = text.find(" #")
    while at >= 0:
        if text[at + 2 : at + 3] in ("", " ", "\t"):
            return text[:at].rstrip(" \t")
        at = text.find(" #", at + 1)
    return text


def fold(parts: list[str]) -> str:
    """Lines of a plain scalar joined: one break is a space, n blank lines are n breaks."""
    out: list[str] = []
    blanks = 0
    for part in parts:
        if not part:
            blanks += 1
            continue
        if out:
            out.append("\n" * blanks if blanks else " ")
        out.append(part)
        blanks = 0
    return "".join(out)


def fold_block(lines: list[str]) -> str:
    """Lines of a `>` scalar joined: deeper lines keep their breaks."""
    out: list[str] = []
    blanks = 0
    before = ""
    for line in lines:
        if not line:
            blanks += 1
            continue
        if not before:
            out.append("\n" * blanks)
        elif before[0] in " \t" or line[0] in " \t":
            out.append("\n" * (blanks + 1))
        else:
            out.append("\n" * blanks if blanks else " ")
        out.append(line)
        before, blanks = line, 0
    return "".join(out)


def _block_header(rest: str) -> tuple[int, str] | None:
    """Indentation digit (0: not said) and chomping of a `|` or `>` header; None when it is text."""
    flags = strip_comment(rest[1:]) if len(rest) > 1 else ""
    if len(flags) > 2:
        return None
    digit, chomp = 0, ""
    for char in flags:
        if char in "+-" and not chomp:
            chomp = char
        elif char in "123456789" and not digit:
            digit = int(char)
        else:
            return None
    return digit, chomp


def _is_dash(content: str) -> bool:
    return content[0] == "-" and (len(content) == 1 or content[1] in " \t")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
