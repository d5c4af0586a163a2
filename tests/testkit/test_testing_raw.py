"""The client that sends any bytes: its replies, its time limits, and the messages that no server accepts."""

from collections.abc import Iterator

import pytest
from client_fakes import FakeServer, serving_plainly

from coopsim.errors import CoopsimError, MalformedMessage, NoReply
from coopsim.message import Message, decode
from coopsim.robots import check
from coopsim.testkit.bench import camera, flight
from coopsim.testkit.bench.command import bench
from coopsim.testkit.own_bench import planning
from coopsim.testkit.raw import _GOOD, MALFORMED, RawClient, _with


@pytest.fixture
def client() -> Iterator[RawClient]:
    with serving_plainly(FakeServer()) as endpoint, RawClient(endpoint, timeout=5.0) as raw_client:
        yield raw_client


def test_a_request_gets_the_reply_of_its_number_and_others_are_dropped(client: RawClient) -> None:
    first = client.post(Message("/sim/clock", 0))
    reply = client.ask(Message("/sim/clock", 0))
    assert (first, reply.id) == (1, 2)
    assert client.receive(timeout=0.0) is None


def test_nothing_comes_where_nothing_was_asked(client: RawClient, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoReply, match="no connection"):
        client.receive(timeout=0.02)
    client.ask(Message("/sim/clock", 0))
    assert client.receive(timeout=0.02) is None
    client.timeout = 0.02
    monkeypatch.setattr(client._link, "send", lambda *_: True)  # the request is lost
    with pytest.raises(NoReply, match=r"no reply to command 0 of /robot1/motors within 0\.02 s"):
        client.ask(Message("/robot1/motors", 0))


def test_without_a_server_there_is_no_connection() -> None:
    with RawClient("tcp+plain://127.0.0.1:1", timeout=0.05) as lost, pytest.raises(CoopsimError):
        lost.send(b"hello")


@pytest.mark.parametrize("what", MALFORMED)
def test_every_payload_is_wrong_and_the_one_that_it_was_made_of_is_not(what: str) -> None:
    assert decode(_with()).target == _GOOD[2]
    if what in {"a module that is not there", "a command beyond every table"}:
        assert decode(MALFORMED[what])  # the message is sound: the server has no such thing
        return
    with pytest.raises(CoopsimError) as refused:
        decode(MALFORMED[what])
    assert refused.value.code in {101, 102, 103, 203}
    if what in {"nothing", "text", "cut off", "junk behind the end", "a map", "no UTF-8"}:
        assert isinstance(refused.value, MalformedMessage)


def test_scenes_of_benchmarks_have_no_mistakes(tmp_path) -> None:
    path = tmp_path / "cameras.scenario"
    path.write_text(camera._scene())
    assert [str(problem) for problem in check(path) if "warning:" not in str(problem)] == []


def test_a_measuring_process_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    import click

    monkeypatch.setattr(flight, "_CODE", "import sys; sys.exit('no such engine: ' + sys.argv[3])")
    with pytest.raises(click.ClickException, match="the measuring process failed:\nno such engine: mujoco"):
        flight._apart(1, 2, "mujoco", ())
    monkeypatch.setattr(flight, "_CODE", "import os; print('x'); print([2.5, float(os.environ['OMP_NUM_THREADS'])])")
    assert flight._apart(1, 2, "mujoco", ("range",)) == (2.5, 1.0)


def test_plans_of_squads_are_bound_by_real_time_and_by_that_of_the_processor() -> None:
    rows = planning._rows(99.0, 101.0)
    assert [(row["case"].endswith("CPU"), row["ok"]) for row in rows] == [(False, True), (True, False)]


def test_each_benchmark_has_a_command_of_its_name_with_words_of_help() -> None:
    import click

    context = click.Context(bench)
    names = bench.list_commands(context)
    assert {"tick", "lockstep", "serve", "clients", "record", "swarm"} <= set(names)
    for name in names:
        command = bench.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert (command.help or "").strip().endswith((".", "]"))
    assert bench.get_command(context, "tack") is None
