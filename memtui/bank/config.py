"""`bank.toml`: who a bank is, where it holds, and its policy."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from memtui.bank.model import BankConfig, Policy

FORMAT = 1

T = TypeVar("T", str, int, float, bool)
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


class ConfigError(ValueError):
    """Something in `bank.toml`: names the file, the key and what was expected."""


def read_config(path: Path, fallback_id: str) -> BankConfig:
    """The config at `path`, or the defaults with `fallback_id` where there is no file.

    Raises ConfigError for a file that cannot be understood and for a newer format.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return BankConfig(id=fallback_id)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    return parse_config(data, path, fallback_id)


def parse_config(data: Mapping[str, Any], path: Path, fallback_id: str) -> BankConfig:
    """A config from its TOML values. Raises ConfigError."""
    found = _value(data, "format", int, FORMAT, path)
    if found > FORMAT:
        raise ConfigError(
            f"{path}: format is {found}, this memtui reads up to {FORMAT}; install a newer memtui"
        )
    scope = _table(data, "scope", path)
    return BankConfig(
        id=_identity(_value(data, "id", str, fallback_id, path), path),
        format=found,
        project=_value(scope, "project", str, "", path),
        aliases=_texts(scope, "aliases", (), path),
        remote=_value(scope, "remote", str, "", path),
        policy=_policy(_table(data, "policy", path), path),
        share_evidence=_value(data, "share_evidence", bool, False, path),
        raw=data,
    )


def derived_bank_id(root: Path) -> str:
    """The id of a bank that has no `bank.toml`: the folder's name and a digest of its path."""
    stem = "".join(c if c.isalnum() or c in "._-" else "-" for c in root.name).strip(".-") or "bank"
    return f"{stem[:40]}-{sha256(str(root).encode('utf-8', 'surrogateescape')).hexdigest()[:6]}"


def _policy(data: Mapping[str, Any], path: Path) -> Policy:
    base = Policy()
    weights = _table(data, "weights", path)
    return Policy(
        types=_texts(data, "types", base.types, path),
        max_lines=_count(data, "max_lines", base.max_lines, path),
        budget=_count(data, "budget", base.budget, path),
        unchecked_lines=_count(data, "unchecked_lines", base.unchecked_lines, path),
        importance_weight=_value(weights, "importance", float, base.importance_weight, path),
        trust_weight=_value(weights, "trust", float, base.trust_weight, path),
        recency_weight=_value(weights, "recency", float, base.recency_weight, path),
    )


def _identity(text: str, path: Path) -> str:
    if not text or text.startswith(".") or any(c in "/\\\0" or not c.isprintable() for c in text):
        raise ConfigError(f"{path}: id is {text!r}, wanted a name without slashes")
    return text


def _table(data: Mapping[str, Any], key: str, path: Path) -> Mapping[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigError(f"{path}: {key} is {value!r}, wanted a table")
    return value


def _value(data: Mapping[str, Any], key: str, kind: type[T], default: T, path: Path) -> T:
    value = data.get(key, default)
    wanted = (int, float) if kind is float else (kind,)
    if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
        raise ConfigError(f"{path}: {key} is {value!r}, wanted {_WORDS[kind]}")
    return kind(value)


def _count(data: Mapping[str, Any], key: str, default: int, path: Path) -> int:
    value = _value(data, key, int, default, path)
    if value < 0:
        raise ConfigError(f"{path}: {key} is {value}, wanted 0 or more")
    return value


def _texts(
    data: Mapping[str, Any], key: str, default: tuple[str, ...], path: Path
) -> tuple[str, ...]:
    value = data.get(key, list(default))
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{path}: {key} is {value!r}, wanted a list of texts")
    return tuple(value)
