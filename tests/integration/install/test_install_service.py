"""The unit file of the page about services, obeyed as systemd would obey it."""

import configparser
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from coopsim.recording import Recording

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]
PAGE = Path(__file__).parents[3] / "docs" / "howto" / "service.md"
SCENARIO = "[SIMULATION]\nmode real-time\n\n[ROBOT_1]\ntype single\nname ann\nposition 0 0 0\n"


@pytest.fixture
def unit() -> configparser.SectionProxy:
    """The section [Service] of the unit."""
    match = re.search(r"```ini\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert match is not None
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(match[1])
    return parser["Service"]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """What the unit calls /var/lib/coopsim."""
    (tmp_path / "recordings").mkdir()
    (tmp_path / "lab.scenario").write_text(SCENARIO)
    return tmp_path


def begin(unit: configparser.SectionProxy, folder: Path) -> subprocess.Popen[bytes]:
    """Start what the unit starts, on free ports, without a home; nobody reads what it says."""
    program, *words = shlex.split(unit["ExecStart"])
    assert Path(program).name == "coopsim"
    environment = {"PATH": os.environ["PATH"], "CACHE_DIRECTORY": str(folder / "cache")}
    command = [sys.executable, "-m", "coopsim", *words, "--port", "0", "--ready", "ready.json"]
    (folder / "ready.json").unlink(missing_ok=True)
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 120.0
    while not (folder / "ready.json").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it is not ready"
        time.sleep(0.05)
    return process


def is_success(unit: configparser.SectionProxy, code: int) -> bool:
    """Return whether systemd takes an exit code for a success."""
    return code == 0 or str(code) in unit["SuccessExitStatus"].split()


def physics_of(launcher: int) -> int:
    """Return the process id of the physics process."""
    children = Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
    (physics,) = [int(pid) for pid in children if b"physics_process" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return physics


def test_the_unit_names_a_user_folders_and_what_is_no_failure(unit: configparser.SectionProxy) -> None:
    assert unit["User"] == "coopsim"
    assert unit["WorkingDirectory"] == unit["ReadWritePaths"] == "/var/lib/coopsim"
    assert unit["Restart"] == "on-failure"
    assert "--overwrite" not in unit["ExecStart"]


def test_a_crash_is_restarted_beside_its_recording_and_sigterm_is_no_failure(
    unit: configparser.SectionProxy, folder: Path
) -> None:
    first = begin(unit, folder)
    os.kill(physics_of(first.pid), signal.SIGKILL)
    first.communicate(timeout=60)
    assert not is_success(unit, first.returncode)

    second = begin(unit, folder)
    second.send_signal(getattr(signal, unit["KillSignal"]))
    code = second.wait(float(unit["TimeoutStopSec"]))  # its pipes are full of what nobody has read
    second.communicate()
    assert is_success(unit, code)

    files = sorted((folder / "recordings").iterdir())
    assert len(files) == 2
    for file in files:
        with Recording(file) as recording:
            assert len(recording) > 0
