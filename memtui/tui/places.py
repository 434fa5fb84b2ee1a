"""What the app keeps of a view whose screen goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui.workspace.projects import Found


@dataclass
class ProjectsPlace:
    """Where the list stood: kept by the app, because a project that is opened has its own screens."""

    rows: list[Found] = field(default_factory=list)
    whole: bool = False
    words: str = ""
    sort: str = "activity"
    facets: frozenset[str] = frozenset()
    key: str = ""
