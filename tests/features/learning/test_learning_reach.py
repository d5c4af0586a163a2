"""What tasks of reaching are rewarded for, what policies observe and do, and pictures of worlds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.learning.encoding import Acting, Encoder, Observed
from coopsim.features.learning.program import End
from coopsim.features.learning.rendering import draw
from coopsim.features.learning.task import StepScene, TaskPlaces
from coopsim.features.learning.tasks import TargetTask
from coopsim.geometry import Floats

NUMBER = st.floats(-100.0, 100.0)


def task_places(robots: list[tuple[float, float]], targets: list[tuple[float, float]]) -> TaskPlaces:
    """Return one world."""
    rows = np.zeros((1, len(robots), 6))
    rows[0, :, :2] = robots
    return TaskPlaces(rows, np.array([targets]))


def scene(before: list[float], now: list[float], touched: list[bool]) -> StepScene:
    nobody: Any = None
    return StepScene(nobody, nobody, np.array([touched]), np.array([before]), np.array([now]), nobody, nobody, nobody)


def test_each_robot_is_as_far_from_its_own_target_as_it_stands() -> None:
    distances = TargetTask().measure(task_places([(0.0, 0.0), (1.0, 1.0)], [(3.0, 4.0), (1.0, 1.0), (9.0, 9.0)]))
    assert distances.tolist() == [[5.0, 0.0]]


def test_a_step_is_worth_the_way_that_it_came_nearer() -> None:
    task = TargetTask()
    rewards = task.rewards(scene([2.0, 2.0, 2.0], [1.5, 2.5, 2.0], [False] * 3))
    assert rewards[0].tolist() == pytest.approx([way - task.away_cost for way in (0.5, -0.5, 0.0)])


def test_who_is_there_pays_nothing_for_waiting_and_who_touches_pays() -> None:
    task = TargetTask()
    reached = task.near - 0.01
    free, hit, far = task.rewards(scene([reached, reached, 2.0], [reached, reached, 2.0], [False, True, True]))[0]
    assert free == 0.0
    assert hit == pytest.approx(-task.touch_cost)
    assert far == pytest.approx(-task.touch_cost - task.away_cost)


def test_all_are_paid_once_when_the_last_comes() -> None:
    task = TargetTask()
    reached = task.near - 0.01
    before, waiting, over = (
        task.rewards(scene([task.near, reached], distances, [False] * 2))[0]
        for distances in ([task.near, task.near], [task.near, reached], [reached, reached])
    )
    assert waiting.sum() > before.sum()
    assert over - (task.near - reached, 0.0) == pytest.approx([1.0, 1.0])
    assert waiting.max() <= 0.0, "nobody is paid for waiting where it is"


@pytest.mark.parametrize(("distances", "is_over"), [([0.1, 0.1], True), ([0.1, 2.0], False), ([2.0, 2.0], False)])
def test_an_episode_is_over_when_all_are_there(distances: list[float], is_over: bool) -> None:
    assert TargetTask().is_over(scene(distances, distances, [False] * 2)).tolist() == [is_over]


@given(st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=4), st.floats(0.1, 50.0))
def test_every_number_of_an_observation_is_finite_and_bounded(rows: list[tuple[float, float]], scale: float) -> None:
    observed = (Observed("a", scale=scale), Observed("a", columns=(1,), is_angle=True))
    seen = Encoder(observed).restart({"a": np.array(rows)})
    assert seen.shape == (len(rows), 4)
    assert np.abs(seen).max() <= 1.0
    assert seen[:, 2:] == pytest.approx(np.column_stack([f(np.array(rows)[:, 1]) for f in (np.cos, np.sin)]), abs=1e-6)


@given(st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=5))
def test_commands_never_leave_their_range_and_the_middle_is_the_middle(actions: list[tuple[float, float]]) -> None:
    acting = Acting(low=(-0.5, 1.0), high=(0.5, 3.0))
    values = acting.values(np.array(actions))
    assert (values >= acting.low).all()
    assert (values <= acting.high).all()
    assert acting.values(np.zeros(2)).tolist() == [0.0, 2.0]


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_a_scale_that_divides_by_nothing_is_refused(scale: float) -> None:
    with pytest.raises(BadArgument, match="sonars: expected a scale above 0"):
        Observed("sonars", scale=scale)


def test_a_column_that_is_not_there_is_refused_with_how_many_there_are() -> None:
    assert Observed("gps", columns=(0, 2)).width(3) == 2
    assert Observed("gps", columns=(0,), is_angle=True).width(3) == 2
    assert Observed("gps").width(3) == 3
    with pytest.raises(BadArgument, match="gps has 3 readings, and column 3 is asked for"):
        Observed("gps", columns=(0, 3)).width(3)


class DrawnWorlds:
    """A world of 4 m x 2 m with a box, a disc, a target and one robot."""

    def __init__(self, heading: float) -> None:
        self.poses: Floats = np.array([[[-1.0, 0.5, heading, 0.0, 0.0, 0.0]]])
        self.targets: Floats = np.array([[[1.5, -0.5]]])

    def drawn(self, _world: int) -> Any:
        solids = np.array([[1.0, 0.5, 1.0, 0.0, 0.2, 0.1], [-1.0, -0.5, 1.0, 0.0, 0.2, 0.0]])
        return (4.0, 2.0), solids, [0.25]


def test_a_picture_shows_everything_where_it_is() -> None:
    worlds: Any = DrawnWorlds(0.0)
    picture = draw(worlds, 0)
    assert picture.shape == (160, 320, 3)

    def at(x: float, y: float) -> tuple[int, ...]:
        return tuple(int(channel) for channel in picture[round(80 - 80 * y), round(160 + 80 * x)])

    floor, solid, robot, target = at(0.0, 0.0), at(1.0, 0.5), at(-1.1, 0.5), at(1.5, -0.5)
    assert len({floor, solid, robot, target}) == 4
    assert at(-1.0, -0.5) == solid
    assert at(-1.0 + 0.2, 0.5) == floor  # the line to where it looks
    assert at(-1.0, 0.5 + 0.2) == robot
    assert at(1.0, 0.5 + 0.15) == floor


def test_the_line_shows_where_a_robot_looks() -> None:
    worlds: Any = DrawnWorlds(np.pi / 2)
    picture = draw(worlds, 0)
    ahead, aside = picture[round(80 - 80 * 0.65), 80], picture[40, round(80 + 80 * 0.15)]
    assert ahead.tolist() != aside.tolist()
    assert ahead.tolist() == picture[0, 0].tolist()


def test_reasons_why_a_world_stands_still_have_numbers_that_stay() -> None:
    assert [(end.name, int(end)) for end in End] == [("RUNNING", 0), ("ASTRAY", 1), ("WILD_FORCE", 2)]
