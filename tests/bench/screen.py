"""The screen over a big bank and a big catalogue: first paint, keys, appended records, memory.

    python -m tests.bench.screen

The app runs headless at 120x40; each frame is rendered to the terminal's bytes as a terminal would get
it, only not written. Times of keys run from the key event to the first frame with the cursor moved.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.workspace.sample import Sample
from tests.bench.catalogue import Transcript, prepare
from tests.bench.process import (
    Sizes,
    children_cpu,
    load_text,
    median,
    p95,
    part,
    peak_mb,
    resident_mb,
)
from tests.bench.staged import stage, write_staged
from tests.bench.terminal import HEIGHT, PATIENCE, WIDTH, whole_process

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from memtui.tui.screens.browse import BrowseScreen

WARM_RUNS = 3
APPENDS = 20
EDITS = 10
STRETCH = 10
"""Keys after which the cursor is set to a place where it has not been."""

_DOWN = ("down", "down", "pagedown", "right_square_bracket", "G")
_UP = ("up", "pageup", "left_square_bracket", "g")


def write_bank(sample: Sample, cards: int) -> None:
    """Cards of about 60 words, of which some are pinned, expired or tied to a path."""
    rng = random.Random(3)
    words = [f"{a}{b}" for a in ("pool", "time", "retry", "index", "lock") for b in "abcdefgh"]
    types = ("constraint", "convention", "env", "decision", "pitfall", "fact")
    for number in range(cards):
        name = f"card-{number:06}"
        title = " ".join(rng.choices(words, k=9))
        body = " ".join(rng.choices(words, k=45))
        head = (
            f"---\nname: {name}\ndescription: {title}\nmetadata:\n  id: c{number:05}\n"
            f"  type: {rng.choice(types)}\n  status: active\n  tags: [{rng.choice(words)}]\n"
            f"  importance: {rng.random():.2f}\n  origin: session\n"
            f"  created: 2026-{rng.randint(1, 10):02}-{rng.randint(1, 28):02}T10:00:00Z\n---\n"
        )
        (sample.bank / "cards" / f"{name}.md").write_text(
            f"{head}Use when: {title[:40]}.\n\n{body}\n", "utf-8"
        )


def bank_part(root: Path) -> dict[str, Any]:
    """Read all cards, and again with nothing changed: files alone, then with all that is computed."""
    from memtui.bank.load import open_bank
    from memtui.workspace.open import open_workspace

    sample = Sample(root)
    reader = open_bank(sample.bank)
    found: dict[str, Any] = {}
    core = open_workspace(bank=sample.bank, cwd=sample.project, environ=sample.environ())
    calls = (
        ("files", reader.read),
        ("files again", reader.read),
        ("view", core.load),
        ("view again", core.load),
    )
    for name, call in calls:
        begin, used = time.perf_counter(), time.process_time()
        call()
        found[name] = [1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - used)]
    found["cards"] = len(core.load().cards)
    found["resident MB"] = resident_mb()
    return found


def paint_part(root: Path, keys: int, scanning: bool, sleeping: bool = False) -> dict[str, Any]:
    """One start of the app, then keys, then appended records (not while scanning or sleeping)."""
    begin, used = time.perf_counter(), time.process_time()
    importlib.import_module("memtui.tui.process").begin()
    importlib.import_module("memtui.tui.app")
    importlib.import_module("memtui.workspace.open")
    importlib.import_module("memtui.tui.screens.browse")
    importlib.import_module("memtui.tui.process").tune()
    imports = [1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - used)]
    found = asyncio.run(_paint(Sample(root), keys, scanning, sleeping))
    return {"imports": imports, **found}


async def _paint(sample: Sample, keys: int, scanning: bool, sleeping: bool) -> dict[str, Any]:
    from textual._compositor import CompositorUpdate

    from memtui.tui.app import MemtuiApp
    from memtui.tui.screens.browse import BrowseScreen
    from memtui.workspace.open import open_workspace

    styles = Path(inspect.getfile(MemtuiApp)).parent
    firsts: dict[str, tuple[float, float]] = {}
    painted = asyncio.Event()

    class Probe(MemtuiApp):
        """Notes when a frame is ready, after rendering what a terminal would be sent."""

        CSS_PATH = [styles / name for name in MemtuiApp.CSS_PATH]

        def _display(self, screen: Any, renderable: Any) -> None:
            super()._display(screen, renderable)
            if isinstance(renderable, CompositorUpdate):
                renderable.render_segments(self.console)
                if isinstance(screen, BrowseScreen):
                    now = (time.perf_counter(), time.process_time())
                    firsts.setdefault("first paint", now)
                    if len(screen.sessions_list):
                        firsts.setdefault("sessions shown", now)
                    if len(screen.cards_list):
                        firsts.setdefault("cards shown", now)
                    painted.set()

    before = resident_mb()
    begin, used = time.perf_counter(), time.process_time()
    core = open_workspace(bank=sample.bank, cwd=sample.project, environ=sample.environ())
    opened = (time.perf_counter(), time.process_time())
    app = Probe(core, watches=not scanning)
    app.animation_level = "none"
    found: dict[str, Any] = {"resident before": before}
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        await _until(lambda: len(firsts) == 3 and (scanning or screen.scanned))
        if not scanning:
            await _at_rest(pilot)
        for name, (at, cpu) in {"opened": opened, **firsts}.items():
            found[name] = [1000 * (at - begin), 1000 * (cpu - used)]
        found["cards"], found["rows"] = len(screen.cards_list), len(screen.sessions_list)
        if sleeping:
            await pilot.press("z")
            await _until(lambda: app.upkeep.progress is None or app.upkeep.progress.done > 0)
        more = (lambda: stage(sample.root, sample.home)) if scanning else None
        found["keys"] = await _keys(pilot, screen, painted, keys, more)
        found["still sleeping"] = app.upkeep.sleeping
        found["resident"] = resident_mb()
        if not scanning and not sleeping:
            found["appended"] = await _appended(pilot, screen, painted, sample)
            found["edited"] = await _edited(screen, painted, sample)
        found["peak"] = peak_mb()
        app.upkeep.cancel()
        app.workers.cancel_all()
    return found


async def _until(condition: Any) -> None:
    end = time.perf_counter() + 12 * PATIENCE
    while not condition():
        if time.perf_counter() > end:
            raise TimeoutError("the app did not come to rest")
        await asyncio.sleep(0.01)


async def _at_rest(pilot: Pilot[None]) -> None:
    """Until no worker runs but those that watch files."""
    calm = 0
    while calm < 10:
        await asyncio.sleep(0.02)
        busy = any(
            not worker.is_finished and worker.group not in ("watch", "themes")
            for worker in pilot.app.workers
        )
        calm = 0 if busy else calm + 1


async def _keys(
    pilot: Pilot[None],
    screen: BrowseScreen,
    painted: asyncio.Event,
    count: int,
    more: Callable[[], bool] | None,
) -> dict[str, Any]:
    """Milliseconds from key to frame; `missed` keys had no frame with the cursor moved.

    While scanning, `more` brings transcripts whenever all are read; keys end when there are none.
    """
    from textual import events

    rng, rows, missed = random.Random(4), screen.sessions_list, 0
    times: list[float] = []
    cpu: list[float] = []
    await pilot.press("1")
    await asyncio.sleep(0.2)
    for number in range(count):
        if more is not None and not screen.jobs.running("scan"):
            if not more():
                break
            screen.scan_sessions()
        if number % STRETCH == 0:
            rows.go(rng.randrange(len(rows)), context=True)
            await asyncio.sleep(0.1)
        ahead = rows.cursor == 0 or (not rows.at_end and rng.random() < 0.7)
        key = rng.choice(_DOWN if ahead else _UP)
        if key == "right_square_bracket" and rows.cursor > 0.99 * len(rows):
            key = "left_square_bracket"
        before = rows.cursor
        character = (
            key
            if len(key) == 1
            else {"right_square_bracket": "]", "left_square_bracket": "["}.get(key)
        )
        event = events.Key(key, character)
        event.set_sender(pilot.app)
        begin, used = time.perf_counter(), time.thread_time()
        driver = pilot.app._driver
        assert driver is not None
        driver.send_message(event)
        at = await _painted(painted, begin, lambda before=before: rows.cursor != before)
        if at is None:
            missed += 1
        else:
            times.append(1000 * (at - begin))
            cpu.append(1000 * (time.thread_time() - used))
        await asyncio.sleep(0.01)
    return {
        "count": len(times),
        "p50": median(times),
        "p95": p95(times),
        "cpu": [median(cpu), p95(cpu)],
        "max": max(times, default=float("nan")),
        "missed": missed,
    }


async def _painted(painted: asyncio.Event, begin: float, condition: Any) -> float | None:
    """When the first frame after `begin` was ready for which `condition` holds."""
    while (left := begin + PATIENCE - time.perf_counter()) > 0:
        painted.clear()
        try:
            await asyncio.wait_for(painted.wait(), left)
        except TimeoutError:
            return None
        if condition():
            return time.perf_counter()
    return None


async def _appended(
    pilot: Pilot[None], screen: BrowseScreen, painted: asyncio.Event, sample: Sample
) -> dict[str, Any]:
    """Milliseconds from a record's bytes in the file to the frame of a list that holds it."""
    transcript, rows, times, missed = _transcript(sample), screen.sessions_list, [], 0
    await pilot.press("G")
    for _ in range(APPENDS):
        await asyncio.sleep(0.3)
        before = len(rows)
        transcript.append()
        begin = time.perf_counter()
        at = await _painted(painted, begin, lambda before=before: len(rows) > before)
        if at is None:
            missed += 1
        else:
            times.append(1000 * (at - begin))
    return {"p50": median(times), "p95": p95(times), "missed": missed}


