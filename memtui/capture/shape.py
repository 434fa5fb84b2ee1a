"""Checks a JSON value against the part of JSON Schema that memtui's own schemas use.

Keywords: type, const, enum, required, properties, additionalProperties (false), items, minItems,
maxItems, minimum, maximum, minLength, maxLength (in characters). Others are descriptive and ignored.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def faults_of(value: Any, schema: Mapping[str, Any], place: str = "record") -> list[str]:
    """What is wrong with `value`, each with its place; empty when it fits."""
    kind = schema.get("type")
    if kind and not _is_type(value, kind):
        return [f"{place} is not of type {kind}"]
    found = _plain_faults(value, schema, place)
    if isinstance(value, dict):
        found += _object_faults(value, schema, place)
    if isinstance(value, list):
        found += _array_faults(value, schema, place)
    return found


def _is_type(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES[kind])


def _plain_faults(value: Any, schema: Mapping[str, Any], place: str) -> list[str]:
    found = []
    if "const" in schema and value != schema["const"]:
        found.append(f"{place} is {value!r:.40}, not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{place} is {value!r:.40}, not one of {schema['enum']}")
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        found.append(f"{place} is longer than {schema['maxLength']} characters")
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        found.append(f"{place} is empty")
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{place} is less than {schema['minimum']}")
    if "maximum" in schema and value > schema["maximum"]:
        found.append(f"{place} is more than {schema['maximum']}")
    return found


def _object_faults(value: dict[str, Any], schema: Mapping[str, Any], place: str) -> list[str]:
    found = [f"{place} has no {name}" for name in schema.get("required", ()) if name not in value]
    known = schema.get("properties", {})
    for name, member in value.items():
        if name in known:
            found += faults_of(member, known[name], f"{place}.{name}")
        elif schema.get("additionalProperties") is False:
            found.append(f"{place} has an unknown key {name!r:.40}")
    return found


def _array_faults(value: list[Any], schema: Mapping[str, Any], place: str) -> list[str]:
    found = []
    if len(value) < schema.get("minItems", 0):
        found.append(f"{place} has fewer than {schema['minItems']} items")
    if len(value) > schema.get("maxItems", len(value)):
        return [f"{place} has more than {schema['maxItems']} items"]
    if "items" in schema:
        for at, member in enumerate(value):
            found += faults_of(member, schema["items"], f"{place}[{at}]")
    return found
