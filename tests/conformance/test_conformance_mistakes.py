"""Each mistake that a client can make has a case of the examination that finds it and is named in the verdict."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from coopsim.testkit.conformance import ExamReport, examine_client
from coopsim.testkit.conformance.connection_dialogs import gives_up_what_nobody_reads
from coopsim.testkit.conformance.dialogs import connect
from coopsim.testkit.conformance.false_server import FalseServer
from coopsim.testkit.conformance.part_dialogs import steps_many_robots_in_parts
from coopsim.testkit.conformance.program import ClientProgram, NotConformant

CARELESS = Path(__file__).parents[1] / "standins" / "careless_client.py"
WITHIN = 2.0  # s; as the command has it
DECODES, ENCODES, DIALOG, KEYS = "client decodes", "client encodes", "dialog", "keys"
FOUND_BY = {
    # connections, and when a request has failed
    "the run is not named": (DIALOG, "names the run"),
    "the run is named elsewhere, too": (DIALOG, "follows a module that lives elsewhere"),
    "it goes on with another run": (DIALOG, "does not go on with another run"),
    "the first run is kept for ever": (DIALOG, "survives a restart"),
    "it never connects anew": (DIALOG, "survives a cut inside a message"),
    "207 is a refusal": (DIALOG, "follows a module that lives elsewhere"),
    "207 is followed for ever": (DIALOG, "does not follow in a circle"),
    "0.0.0.0 is taken as it is": (DIALOG, "takes 0 0 0 0 for the host it knows"),
    "a module elsewhere is kept for ever": (DIALOG, "asks anew where a module is that is gone"),
    "an eviction ends the connection": (DIALOG, "reports refusals and goes on"),
    "any refusal is 500": (DIALOG, "reports refusals and goes on"),
    "params of refusals are dropped": (DIALOG, "reports refusals and goes on"),
    "a time-out ends the connection": (DIALOG, "passes over a late reply"),
    "its time-out is its own": (DIALOG, "passes over a late reply"),
    "time-outs count per part": (DIALOG, "counts its time out for a whole reply"),
    "time-outs count per message": (DIALOG, "counts its time out over other messages"),
    "half a message is forgotten": (DIALOG, "counts its time out for a whole reply"),
    "a cut is taken for silence": (DIALOG, "survives a cut inside a message"),
    "a refused connection is called malformed": (DIALOG, "survives a restart"),
    "a malformed reply ends the program": ("program", "answers every line"),
    "one request has no time-out of its own": (DIALOG, "ends one request by a time out of its own"),
    "the time-out of one request stays": (DIALOG, "ends one request by a time out of its own"),
    "reconnecting forgets the run": (DIALOG, "connects anew to the same run"),
    "reconnecting takes any run": (DIALOG, "does not connect anew to another run"),
    "there is one client for all": (DIALOG, "keeps two clients apart"),
    "it shows no certificate": (KEYS, "speaks to a server with keys"),
    "it trusts every server": (KEYS, "trusts no other server"),
    "a module at a tls:// is asked in the clear": (KEYS, "asks elsewhere with keys"),
    "it trusts every server elsewhere": (KEYS, "trusts no other server elsewhere"),
    # whose reply it is
    "ids are always the same": (DIALOG, "uses a later id each time"),
    "ids begin with 0": (DIALOG, "uses a later id each time"),
    "any reply is the next one": (DIALOG, "passes over unknown ids"),
    "late replies are taken": (DIALOG, "passes over a late reply"),
    "states are taken for replies": (DIALOG, "keeps states apart from replies"),
    "one state is kept": (DIALOG, "keeps every state until it is asked for"),
    "the newest state comes first": (DIALOG, "keeps every state until it is asked for"),
    # messages on a connection
    "a message is one segment": (DIALOG, "reads what comes byte by byte"),
    "what comes behind a message is dropped": (DIALOG, "passes over unknown ids"),
    "an empty message is the end": (DIALOG, "ignores empty messages"),
    "any length is waited for": (DIALOG, "survives a length beyond all limits"),
    "lengths are little-endian": (DIALOG, "names the run"),
    # fields of a message
    "the version is not looked at": (DIALOG, "reports another version"),
    "types of fields are not looked at": (DIALOG, "reports fields of wrong types"),
    "types of params are not looked at": (DIALOG, "reports fields of wrong types"),
    "later fields are refused": (DIALOG, "ignores later fields"),
    "texts are written as latin-1": (DIALOG, "writes texts in utf 8"),
    "requests have a text": (DIALOG, "names the run"),
    "params are texts": (ENCODES, "parameter"),
    "params are 32-bit floats": (ENCODES, "step two robots"),
    "data are 32-bit floats": (ENCODES, "set velocity"),
    "negative integers lose their sign": (ENCODES, "integers of all sizes"),
    "the tick is left out": (ENCODES, "set velocity for tick 42"),
    "bins are refused": (DECODES, "binary data"),
    "bins are big-endian": (DECODES, "binary data"),
    "integers among data are refused": (DECODES, "integers where floats are meant"),
    "integers above 2^63 are negative": (DECODES, "largest id and tick"),
    "ids are 32 bits wide": (DECODES, "largest id and tick"),
    "negative zero loses its sign": (DECODES, "subnormal, huge and negative zero"),
    "whole floats become integers": (DECODES, "a param that is a float without a fraction"),
}
"""The group and the case that find each mistake of `tests/standins/careless_client.py`."""
UNREAD = "writing has no time-out"
OF_PARTS = {
    "": "",
    "PART = STEP_COMMAND": "expected parts of all robots, then a STEP, got command 11 with 1092 robots",
    "MOST_VALUES = 1 << 20": "a part whose readings fit no message of 65536 values: command 11 with 1500 robots",
    "MOST_ROBOTS = 700": "",
}
"""What the examination says of a client whose steppers have other limits."""
THIN = Path(__file__).parents[2] / "clients" / "python_thin"
pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]


def _examined(*mistakes: str) -> ExamReport:
    with ClientProgram([sys.executable, str(CARELESS), *mistakes]) as program:
        return examine_client(program, large=False, within=WITHIN)


def test_the_client_without_a_mistake_passes() -> None:
    with ClientProgram([sys.executable, str(CARELESS)]) as program:
        report = examine_client(program, large=False)
    assert not report.failed, str(report)


def test_every_mistake_is_found_by_its_case_and_named() -> None:
    with ThreadPoolExecutor(16) as examiners:  # most of the time both sides wait
        reports = dict(zip(FOUND_BY, examiners.map(_examined, FOUND_BY), strict=True))
    not_named = [
        f"{mistake}:\n{reports[mistake]}"
        for mistake, (group, case) in FOUND_BY.items()
        if f"FAILED {group}: {case}: " not in str(reports[mistake])
    ]
    assert not not_named, "\n".join(not_named)


def test_no_mistake_of_the_careless_client_is_left_out() -> None:
    text = CARELESS.read_text(encoding="utf-8")
    assert {*re.findall(r'wrong\(\s*"([^"]*)"', text)} == {*FOUND_BY, UNREAD}


def test_a_client_that_writes_for_ever_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apart from the others, as it takes the messages of hundreds of kilobytes."""
    monkeypatch.setattr("coopsim.testkit.conformance.connection_dialogs._PATIENCE", WITHIN)
    with (
        ClientProgram([sys.executable, str(CARELESS), UNREAD]) as program,
        FalseServer() as server,
        pytest.raises(NotConformant, match="a request that nobody reads has no end"),
    ):
        gives_up_what_nobody_reads(program, server)


@pytest.mark.parametrize("mistake", OF_PARTS)
def test_a_step_in_parts_that_is_none_is_found(mistake: str) -> None:
    change = f"import runpy; from coopsim_client import stepping; exec({mistake!r}, vars(stepping))"
    lines = f"{change}; runpy.run_path('conformance.py', run_name='__main__')"
    with ClientProgram([sys.executable, "-c", lines], THIN) as program, FalseServer() as server:
        connect(program, server)
        if not OF_PARTS[mistake]:
            steps_many_robots_in_parts(program, server)
            return
        with pytest.raises(NotConformant, match=re.escape(OF_PARTS[mistake])):
            steps_many_robots_in_parts(program, server)
