"""What a user is told where nothing answers."""

import socket

import pytest

from coopsim.client import absence
from coopsim.client.endpoints import Endpoint


def test_a_name_that_no_machine_has_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> None:
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert absence.why_absent(Endpoint("roboter", 5570)) == "the name roboter is unknown: no machine is called so"


def test_where_no_program_listens_it_is_asked_whether_one_runs() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for is_plain in (False, True):
        said = absence.why_absent(Endpoint("127.0.0.1", port, is_plain))
        assert said == "nothing answers there: is a simulation running on this port (`coopsim run`)?"


def test_a_port_beside_that_of_a_simulation_leads_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    above, what = next(iter(absence._BELOW.items()))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        monkeypatch.setattr(absence, "mechanism", lambda run, _: "NULL" if run.port == port - above else "")
        said = absence.why_absent(Endpoint("127.0.0.1", port))
    assert said.endswith(f"this is the port of {what}; requests go to tcp://127.0.0.1:{port - above}")
