"""One table of `bank.toml` is changed by an act; the rest of the file stays to the byte."""

from __future__ import annotations

import tomllib

import pytest

from memtui.bank.load import load
from memtui.clock import fixed_clock
from memtui.curate.act import CurateError
from memtui.curate.curator import Curator
from memtui.curate.policy import set_table
from memtui.curate.undo import redo, undo
from memtui.paths import places
from memtui.recall.model import DEFAULTS, Fusion
from memtui.recall.policy import changed_values, read_policy
from memtui.workspace.sample import SAMPLE_NOW, Sample


def curator_of(sample: Sample) -> Curator:
    contents = load(sample.bank)
    return Curator.of(contents, places(sample.environ()), "me@here", fixed_clock(SAMPLE_NOW))


def test_saving_keeps_comments_and_undo_takes_it_back_to_the_byte(sample: Sample) -> None:
    config = sample.bank / "bank.toml"
    config.write_text("# mine\n" + config.read_text() + "\n# the end\n")
    before = config.read_bytes()
    values = changed_values(DEFAULTS.with_values(dense_weight=0.2, fusion="rrf", budget=500))
    with curator_of(sample) as curator:
        set_table(curator, "recall", values, "dense weight 0.2")
        text = config.read_text()
        assert text.startswith("# mine\n")
        assert "# the end" in text
        without = tomllib.loads(text)
        assert without.pop("recall") == {"fusion": "rrf", "dense_weight": 0.2, "budget": 500}
        assert without == tomllib.loads(before.decode())
        settings, notes = read_policy(config)
        assert (settings.dense_weight, settings.fusion, settings.budget) == (0.2, Fusion.RRF, 500)
        assert notes == ()
        undo(curator)
        assert config.read_bytes() == before
        redo(curator)
        assert config.read_text() == text
        event = load(sample.bank).events[-1]
        assert (event.verb, event.item) == ("redo", "bank:policy")


def test_keys_go_and_stay_and_nothing_to_do_is_said(sample: Sample) -> None:
    config = sample.bank / "bank.toml"
    config.write_text(config.read_text() + "\n[recall]\ndecay = 0.99 # slow\nrrf_k = 20\n")
    with curator_of(sample) as curator:
        set_table(curator, "recall", {"decay": 0.99, "trust": 2.0}, "trust")
        assert "decay = 0.99 # slow" in config.read_text()
        assert tomllib.loads(config.read_text())["recall"] == {"decay": 0.99, "trust": 2.0}
        with pytest.raises(CurateError, match="already"):
            set_table(curator, "recall", {"decay": 0.99, "trust": 2.0}, "trust")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('dense_weight = "much"', "dense_weight"),
        ('fusion = "guess"', "guess"),
        ("no_such = 1", "no_such"),
        ("budget = true", "budget"),
        ("candidates = 1.5", "candidates"),
    ],
)
def test_a_value_that_cannot_be_used_is_said_and_the_rest_holds(
    sample: Sample, line: str, said: str
) -> None:
    config = sample.bank / "bank.toml"
    config.write_text(f"[recall]\ndecay = 0.9\n{line}\n")
    settings, notes = read_policy(config)
    assert settings == DEFAULTS.with_values(decay=0.9)
    assert len(notes) == 1
    assert said in notes[0].message


def test_values_outside_their_range_are_clamped_and_a_broken_file_is_said(sample: Sample) -> None:
    config = sample.bank / "bank.toml"
    config.write_text("[recall]\ndense_weight = 7.0\nrecency_weight = 3\n")
    settings, _ = read_policy(config)
    assert (settings.dense_weight, settings.recency_weight) == (1.0, 0.1)
    config.write_text("[recall\n")
    settings, notes = read_policy(config)
    assert settings == DEFAULTS
    assert "cannot be read" in notes[0].message
    config.unlink()
    assert read_policy(config) == (DEFAULTS, ())
