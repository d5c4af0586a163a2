"""Controllers that die, hang, or say nothing: the run goes on without them. C-30, S-28."""

import json
from collections.abc import Callable

import pytest
from fault_runs import (
    CLAIM,
    RELEASE,
    SET_VELOCITY,
    STATE,
    STEP,
    ask,
    generation,
    scene,
    status,
    step,
    wait_until,
)

from coopsim.client import connect as open_client
from coopsim.errors import Evicted, OwnedByAnother
from coopsim.testkit import Driver, RawClient, Run

pytestmark = pytest.mark.integration


Lockstep = Callable[..., Run]
Connect = Callable[..., RawClient]


def fired(client: RawClient) -> int:
    return int(status(client)["patience_fired"])


def test_a_killed_controller_frees_its_robots_and_the_others_go_on_without_any_patience(
    connect: Connect, lockstep: Lockstep
) -> None:
    run = lockstep(patience=0)
    with Driver(run.endpoint, "robot2", "robot3") as victim:
        client = connect(run.endpoint)
        before_all = fired(client)
        victim.until("driving")
        before = [step(client, "robot1").error for _ in range(20)]
        victim.kill()
        # with a patience without end only the death of the connection lets this go on
        assert before + [step(client, "robot1").error for _ in range(50)] == [0] * 70
        assert client.ask(ask("/sim/step", CLAIM, "robot2", "robot3")).error == 0
        assert fired(client) == before_all


def test_a_controller_killed_on_plain_tcp_frees_its_robots_too(connect: Connect, lockstep: Lockstep) -> None:
    run = lockstep(patience=0)
    with Driver(run.plain, "robot2", how="naive") as victim:
        client = connect(run.plain)
        victim.until("driving")
        step(client, "robot1")
        victim.kill()
        assert [step(client, "robot1").error for _ in range(50)] == [0] * 50


def test_a_stopped_controller_holds_up_the_others_once_for_patience_and_is_back_when_it_goes_on(
    connect: Connect, lockstep: Lockstep
) -> None:
    run = lockstep(patience=0.3)
    with Driver(run.endpoint, "robot2") as victim:
        client = connect(run.endpoint)
        before = fired(client)
        victim.until("driving")
        step(client, "robot1")
        victim.stop()
        assert [step(client, "robot1").error for _ in range(60)] == [0] * 60
        assert fired(client) == before + 1
        victim.resume()
        client.ask(ask("/sim/step", RELEASE, "robot1"))
        tick = status(client)["tick"]
        wait_until(lambda: status(client)["tick"] > tick + 50)  # nobody but the victim can make these


def test_a_controller_stopped_for_long_is_waited_for_once_and_comes_back_by_itself(
    connect: Connect, lockstep: Lockstep
) -> None:
    run = lockstep(patience=0.1)
    with Driver(run.endpoint, "robot2") as victim:
        client = connect(run.endpoint)
        victim.until("driving")
        victim.stop()
        before = fired(client)
        assert [step(client, "robot1").error for _ in range(60)] == [0] * 60
        assert fired(client) == before + 1
        # its connection stands, so the robot is still its own; policy evict would free it
        assert client.ask(ask("/sim/step", CLAIM, "robot2")).error == OwnedByAnother.code
        assert client.ask(ask("/sim/step", RELEASE, "robot1")).error == 0
        victim.resume()
        tick = status(client)["tick"]
        wait_until(lambda: status(client)["tick"] > tick + 50)


def test_an_endless_loop_holds_up_the_others_once_for_patience(connect: Connect, lockstep: Lockstep) -> None:
    run = lockstep(patience=0.3)
    with Driver(run.endpoint, "robot2", silent_after=200) as looping:
        client = connect(run.endpoint)
        before = fired(client)
        looping.until("driving")
        while "silent" not in looping.printed:
            assert step(client, "robot1").error == 0
        assert [step(client, "robot1").error for _ in range(60)] == [0] * 60
        assert fired(client) == before + 1


def test_the_clock_says_who_is_awaited_and_for_how_long(connect: Connect, lockstep: Lockstep) -> None:
    run = lockstep(patience=0)
    hung, client = connect(run.endpoint), connect(run.endpoint)
    hung.ask(ask("/sim/step", CLAIM, "robot2"))
    client.post(ask("/sim/step", STEP, generation(client), "robot1", data=(0.1, 0.0)))
    observer = connect(run.plain)
    wait_until(lambda: status(observer)["awaited"].get("robot2", 0.0) > 0.05)
    assert list(status(observer)["awaited"]) == ["robot2"]
    with open_client(run.endpoint) as people:
        assert set(json.loads(people.clock.status().awaited)) == {"robot2"}
    hung.ask(ask("/robot2/motors", SET_VELOCITY))
    reply = client.receive()
    assert reply is not None
    assert reply.error == 0


def hung_after_one_step(run: Run, connect: Connect, v: float = 0.4) -> tuple[RawClient, RawClient]:
    """Return a client that drove robot2 for one step and says nothing more, and one that drives robot1."""
    hung, client = connect(run.endpoint), connect(run.endpoint)
    for end, robot in ((hung, "robot2"), (client, "robot1")):
        assert end.ask(ask("/sim/step", CLAIM, robot)).error == 0
    hung.post(ask("/sim/step", STEP, generation(hung), "robot2", data=(v, 0.0)))
    assert step(client, "robot1").error == 0
    first = hung.receive()
    assert first is not None
    assert first.error == 0
    return hung, client