async def _edited(screen: BrowseScreen, painted: asyncio.Event, sample: Sample) -> dict[str, Any]:
    """Milliseconds from a card's new title in its file to the frame after the screen has it."""
    times, missed = [], 0
    for number in range(EDITS):
        await asyncio.sleep(1.0)
        path = sample.bank / "cards" / f"card-{number:06}.md"
        head, _, rest = path.read_text("utf-8").partition("description: ")
        title = f"edited {time.time_ns()}"
        path.write_text(f"{head}description: {title}\n{rest.partition(chr(10))[2]}", "utf-8")
        begin = time.perf_counter()
        at = await _painted(painted, begin, lambda p=path, t=title: _title(screen, p.stem) == t)
        if at is None:
            missed += 1
        else:
            times.append(1000 * (at - begin))
    return {"p50": median(times), "p95": p95(times), "missed": missed}


def _title(screen: BrowseScreen, name: str) -> str:
    return screen.view.by_name[name].item.title if screen.view else ""


def _transcript(sample: Sample) -> Transcript:
    """The transcript that `measure` began before the app was started."""
    transcript = Transcript(sample.home, sample.project)
    found = (sample.home / ".claude").rglob("*.jsonl")
    transcript.path = max(found, key=lambda path: path.stat().st_mtime_ns)
    transcript.session = transcript.path.stem
    return transcript


