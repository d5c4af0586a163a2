"""What a carrier perceives, out of the readings of its own modules."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim.errors import BadArgument
from coopsim.features.laws.transport import TransportObserver, TransportPerception, mates_of

COLUMNS = (
    ("sonars", "ranges", 0, 3),
    ("motors", "v", 3, 1),
    ("motors", "w", 4, 1),
    ("target", "targets", 5, 3),
    ("target", "robots", 8, 3),
    ("support", "angle", 11, 1),
    ("support", "force_x", 12, 1),
    ("support", "force_y", 13, 1),
)


def perceived(mate: tuple[float, float, float], leader: str = "team1/leader") -> TransportPerception:
    """Return what a robot perceives that sees the other end so: distance, angle, and whether it does."""
    row = [0.5, 0.6, 0.7, 0.2, -0.1, 0.0, 0.0, 0.0, *mate, 0.3, -4.0, 5.0]
    columns = [
        SimpleNamespace(module=module, field=field, offset=offset, length=length)
        for module, field, offset, length in COLUMNS
    ]
    kind: Any = SimpleNamespace(gives=SimpleNamespace(columns=columns))
    layout = SimpleNamespace(generation=1, robots={leader: "carrier"}, types={"carrier": kind})
    modules: dict[str, Any] = {}
    carriers = [f"/team1/{role}/support" for role in ("leader", "helper")]
    sim: Any = SimpleNamespace(
        module=lambda name: modules.setdefault(name, SimpleNamespace(parameters={})), names=lambda prefix: carriers
    )
    observer = TransportObserver(sim, SimpleNamespace(robots=(leader,), layout=layout))  # type: ignore[arg-type]
    assert modules[f"/{leader}/target"].parameters == {"robots": "team1/helper"}
    seen: Any = SimpleNamespace(of=lambda _kind: SimpleNamespace(table=np.array([row])))
    return observer.perceive(seen)


@pytest.mark.parametrize("angle", [-2.0, 0.0, 0.4, 3.0])
def test_the_mates_of_is_a_place_in_the_frame_of_the_robot(angle: float) -> None:
    view = perceived((2.5, angle, 1.0))
    assert view.mates[0, 0] == pytest.approx([2.5 * math.cos(angle), 2.5 * math.sin(angle)])


def test_who_does_not_see_the_mates_of_knows_no_place() -> None:
    assert np.isnan(perceived((2.5, 0.4, 0.0)).mates).all()


def test_all_else_is_what_its_modules_read() -> None:
    view = perceived((2.5, 0.0, 1.0))
    assert view.ranges.tolist() == [[0.5, 0.6, 0.7]]
    assert view.motion.tolist() == [[0.2, -0.1]]
    assert (view.angle.tolist(), view.force.tolist()) == ([0.3], [[-4.0, 5.0]])
    assert np.isnan(view.goal).all()


@pytest.mark.parametrize(
    ("robot", "mates"),
    [("a/b/leader", ["a/b/helper", "a/b/helper2"]), ("a/b/helper2", ["a/b/helper", "a/b/leader"])],
)
def test_leader_and_helpers_of_a_team_carry_with_each_other(robot: str, mates: list[str]) -> None:
    roles = ("a/b/leader", "a/b/helper", "a/b/helper2", "a/b/plate", "a/helper", "a/bb/helper3")
    assert mates_of(robot, [f"/{role}/support" for role in roles]) == mates


@pytest.mark.parametrize("robot", ["robot1", "leader", "team1/driver", "team1/", "team1/helper-2"])
def test_who_is_in_no_team_carries_with_nobody(robot: str) -> None:
    with pytest.raises(BadArgument, match="is no leader or helper of a team"):
        mates_of(robot, ())
