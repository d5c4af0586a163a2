"""Every client in `clients/` passes the examination, by vectors, by a server that misbehaves, and live.

All of them share one simulation in lockstep and one recording that is shown.
"""

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from coopsim.testkit import Run
from coopsim.testkit.conformance import (
    ExamReport,
    Language,
    RestartedClient,
    examine_client,
    examine_restart,
    languages,
)
from coopsim.testkit.conformance.languages import EXAMPLES, QUICK
from coopsim.testkit.conformance.live import ROOM
from coopsim.testkit.conformance.program import ClientProgram

MATRIX = Path(__file__).parents[2] / "clients" / "matrix.json"
FOLDER = Path(__file__).parents[2] / "clients"
HERE = [language for language in languages(FOLDER) if not language.missing]
pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]  # the first build fetches libraries


@cache
def built(name: str) -> None:
    """Build a client, once."""
    next(language for language in HERE if language.folder.name == name).make(QUICK)


@pytest.fixture(scope="module")
def simulation() -> Iterator[Run]:
    with Run(ROOM, "--no-controllers") as run:
        yield run


@pytest.fixture(scope="module")
def room(simulation: Run) -> str:
    return simulation.plain.rpartition("/")[2]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("recording")
    options = ("--mode", "lockstep", "--duration", "3", "--record", str(folder / "seen.mcap"))
    with Run("formation", *options) as run:
        run.wait()
    with Run(str(folder / "seen.mcap"), command="replay") as run:
        yield run.plain.rpartition("/")[2]


@pytest.fixture(scope="module", params=HERE, ids=lambda it: it.folder.name)
def language(request: pytest.FixtureRequest) -> Language:
    """A language whose programs are built."""
    language: Language = request.param
    built(language.folder.name)
    return language


@pytest.fixture(scope="module")
def report(language: Language, simulation: Run, room: str, recording: str) -> ExamReport:
    if not language.examined:
        return ExamReport([])
    zeromq = simulation.endpoint.rpartition("/")[2] if language.zeromq else None
    command = language.command("conformance")
    with ClientProgram(command, language.folder, os.environ | QUICK) as program:
        return examine_client(program, room, recording, large=language.large, zeromq=zeromq)


def test_it_passes_all_it_supports(report: ExamReport) -> None:
    """D-9: controllers in any language."""
    assert not report.failed, str(report)
    assert not report.findings or sum(count["ok"] for count in report.counts().values()) > 20


def test_the_matrix_of_the_documentation_says_what_it_passes(
    report: ExamReport, restart: ExamReport, language: Language
) -> None:
    """COOPSIM_WRITE_MATRIX=1, as `make clients` sets it, writes what was found."""
    if not report.findings:
        return  # tested apart
    lacking = {group: count["unsupported"] if count["ok"] else None for group, count in report.counts().items()}
    lacking |= {"restart": restart.counts()[language.name]["unsupported"]}
    abilities = {group: _words(count) for group, count in lacking.items() if group != "ZeroMQ"}
    abilities |= {"ZeroMQ": _words(lacking.get("ZeroMQ"))}
    abilities |= {"programs": _words(len(EXAMPLES) - len(language.examples))}
    abilities |= {"typed": _yes("08_typed" in language.examples), "own tests": _yes(bool(language.test))}
    abilities |= {"packaged": _yes(bool(language.package)), "lint": _yes(bool(language.lint))}
    matrix = json.loads(MATRIX.read_text(encoding="utf-8"))
    if os.environ.get("COOPSIM_WRITE_MATRIX"):
        matrix = dict(sorted((matrix | {language.name: abilities}).items()))
        MATRIX.write_text(json.dumps(matrix, indent=1) + "\n", encoding="utf-8")
    assert list(matrix[language.name].items()) == list(abilities.items()), "run make clients"


def _yes(is_there: bool) -> str:
    return "yes" if is_there else "no"


def _words(lacking: int | None) -> str:
    return "no" if lacking is None else f"all but {lacking}" if lacking else "all"


@pytest.fixture(scope="module")
def printed(language: Language, room: str, recording: str) -> dict[str, str]:
    return {name: _output(language, name, room, recording) for name in language.examples}


def test_its_examples_print_what_they_print_in_python(printed: dict[str, str]) -> None:
    for name, text in printed.items():
        assert text == (FOLDER / "expected" / f"{name}.txt").read_text(encoding="utf-8"), name


def _output(language: Language, program: str, room: str, recording: str) -> str:
    """Return what an example prints, after the simulation was put back as it was."""
    environment = os.environ | QUICK | {"COOPSIM_TCP": recording if "replay" in program else room}
    done = subprocess.run(
        language.command(program),
        cwd=language.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{language.name}, {program}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def restart() -> ExamReport:
    """All clients at once, each by every carrier that it has, as a simulation ends and the next one begins."""
    with contextlib.ExitStack() as running:
        clients = []
        for language in HERE:
            if language.examined:
                built(language.folder.name)
                for is_zeromq in {False, language.zeromq}:
                    words = language.command("conformance")
                    program = running.enter_context(ClientProgram(words, language.folder, os.environ | QUICK))
                    clients.append(RestartedClient(program, zeromq=is_zeromq, group=language.name))
        return examine_restart(clients)


def test_all_are_told_that_a_simulation_ended_and_find_the_next_one_on_its_port(restart: ExamReport) -> None:
    assert not restart.failed, str(restart)
    carriers = sum(1 + language.zeromq for language in HERE if language.examined)
    assert len(restart.findings) == 4 * carriers
