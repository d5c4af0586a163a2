"""The action SimulateSteps: steps with feedback after each, which can be cancelled between two.

Source: design.ros2.org, "Actions"; action_msgs.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from coopsim.errors import CoopsimError
from coopsim.features.gateways.messages import Words, stamp
from coopsim.features.gateways.ros2.results import FAILED, RefusedRequest, result
from coopsim.features.gateways.ros2.simulation import check_steps

if TYPE_CHECKING:
    from coopsim.client.aio import Client

NAME, TYPE = "/simulate_steps", "simulation_interfaces/action/SimulateSteps"
FEEDBACK, STATUS = f"{NAME}/_action/feedback", f"{NAME}/_action/status"
FEEDBACK_TYPE, STATUS_TYPE = f"{TYPE}_FeedbackMessage", "action_msgs/msg/GoalStatusArray"
_EXECUTING, _CANCELING, _SUCCEEDED, _CANCELED, _ABORTED = 2, 3, 4, 5, 6
_UNKNOWN: Final = 0
_NONE, _REJECTED, _UNKNOWN_GOAL, _TERMINATED = range(4)
_MOST_GOALS: Final = 16
"""Goals whose results are kept for who asks late."""
Publish = Callable[[str, str, Words], None]


@dataclass(slots=True)
class _Goal:
    id: bytes
    steps: int
    accepted_at: Words
    status: int = _EXECUTING
    outcome: Words = field(default_factory=result)
    over: asyncio.Event = field(default_factory=asyncio.Event)


class StepAction:
    """Goals of SimulateSteps, one of which is carried out at a time.

    Args:
        sim: Returns the run.
        publish: Sends a message of a type on a topic.
    """

    def __init__(self, sim: "Callable[[], Client]", publish: Publish) -> None:
        self._sim, self._publish = sim, publish
        self._goals: dict[bytes, _Goal] = {}
        self._working: asyncio.Task[None] | None = None

    @property
    def services(self) -> tuple[tuple[str, str, Callable[[Words], Awaitable[Words]]], ...]:
        """Name, type and answer of each service that the action consists of."""
        return (
            (f"{NAME}/_action/send_goal", f"{TYPE}_SendGoal", self._accept),
            (f"{NAME}/_action/get_result", f"{TYPE}_GetResult", self._wait),
            (f"{NAME}/_action/cancel_goal", "action_msgs/srv/CancelGoal", self._cancel),
        )

    async def close(self) -> None:
        """Cancel what is done now."""
        if self._working is not None:
            self._working.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._working

    async def _accept(self, words: Words) -> Words:
        now = stamp((await self._sim().clock.call("status")).time)
        key = bytes(words["goal_id"]["uuid"])
        if key in self._goals or any(goal.status in (_EXECUTING, _CANCELING) for goal in self._goals.values()):
            return {"accepted": False, "stamp": now}
        goal = self._goals[key] = _Goal(key, int(words["goal"]["steps"]), now)
        while len(self._goals) > _MOST_GOALS:
            del self._goals[next(iter(self._goals))]
        self._working = asyncio.create_task(self._carry_out(goal))
        return {"accepted": True, "stamp": now}

    async def _carry_out(self, goal: _Goal) -> None:
        self._publish_status()
        try:
            status = await self._step(goal)
        except (RefusedRequest, CoopsimError) as problem:
            status = _ABORTED
            goal.outcome = result(problem.code if isinstance(problem, RefusedRequest) else FAILED, str(problem))
        goal.status = status
        goal.over.set()
        self._publish_status()

    async def _step(self, goal: _Goal) -> int:
        """Do the steps, and return how the goal ended."""
        sim = self._sim()
        await check_steps(sim, goal.steps)
        for done in range(1, goal.steps + 1):
            if goal.status == _CANCELING:
                goal.outcome = result(FAILED, f"cancelled after {done - 1} of {goal.steps} steps")
                return _CANCELED
            await sim.clock.call("step", 1)
            progress = {"completed_steps": done, "remaining_steps": goal.steps - done}
            self._publish(FEEDBACK, FEEDBACK_TYPE, {"goal_id": {"uuid": goal.id}, "feedback": progress})
        return _SUCCEEDED

    async def _wait(self, words: Words) -> Words:
        goal = self._goals.get(bytes(words["goal_id"]["uuid"]))
        if goal is None:
            return {"status": _UNKNOWN, "result": {"result": result(FAILED, "no such goal is known")}}
        await goal.over.wait()
        return {"status": goal.status, "result": {"result": goal.outcome}}

    async def _cancel(self, words: Words) -> Words:
        wanted = words["goal_info"]
        key, is_every = bytes(wanted["goal_id"]["uuid"]), not any(wanted["goal_id"]["uuid"])
        chosen = [goal for goal in self._goals.values() if is_every or goal.id == key]
        running = [goal for goal in chosen if goal.status == _EXECUTING]
        for goal in running:
            goal.status = _CANCELING
        if running:
            self._publish_status()
            return {"return_code": _NONE, "goals_canceling": [_described(goal) for goal in running]}
        return {"return_code": _NONE if is_every else _TERMINATED if chosen else _UNKNOWN_GOAL}

    def _publish_status(self) -> None:
        statuses: list[dict[str, Any]] = [
            {"goal_info": _described(goal), "status": goal.status} for goal in self._goals.values()
        ]
        self._publish(STATUS, STATUS_TYPE, {"status_list": statuses})


def _described(goal: _Goal) -> Words:
    return {"goal_id": {"uuid": goal.id}, "stamp": goal.accepted_at}
