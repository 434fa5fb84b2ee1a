"""The commands that change a bank, as processes: what they do, their exit codes, and undo to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.bank.load import load
from memtui.cli.main import main
from memtui.curate.curator import Curator
from memtui.workspace.sample import Sample
from tests.cli.running import Call, answer, editor, files, run, start

POOL = "pool-timeout-unset-env"
SESSION = "claude-code:871e05e3-48f3-4cce-90cd-e40e31ca0ec9"
FAILURE = f"{SESSION}#fe118e6e-4601-41db-a224-e588cc8c37ee"
ENV_CARDS = (
    "access-log-setting",
    "order-pool-size-required",
    "port-8417-gateway-owns-8080",
    "tests-bring-own-env",
)

EVERY_VERB = {
    "promote": ("promote", "python-3-9-support"),
    "demote": ("demote", POOL, "exit-codes", "--reason", "old"),
    "pin": ("pin", POOL),
    "confirm": ("confirm", "exit-codes", "--note", "looked"),
    "flag": ("flag", "exit-codes", "--reason", "not on my machine"),
    "supersede": ("supersede", "csv-line-ends", "--by", "excel-csv-bom"),
    "merge": ("merge", "access-log-setting", "log-viewer-eats-brackets"),
    "compile": (
        "compile",
        "scratch-databases",
        "not-null-needs-default",
        "check-same-thread-claim",
        "wal-mode-rejected",
    ),
    "edit": ("edit", "release-order"),
    "promote turns": ("promote", FAILURE, "--yes", "--keep-both"),
    "hide": ("hide", SESSION),
    "demote page": ("demote", "how-we-retry"),
    "promote page": ("promote", "how-we-retry"),
    "pin page": ("pin", "money-and-csv"),
    "confirm page": ("confirm", "money-and-csv"),
    "flag page": ("flag", "money-and-csv", "--reason", "a step is missing"),
    "rebuild": ("compile", "change-the-schema", "--yes"),
    "edit page": ("edit", "ship-a-version"),
    "supersede page": ("supersede", "how-we-retry", "--by", "money-and-csv"),
    "merge pages": ("merge", "change-the-schema", "ship-a-version"),
}


@pytest.mark.timeout(300)
def test_every_verb_on_every_layer_acts_and_is_undone_to_the_byte(
    inside: Sample,
    call: Call,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All verbs one after the other, those on cards in processes of their own; then all are taken back."""
    before = []
    text = "s/^Use when:/Use when, now:/; s/^## Before$/## First/; s/^1\\. /1. First: /"
    write = editor(tmp_path, f"sed -i '{text}' \"$1\"")
    monkeypatch.setenv("EDITOR", write)
    for name, words in EVERY_VERB.items():
        before.append(files(inside))
        done = call(*words) if "page" in name else answer(inside, *words)
        assert done["undoable"], name
        assert done["items"], name
        events = load(inside.bank).events
        told = done["act"] in {event.data.get("act") for event in events}
        assert told is (name != "hide"), name  # marks on sessions are local
        changes = name.split()[0] not in ("confirm", "flag", "hide")
        assert (files(inside) != before[-1]) is changes, name
    for name, wanted in reversed(list(zip(EVERY_VERB, before, strict=True))):
        call("undo")
        assert files(inside) == wanted, name
    assert call("undo", code=1)["error"] == "nothing to undo"


def test_redo_does_again_what_undo_took_back(sample: Sample, call: Call) -> None:
    call("demote", POOL)
    call("pin", "exit-codes")
    after = files(sample)
    undone = call("undo", "-n", "9")
    assert [act["verb"] for act in undone] == ["undo", "undo"]
    assert [act["verb"] for act in call("redo", "--count", "2")] == ["redo", "redo"]
    assert files(sample) == after
    assert call("redo", code=1)["error"] == "nothing to redo"