def measure(sizes: Sizes) -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        sample = prepare(root, sizes)
        write_bank(sample, sizes.cards)
        Transcript(sample.home, sample.project).append()
        bank = part("screen", "bank", str(root))
        print(
            f"\nLoad {load_text()}. {bank['cards']:,} cards, {bank['resident MB']:.0f} MB resident.\n"
        )
        print("| bank | wall ms | CPU ms |\n|---|---|---|")
        for name in ("files", "files again", "view", "view again"):
            print(f"| {name} | {bank[name][0]:.0f} | {bank[name][1]:.0f} |")
        words = ("paint", str(root), str(sizes.keys))
        warm = [part("screen", *words) for _ in range(WARM_RUNS)]
        print(
            f"\nLoad {load_text()}. {warm[0]['cards']:,} cards, {warm[0]['rows']:,} rows shown.\n"
        )
        print(f"| screen, median of {WARM_RUNS} starts | wall ms | CPU ms |\n|---|---|---|")
        for name in ("imports", "opened", "first paint", "sessions shown", "cards shown"):
            wall, cpu = (median([run[name][place] for run in warm]) for place in (0, 1))
            print(f"| {name} | {wall:.0f} | {cpu:.0f} |")
        used = children_cpu()
        whole = whole_process(sample, min(sizes.runs, 5))
        used = 1000 * (children_cpu() - used) / max(1, len(whole))
        print(
            f"| whole process, {len(whole)} starts | {median(whole):.0f} (p95 {p95(whole):.0f}) "
            f"| {used:.0f} |\n"
        )
        print("| the app | ms |\n|---|---|")
        for run in warm:
            _print_run("at rest", run)
        write_staged(root, sizes)
        stage(root, sample.home)
        _print_run("while scanning", part("screen", *words, "scanning"))
        print(f"\nLoad at the end {load_text()}.", flush=True)


def _print_run(what: str, run: dict[str, Any]) -> None:
    keys = run["keys"]
    print(
        f"| {what}: {keys['count']} keys, {keys['missed']} missed | p50 {keys['p50']:.1f}, "
        f"p95 {keys['p95']:.1f}, max {keys['max']:.0f}; "
        f"CPU of the loop p50 {keys['cpu'][0]:.1f}, p95 {keys['cpu'][1]:.1f} |"
    )
    for name in ("appended", "edited"):
        if name in run:
            seen = run[name]
            print(
                f"| {what}: {name}, {seen['missed']} missed "
                f"| p50 {seen['p50']:.0f}, p95 {seen['p95']:.0f} |"
            )
    print(
        f"| {what}: resident MB before, after keys, peak | {run['resident before']:.0f}, "
        f"{run['resident']:.0f}, {run['peak']:.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "bank":
        print(json.dumps(bank_part(Path(sys.argv[2]))))
    elif len(sys.argv) > 3 and sys.argv[1] == "paint":
        modes = ("scanning" in sys.argv, "sleeping" in sys.argv)
        print(json.dumps(paint_part(Path(sys.argv[2]), int(sys.argv[3]), *modes)))
    else:
        measure(Sizes.read())
