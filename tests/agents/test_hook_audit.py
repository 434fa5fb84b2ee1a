"""Changed redaction rules before the next injection: what was not looked at under them is not sent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memtui import reasons
from memtui.bank.model import BankContents
from memtui.index.rows import Facts, ingredients_of
from memtui.index.secrets import find_secrets
from memtui.inject.model import Request
from memtui.inject.plan import plan
from memtui.inject.snapshot import build
from memtui.safety.redact import Redaction, redact, use_patterns
from tests.agents.banks import World, card, faults, generated, make_world, run_hook, sent

START = "session-start"
TITLES = {
    "aaaaa2": "Deploys go through zebra-4711, never by hand",
    "bbbbb2": "Tests set their own environment",
    "ccccc2": "Tags are shown too",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    cards = {handle: card(handle, title) for handle, title in TITLES.items()}
    cards["ccccc2"] = card("ccccc2", TITLES["ccccc2"], tags=["zebra-12"])
    return make_world(tmp_path, cards, tuple(TITLES))


def configured(world: World, text: str) -> World:
    folder = world.home / ".config" / "memtui"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return world


def handles(world: World, **options: object) -> set[str]:
    text = sent(run_hook(world, START, {"source": "startup"}, **options))  # type: ignore[arg-type]
    return set(re.findall(r"^- \[(\w+)\]", text, re.MULTILINE))


def test_a_new_pattern_holds_lines_back_before_anything_else_ran(world: World) -> None:
    assert handles(world) == set(TITLES)
    configured(world, '[redact]\npatterns = ["zebra-[0-9]+"]\n')
    assert handles(world) == {"bbbbb2"}
    record = world.records(START)[-1]["injection"]
    held = {one["handle"]: one["reason"] for one in record["decisions"]}
    assert held["aaaaa2"] == held["ccccc2"] == reasons.SECRET
    assert "zebra" not in record["text"]
    configured(world, "[ui]\nascii = true\n")
    assert handles(world) == set(TITLES)


def test_a_variable_counts_as_a_setting(world: World) -> None:
    more = {"env": {**world.environ, "MEMTUI_REDACT_PATTERNS": "zebra-4,nothing"}}
    assert handles(world, **more) == {"bbbbb2", "ccccc2"}


@pytest.mark.parametrize(
    "text", ['[redact]\npatterns = ["("]\n', '[redact]\npatterns = "x"\n', "[redact\n"]
)
def test_rules_that_cannot_be_known_send_nothing_and_say_so(world: World, text: str) -> None:
    configured(world, text)
    assert handles(world) == set()
    assert faults(world)


def test_an_index_under_the_new_rules_holds_them_back_itself(world: World) -> None:
    configured(world, '[redact]\npatterns = ["zebra-[0-9]+"]\n')
    use_patterns((re.compile("zebra-[0-9]+"),))
    world.refresh()
    assert handles(world) == {"bbbbb2"}
    held = [name for name in known(world) if name != "bbbbb2"]
    assert held == ["aaaaa2", "ccccc2"]
    assert shown(world, known(world)) == {"bbbbb2"}


def known(world: World) -> dict[str, str]:
    contents = world.contents()
    return find_secrets(contents, index_of(world, contents))


def index_of(world: World, contents: BankContents) -> Path:
    return world.places.bank_cache(contents.config.id, world.bank) / "index.db"


def shown(world: World, secrets: dict[str, str]) -> set[str]:
    """What the preview would send."""
    contents = world.contents()
    facts = world.facts(contents)
    facts = Facts(facts.now, facts.trust, secrets=secrets)
    request = Request("claude-code", "startup", "svc-order", "main", world.now.toordinal())
    found = plan(build(ingredients_of(contents, facts)), request)
    return {line.handle for line in found.lines}


def test_a_file_with_a_secret_is_held_back_when_it_is_read_again(world: World) -> None:
    text = card("bbbbb2", "The key is ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAabcd")
    (world.bank / "cards" / "card-bbbbb2.md").write_text(text, encoding="utf-8")
    assert handles(world) == {"aaaaa2", "ccccc2"}
    world.refresh()
    assert handles(world) == {"aaaaa2", "ccccc2"}
    assert "github-token" in known(world)["bbbbb2"]
    text = card("bbbbb2", "The key is in the vault")
    (world.bank / "cards" / "card-bbbbb2.md").write_text(text, encoding="utf-8")
    assert handles(world) == set(TITLES)


def test_a_large_bank_under_new_rules(tmp_path: Path) -> None:
    world = generated(tmp_path, 5, size=900)
    before = sent(run_hook(world, START))
    configured(world, '[redact]\npatterns = ["pool"]\n')
    after = sent(run_hook(world, START))
    assert "pool" in before
    assert "pool" not in after
    assert after.count("\n- [") > 5


def test_a_prompt_is_masked_by_own_patterns_and_hits_nothing_held_back(world: World) -> None:
    configured(world, '[redact]\npatterns = ["zebra-[0-9]+"]\n')
    done = run_hook(world, "prompt", {"prompt": "what is `zebra-4711`?"}, more=("--hits",))
    assert sent(done) == ""
    assert world.records("prompt")[-1]["prompt"] == "what is `[redacted:custom]`?"


def test_only_what_is_new_is_looked_at(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(text: str) -> Redaction:
        asked.append(text)
        return redact(text)

    monkeypatch.setattr("memtui.index.secrets.redact", counted)
    assert known(world) == {}
    assert asked == []
    use_patterns((re.compile("zebra"),))
    assert set(known(world)) == {"aaaaa2", "ccccc2"}
    assert len(asked) == 3
    known(world)
    assert len(asked) == 3
    (world.bank / "cards" / "card-ccccc2.md").write_text(card("ccccc2", "Another"), "utf-8")
    assert set(known(world)) == {"aaaaa2"}
    assert len(asked) == 4
