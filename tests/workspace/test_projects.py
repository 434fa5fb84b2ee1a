"""All projects: each found once with what it has, nothing opened, nothing of theirs written."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from memtui.bank.find import data_bank, find_bank
from memtui.curate.decide import reject, waiting
from memtui.curate.verbs import hide_session, undo
from memtui.ledger.access import LEDGER_NAME
from memtui.ledger.waiting import waiting_count
from memtui.paths import places
from memtui.workspace.known_banks import KnownBanks
from memtui.workspace.open import OpenError
from memtui.workspace.projects import Found
from tests.sessions.session_fixtures import session_id
from tests.workspace.many_projects import HOSTILE, Many, many


@pytest.fixture
def world(tmp_path: Path) -> Many:
    return many(tmp_path)


def found(world: Many, cwd: Path | None = None) -> dict[str, Found]:
    with world.open(cwd) as workspace:
        workspace.scan()
        rows = workspace.projects.found(lambda _: None)
    assert len({row.key for row in rows}) == len(rows)
    return {row.name: row for row in rows}


def digests(*folders: Path) -> dict[str, str]:
    files = (file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file())
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_every_project_is_found_once_with_what_it_has(world: Many) -> None:
    world.propose(data_bank(world.data, world.folder("api")), 3)
    before = digests(world.data, world.home)
    rows = found(world)
    assert set(rows) == {
        "shop", "team-site", "api", "broken", HOSTILE, "gone", "tools", "",
    }  # fmt: skip
    shop = rows["shop"]
    assert (shop.sessions, shop.cards, shop.pages, shop.waiting) == (2, 3, 0, 0)
    assert (shop.here, shop.health, shop.hosts) == (True, "ok", (("Claude Code", 2),))
    assert rows["team-site"].cards == 1
    api = rows["api"]
    assert (api.sessions, api.cards, api.waiting) == (2, 2, 3)
    assert api.folders == (str(world.folder("api")), str(world.folder("api-old", there=False)))
    assert rows["broken"].health.startswith("bank.toml: cannot be read")
    assert rows["gone"].health == "folder is gone"
    assert rows[""].health == "no folder stored"
    assert rows["tools"].hosts == (("Codex", 1),)
    assert rows["tools"].health == "no bank"
    assert digests(world.data, world.home) == before, "nothing of any project is written"


def test_rows_are_told_before_their_banks(world: Many, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.workspace.projects.BATCH", 2)
    told: list[list[Found]] = []
    with world.open() as workspace:
        workspace.scan()
        rows = workspace.projects.found(told.append)
        stopped = workspace.projects.found(told.append, lambda: True)
    assert not any(row.looked for row in told[0])
    assert [sum(row.looked for row in part) for part in told[:3]] == [0, 2, 4]
    assert all(row.looked for row in rows)
    assert not any(row.looked for row in stopped)


def test_the_bank_is_the_one_that_opening_the_folder_finds(world: Many) -> None:
    clone = world.folder("shop-again", remote="https://example.org/ada/shop.git")
    shop_bank = data_bank(world.data, world.folder("shop"))
    text = (shop_bank / "bank.toml").read_text()
    (shop_bank / "bank.toml").write_text(text + 'remote = "example.org/ada/shop"\n')
    banks = KnownBanks(places(world.environ()))
    for name in ("shop", "team-site", "api", "broken", "shop-again", "nobody"):
        folder = world.folder(name)
        remote = "git@example.org:ada/shop.git" if name.startswith("shop") else ""
        bank, by_itself = banks.of(folder, remote)
        wanted = find_bank(folder, world.environ(), world.data, folder).root
        assert (bank.root if bank is not None else None) == wanted, name
        assert by_itself is (wanted is not None)
    assert banks.of(clone, "git@example.org:ada/shop.git")[0] is not None


def test_what_waits_is_what_the_inbox_shows(world: Many) -> None:
    bank = data_bank(world.data, world.folder("shop"))
    world.propose(bank, 4)
    with world.open() as workspace:
        state = places(world.environ()).bank_state(workspace.config.id, bank)

        def shown() -> int:
            return len(workspace.upkeep.inbox().waiting)

        assert waiting_count(state) == shown() == 4
        workspace.curating.act(lambda curator: reject(curator, waiting(curator)[:3]))
        assert waiting_count(state) == shown() == 1
        workspace.curating.act(undo)
        assert waiting_count(state) == shown() == 4
    (state / LEDGER_NAME).write_bytes(b"not a database at all" * 100)
    row = found(world, world.folder("api"))["shop"]
    assert row.waiting is None
    assert "proposals cannot be read" in row.health


def test_another_project_opens_with_its_own_bank_and_sessions(world: Many) -> None:
    with world.open() as here:
        here.scan()
        rows = {row.name: row for row in here.projects.found(lambda _: None)}
        for name, sessions in (("api", 2), ("team-site", 1), ("gone", 1), (HOSTILE, 1)):
            with here.projects.open(rows[name]) as other:
                assert other.bank_root == rows[name].bank
                timeline = other.timeline("turns")
                assert len(timeline.sessions()) == sessions, name
                timeline.close()
        with pytest.raises(OpenError, match="did not store"):
            here.projects.open(rows[""])
        with pytest.raises(OpenError, match=r"bank\.toml"):
            here.projects.open(rows["broken"])


def test_a_bank_opened_from_elsewhere_is_known_and_found_again(world: Many, tmp_path: Path) -> None:
    apart = world.bank(tmp_path / "apart", "apart", 5)
    with world.open(bank=apart) as workspace:
        workspace.load()
    row = found(world)["apart"]
    assert (row.bank, row.cards, row.sessions, row.by_itself) == (apart, 5, 0, False)
    with world.open() as here, here.projects.open(row) as other:
        assert other.bank_root == apart


def test_search_looks_in_every_bank_and_session_but_not_in_hidden_ones(world: Many) -> None:
    for name in ("shop", "team-site"):
        with world.open(world.folder(name)) as workspace:
            workspace.scan()
            workspace.load()
    with world.open(world.folder("nobody")) as here:
        here.finding.fill()
        answer = here.everywhere.search("wombat")
        assert {card.project for card in answer.cards} == {"shop", "team-site"}
        assert [answer.folders[t.session] for t in answer.turns] == [str(world.folder("team-site"))]  # type: ignore[index]
        assert here.everywhere.search("  ").cards == ()
        assert here.everywhere.search('"[/x] AND ( *').turns == ()
    with world.open(world.folder("team-site")) as team:
        team.curating.act(lambda c: hide_session(c, "claude-code", session_id(3)))
    with world.open(world.folder("nobody")) as here:
        assert here.everywhere.search("wombat").turns == ()


def test_home_is_nowhere_once_agents_ran_elsewhere(world: Many, tmp_path: Path) -> None:
    assert not world.open().is_nowhere
    assert world.open(Path("/")).is_nowhere
    assert not Many(tmp_path / "new").open(Path("/")).is_nowhere
