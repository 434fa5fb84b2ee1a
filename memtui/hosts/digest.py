"""The versioned hash of a record's content: what evidence compares."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from memtui.hosts.decode import mend
from memtui.hosts.registry import host as host_named

VERSION = 1


def record_digest(host: str, raw: Mapping[str, Any]) -> str:
    """`"1:"` and the SHA-256 (hex) of the record's canonical content fields.

    Equal for copies of a record in forks, with new times, versions or folders. Raises KeyError for
    an unknown host, ValueError for a record nested hundreds of levels deep.
    """
    adapter = host_named(host)
    try:
        content = adapter.canonical(mend(dict(raw)))
        text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise ValueError("the record is nested too deep") from None
    return f"{VERSION}:{hashlib.sha256(text.encode('ascii')).hexdigest()}"
