"""Runs and drivers as tools: what they say when something is wrong, and that nothing stays behind."""

from pathlib import Path

import pytest

from coopsim.errors import NoReply, NoSuchName
from coopsim.message import Message
from coopsim.testkit import Driver, RawClient, Run, children, descriptors_of, memory_of

pytestmark = pytest.mark.integration


@pytest.mark.usefixtures("from_nothing")
def test_a_run_answers_on_both_carriers_and_leaves_nothing_behind() -> None:
    with Run("single", "--no-controllers", "--json") as run:
        launcher, ring = run.launcher, run.ring
        assert set(children(launcher)) == {run.host, run.physics}
        for endpoint in (run.endpoint, run.plain):
            with RawClient(endpoint) as client:
                assert client.ask(Message("/sim/info", 10)).error == 0
        assert memory_of(run.host) > 10
        assert descriptors_of(run.host) > 5
        assert run.is_alive
        assert run.stop() == 130
    assert not run.is_alive
    assert set(run.summary["robots"]) == {"robot1"}
    assert not ring.exists()
    assert not Path(f"/proc/{launcher}").exists()


def test_a_run_that_does_not_begin_says_why() -> None:
    with pytest.raises(NoReply, match=r"nowhere.scenario"), Run("nowhere.scenario"):
        raise AssertionError("it began")


def test_the_text_of_a_scenario_will_do() -> None:
    with Run("[ROBOT_1]\ntype bench\nname only\n") as run, RawClient(run.endpoint) as client:
        assert client.ask(Message("/only/motors", 0)).error == 0


def test_a_driver_ends_by_itself_and_says_how_much_it_did() -> None:
    with Run("single", "--no-controllers", "--mode", "lockstep") as run:
        for how in ("batched", "per-robot", "naive"):
            with Driver(run.endpoint, "robot1", how=how, steps=5) as driver:
                assert driver.until("driving").end().startswith("did 5 steps and saw ")


def test_a_driver_of_nobody_says_so() -> None:
    with Run("single", "--no-controllers", "--duration", "3600") as run:
        with Driver(run.endpoint, "robot7") as driver, pytest.raises(NoReply, match="robot7"):
            driver.until("driving")
        with Driver(run.endpoint, "robot7") as driver, pytest.raises(NoReply, match="exit code 1"):
            driver.end()


def test_a_run_has_no_ring_any_more_when_it_is_over() -> None:
    with Run("single", "--no-controllers", "--duration", "3600") as run:
        run.stop()
        with pytest.raises(NoSuchName, match="no shared memory"):
            _ = run.ring


def test_a_raw_client_without_a_server_gets_no_reply() -> None:
    with Run("single", "--no-controllers", "--duration", "3600") as run:
        endpoint, plain = run.endpoint, run.plain
    for address in (endpoint, plain):
        with RawClient(address, timeout=0.2) as client, pytest.raises(NoReply):
            client.ask(Message("/sim/info", 10))
