"""Steps of other simulators are timed in a Python of their own, and a row says what is missing."""

import sys
from pathlib import Path

import pytest

from coopsim.errors import NoReply, NoSuchPlugin
from coopsim.features.others.rivals import TimedLoop, _row, irsim_row

PYTHON = Path(sys.executable)
_GREETS = """
import sys, time
print("welcome")
print("a warning", file=sys.stderr)
def once():
    print("step")
    time.sleep(0.001)
"""


def test_a_loop_is_timed_whatever_the_simulator_prints() -> None:
    with TimedLoop(PYTHON, _GREETS, "'there/rps.py'", "rps") as loop:
        assert loop.place == "there/rps.py"
        assert loop.measure(20) > 0.001


def test_a_loop_that_ends_and_a_package_that_is_missing_are_told() -> None:
    with TimedLoop(PYTHON, "n = []\ndef once():\n    n.append(1)\n    len(n) < 3 or sys.exit()", "'x.py'", "x") as loop:
        loop.measure(1)
        with pytest.raises(NoReply):
            loop.measure(5)
    with pytest.raises(NoSuchPlugin, match="speedy is not measured: ModuleNotFoundError: No module named 'speedy'"):
        TimedLoop(PYTHON, "import speedy", "speedy.__file__", "speedy")


def test_a_row_says_what_is_missing(tmp_path: Path) -> None:
    nothing = tmp_path / "python"
    nothing.write_text("#!/bin/sh\necho no modules here\n", encoding="utf-8")
    nothing.chmod(0o755)
    assert _row(irsim_row, nothing, 1) == {"case": "ir-sim is not measured: no modules here", "unit": "ms"}