def test_a_text_says_what_happened_and_how_it_is_taken_back(sample: Sample) -> None:
    done = run(sample, "demote", POOL)
    out = done.stdout.decode()
    assert done.returncode == 0
    assert out.startswith("demoted to stale: Pool timeouts in tests come from")
    assert "`memtui undo` takes it back" in out
    assert answer(sample, "show", POOL)["status"] == "stale"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("demote", "nothing"), 1, "no card or page is called nothing"),
        (("promote", POOL), 1, "already active"),
        (("pin", "--off", POOL), 1, "already not pinned"),
        (("confirm", POOL, "--bogus"), 2, "--bogus"),
        (("flag", POOL), 2, "--reason"),
        (("flag", POOL, "--reason", " "), 2, "a flag needs a reason"),
        (("supersede", POOL, "--by", POOL), 2, "cannot supersede itself"),
        (("merge", POOL), 2, "two or more"),
        (("merge", POOL, "how-we-retry"), 2, "do not merge"),
        (("compile",), 2, "no cards are named"),
        (("compile", POOL), 2, "three cards from three sessions"),
        (("compile", "python-3-9-support"), 2, "python-3-9-support is stale"),
        (("compile", POOL, "how-we-retry"), 2, "how-we-retry is a page"),
        (("compile", "change-the-schema"), 2, "Nobody is here to answer"),
        (("purge", POOL), 2, "Nobody is here to answer"),
        (("edit", POOL, "--from", "/nowhere"), 2, "/nowhere cannot be read"),
        (("edit", POOL), 2, "no terminal for an editor"),
        (("promote", f"{SESSION}#nothing", "--yes"), 1, "no turn"),
        (("promote", "codex:none#1", "--yes"), 1, "no session codex:none"),
        (("promote", FAILURE, POOL), 2, "do not mix"),
        (("candidates", "codex:none"), 1, "no session codex:none"),
        (("hide", "codex:none"), 1, "no session codex:none"),
        (("hide", "--show", SESSION), 1, "not hidden"),
        (("revert", "ffff"), 2, "no act begins with ffff"),
        (("history", "ffff"), 1, "no act begins with ffff"),
        (("history", "--as-of", "once"), 2, "not a date"),
        (("undo",), 1, "nothing to undo"),
        (("--bank", "/nowhere", "demote", POOL), 2, "/nowhere: no such folder"),
    ],
)
def test_an_error_says_what_is_wrong_and_changes_nothing(
    inside: Sample,
    words: tuple[str, ...],
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    before = files(inside)
    try:
        found = main(list(words))
    except SystemExit as stopped:
        found = int(str(stopped.code))
    told = capsys.readouterr()
    assert found == code
    assert said in told.err
    assert files(inside) == before


def test_an_error_is_json_where_json_was_asked_for(sample: Sample) -> None:
    assert "no card or page" in answer(sample, "demote", "nothing", code=1)["error"]
    assert "no card or page" in answer(sample, "--json", "demote", "nothing", code=1)["error"]


def test_merge_and_compile_show_before_they_write(sample: Sample, call: Call) -> None:
    before = files(sample)
    proposal = call("merge", *ENV_CARDS[:2], "--dry-run")
    assert proposal["left_out"]
    clusters = call("compile", "--suggest")
    names = {card["name"] for card in clusters[0]["cards"]}
    assert clusters[0]["sessions"] >= 3
    draft = call("compile", *sorted(names), "--dry-run")
    assert all(name in draft["body"] for name in names)
    rebuilt = call("compile", "change-the-schema", "--dry-run")
    assert rebuilt["diff"].startswith("--- ")
    assert rebuilt["lost"]
    assert files(sample) == before


def test_purge_lists_erases_and_gives_a_receipt(sample: Sample) -> None:
    name = "log-viewer-eats-brackets"
    listed = answer(sample, "purge", name, "--dry-run")
    assert {place["kind"] for place in listed["places"]} >= {"file", "events", "evidence", "ledger"}
    assert (sample.bank / "cards" / f"{name}.md").exists()
    receipt = answer(sample, "purge", name, "--yes")
    assert receipt["clean"]
    assert receipt["remaining"] == []
    assert receipt["scanned_bytes"] > 0
    assert run(sample, "show", name).returncode == 1
    assert run(sample, "undo").returncode == 1


def test_purge_takes_several_names(sample: Sample, call: Call) -> None:
    names = ("log-viewer-eats-brackets", "exit-codes")
    ids = [call("show", name)["id"] for name in names]
    receipt = call("purge", *names, "--yes")
    assert [item.partition(":")[2] for item in receipt["items"]] == ids
    assert receipt["clean"]
    assert [run(sample, "show", name).returncode for name in names] == [1, 1]


def test_purge_says_with_its_exit_code_what_still_holds_it(sample: Sample, call: Call) -> None:
    left = sample.bank / "notes.txt"
    left.write_text((sample.bank / "cards" / "exit-codes.md").read_text())
    receipt = call("purge", "exit-codes", "--yes", code=1)
    assert str(left) in [place["path"] for place in receipt["remaining"]]
    assert not receipt["clean"]


def test_hostile_names_reach_no_terminal(sample: Sample) -> None:
    done = run(sample, "demote", "x\x1b]52;c;aGk=\x07y")
    assert done.returncode == 1
    assert b"\x1b" not in done.stderr
    assert b"\x07" not in done.stderr


def test_three_commands_at_once_lose_nothing(sample: Sample) -> None:
    several = (("demote", POOL), ("pin", "exit-codes"), ("flag", "csv-line-ends", "--reason", "x"))
    running = [start(sample, *words) for words in several]
    told = [process.communicate(b"", timeout=60)[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], told
    verbs = [entry["verb"] for entry in answer(sample, "history", "--writer", "ada")]
    assert sorted(verbs) == ["demote", "flag", "pin"]
    assert [act["verb"] for act in answer(sample, "undo", "-n", "3")] == ["undo"] * 3


def test_lint_lists_errors_first_and_says_so_with_its_exit_code(call: Call) -> None:
    found = call("lint", code=1)
    severities = [one["severity"] for one in found]
    assert severities[0] == "error"
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert {one["rule"] for one in found} >= {"contradiction/page", "stale/drifted"}
    errors = call("lint", "--severity", "error", code=1)
    assert {one["severity"] for one in errors} == {"error"}
    twins = call("lint", "healthz-503-while-pending", "--rule", "stale/", "--severity", "warning")
    assert [one["rule"] for one in twins] == ["stale/drifted"]
    assert twins[0]["fix"]
    assert "no card or page" in call("lint", "nothing", code=1)["error"]


def test_lint_in_words_names_the_item_and_what_helps(sample: Sample) -> None:
    index = sample.bank / "MEMORY.md"
    index.write_text(index.read_text() + "- [Gone](cards/gone.md)\n")
    done = run(sample, "lint", "--severity", "error")
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 1
    assert any("gone.md" in line for line in lines)
    assert any(line.strip().startswith("-> ") for line in lines)


def test_a_hosts_own_memory_is_curated_and_undone_to_the_byte(inside: Sample, call: Call) -> None:
    folder = inside.home / ".claude" / "projects" / "-home-dev-svc-order" / "memory"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    swiss, clocks = "project_swiss_shop", "feedback_no_patched_clocks.md"
    here = ("--bank", str(folder))
    call(*here, "demote", clocks)
    assert b"feedback_no_patched_clocks" not in (folder / "MEMORY.md").read_bytes()
    call(*here, "pin", swiss)
    call(*here, "promote", clocks)
    call(*here, "merge", swiss, clocks)
    call(*here, "flag", swiss, "--reason", "over")
    call(*here, "undo", "-n", "9")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_act_that_was_cut_off_is_told_by_doctor_and_finished_by_the_next_command(
    inside: Sample, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(_curator: Curator, _path: str, _data: bytes | None) -> None:
        raise SystemExit(9)

    with monkeypatch.context() as patch:
        patch.setattr(Curator, "write", killed)
        with pytest.raises(SystemExit):
            main(["demote", POOL])
    main(["doctor"])
    assert "acts cut off by a killed process: 1" in capsys.readouterr().out
    assert main(["history", "-n", "1"]) == 0
    told = capsys.readouterr()
    assert "acts cut off by a killed process, now finished: 1" in told.err
    assert "demote" in told.out
    assert "status: stale" in (inside.bank / "cards" / f"{POOL}.md").read_text()
