"""The environment that `make` makes."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_its_pip_installs_into_it(tmp_path: Path) -> None:
    place = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    # the module pip is found where it is, not fetched
    variables = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")}
    command = ["make", "-s", "-C", str(ROOT), f"VENV={place}", f"{place}/.pip"]
    subprocess.run(command, check=True, env=variables, timeout=100)
    for pip in (str(place / "bin" / "pip"), "pip"):
        path = {**variables, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}
        printed = subprocess.run([pip, "debug"], check=True, env=path, capture_output=True, text=True, timeout=100)
        assert f"sys.executable: {place}/bin/python" in printed.stdout
