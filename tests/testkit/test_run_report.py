"""A test that failed says how its simulations stand, whatever it put in the place of others."""

import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import run_report

WORDS = "coopsim run single, as this process is called by its test"


@pytest.fixture
def simulation() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen([sys.executable, "-c", "input()", WORDS], stdin=subprocess.PIPE) as process:
        yield process
        process.communicate(b"\n")


@pytest.mark.parametrize("stand_in", [None, lambda *_: None])
def test_processes_are_shown_though_a_test_puts_something_in_the_place_of_popen(
    simulation: "subprocess.Popen[bytes]", stand_in: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stand_in is not None:
        monkeypatch.setattr(subprocess, "Popen", stand_in)
    report = SimpleNamespace(sections=[])
    run_report.add_to(report)  # type: ignore[arg-type]  # a report has more
    ((title, text),) = report.sections
    assert title == "simulations of this process"
    assert WORDS in text
    assert f"  {simulation.pid} " in text
