"""Texts that are edited, drafted and shown, conflicts, history and revert on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.workspace.sample import Sample
from tests.cli.running import Call, answer, editor, files, run

POOL = "pool-timeout-unset-env"
SESSION = "claude-code:871e05e3-48f3-4cce-90cd-e40e31ca0ec9"
FAILURE = f"{SESSION}#fe118e6e-4601-41db-a224-e588cc8c37ee"


def test_edit_takes_a_text_from_a_file_or_standard_input(sample: Sample) -> None:
    path = sample.bank / "cards" / f"{POOL}.md"
    text = path.read_bytes().replace(b"Use when:", b"Use when, and only when:")
    assert answer(sample, "edit", POOL, "--from", "-", text=text)["verb"] == "edit"
    assert path.read_bytes() == text
    assert run(sample, "edit", POOL, "--from", "-", text=text).returncode == 1
    broken = answer(sample, "edit", POOL, "--from", "-", text=b"no front matter\n", code=2)
    assert broken["problems"]
    assert path.read_bytes() == text


def test_a_text_that_cannot_be_saved_stays_in_a_file(sample: Sample, tmp_path: Path) -> None:
    write = editor(tmp_path, "printf 'all of it gone wrong' > \"$1\"")
    done = run(sample, "edit", POOL, EDITOR=write)
    assert done.returncode == 2
    kept = done.stderr.decode().split("your text is in ")[1].split(":")[0]
    assert Path(kept).read_text() == "all of it gone wrong"


def test_an_edit_beside_another_one_is_a_conflict_with_its_texts(
    sample: Sample, tmp_path: Path
) -> None:
    path = sample.bank / "cards" / f"{POOL}.md"
    meanwhile = editor(tmp_path, f"echo Theirs. >> '{path}'\necho Ours. >> \"$1\"")
    found = answer(sample, "edit", POOL, EDITOR=meanwhile, code=3)
    [conflict] = found["conflicts"]
    assert conflict["theirs"].endswith("Theirs.\n")
    assert conflict["ours"].endswith("Ours.\n")
    assert path.read_text().endswith("Theirs.\n")
    kept = found["do"].split("your text is in ")[1].split(":")[0]
    assert Path(kept).read_text().endswith("Ours.\n")


def test_undo_shows_what_changed_since_and_asks_which(sample: Sample, call: Call) -> None:
    path = sample.bank / "cards" / f"{POOL}.md"
    before = path.read_bytes()
    call("pin", "exit-codes")
    call("demote", POOL)
    path.write_bytes(path.read_bytes() + b"Theirs.\n")
    done = run(sample, "undo")
    assert done.returncode == 3
    assert b"+Theirs." in done.stderr
    assert b"--resolve" in done.stderr
    [undone] = call("undo", "--resolve", "ours")
    assert undone["verb"] == "undo"
    assert path.read_bytes() == before


def test_each_file_that_changed_since_has_its_own_answer(
    sample: Sample, call: Call, tmp_path: Path
) -> None:
    names = (POOL, "exit-codes", "csv-line-ends")
    paths = [sample.bank / "cards" / f"{name}.md" for name in names]
    before = [path.read_bytes() for path in paths]
    act = call("demote", *names)["act"]
    changed = [path.read_bytes().replace(b"status: stale", b"status: retired") for path in paths]
    for path, data in zip(paths, changed, strict=True):
        path.write_bytes(data)
    joined = tmp_path / "joined.md"
    joined.write_bytes(before[2] + b"Joined.\n")
    words = [
        "--resolve",
        f"cards/{names[1]}.md=theirs",
        "--resolve",
        f"cards/{names[2]}.md=@{joined}",
    ]
    left = call("revert", act, "--yes", *words, code=3)
    assert [found["path"] for found in left["conflicts"]] == [f"cards/{POOL}.md"]
    assert [path.read_bytes() for path in paths] == changed
    assert (
        "names no side" in call("revert", act, "--yes", "--resolve", "cards/x.md", code=2)["error"]
    )
    call("revert", act, "--yes", *words, "--resolve", "ours")
    assert [path.read_bytes() for path in paths] == [before[0], changed[1], joined.read_bytes()]


def test_what_was_undone_before_a_conflict_is_told(sample: Sample, call: Call) -> None:
    path = sample.bank / "cards" / f"{POOL}.md"
    call("demote", POOL)
    call("pin", "exit-codes")
    path.write_bytes(path.read_bytes() + b"Theirs.\n")
    done = run(sample, "undo", "-n", "2")
    assert done.returncode == 3
    assert b"undid pin" in done.stdout
    assert b"+Theirs." in done.stderr


def test_promote_drafts_from_turns_and_cites_them(
    sample: Sample, call: Call, tmp_path: Path
) -> None:
    dry = call("promote", FAILURE, "--dry-run")
    assert dry["rule"] == "pair"
    assert dry["body"].startswith("Use when: ")
    assert FAILURE in [cited["ref"] for cited in dry["evidence"]]
    title = "The pool is empty without ORDER_POOL_SIZE"
    write = editor(tmp_path, f"sed -i 's/^description: .*/description: {title}/' \"$1\"")
    made = answer(sample, "promote", FAILURE, EDITOR=write)
    card = call("show", made["details"]["name"])
    assert card["title"] == title
    assert card["id"] == made["details"]["id"]
    assert {cited["ref"] for cited in card["evidence"]} == {c["ref"] for c in dry["evidence"]}
    walked = call("walk", card["id"])
    assert {step["check"] for step in walked} == {"verified"}
    again = run(sample, "promote", FAILURE, EDITOR=write)
    assert again.returncode == 2
    assert f"--supersedes {card['name']}".encode() in again.stderr


def test_a_test_that_passed_later_makes_the_card_checked(sample: Sample, call: Call) -> None:
    before = files(sample)
    made = call("promote", FAILURE, "--yes", "--keep-both")
    card = call("show", made["details"]["name"])
    assert card["trust"]["tier"] == "checked"
    assert (card["trust"]["validated"], card["trust"]["confirmed"]) == (1, 0)
    listed = {one["id"]: one["trust"]["tier"] for one in call("cards")}
    assert listed[card["id"]] == "checked"
    call("undo")
    assert files(sample) == before
    assert made["details"]["name"] not in {one["name"] for one in call("cards")}


def test_candidates_lead_to_promote(call: Call) -> None:
    found = call("candidates", SESSION)
    assert found[0]["reason"] == "a failure and its success"
    refs = [cited["ref"] for cited in found[0]["evidence"]]
    assert call("promote", *refs, "--dry-run")["title"] == found[0]["title"]


def test_history_shows_diffs_and_the_bank_of_a_day(
    sample: Sample, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample.bank / "cards" / f"{POOL}.md"
    old = path.read_text()
    monkeypatch.setenv("MEMTUI_NOW", "2026-11-21T08:00:00Z")
    act = call("demote", POOL, "--reason", "old")
    [entry] = call("history", act["act"], "--diff")
    assert (entry["verb"], entry["reason"], entry["writer"]) == ("demote", "old", "ada")
    assert "+  status: stale" in entry["diffs"][f"cards/{POOL}.md"]
    assert [e["verb"] for e in call("history", POOL, "-n", "1")] == ["demote"]
    then = call("history", POOL, "--as-of", "2026-11-20")
    assert then == {"path": f"cards/{POOL}.md", "exact": True, "text": old}
    since = call("history", POOL, "--as-of", "2026-11-20", "--diff")
    assert "+  status: stale" in since["text"]
    paths = [then["path"] for then in call("history", "--as-of", "2026-11-20")]
    assert f"cards/{POOL}.md" in paths
    assert [e["verb"] for e in call("history", "--verb", "demote", "--writer", "ada")] == ["demote"]


def test_lint_brings_the_index_in_step_and_undo_takes_it_back(sample: Sample, call: Call) -> None:
    index = sample.bank / "MEMORY.md"
    kept = [line for line in index.read_text().splitlines(True) if f"{POOL}.md)" not in line]
    index.write_text("".join(kept) + "- [Gone](cards/gone.md)\n")
    broken = index.read_bytes()
    rules = ("lint", "--rule", "integrity/index")
    assert len(call(*rules, code=1)) == 2
    assert call(*rules, "--repair") == []
    assert f"{POOL}.md)" in index.read_text()
    call("undo")
    assert index.read_bytes() == broken


def test_revert_takes_an_act_out_of_the_middle_after_showing_it(sample: Sample, call: Call) -> None:
    before = files(sample)
    act = call("demote", POOL)["act"]
    call("confirm", "exit-codes")
    plan = call("revert", act, "--dry-run")
    assert "+  status: active" in plan["diffs"][f"cards/{POOL}.md"]
    assert run(sample, "revert", act).returncode == 2
    shown = run(sample, "revert", act, "--yes")
    assert shown.returncode == 0
    assert b"reverted demote" in shown.stdout
    assert files(sample) == before
    assert call("revert", act, "--yes", code=1)["error"] == ("this act was taken back already")


def test_commands_and_an_edit_made_outside_do_not_lose_each_other(
    sample: Sample, call: Call
) -> None:
    path = sample.bank / "cards" / "exit-codes.md"
    path.write_bytes(path.read_bytes() + b"Theirs.\n")
    call("demote", "exit-codes")
    assert path.read_text().endswith("Theirs.\n")
    assert "status: stale" in path.read_text()


def test_act_json_is_what_the_log_says(call: Call) -> None:
    act = call("flag", POOL, "--reason", "doubt")
    events = call("log", "-n", "1")
    assert events[0]["data"]["act"] == act["act"]
    assert (events[0]["verb"], events[0]["reason"]) == ("flag", "doubt")