def speed(client: RawClient, robot: str) -> float:
    return float(client.ask(ask(f"/{robot}/motors", STATE)).data[0])


@pytest.mark.parametrize(("policy", "drives_on"), [("stop", False), ("hold", True)])
def test_policy_stop_zeroes_the_robot_and_hold_repeats_its_last_command(
    connect: Connect, lockstep: Lockstep, policy: str, drives_on: bool
) -> None:
    run = lockstep(patience=0.1, policy=policy)
    hung, client = hung_after_one_step(run, connect)
    before, rounds = fired(client), 60 if policy == "stop" else 8
    for _ in range(rounds):
        assert step(client, "robot1").error == 0
    assert (speed(connect(run.plain), "robot2") > 0.01) == drives_on
    assert fired(client) - before == (8 if drives_on else 1)
    # it is still its own, and it takes part as soon as it speaks
    assert client.ask(ask("/robot2/motors", SET_VELOCITY)).error == OwnedByAnother.code
    back = hung.ask(ask("/robot2/motors", SET_VELOCITY, data=(0.1, 0.0)))
    assert back.error == 0
    assert ("stopped" in back.text) == (not drives_on)


def test_policy_wait_has_no_end_of_patience_and_release_ends_it(connect: Connect, lockstep: Lockstep) -> None:
    run = lockstep(patience=0.05, policy="wait")
    hung, client = hung_after_one_step(run, connect)
    tick, before = status(client)["tick"], fired(client)
    client.post(ask("/sim/step", STEP, generation(hung), "robot1", data=(0.1, 0.0)))
    observer = connect(run.plain)
    wait_until(lambda: status(observer)["awaited"].get("robot2", 0.0) > 0.5)
    assert (status(observer)["tick"], fired(observer)) == (tick, before)
    hung.ask(ask("/sim/step", RELEASE, "robot2"))
    reply = client.receive()
    assert reply is not None
    assert reply.tick == tick + 1


def test_policy_evict_tells_the_owner_once_and_lets_it_claim_again(connect: Connect, lockstep: Lockstep) -> None:
    run = lockstep(patience=0.1, policy="evict")
    hung, client = hung_after_one_step(run, connect)
    before = fired(client)
    for _ in range(5):
        assert step(client, "robot1").error == 0
    assert fired(client) == before + 1
    reply = hung.ask(ask("/robot2/motors", SET_VELOCITY))
    assert reply.error == Evicted.code
    assert "robot2" in reply.text
    assert hung.ask(ask("/sim/step", CLAIM, "robot2")).error == 0
    hung.post(ask("/robot2/motors", SET_VELOCITY, data=(0.1, 0.0)))
    assert step(client, "robot1").error == 0


def test_an_evicted_robot_can_be_taken_by_another_and_its_first_owner_is_refused(
    connect: Connect, lockstep: Lockstep
) -> None:
    run = lockstep(patience=0.1, policy="evict")
    hung, client = hung_after_one_step(run, connect)
    step(client, "robot1")
    assert client.ask(ask("/sim/step", CLAIM, "robot2")).error == 0
    assert hung.ask(ask("/robot2/motors", SET_VELOCITY)).error == Evicted.code
    assert hung.ask(ask("/robot2/motors", SET_VELOCITY)).error == OwnedByAnother.code
    assert step(client, "robot1", "robot2").error == 0


def test_batched_per_robot_and_naive_clients_step_together_over_both_carriers() -> None:
    """C-30: nobody runs ahead of anybody, whatever way it steps."""
    settings = {"mode": "lockstep", "patience": 0}
    every = [f"robot{number}" for number in range(1, 7)]
    with (
        Run(scene(6, kind="single", **settings), "--no-controllers", "--wait-for", ",".join(every), "--json") as run,
        Driver(run.endpoint, "robot1", "robot2", steps=40) as batched,
        Driver(run.plain, "robot3", how="per-robot", steps=40) as one_each,
        Driver(run.endpoint, "robot4", how="naive", steps=40) as naive,
        Driver(run.plain, "robot5", "robot6", how="naive", steps=40) as naive_too,
    ):
        said = [driver.end() for driver in (batched, one_each, naive, naive_too)]
    assert all("did 40 steps" in line for line in said), said
    run.stop()
    assert run.summary["ticks"] == 40


def repeated(how: str) -> tuple[str, str]:
    """Return what a driver saw in a run of its own, and the state hash of the run."""
    with (
        Run(scene(2, kind="single", mode="lockstep", seed=5), "--no-controllers", "--json") as run,
        Driver(run.endpoint, "robot1", "robot2", how=how, steps=40) as driver,
    ):
        saw = driver.end()
    return saw, run.summary["state_hash"]


def test_a_run_of_a_naive_client_is_repeatable_bit_by_bit() -> None:
    """C-30: read, read, set gives the same run each time, though nothing is batched."""
    assert repeated("naive") == repeated("naive")
