"""The laboratory's settings: which there are, how a key turns them, and how they read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.recall.model import MAX_RECENCY, Fusion, Preset, Settings

Value = float | int | str | bool | None


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting: its name in `Settings`, its label, what it does, and the values it goes through."""

    name: str
    label: str
    help: str
    values: tuple[Value, ...]

    def of(self, settings: Settings) -> Value:
        """Its value now."""
        value: Value = getattr(settings, self.name)
        return value

    def shown(self, settings: Settings) -> str:
        """Its value as it reads."""
        value = self.of(settings)
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:g}" if isinstance(value, int | float) else str(value)

    def turned(self, settings: Settings, step: int) -> Settings:
        """The settings with this one a step down (-1) or up (1); at the ends it stays."""
        value = self.of(settings)
        place = _nearest(self.values, value)
        if value in self.values:
            place += step
        elif step > 0 and _less(self.values[place], value):
            place += 1
        elif step < 0 and _less(value, self.values[place]):
            place -= 1
        place = max(0, min(place, len(self.values) - 1))
        return settings.with_values(**{self.name: self.values[place]})


def _range(low: float, high: float, step: float) -> tuple[float, ...]:
    count = round((high - low) / step)
    return tuple(round(low + step * n, 6) for n in range(count + 1))


KNOBS: tuple[Knob, ...] = (
    Knob("dense_weight", "meaning", "Meaning's least share; more where words say little", _range(0, 1, 0.05)),
    Knob("trigram_weight", "parts of names", "The part of names' pieces within the words", _range(0, 1, 0.05)),
    Knob("literal_weight", "as typed", "What an item gains that holds every name as typed", _range(0, 2, 0.1)),
    Knob("recency_weight", "recency beside words", "A tie-break: more would bury what is old and right", _range(0, MAX_RECENCY, 0.01)),
    Knob("decay", "decay an hour", "What recency keeps after an hour without use", (0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 1.0)),
    Knob("fusion", "fusion", "How lists become one order: sums of scores, or reciprocal ranks", tuple(f.value for f in Fusion)),
    Knob("rrf_k", "k of the ranks", "How flat reciprocal ranks are", (1, 5, 10, 20, 40, 60, 80, 100)),
    Knob("common_share", "common from", "A word that more than this part of the items hold is left out", _range(0.05, 1, 0.05)),
    Knob("candidates", "candidates a list", "How many items each list proposes", (10, 25, 50, 100, 200, 500, 1000)),
    Knob("budget", "budget", "Tokens that the results may cost together", (100, 200, 300, 400, 600, 800, 1000, 1500, 2000, 3000, 5000, None)),
    Knob("importance", "importance", "Its weight without a query", _range(0, 3, 0.1)),
    Knob("trust", "trust", "Its weight without a query", _range(0, 3, 0.1)),
    Knob("recency", "recency", "Its weight without a query", _range(0, 3, 0.1)),
    Knob("preset", "formula", "memtui's own, or that of Generative Agents to compare with", tuple(p.value for p in Preset)),
    Knob("relevance", "relevance", "Its weight in the formula of Generative Agents", _range(0, 3, 0.1)),
    Knob("normalise", "normalised", "Whether the parts of that formula are brought to 0..1 first", (False, True)),
)  # fmt: skip

BY_NAME = {knob.name: knob for knob in KNOBS}


def changes(before: Settings, after: Settings) -> list[tuple[Knob, str, str]]:
    """The settings that differ, with both values."""
    return [
        (knob, knob.shown(before), knob.shown(after))
        for knob in KNOBS
        if knob.of(before) != knob.of(after)
    ]


def summary(before: Settings, after: Settings) -> str:
    """`meaning 0.4 to 0.2, fusion scores to rrf`."""
    return ", ".join(f"{knob.label} {old} to {new}" for knob, old, new in changes(before, after))


def _nearest(values: Sequence[Value], value: Value) -> int:
    if value in values:
        return values.index(value)
    if not isinstance(value, int | float):
        return 0
    numbers = [
        (abs(found - value), n) for n, found in enumerate(values) if isinstance(found, int | float)
    ]
    return min(numbers)[1] if numbers else 0


def _less(left: Value, right: Value) -> bool:
    """Whether a number is below another; none is above all."""
    if not isinstance(left, int | float):
        return False
    return not isinstance(right, int | float) or left < right
