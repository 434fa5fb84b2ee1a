"""The timer is shown as it will be, quoted for its system, and its failures are told."""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest

from memtui.workspace.timer import TimerError, install_timer, plan_timer

ODD = Path('/w/a bank/100% $HOME "q" it\'s')


def fake(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_systemd_with_a_path_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path / "bin", "systemctl", f'echo "$@" >> {tmp_path}/said')
    path = f"{tmp_path}/bin:/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    environ = {"PATH": path, "XDG_RUNTIME_DIR": "/run/user/1"}
    plan = plan_timer(ODD, "b-12", tmp_path, environ, platform="linux", program=("memtui",))
    assert plan.kind == "systemd"
    service = plan.files[0][1].decode()
    assert r'"/w/a bank/100%% $$HOME \"q\" it' in service
    assert '"sleep" "--apply" "--if-due"' in service
    install_timer(plan)
    assert all(path.read_bytes() == data for path, data in plan.files)
    said = (tmp_path / "said").read_text().splitlines()
    assert said == ["--user daemon-reload", "--user enable --now memtui-sleep-b-12.timer"]
    assert "write " in "\n".join(plan.shown())
    assert plan.shown()[-1].startswith("undo: systemctl --user disable")


def test_a_refusal_is_told_with_what_to_undo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path / "bin", "systemctl", "echo no bus here >&2; exit 3")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    plan = plan_timer(ODD, "b-12", tmp_path, {}, kind="systemd")
    with pytest.raises(TimerError, match="no bus here") as failure:
        install_timer(plan)
    assert "undo: systemctl" in failure.value.do


def test_launchd_and_cron(tmp_path: Path) -> None:
    plan = plan_timer(ODD, "b-12", tmp_path, {}, platform="darwin", program=("memtui",))
    agent = plistlib.loads(plan.files[0][1])
    assert agent["ProgramArguments"] == [
        "memtui",
        "--bank",
        str(ODD),
        "sleep",
        "--apply",
        "--if-due",
    ]
    assert agent["Label"] == plan.files[0][0].stem
    cron = plan_timer(ODD, "b-12", tmp_path, {"PATH": ""}, platform="linux", program=("memtui",))
    assert (cron.kind, cron.files) == ("cron", ())
    assert "100\\%" in cron.line
    assert cron.line.startswith("17 */6 * * * memtui --bank ")
    with pytest.raises(TimerError, match="line break"):
        plan_timer(Path("/w/a\nb"), "b", tmp_path, {})
