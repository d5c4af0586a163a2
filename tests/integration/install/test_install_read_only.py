"""An installation that only an administrator may write to, used by somebody without a home."""

import subprocess
import sys
from pathlib import Path

import pytest

import coopsim

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]
PACKAGE = Path(coopsim.__file__).parent
_READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'


def call(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run coopsim with its package mounted read-only, in a mount namespace of its own."""
    settings = {"PATH": "/usr/bin:/bin", "HOME": "/proc/none", "TMPDIR": str(folder), **environment}
    namespace = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", _READ_ONLY, str(PACKAGE))
    command = (*namespace, sys.executable, "-m", "coopsim", *words)
    return subprocess.run(command, check=False, env=settings, cwd=folder, capture_output=True, text=True, timeout=240)


def test_it_runs_without_compiling_again_and_the_doctor_is_content(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "coopsim.features.doctor.warm", "--first"], check=True, capture_output=True)
    doctor = call(tmp_path, "doctor")
    assert (doctor.returncode, doctor.stderr) == (0, "")
    assert f"compiled, kept in {tmp_path}" in doctor.stdout
    (folder,) = tmp_path.glob("coopsim-*")
    taken_over = {path.name for path in folder.glob("*/*.nbi")}
    assert taken_over == {path.name for path in PACKAGE.glob("**/__pycache__/*.nbi")}
    run = call(tmp_path, "run", "single", "--no-controllers", "--mode", "free", "--duration", "0.1", "--port", "0")
    assert (run.returncode, "Traceback" in run.stderr) == (0, False), run.stderr
    assert {path.name for path in folder.glob("*/*.nbi")} == taken_over
