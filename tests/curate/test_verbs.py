"""Every verb changes what it should, and undo gives every file its bytes back, redo the change."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from memtui.bank.events import append
from memtui.bank.marks import read_marks
from memtui.bank.model import Evidence, Page, Scope, Status, Tier
from memtui.bank.standing import effective, standing
from memtui.bank.trust import trust_by_id
from memtui.curate import verbs
from memtui.curate.act import ActResult, CurateError, NothingToDoError
from memtui.curate.compile import compile_page, plan_rebuild
from memtui.curate.create import CitedRecord
from memtui.curate.curator import Curator
from memtui.curate.draft import Draft
from memtui.curate.edit import EditError
from memtui.curate.merge import propose_merge, propose_page_merge
from memtui.curate.undo import NothingToUndoError
from tests.curate.bench import NOW, Bench

Do = Callable[[Bench, Curator], ActResult]

DRAFT = Draft(
    title="Retries use full jitter",
    body="Use when: you retry.\n\nFixed delays bring all workers back at once.",
    type="decision",
    tags=("retry",),
    scope=Scope("svc-order", None, ("order/retry.py",)),
    evidence=(Evidence("claude-code:s9#r1", quote="forty workers"),),
)
RECORD = CitedRecord("claude-code:s9#r1", "forty workers came back", "1:abc", "answer", NOW)


def edited(bench: Bench, curator: Curator) -> ActResult:
    item = bench.item("own-env")
    base = verbs.begin_edit(curator, item)
    return verbs.edit(
        curator, item, base, base.replace(b"Use setdefault", b"Always use setdefault")
    )


def renamed(bench: Bench, curator: Curator) -> ActResult:
    item = bench.item("own-env")
    base = verbs.begin_edit(curator, item)
    return verbs.edit(curator, item, base, base.replace(b"name: own-env", b"name: env-of-tests"))


def merged(bench: Bench, curator: Curator) -> ActResult:
    cards = bench.cards("pool-timeout", "pool-hangs")
    return verbs.merge(curator, cards, propose_merge(cards), bench.events())


def compiled(bench: Bench, curator: Curator) -> ActResult:
    draft = compile_page(bench.cards("pool-timeout", "own-env", "port-8417"), title="Start green")
    return verbs.compile_cards(curator, draft)


def rebuilt(bench: Bench, curator: Curator) -> ActResult:
    page = bench.item("red-suite")
    assert isinstance(page, Page)
    return verbs.rebuild(curator, plan_rebuild(page, bench.contents(), {"ccccc2": "stale"}))


def pages_merged(bench: Bench, curator: Curator) -> ActResult:
    compiled(bench, curator)
    pages = bench.contents().pages
    draft = propose_page_merge(pages, bench.contents(), {})
    return verbs.merge_pages(curator, pages, draft, bench.events())


def promoted(bench: Bench, curator: Curator) -> ActResult:
    verbs.demote(curator, bench.items("own-env"))
    return verbs.promote(curator, bench.items("own-env"))


def page_promoted(bench: Bench, curator: Curator) -> ActResult:
    verbs.demote(curator, bench.items("red-suite"))
    return verbs.promote(curator, bench.items("red-suite"))


def page_edited(bench: Bench, curator: Curator) -> ActResult:
    item = bench.item("red-suite")
    base = verbs.begin_edit(curator, item)
    return verbs.edit(curator, item, base, base.replace(b"Mind the port", b"Free the port"))


def page_superseded(bench: Bench, curator: Curator) -> ActResult:
    new = compiled(bench, curator).details["id"]
    return verbs.supersede(curator, bench.items("red-suite"), bench.item(new))


EVERYWHERE: dict[str, Do] = {
    "demote": lambda b, c: verbs.demote(c, b.items("pool-timeout"), "old"),
    "promote": promoted,
    "demote several": lambda b, c: verbs.demote(c, b.items("pool-timeout", "own-env", "port-8417")),
    "pin": lambda b, c: verbs.pin(c, b.items("pool-timeout", "own-env")),
    "confirm": lambda b, c: verbs.confirm(c, b.items("pool-timeout")),
    "flag": lambda b, c: verbs.flag(c, b.items("pool-timeout"), "not on my machine"),
    "validated": lambda b, c: verbs.validated(c, b.items("own-env"), "claude-code:s#r", "pytest"),
    "edit": edited,
    "supersede": lambda b, c: verbs.supersede(c, b.items("pool-hangs"), b.item("pool-timeout")),
    "create": lambda b, c: verbs.create(c, DRAFT, [RECORD]),
    "index": lambda b, c: verbs.mend_index(c, b.contents(), {"aaaaa2"}),
    "raise": lambda b, c: verbs.raise_line(c, b.item("port-8417")),
    "create over": lambda b, c: verbs.create(c, DRAFT, supersedes=b.items("pool-hangs")),
    "merge": merged,
    "hide": lambda b, c: verbs.hide_session(c, "claude-code", "s1", "Broken"),
    "compile": compiled,
}
OWN_LAYOUT: dict[str, Do] = {
    "rename": renamed,
    "rebuild": rebuilt,
    "demote page": lambda b, c: verbs.demote(c, b.items("red-suite")),
    "pin page": lambda b, c: verbs.pin(c, b.items("red-suite")),
    "confirm page": lambda b, c: verbs.confirm(c, b.items("red-suite")),
    "flag page": lambda b, c: verbs.flag(c, b.items("red-suite"), "a step is missing"),
    "promote page": page_promoted,
    "edit page": page_edited,
    "supersede page": page_superseded,
    "merge pages": pages_merged,
}


@pytest.mark.parametrize("name", EVERYWHERE)
def test_undo_and_redo_are_exact_in_both_layouts(either: Bench, name: str) -> None:
    _undo_and_redo(either, name, EVERYWHERE[name])


@pytest.mark.parametrize("name", OWN_LAYOUT)
def test_undo_and_redo_are_exact_for_pages(bench: Bench, name: str) -> None:
    _undo_and_redo(bench, name, OWN_LAYOUT[name])


def _undo_and_redo(bench: Bench, name: str, do: Do) -> None:
    before, standing_before = bench.files(), standing(bench.events())
    curator = bench.curator()
    result = do(bench, curator)
    after = bench.files()
    acts = len(curator.ledger.history())
    assert result.items or name == "index"
    told = {event.data.get("act") for event in bench.events()}
    assert (result.act in told) is (name != "hide"), "marks on sessions are local"
    curator.close()
    for _ in range(acts):
        verbs.undo(bench.curator())
    assert bench.files() == before
    assert standing(bench.events()) == standing_before
    with pytest.raises(NothingToUndoError):
        verbs.undo(curator)
    for _ in range(acts):
        verbs.redo(bench.curator())
    assert bench.files() == after
    with pytest.raises(NothingToUndoError):
        verbs.redo(curator)


def test_demote_goes_down_and_promote_comes_up(either: Bench) -> None:
    curator = either.curator()
    line = "- [Pool timeouts come from an unset ORDER_POOL_SIZE]("
    assert line in either.index()
    assert verbs.demote(curator, either.items("pool-timeout")).summary.startswith(
        "demoted to stale"
    )
    assert either.status("pool-timeout") is Status.STALE
    assert line not in either.index()
    verbs.demote(curator, either.items("pool-timeout"))
    assert either.status("pool-timeout") is Status.RETIRED
    with pytest.raises(CurateError, match="already"):
        verbs.demote(curator, either.items("pool-timeout"))
    verbs.promote(curator, either.items("pool-timeout", "own-env"))
    assert either.status("pool-timeout") is Status.ACTIVE
    assert line in either.index()
    with pytest.raises(CurateError, match="already active"):
        verbs.promote(curator, either.items("pool-timeout"))


def test_a_demoted_page_is_retired(bench: Bench) -> None:
    verbs.demote(bench.curator(), bench.items("red-suite"))
    assert bench.status("red-suite") is Status.RETIRED
    assert "red-suite.md" not in bench.index()


def test_the_index_keeps_every_other_byte(claude: Bench) -> None:
    path = claude.bank / "MEMORY.md"
    odd = b"\xff odd byte\r\nprose without end"
    path.write_bytes(path.read_bytes() + odd)
    before = path.read_bytes().split(b"\n")
    verbs.demote(claude.curator(), claude.items("own-env"))
    gone = [line for line in before if b"own-env.md" not in line]
    assert path.read_bytes().split(b"\n") == gone
    verbs.undo(claude.curator())
    assert path.read_bytes().split(b"\n") == before


def test_a_line_that_the_host_adds_meanwhile_stays(claude: Bench) -> None:
    curator = claude.curator()
    verbs.demote(curator, claude.items("own-env"))
    path = claude.bank / "MEMORY.md"
    path.write_text(path.read_text() + "- [New](new.md) — from the host\n")
    verbs.undo(curator)
    assert claude.index().endswith("- [New](new.md) — from the host\n")
    assert "own-env.md" in claude.index()


def test_verdicts_add_up_until_they_are_undone(bench: Bench) -> None:
    curator = bench.curator()
    verbs.confirm(curator, bench.items("pool-timeout"))
    verbs.flag(curator, bench.items("pool-timeout"), "wrong")
    assert trust_by_id(effective(bench.events()))["aaaaa2"].tier is Tier.DISPUTED
    verbs.undo(curator)
    assert trust_by_id(effective(bench.events()))["aaaaa2"].tier is Tier.CONFIRMED
    verbs.redo(curator)
    assert trust_by_id(effective(bench.events()))["aaaaa2"].tier is Tier.DISPUTED


def test_only_a_person_confirms_and_a_flag_needs_a_reason(bench: Bench) -> None:
    with pytest.raises(CurateError, match="only a person"):
        verbs.confirm(bench.curator(by="agent"), bench.items("own-env"))
    with pytest.raises(CurateError, match="reason"):
        verbs.flag(bench.curator(), bench.items("own-env"), " ")
    assert bench.events() == ()


def test_merge_joins_evidence_hands_on_verdicts_and_keeps_the_sources(bench: Bench) -> None:
    curator = bench.curator()
    verbs.confirm(curator, bench.items("pool-hangs"))
    result = merged(bench, curator)
    new = bench.item(result.details["id"])
    assert new.body == bench.item("pool-timeout").body
    assert {cited.ref for cited in new.evidence} == {
        "claude-code:s-aaaaa2#r1",
        "claude-code:s-ddddd2#r1",
    }
    assert set(new.supersedes) == {"aaaaa2", "ddddd2"}
    assert bench.status("pool-timeout") is Status.RETIRED
    assert trust_by_id(effective(bench.events()))[new.id].tier is Tier.CONFIRMED
    assert bench.index().count("Pool timeouts") == 1
    again = bench.cards(new.id, "own-env")
    second = verbs.merge(curator, again, propose_merge(again), bench.events())
    assert trust_by_id(effective(bench.events()))[second.details["id"]].confirmed == 1


def test_create_seals_redacts_and_names(bench: Bench) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    draft = replace(DRAFT, title=f"Token {secret}", body=f"Use when: you push.\n\n{secret}")
    record = replace(RECORD, text=f"forty workers {secret}")
    first = verbs.create(bench.curator(), draft, [record])
    second = verbs.create(bench.curator(), replace(DRAFT, title=draft.title))
    made = bench.item(first.details["id"])
    assert made.evidence[0].record == "1:abc"
    assert made.evidence[0].excerpt
    assert made.scope.project == "svc-order"
    assert second.details["name"] == first.details["name"] + "-2"
    for path in bench.root.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_undo_of_a_card_keeps_an_excerpt_that_another_card_cites(bench: Bench) -> None:
    curator = bench.curator()
    verbs.create(curator, DRAFT, [RECORD])
    verbs.create(curator, replace(DRAFT, title="The same again"), [RECORD])
    kept = list((bench.bank / "evidence").iterdir())
    verbs.undo(curator)
    assert list((bench.bank / "evidence").iterdir()) == kept
    verbs.undo(curator)
    assert list((bench.bank / "evidence").iterdir()) == []


def test_edit_refuses_what_cannot_be_read_back(bench: Bench) -> None:
    curator, item = bench.curator(), bench.item("own-env")
    base = verbs.begin_edit(curator, item)
    for broken in (
        base.replace(b"id: bbbbb2", b"id: zzzzz9"),
        base.replace(b"---\nUse", b"Use"),
        base.replace(b"convention", b"handbook"),
        base.split(b"---\nUse")[0] + b"---\n",
        base + b"<<<<<<< a\n=======\n>>>>>>> b\n",
    ):
        with pytest.raises(EditError):
            verbs.edit(curator, item, base, broken)
    with pytest.raises(CurateError, match="nothing was changed"):
        verbs.edit(curator, item, base, base)
    assert bench.events() == ()


def test_rename_takes_links_and_the_index_along(bench: Bench) -> None:
    renamed(bench, bench.curator())
    assert "[[env-of-tests]]" in bench.item("pool-timeout").body
    assert "[[env-of-tests]]" in bench.item("red-suite").body
    assert "(cards/env-of-tests.md) — hook" in bench.index()
    assert "own-env" not in bench.index()
    assert bench.item("bbbbb2").name == "env-of-tests"


def test_supersede_takes_the_old_line_out_and_keeps_its_file(bench: Bench) -> None:
    before = (bench.bank / "cards" / "pool-hangs.md").read_bytes()
    EVERYWHERE["supersede"](bench, bench.curator())
    assert (bench.bank / "cards" / "pool-hangs.md").read_bytes() == before
    assert "pool-hangs.md" not in bench.index()
    assert bench.item("pool-timeout").supersedes == ("ddddd2",)
    with pytest.raises(CurateError, match="already"):
        EVERYWHERE["supersede"](bench, bench.curator())


def test_a_session_is_hidden_until_it_is_shown_or_undone(bench: Bench) -> None:
    curator = bench.curator()
    events = bench.events()
    verbs.hide_session(curator, "codex", "s1")
    verbs.hide_session(curator, "codex", "s2")
    verbs.hide_session(curator, "codex", "s1", hidden=False)
    assert read_marks(curator.state).hidden == {"codex:s2"}
    verbs.undo(curator)
    assert read_marks(curator.state).hidden == {"codex:s1", "codex:s2"}
    with pytest.raises(NothingToDoError):
        verbs.hide_session(curator, "codex", "s1")
    assert bench.events() == events, "marks are one person's: the shared events say nothing"


def test_tags_are_words_kept_beside_hiding_and_come_back_with_undo(bench: Bench) -> None:
    curator = bench.curator()
    verbs.tag_session(curator, "codex", "s1", ["#Flaky", "pool", "flaky"])
    verbs.hide_session(curator, "codex", "s1")
    found = read_marks(curator.state)
    assert dict(found.tags) == {"codex:s1": ("flaky", "pool")}
    assert found.hidden == {"codex:s1"}
    verbs.undo(curator)
    verbs.tag_session(curator, "codex", "s1", [])
    assert not list((curator.state / "sessions").glob("*"))
    verbs.undo(curator)
    verbs.undo(curator)
    assert read_marks(curator.state).tags == {}
    for bad in ("", "#", "two words", "a,b", "x" * 41):
        with pytest.raises(CurateError, match="not a tag"):
            verbs.tag_session(curator, "codex", "s1", [bad])


def test_a_damaged_mark_is_named_and_replaced_by_the_next(bench: Bench) -> None:
    curator = bench.curator()
    verbs.tag_session(curator, "codex", "s1", ["flaky"])
    file = next((curator.state / "sessions").glob("*.json"))
    file.write_bytes(b"{]")
    assert read_marks(curator.state).unread == (file,)
    verbs.hide_session(curator, "codex", "s1")
    assert read_marks(curator.state).hidden == {"codex:s1"}
    verbs.undo(curator)
    assert file.read_bytes() == b"{]"


def test_a_file_without_an_id_can_be_curated(claude: Bench) -> None:
    path = claude.bank / "feedback_tone.md"
    path.write_bytes(b"---\nname: Tone\ndescription: Be brief\ntype: feedback\n---\nBe brief.\n")
    before = path.read_bytes()
    curator = claude.curator()
    verbs.confirm(curator, claude.items("Tone"))
    verbs.demote(curator, claude.items("Tone"))
    assert claude.status("Tone") is Status.STALE
    assert b"type: feedback\n" in path.read_bytes()
    verbs.undo(curator)
    assert path.read_bytes() == before


def test_rebuild_leaves_out_what_only_a_lost_card_said(bench: Bench) -> None:
    result = compiled(bench, bench.curator())
    page = bench.item(result.details["id"])
    assert isinstance(page, Page)
    plan = plan_rebuild(page, bench.contents(), {"ccccc2": "stale"})
    lost = [line for line in page.body.splitlines() if "[[port-8417]]" in line]
    assert lost
    assert len(plan.lost) == len(lost)
    verbs.rebuild(bench.curator(), plan)
    after = bench.item(page.id)
    assert isinstance(after, Page)
    assert "port-8417" not in after.body
    assert (after.generation, set(after.sources)) == (2, {"aaaaa2", "bbbbb2"})
    kept = [line for line in page.body.splitlines() if line[:1] == "-" and line not in lost]
    assert set(kept) <= set(after.body.splitlines())


def test_verbs_refuse_a_file_that_is_gone_or_in_conflict(bench: Bench) -> None:
    item = bench.item("own-env")
    item.path.write_text("<<<<<<< a\n=======\n>>>>>>> b\n")
    with pytest.raises(CurateError, match="conflict markers"):
        verbs.demote(bench.curator(), [item])
    item.path.unlink()
    with pytest.raises(CurateError, match="gone"):
        verbs.confirm(bench.curator(), [item])
    with pytest.raises(CurateError, match="nothing to pin"):
        verbs.pin(bench.curator(), [])


def test_damaged_events_stop_nothing(bench: Bench) -> None:
    curator = bench.curator()
    loop = curator.event("act", "undo", "card:aaaaa2", data={"act": "x", "of": "x"})
    append(curator.files.events, loop)
    verbs.confirm(curator, bench.items("own-env"))
    assert [event.verb for event in standing(bench.events())] == ["confirm"]


def test_the_index_is_mended_with_every_other_byte_left_alone(either: Bench) -> None:
    path = either.bank / "MEMORY.md"
    before = path.read_bytes()
    own = next(line for line in before.splitlines(True) if b"own-env.md" in line)
    torn = before.replace(own, b"") + own.replace(b"own-env.md", b"vanished.md")
    double = next(line for line in before.splitlines(True) if b"port-8417.md" in line)
    path.write_bytes(torn + double + b"- [Elsewhere](../notes.md) stays\n")
    verbs.mend_index(either.curator(), either.contents())
    after = path.read_text()
    assert after.count("port-8417.md") == 1
    assert "vanished" not in after
    assert "own-env.md" in after
    assert "Prose stays." in after
    assert "- [Elsewhere](../notes.md) stays\n" in after
    with pytest.raises(CurateError, match="in step"):
        verbs.mend_index(either.curator(), either.contents())


def test_a_bank_in_git_keeps_its_excerpts_in_state(bench: Bench) -> None:
    (bench.bank / ".git").mkdir()
    before = bench.files()
    curator = bench.curator()
    verbs.create(curator, DRAFT, [RECORD])
    assert not (bench.bank / "evidence").exists()
    assert len(list((curator.state / "evidence").iterdir())) == 1
    verbs.undo(curator)
    assert bench.files() == before


def test_mending_is_undone_to_the_byte_also_for_a_line_whose_file_is_gone(either: Bench) -> None:
    index = either.bank / "MEMORY.md"
    index.write_bytes(index.read_bytes() + b"- [Gone](cards/gone.md) \xe2\x80\x94 nowhere\n")
    before = either.files()
    curator = either.curator()
    done = verbs.mend_index(curator, either.contents())
    after = either.files()
    assert after != before
    verbs.undo(curator)
    assert either.files() == before
    verbs.redo(curator)
    assert either.files() == after
    verbs.revert(curator, verbs.preview_revert(curator, either.events(), done.act))
    assert either.files() == before


def test_importing_the_verbs_does_not_import_sqlmodel() -> None:
    """It takes 400 ms and more, and only an act needs it."""
    names = "verbs", "decide", "history", "lint", "merge", "purge"
    code = "import sys\n" + "".join(f"import memtui.curate.{name}\n" for name in names)
    code += "print('sqlmodel' in sys.modules or 'sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
