"""What the pane shows, what the command prints and what the index plans are one text."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.cli.main import main
from memtui.index.reader import injection_rows
from memtui.inject.limits import LIMITS, measure
from memtui.inject.model import Request
from memtui.inject.plan import plan
from memtui.inject.snapshot import build
from memtui.tui.docs.preview_rows import PreviewRows
from memtui.tui.glyphs import glyph_set
from memtui.workspace.model import PreviewOptions
from memtui.workspace.open import open_workspace

TITLES = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("x[/]y\n\"'#: \u2028🐍<>")),
    max_size=60,
)
CARDS = st.lists(
    st.tuples(
        TITLES,
        st.sampled_from(["pitfall", "env", "decision", "task", "convention", "nonsense"]),
        st.sampled_from(["active", "active", "active", "stale", "retired"]),
        st.booleans(),
        st.sampled_from(["session", "external"]),
    ),
    max_size=24,
)


def write_bank(root: Path, cards: list[tuple[str, str, str, bool, str]]) -> None:
    (root / "cards").mkdir(parents=True)
    (root / "events").mkdir()
    (root / "bank.toml").write_text('format = 1\nid = "made"\n[scope]\nproject = "made"\n')
    for number, (title, kind, status, pinned, origin) in enumerate(cards):
        quoted = title.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        text = (
            f'---\nname: card-{number}\ndescription: "{quoted}"\nmetadata:\n  id: c{number:05}\n'
            f"  type: {kind}\n  status: {status}\n  pinned: {str(pinned).lower()}\n"
            f"  origin: {origin}\n  created: 2026-11-0{number % 9 + 1}T10:00:00Z\n---\nUse when: x.\n"
        )
        (root / "cards" / f"card-{number}.md").write_bytes(text.encode("utf-8", "surrogatepass"))


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    cards=CARDS,
    host=st.sampled_from(sorted(LIMITS)),
    budget=st.one_of(st.none(), st.integers(0, 900)),
)
def test_command_pane_and_index_say_the_same(
    cards: list[tuple[str, str, str, bool, str]], host: str, budget: int | None
) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        write_bank(root / "bank", cards)
        environ = {
            "MEMTUI_BANK": str(root / "bank"),
            "MEMTUI_HOSTS_HOME": str(root),
            "MEMTUI_NOW": "2026-11-20T12:00:00Z",
            **{
                f"MEMTUI_{name}_HOME": str(root / name)
                for name in ("STATE", "CACHE", "CONFIG", "DATA")
            },
        }
        core = open_workspace(None, root, environ)
        view = core.load()
        preview = core.preview(view, PreviewOptions(host=host, budget=budget))
        made = preview.plan

        assert _printed(environ, root, host, budget) == made.text.encode()
        rows = PreviewRows(preview, view, 4000, glyph_set(False))
        keys = [rows.key(at) for at in range(len(rows))]
        drawn = [
            rows.line(at, 4000)
            for at, key in enumerate(keys)
            if isinstance(key, tuple) and key[0] == "line"
        ]
        assert [rows.find(key) for key in keys] == list(range(len(rows)))
        pane = ["".join(text for text, _ in line) for line in drawn]
        sent = made.text.splitlines()
        assert len(pane) == len(sent)
        assert all(line.strip() in shown for line, shown in zip(sent, pane, strict=True))

        assert core.index_path is not None
        snapshot = build(injection_rows(core.index_path))
        request = Request(
            host=host, source="startup", project="made", branch="", today=20777, budget=budget
        )
        assert plan(snapshot, request).text == made.text

        allowed = 600 if budget is None else budget
        assert made.tokens <= allowed
        assert measure(made.text, made.limit) <= made.limit.size
        assert made.text == "" or made.text.endswith("</memtui-memory>\n")
        assert len(made.decisions) == len(cards)


def _printed(environ: dict[str, str], cwd: Path, host: str, budget: int | None) -> bytes:
    words = ["inject", "--host", host, "--source", "startup"]
    if budget is not None:
        words += ["--budget", str(budget)]
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="utf-8")
    before = dict(os.environ), Path.cwd()
    os.environ.update(environ)
    os.chdir(cwd)
    try:
        with contextlib.redirect_stdout(out):
            assert main(words) == 0
        out.flush()
        return raw.getvalue()
    finally:
        os.environ.clear()
        os.environ.update(before[0])
        os.chdir(before[1])
