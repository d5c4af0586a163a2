"""The second line of an error is about what happened, not about its number."""

import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.app.main import run
from coopsim.app.terminal import Terminal
from coopsim.client.absence import why_absent
from coopsim.client.endpoints import Endpoint
from coopsim.errors import NoSuchPlugin
from coopsim.interpreter import extra_command
from coopsim.launch.launcher import Launcher
from coopsim.launch.options import RunOptions
from coopsim.launch.outcome import from_problem
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun
from coopsim.transport.control import ProcessFailed


@pytest.fixture(autouse=True)
def _own_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hints") / "a.mcap"
    with RecordedRun(Simulation(load("single")), path) as recorded:
        recorded.tick(10)
    return path


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["run", "single", "--record", "FILM"], "  error 603\n"),
        (["run", "single", "--plugin", "nosuch.py"], "  error 401: Give the path of a plugin, a file .py or .robot;"),
        (["run", "nosuch"], "  error 401: Give the path of a file, or the name of a built-in scene: `coopsim scenes`"),
        (["plot", "FILM", "--reading", "robot1.radar", "OUT"], "  error 201: `coopsim info FILE` tells which robots"),
        (["plot", "FILM", "--distance", "robot1", "robot9", "OUT"], "  error 201: `coopsim info FILE` tells which"),
        (["ls", "--endpoint", "localhost"], "got 'localhost'\n  error 203\n"),
    ],
)
def test_the_hint_fits_what_happened(
    film: Path, tmp_path: Path, arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"FILM": str(film), "OUT": str(tmp_path / "a.svg")}
    assert run([places.get(argument, argument) for argument in arguments]) == 1
    assert hint in capsys.readouterr().err


def test_a_package_that_is_missing_is_named_with_the_command_that_brings_it(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert run(["export", str(film), "--parquet", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.endswith(f"not installed\n  error 701: {extra_command('parquet')}\n")


def test_a_law_that_nobody_wrote_down_has_no_empty_place() -> None:
    spec = load("formation")
    section = spec.scenario.controllers[0]
    nowhere = type(section)("follow", section.robots)
    changed = type(spec.scenario)(controllers=(nowhere,))
    with pytest.raises(NoSuchPlugin, match=r"^no control law is called 'follow'.*--plugin FILE"):
        Launcher(type(spec)(changed, spec.types), RunOptions(), Terminal())


def test_a_problem_of_a_process_keeps_its_own_hint() -> None:
    problem = ProcessFailed(505, "port 5570 is taken", "Ask Anna.")
    assert from_problem("host", problem).reason == "port 5570 is taken\n  error 505: Ask Anna."
    assert from_problem("host", replace(problem, cure="")).reason == "port 5570 is taken\n  error 505"


@pytest.fixture
def greeting() -> Iterator[int]:
    """Return a port whose greeting is that of ZeroMQ, with the port above it taken, too."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as lower:
            port = lower.getsockname()[1]
            try:
                upper = socket.create_server(("127.0.0.1", port + 1))
            except OSError:
                continue
            with upper:

                def greet() -> None:
                    end, _ = lower.accept()
                    with end:
                        end.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32))

                threading.Thread(target=greet, daemon=True).start()
                yield port
            return


def test_the_port_of_plain_tcp_is_told_from_an_empty_one(greeting: int) -> None:
    said = why_absent(Endpoint("127.0.0.1", greeting + 1))
    assert said.endswith(f"this is the port of plain TCP (tcp+plain://); requests go to tcp://127.0.0.1:{greeting}")


def test_an_unknown_name_is_told_from_a_machine_without_a_run() -> None:
    assert why_absent(Endpoint("no.such.machine.invalid", 5570)).startswith(
        "the name no.such.machine.invalid is unknown"
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert "is a simulation running on this port" in why_absent(Endpoint("127.0.0.1", port))


def test_scenes_are_listed_with_what_they_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["scenes"]) == 0
    shown = capsys.readouterr().out
    assert "formation Three robots drive to the red target" in " ".join(shown.split())
    assert "plaza a plaza between walls" in " ".join(shown.split())
