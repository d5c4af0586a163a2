"""Messages of `/sim/step`, and two clients that step together."""

from typing import Any

from server_fakes import ask

from coopsim.message import Message

LAYOUT, STEP, SKIP, CLAIM, CLAIM_WITH, RELEASE = range(10, 16)


def both_step(run: Any) -> None:
    """Let `a` with robot1 and `b` with robot2 do the first step."""
    for robot, client in (("robot1", "a"), ("robot2", "b")):
        run.send(ask("/sim/step", CLAIM, robot), client)
    for robot, client in (("robot1", "a"), ("robot2", "b")):
        assert run.send(step(robot, data=(1, 0)), client) is None
    run.pump()
    assert [run.got(client)[0].tick for client in ("a", "b")] == [1, 1]


def step(*robots: str, data: object, tick: int = 0, generation: int = 1, number: int = 1) -> Message:
    return ask("/sim/step", STEP, generation, *robots, data=data, tick=tick, number=number)
