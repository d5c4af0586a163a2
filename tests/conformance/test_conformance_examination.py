"""The examination finds what is wrong: of clients that are careless, and of drivers that are."""

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from coopsim.errors import NoReply
from coopsim.testkit import Run
from coopsim.testkit.conformance import ExamReport, examine_client, examine_driver
from coopsim.testkit.conformance.checks import timed
from coopsim.testkit.conformance.client import LARGE
from coopsim.testkit.conformance.live import ROOM
from coopsim.testkit.conformance.program import ClientProgram
from coopsim.testkit.conformance.vectors import DECODES, ENCODES, vectors

CLIENT = Path(__file__).parents[2] / "clients" / "python_thin"
CARELESS = (
    # what is wrong, what is written instead, the cases that find it
    ("reply.id == self._number", "reply.id > 0", "passes over unknown ids"),
    ("if raw else None", "if True else None", "ignores empty messages"),
    ("data=[float(value) for value in data]", "data=list(data)", "integers where floats are meant"),
    ("target, command, params, data, tick, run)", "target, command, params, data, tick, 0)", "names the run"),
)
pytestmark = pytest.mark.integration


@pytest.mark.parametrize(("right", "wrong", "case"), CARELESS, ids=[case for *_, case in CARELESS])
def test_a_careless_client_fails_where_it_is_careless(tmp_path: Path, right: str, wrong: str, case: str) -> None:
    shutil.copytree(CLIENT, tmp_path, dirs_exist_ok=True)
    files = {file: file.read_text(encoding="utf-8") for file in (tmp_path / "coopsim_client").glob("*.py")}
    faulty = {file: text.replace(right, wrong) for file, text in files.items() if right in text}
    assert len(faulty) == 1
    for file, text in faulty.items():
        file.write_text(text, encoding="utf-8")
    with ClientProgram([sys.executable, str(tmp_path / "conformance.py")]) as program:
        report = examine_client(program, large=False)
    assert case in {finding.case for finding in report.failed}


def test_a_program_that_ends_fails_everything_with_what_it_said() -> None:
    with ClientProgram([sys.executable, "-c", "raise SystemExit('no such robot')"]) as program:
        report = examine_client(program, large=False)
    assert "no such robot" in report.failed[-1].detail


@pytest.mark.parametrize(
    ("answer", "within", "is_well"), [("lost", None, True), ("lost", 0.0, False), ("silent", 0.0, True)]
)
def test_an_answer_that_takes_too_long_is_a_failure_but_a_time_out_is_waited_for(
    answer: str, within: float | None, is_well: bool
) -> None:
    with ClientProgram(["/bin/sh", "-c", f"while read line; do echo {answer}; done"]) as program:
        program.asked("connect", "127.0.0.1:1", "1000")

        def asks() -> None:
            program.asked("ask")

        finding = timed(program, within, "dialog", "asks", asks)
    assert (finding.outcome == "ok") is is_well, finding.detail
    assert finding.seconds is not None


@pytest.fixture(scope="module")
def driver() -> Iterator[ExamReport]:
    with Run(ROOM, "--no-controllers", "--mode", "real-time") as run:
        yield examine_driver(run.plain, "/robot1/motors")


def test_our_own_server_passes_as_a_driver(driver: ExamReport) -> None:
    assert not driver.failed, str(driver)
    assert {"module", "parameter", "server refuses", "carrier"} == {*driver.counts()}


@pytest.fixture
def silent(tmp_path: Path) -> list[str]:
    """Return the command that examines a client which supports nothing."""
    (tmp_path / "silent.py").write_text("for _ in iter(input, None): print('unsupported', flush=True)")
    examine = [sys.executable, "-m", "coopsim", "conformance", "client", "--no-live"]
    return [*examine, f"{sys.executable} {tmp_path}/silent.py"]


def test_the_command_prints_the_report_and_says_no_by_its_exit_code(silent: list[str]) -> None:
    process = subprocess.run(silent, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert "unsupported dialog: survives a restart" in process.stdout


def test_large_messages_are_left_out_for_a_slow_language(silent: list[str]) -> None:
    full, small = (
        json.loads(subprocess.check_output([*silent, "--json", *more], text=True)) for more in ((), ("--no-large",))
    )
    left_out = {finding["case"] for finding in full["findings"]} - {finding["case"] for finding in small["findings"]}
    large = {vector.name for vector in vectors() if len(vector.raw) > LARGE and vector.role in {DECODES, ENCODES}}
    assert large
    # messages that fill all buffers of a connection, or hold readings of thousands of modules, are among them
    assert left_out == large | {"gives up what nobody reads", "steps many robots in parts"}


def test_where_nothing_answers_the_examination_of_a_driver_ends_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(NoReply, match="no reply to command 0"):
        examine_driver(f"tcp+plain://127.0.0.1:{silent.getsockname()[1]}", "/robot1/motors", timeout=0.1)
