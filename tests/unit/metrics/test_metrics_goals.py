"""Goals and metrics on arrays that were made by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import PluginFailed
from coopsim.geometry import Floats
from coopsim.metrics import ArrayPart, Formation, GoalResult, RunArrays, RunningGoals, judge, measure
from coopsim.metrics.arrays import last_of_each_instant
from coopsim.metrics.formations import formation_errors, kept_formations
from coopsim.metrics.gaps import gaps
from coopsim.plugins import add, forget
from coopsim.scene import Goal
from coopsim.state import EntityRow, Layout, RobotPlace, TypeLayout, Visual

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
TYPE = TypeLayout("plain", (), 0, 0)
STEPS = 11


def run(*ways: Floats, formations: tuple[Formation, ...] = ()) -> RunArrays:
    """Return robots `a`, `b`, ... (round, 0.4 m wide) on ways of 11 points, one a second, and a box at x = 5."""
    names = [chr(ord("a") + index) for index in range(len(ways))]
    rows = [
        EntityRow(name, "robot", "plain", row, (0.0, 0.0, 0.0, *UPRIGHT), (0.4, 0.4, 0.3), 2.0, (0.0, 0.0, 0.0), 0.3)
        for row, name in enumerate(names)
    ]
    box = EntityRow("box", "object", "box", -1, (5.0, 0.0, 0.0, *UPRIGHT), (1.0, 2.0, 1.0), 0.0, (0.0,) * 3, 0.6)  # type: ignore[arg-type]
    layout = Layout(
        1, (TYPE,), tuple(RobotPlace(n, TYPE, 0, 0, r) for r, n in enumerate(names)), (*rows, box), tuple(names)
    )
    poses = np.zeros((STEPS, len(ways), 7))
    poses[:, :, 3] = 1.0
    poses[:, :, :2] = np.stack(ways, axis=1)
    nothing = np.zeros((STEPS, 0))
    times = np.arange(float(STEPS))
    zeros = np.zeros(STEPS)
    part = ArrayPart(layout, times, poses, np.zeros((STEPS, len(ways), 6)), nothing, nothing, zeros, zeros)
    return RunArrays((part,), formations)


def along(y: float = 0.0, speed: float = 0.5) -> Floats:
    return np.column_stack((speed * np.arange(float(STEPS)), np.full(STEPS, y)))


def result(goal: Goal, arrays: RunArrays) -> GoalResult:
    return judge([goal], arrays, {})[0]


def test_teams_keep_the_places_of_their_control_law_and_others_keep_none() -> None:
    team = ("a", "b", "c")
    (kept,) = kept_formations((("formation", team, {"shape": "line", "spacing": "0.9"}),))
    assert kept.robots == team
    assert np.ptp(kept.places, axis=0).tolist() == pytest.approx([0.0, 1.8])
    assert kept_formations((("nobody_knows_it", team, {}), ("cruise", team, {}), ("formation", ("a",), {}))) == ()


def test_a_goal_is_reached_when_all_of_its_robots_are_near() -> None:
    arrays = run(along(), along(1.0, 0.4))
    both = result(Goal("g", "reach", "point", "", (3.0, 0.5, 0.8), ("a", "b")), arrays)
    assert (both.met, both.at) == (True, 6.0)
    late = result(Goal("g", "reach", "point", "", (3.0, 0.5, 0.8), ("a", "b"), within=5.0), arrays)
    assert (late.met, late.at, late.value) == (False, None, pytest.approx(np.hypot(1.0, 0.5)))
    assert "missed" in late.text


def test_what_must_be_kept_or_avoided_is_broken_at_the_first_time_it_is_not() -> None:
    arrays = run(along(), along(0.0, 0.25))
    kept = Goal("g", "keep", "distance", "b", (0.0, 1.1), ("a",))
    assert (result(kept, arrays).met, result(kept, arrays).at, result(kept, arrays).value) == (False, 5.0, 2.5)
    assert result(Goal("g", "keep", "distance", "b", (0.0, 1.1), ("a",), until=4.0), arrays).met
    inside = result(Goal("g", "avoid", "area", "", (2.0, -1.0, 3.0, 1.0), ("a",)), arrays)
    assert (inside.met, inside.at) == (False, 5.0)
    near = result(Goal("g", "avoid", "clearance", "", (0.5,), ("a",)), arrays)
    assert (near.met, near.value) == (False, 0.0)


def test_a_goal_is_kept_until_another_one_is_reached() -> None:
    arrays = run(along(), along(0.0, 0.25))
    goals = [
        Goal("near", "reach", "point", "", (2.0, 0.0, 0.1), ("a",)),
        Goal("kept", "keep", "distance", "b", (0.0, 1.1), ("a",), until_goal="near"),
    ]
    assert [verdict.met for verdict in judge(goals, arrays, {})] == [True, True]
    assert RunningGoals(goals).decided_at(arrays) == 4.0
    assert arrays.until(4.0).duration == 4.0


def test_a_run_is_decided_when_its_last_goal_is_met_or_too_late() -> None:
    arrays = run(along())
    never = Goal("g", "reach", "point", "", (50.0, 0.0, 0.1), ("a",))
    assert RunningGoals([never]).decided_at(arrays) is None
    assert (
        RunningGoals([Goal("g", "reach", "point", "", (50.0, 0.0, 0.1), ("a",), within=7.0)]).decided_at(arrays) == 7.0
    )
    assert RunningGoals([Goal("g", "avoid", "clearance", "", (0.1,), ("a",))]).decided_at(arrays) is None


def test_scores_are_metrics_with_or_without_a_limit() -> None:
    goals = [
        Goal("s", "score", "value", "way"),
        Goal("t", "score", "below", "way", (2.0,)),
        Goal("u", "score", "above", "w", (2.0,)),
    ]
    verdicts = judge(goals, run(along()), {"way": 3.0, "w_mean": 4.0})
    assert [(verdict.met, verdict.value) for verdict in verdicts] == [(None, 3.0), (False, 3.0), (True, 4.0)]


def test_the_formation_error_knows_no_place_and_no_heading() -> None:
    places = np.array([[0.0, 0.0], [-1.0, 0.5], [-1.0, -0.5]])
    turn = 0.7
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    moved = places @ rotation.T + [3.0, -2.0]
    broken = moved.copy()
    broken[0, 0] += 0.3
    errors = formation_errors(np.stack([moved, broken]), places)
    assert errors[0] == pytest.approx(0.0, abs=1e-12)
    assert 0.1 < errors[1] < 0.3


def test_gaps_are_measured_from_hull_to_hull_and_contacts_counted_once() -> None:
    distances = gaps(run(along(), along(3.0)), ("a", "b"))
    assert distances.least[0] == pytest.approx(2.6)
    assert distances.least[6] == pytest.approx(1.3)
    assert distances.contacts == 1


def test_gaps_to_a_composed_object_are_those_to_the_nearest_of_its_shapes() -> None:
    arrays = run(along())
    part = arrays.parts[0]
    robot, box = part.layout.entities
    post = Visual("cylinder", (0.2, 0.2, 1.0), (0.0, 3.0, 0.0, *UPRIGHT))
    # turned to the left, the post stands on the way of the robot
    pose = (5.0, 0.0, 0.0, 0.5**0.5, 0.0, 0.0, 0.5**0.5)
    composed = replace(box, pose=pose, visuals=(Visual("box"), post))
    distances = gaps(RunArrays((replace(part, layout=replace(part.layout, entities=(robot, composed))),)), ("a",))
    assert distances.least[[0, 2]] == pytest.approx([1.7, 0.7])
    assert distances.contacts == 2
    bar = Visual("box", (6.2, 0.2, 1.0), (0.0, 0.0, 0.0, 0.5**0.5, 0.0, 0.0, -(0.5**0.5)))  # turned back onto the way
    composed = replace(composed, visuals=(Visual("box"), bar))
    distances = gaps(RunArrays((replace(part, layout=replace(part.layout, entities=(robot, composed))),)), ("a",))
    assert distances.least[[0, 2]] == pytest.approx([1.7, 0.7])


def test_what_lies_above_a_robot_is_not_in_its_way() -> None:
    arrays = run(along())
    part = arrays.parts[0]
    robot, box = part.layout.entities
    for height, is_above in ((0.3, True), (0.29, False)):
        raised = replace(box, pose=(5.0, 0.0, height, *UPRIGHT))
        above = RunArrays((replace(part, layout=replace(part.layout, entities=(robot, raised))),))
        assert np.isinf(gaps(above, ("a",)).least).all() == is_above
    on_its_side = replace(box, size=(2.0, 1.0, 1.0), pose=(5.0, 0.0, 1.0, 0.5**0.5, 0.0, 0.5**0.5, 0.0))
    fallen = RunArrays((replace(part, layout=replace(part.layout, entities=(robot, on_its_side))),))
    assert np.isfinite(gaps(fallen, ("a",)).least).all()


def test_the_error_of_a_free_formation_leaves_out_what_comes_near_and_five_seconds_after() -> None:
    formation = (Formation(("a", "b"), np.array([[0.0, 0.0], [0.0, 1.0]])),)
    near_box = np.column_stack((np.zeros(STEPS), np.where(np.arange(STEPS) > 6, 0.2, 0.0)))
    met = measure(run(along(), along(1.0) + near_box, formations=formation))
    assert met["formation_error_free_rms"] == pytest.approx(0.0, abs=1e-6)
    assert met["formation_error_max"] == pytest.approx(0.1, abs=1e-6)
    left = measure(run(along()[::-1], along(1.0)[::-1] + near_box[::-1], formations=formation))
    assert left["formation_error_free_rms"] == pytest.approx(0.0, abs=1e-6)
    beside = np.array([3.5, 0.0])
    assert "formation_error_free_rms" not in measure(run(along() + beside, along(1.0) + beside, formations=formation))


def test_all_metrics_are_numbers_and_what_a_run_does_not_have_is_missing() -> None:
    metrics = measure(run(along(), along(1.0), formations=(Formation(("a", "b"), np.array([[0.0, 0.0], [0.0, 1.0]])),)))
    assert metrics["time"] == 10.0
    assert metrics["path_length_max"] == 5.0
    assert metrics["formation_error_max"] == pytest.approx(0.0, abs=1e-9)
    assert metrics["distance_min"] == 1.0
    assert "force_max" not in metrics
    assert "formation_error_max" not in measure(run(along()))


def test_of_records_of_one_instant_the_last_counts() -> None:
    part = run(along()).parts[0]
    twice = [part.records(slice(0, 4)), part.records(slice(3, None))]
    assert np.concatenate([piece.times for piece in last_of_each_instant(twice)]).tolist() == part.times.tolist()


def test_a_metric_that_raises_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def bad(run):\n    return run.nothing\nPLUGINS = {'metrics': {'bad': bad}}\n")
    add(path)
    try:
        with pytest.raises(PluginFailed, match=r"mine\.py:2: metric bad"):
            measure(run(along()), ["bad"])
    finally:
        forget(path)


def test_areas_are_reached_inside_and_avoided_outside() -> None:
    arrays, triangle = run(along(), along(1.0, 0.4)), (2.0, -1.0, 4.0, -1.0, 4.0, 3.0, 3.0, 1.5)
    reach = result(Goal("g", "reach", "inside", "area_1", (*triangle, 0.0), ("a", "b")), arrays)
    assert (reach.met, reach.at, reach.value) == (True, 7.0, 0.0)
    near = result(Goal("g", "reach", "inside", "area_1", (*triangle, 0.9), ("a",)), arrays)
    assert near.at == 3.0
    broken = result(Goal("g", "avoid", "polygon", "area_1", triangle, ("a", "b")), arrays)
    assert (broken.met, broken.at) == (False, 5.0)
    kept = result(Goal("g", "avoid", "polygon", "area_1", (8.0, 0.0, 9.0, 0.0, 9.0, 1.0), ("a", "b")), arrays)
    assert (kept.met, kept.value) == (True, -3.0)
