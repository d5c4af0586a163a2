"""Loops for IR-SIM, run in this process and as a user runs them, with robots of coopsim behind them."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import coopsim
from coopsim.errors import BadArgument, BadFile, NoSuchFile, NoSuchName
from coopsim.features.others import irsim
from coopsim.features.others.irsim.behaviours import dash, wrapped

LIMIT = 120.0
WORLD = """
world: {width: 10, height: 8, step_time: 0.1}
robot:
  - kinematics: {name: diff}
    state: [1, 1, 0]
    goal: [3, 2, 0]
    behavior: {name: dash}
    goal_threshold: 0.1
    sensors: [{type: lidar2d, number: 5, range_max: 4, angle_range: 3.14159265}]
  - {kinematics: {name: omni}, state: [1, 5, 1.0], vel_max: [2, 2]}
  - kinematics: {name: acker}
    shape: {name: rectangle, length: 1.0, width: 0.5, wheelbase: 0.6}
    state: [5, 6, 0, 0]
obstacle:
  - {shape: {name: rectangle, length: 1.0, width: 1.0}, state: [8.5, 1, 0]}
"""
LOOP = """
import sys
import irsim
env = irsim.make("world.yaml", save_ani=False, display=False)
for i in range(300):
    env.step()
    env.render(0.05)
    if env.robot.arrive:
        break
print("ended", i, sys.argv[1:], *env.get_robot_state()[:2, 0].round(1))
env.end(3, rm_fig_path=False)
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    file = tmp_path / "world.yaml"
    file.write_text(WORLD, encoding="utf-8")
    return file


def _irsim(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "coopsim", *words]
    return subprocess.run(
        program, capture_output=True, text=True, cwd=folder, env=dict(os.environ), timeout=LIMIT, check=False
    )


def test_a_script_runs_unchanged_is_recorded_and_proved(world: Path) -> None:
    (world.parent / "loop.py").write_text(LOOP, encoding="utf-8")
    done = _irsim(world.parent, "irsim", "--record", "loop.mcap", "loop.py", "--speed", "3")
    assert done.returncode == 0, done.stderr
    assert "ended 2" in done.stdout
    assert "['--speed', '3'] 2.9 1.9" in done.stdout
    assert "recorded to loop.mcap" in done.stderr
    with coopsim.open_recording(world.parent / "loop.mcap") as recording:
        *_, last = recording.records()
        # the middle of the floor is the origin
        assert last.poses[0, :2] == pytest.approx((2.95 - 5.0, 1.97 - 4.0), abs=0.05)
    proof = _irsim(world.parent, "verify", "loop.mcap")
    assert proof.stdout.startswith("identical"), proof.stdout + proof.stderr
    assert "first state" in proof.stdout
    again = _irsim(world.parent, "irsim", "--record", "loop.mcap", "loop.py")
    assert again.returncode == 1
    assert "loop.mcap" in again.stderr
    assert "Traceback" not in again.stderr


def test_mistakes_of_a_script_are_named_by_its_line(world: Path) -> None:
    script = world.parent / "loop.py"
    for line, complaint in (
        ("env.get_map()", "an environment of IR-SIM has no 'get_map' in coopsim"),
        ("env.step([1.0, float('nan')])", "action of robot_0 (diff): expected 2 finite values, got"),
        ("from irsim.no_such_part import planner", "irsim.no_such_part is a part of IR-SIM itself"),
        ("irsim.make('nowhere.yaml')", "there is no world nowhere.yaml, neither here nor beside the script"),
    ):
        script.write_text(f"import irsim\nenv = irsim.make('world.yaml')\n{line}\n", encoding="utf-8")
        done = _irsim(world.parent, "irsim", "loop.py")
        assert done.returncode == 1
        assert f"loop.py:3: {complaint}" in done.stderr
        assert "Traceback" not in done.stderr
    script.write_text("print(1 / 0)\n", encoding="utf-8")
    done = _irsim(world.parent, "irsim", "loop.py")
    assert (done.returncode, "ZeroDivisionError" in done.stderr) == (1, True)
    script.write_text("print('hello')\n", encoding="utf-8")
    done = _irsim(world.parent, "irsim", "loop.py")
    assert (done.returncode, "made no environment" in done.stderr) == (1, True)


def test_robots_move_as_those_of_ir_sim_move(world: Path) -> None:
    with irsim.make(str(world)) as env:
        car = env.get_object_by_name("robot_2")
        for _ in range(10):
            env.step([[1.0, 0.5], [0.5, 1.0], [1.0, 0.3]])
        # figures of IR-SIM 2.12 for the same commands; it drives along tangents, coopsim along arcs
        assert env.robot_list[0].state[:, 0] == pytest.approx([1.96, 1.24, 0.5], abs=0.03)
        forward, aside = 0.5, 1.0
        x, y = forward * math.cos(1.0) - aside * math.sin(1.0), forward * math.sin(1.0) + aside * math.cos(1.0)
        assert env.robot_list[1].state[:, 0] == pytest.approx([1.0 + x, 5.0 + y, 1.0], abs=1e-3)
        turn = math.tan(0.3) / 0.6
        assert car.state[:, 0] == pytest.approx(
            [5.0 + math.sin(turn) / turn, 6.0 + (1.0 - math.cos(turn)) / turn, turn, 0.3], abs=0.03
        )
        assert env.time == pytest.approx(1.0)
        assert env.robot_list[0].velocity[:, 0].tolist() == [1.0, 0.5]


def test_actions_come_in_every_form_and_limits_hold(world: Path) -> None:
    with irsim.make(str(world)) as env:
        assert [robot.name for robot in env.robot_list] == ["robot_0", "robot_1", "robot_2"]
        for action, action_id, moved in (
            ([0.5, 0.0], None, {0: [0.5, 0.0]}),
            (np.array([[0.5], [0.1]]), None, {0: [0.5, 0.1]}),
            ([0.5, 0.0], 1, {1: [0.5, 0.0]}),
            ([0.5, 0.0], "robot_1", {1: [0.5, 0.0]}),
            ([np.array([0.5, 0.0]), [0.2, 0.1]], 1, {1: [0.5, 0.0], 2: [0.2, 0.1]}),
            ([[9.0, 0.0], [0.2, -7.0]], [1, 2], {1: [2.0, 0.0], 2: [0.2, -1.0]}),
            ({"robot_2": [0.3, 0.2]}, None, {2: [0.3, 0.2]}),
        ):
            env.robot.set_goal(None)
            env.step(action, action_id)
            for number, robot in enumerate(env.robot_list):
                assert robot.velocity[:, 0].tolist() == pytest.approx(moved.get(number, [0.0, 0.0])), (
                    action,
                    action_id,
                )
        for action, action_id, complaint in (
            ([1.0], None, "expected 2 finite values"),
            ("fast", None, "expected an array, a list or actions by name"),
            ([1.0, 0.0], 3, "there is no robot 3"),
            ({"robt": [1.0, 0.0]}, None, "there is no robot 'robt'"),
        ):
            with pytest.raises((BadArgument, NoSuchName), match=complaint):
                env.step(action, action_id)


def test_actions_and_robots_are_matched_in_order_and_a_rest_is_said_once(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    go, turn = [0.5, 0.0], [0.0, 0.2]
    with irsim.make(str(world)) as env:
        for robot in env.robot_list:
            robot.set_goal(None)
        for action, action_id, moved in (
            ([go, turn, go, turn], None, [go, turn, go]),  # more than robots
            ([go, turn, turn, go, turn], 1, [[0.0, 0.0], go, turn]),  # more than from there on
            ([go, turn], [2], [[0.0, 0.0], [0.0, 0.0], go]),  # more than names
            ([go], [1, 2], [[0.0, 0.0], go, [0.0, 0.0]]),  # fewer
            ([go], [1, 2], [[0.0, 0.0], go, [0.0, 0.0]]),
            ([], None, [[0.0, 0.0]] * 3),  # none for anybody
        ):
            env.step(action, action_id)
            assert [robot.velocity[:, 0].tolist() for robot in env.robot_list] == moved
    said = [line.split(";")[0] for line in capsys.readouterr().err.splitlines() if "actions for" in line]
    counts = "4 actions for 3", "5 actions for 2", "2 actions for 1", "1 actions for 2"
    assert said == [f"step: {count} robots" for count in counts]


def test_a_refused_step_names_the_robot_and_moves_nobody(world: Path) -> None:
    with irsim.make(str(world)) as env:
        before, refusal = env.robot_list[0].state.tolist(), "expected 2 finite values, got"
        for action, action_id in (
            ([[0.5, 0.0], [math.nan, 0.0]], [0, 1]),
            ([[0.5, 0.0], [0.0, math.inf]], None),
            (np.full((3, 3), 0.5), [0, 1, 2]),
            ([[0.5, 0.0], [0.5, 0.0, 0.1]], 0),
            ([[0.5, 0.0], ["a", "b"]], 0),
            ([[0.5, 0.0], object()], 0),
            ([[0.5, 0.0], []], 0),
        ):
            with pytest.raises(BadArgument, match=refusal) as caught:
                env.step(action, action_id)
            assert "robot_1 (omni)" in str(caught.value) or action[0][0] == action[1][1]
        assert (env.steps, env.time, env.robot_list[0].state.tolist()) == (0, 0.0, before)


def test_robots_reach_their_goals_one_after_the_other_and_a_reset_begins_anew(world: Path) -> None:
    with irsim.make(str(world)) as env:
        robot = env.robot
        robot.set_goal([[1.5, 1.0, 0.0], [2.0, 1.0, 0.0]], init=True)
        steps = 0
        while not robot.arrive:
            env.step()
            steps += 1
            assert steps < 50
        assert robot.state[:2, 0] == pytest.approx([1.95, 1.0], abs=0.06)
        assert (env.done(), env.done("any")) == (False, True)
        env.reset()
        assert (env.time, robot.arrive, env.status) == (0.0, False, "Reset")
        assert robot.state[:, 0] == pytest.approx([1.0, 1.0, 0.0], abs=1e-6)
        again = 0
        while not robot.arrive:
            env.step()
            again += 1
        assert again == steps
        with pytest.raises(BadArgument, match="expected a goal x y"):
            robot.set_goal([1.0])
        with pytest.raises(BadArgument, match="drawn once"):
            env.reset(random=True)
        with pytest.raises(BadArgument, match="expected all or any, got 'some'"):
            env.done("some")


def test_episodes_begin_at_places_of_a_script_or_by_chance(world: Path) -> None:
    """The calls by which scripts of learning make an episode, in their order."""
    np.random.seed(3)  # noqa: NPY002 - the generator that scripts seed
    with irsim.make(str(world)) as env:
        robot, (box,) = env.robot, env.obstacle_list
        for _ in range(3):
            robot.set_state(np.array([[4.0], [3.0], [0.5]]), init=True)
            env.random_obstacle_position([0, 0, -3.14], [10, 8, 3.14], ids=[box.id], non_overlapping=True)
            robot.set_random_goal(env.obstacle_list, init=True, range_limits=[[1, 1, -3.14], [9, 7, 3.14]])
            env.reset()
            goal, place = robot.goal[:2, 0], box.state[:, 0].copy()
            assert robot.state[:, 0].tolist() == [4.0, 3.0, 0.5]
            for thing in env.robot_list:
                assert np.hypot(*(thing.state[:2, 0] - place[:2])) > thing.radius + box.radius
            assert np.hypot(*(goal - place[:2])) > box.radius + 0.2
            env.step([[0.5, 0.0], [0.0, 0.0], [0.0, 0.0]])
            assert robot.state[:2, 0] == pytest.approx([4.0 + 0.05 * math.cos(0.5), 3.0 + 0.05 * math.sin(0.5)])
            assert not robot.collision
            box.set_state([robot.state[0, 0] + 0.6, robot.state[1, 0], 0.0])  # into its way, until a reset
            assert box.vertices.mean(axis=1) == pytest.approx(box.state[:2, 0])
            for _ in range(8):
                env.step([[0.5, -1.0], [0.0, 0.0], [0.0, 0.0]])
            assert robot.collision
            env.reset()
            assert box.state[:, 0] == pytest.approx(place)
            assert robot.goal[:2, 0].tolist() == goal.tolist()


def test_the_first_step_after_a_move_and_a_reset_counts(world: Path) -> None:
    with irsim.make(str(world)) as env:
        for place in ([4.0, 3.0, 0.0], [5.0, 3.0, 0.0]):
            env.robot.set_state(place)
            env.robot.set_state([place[0], 4.0, 0.0])
            env.reset()
            assert env.robot.state[:, 0].tolist() == [1.0, 1.0, 0.0]
            for step in (1, 2):
                env.step([0.5, 0.0], action_id=0)
                assert env.robot.state[:2, 0] == pytest.approx([1.0 + 0.05 * step, 1.0])


def test_places_that_cannot_be_are_refused_in_words(world: Path) -> None:
    world.write_text(
        WORLD + "  - {shape: {name: linestring, vertices: [[0, 0], [10, 0], [10, 8]]}}\n", encoding="utf-8"
    )
    with irsim.make(str(world)) as env:
        box, fence = env.obstacle_list
        for attempt, complaint in (
            (lambda: env.robot.set_state([1.0]), "state of robot_0: expected x, y and an angle, got '"),
            (lambda: env.robot.set_state([1.0, math.nan, 0.0]), "expected x, y and an angle"),
            (lambda: fence.set_state([1.0, 1.0, 0.0]), "is a line of walls, which stays"),
            (
                lambda: env.random_obstacle_position([1, 1, 0], [1, 1, 0], [box.id], non_overlapping=True),
                "no room for a",
            ),
            (lambda: env.random_obstacle_position("low", [1, 1, 0]), "range_low: expected x, y and an angle"),
        ):
            with pytest.raises(BadArgument, match=complaint):
                attempt()
        env.random_obstacle_position([5, 5, 0], [5, 5, 0])  # the fence is none that moves
        assert box.state[:2, 0].tolist() == [5.0, 5.0]


def test_a_robot_stays_where_it_ran_into_something(world: Path) -> None:
    with irsim.make(str(world)) as env:
        env.robot.set_goal([9.5, 1.0, 0.0])
        for _ in range(100):
            env.step()
        assert env.robot.state[0, 0] == pytest.approx(8.5 - 0.5 - 0.2, abs=0.12)
        assert (env.robot.stop_flag, env.robot.arrive, env.robot.done()) == (True, False, True)
        (crate,) = env.obstacle_list
        assert (crate.shape, crate.position[:, 0].tolist(), crate.done()) == ("rectangle", [8.5, 1.0], False)
        (info,) = env.get_obstacle_info_list()
        assert info.vertex.shape == (2, 4)
        assert (env.robot_number, env.obstacle_number, len(env.names)) == (3, 1, 4)


def test_scans_run_from_right_to_left(world: Path) -> None:
    text = WORLD.replace("state: [8.5, 1, 0]", "state: [1, 3.5, 0]")
    world.write_text(text, encoding="utf-8")
    with irsim.make(str(world)) as env:
        scan = env.get_lidar_scan()
        assert (scan["range_max"], len(scan["ranges"])) == (4.0, 5)
        # the crate is 2 m to the left
        assert scan["ranges"] == pytest.approx([4.0, 4.0, 4.0, 4.0, 2.0], abs=1e-3)
        assert env.robot.get_lidar_points() == pytest.approx(np.array([[0.0], [2.0]]), abs=1e-3)
        assert env.get_lidar_offset() == [0.0, 0.0, 0.0]
        with pytest.raises(NoSuchName, match="has no lidar2d"):
            env.get_lidar_scan(1)
        with pytest.raises(BadArgument, match="has 3 robots, none with the number 7"):
            env.get_lidar_scan(7)


def test_behaviours_that_are_laws_bring_robots_past_each_other(tmp_path: Path) -> None:
    for behaviour in ("orca", "sfm", "rvo"):
        text = (
            "world: {width: 10, height: 10}\nrobot:\n  - {number: 2, kinematics: {name: omni},"
            " distribution: {name: circle, radius: 2}, behavior: {name: BEHAVIOUR}, goal_threshold: 0.3}\n"
        )
        (tmp_path / "two.yaml").write_text(text.replace("BEHAVIOUR", behaviour), encoding="utf-8")
        with irsim.make(str(tmp_path / "two.yaml")) as env:
            nearest = 9.0
            for _ in range(200):
                env.step()
                first, second = (robot.state[:2, 0] for robot in env.robot_list)
                nearest = min(nearest, float(np.hypot(*(first - second))))
                if env.done():
                    break
            assert (env.status, nearest > 0.4) == ("Arrived", True), behaviour


@pytest.mark.parametrize(
    ("kinematics", "goal", "velocity"),
    [
        ("diff", [1.0, 0.0], [1.0, 0.0]),
        ("diff", [0.0, 1.0], [0.0, 1.0]),
        ("diff", [0.05, 0.0], [0.0, 0.0]),
        ("omni", [0.0, -1.0], [0.0, -1.0]),
        ("acker", [0.0, 1.0], [1.0, 1.0]),
        ("omni_angular", [0.0, 1.0], [0.0, 1.0, 1.0]),
        ("omni_angular", [0.0, 0.0, -1.0], [0.0, 0.0, -1.0]),
    ],
)
def test_dash_is_that_of_ir_sim(kinematics: str, goal: list[float], velocity: list[float]) -> None:
    states, fastest, goals = np.zeros((2, 3)), np.ones((2, 3)), np.full((2, 3), np.nan)
    goals[0, : len(goal)], goals[1, :2] = goal, [-1.0, 0.0]
    rows = dash(kinematics, states, goals, fastest, np.array([0.1, 9.0]))
    assert rows[0, : len(velocity)] == pytest.approx(velocity, abs=1e-12)
    assert not rows[1].any()  # it is near enough, and asked for no angle
    assert wrapped(1.5 * math.pi) == pytest.approx(-0.5 * math.pi)


def test_worlds_are_refused_in_words(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world.parent)
    with pytest.raises(NoSuchFile, match=r"no world lost\.yaml"):
        irsim.make("lost.yaml")
    with pytest.raises(BadArgument, match="robots are moved by coopsim"):
        irsim.make("world.yaml", step_mode="external")
    world.write_text("robot:\n  - {kinematics: {name: diff}, goal: [1]}\n", encoding="utf-8")
    with pytest.raises(BadFile, match=r"world\.yaml:2: goal: expected x y and an angle"):
        irsim.make("world.yaml")
    world.write_text("world: {width: 5, height: 5}\n", encoding="utf-8")
    with irsim.make("world.yaml") as env:
        env.step()
        assert (env.done(), env.robot_list) == (False, [])
        with pytest.raises(BadArgument, match="has 0 robots"):
            env.get_robot_state()


def test_what_draws_into_the_figure_is_left_out_and_said_once(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with irsim.make(str(world)) as env:
        env.show()
        env.draw_trajectory([[0, 1], [0, 1]], traj_type="r-")
        env.set_title("mine")
    assert capsys.readouterr().err.count("are left out") == 1


def test_a_second_recording_of_a_script_has_a_name_of_its_own(world: Path) -> None:
    script = world.parent / "two.py"
    lines = "import irsim", *["env = irsim.make('world.yaml')\nenv.step()\nenv.end()"] * 2
    script.write_text("\n".join(lines), encoding="utf-8")
    done = _irsim(world.parent, "irsim", "--record", "two.mcap", "two.py")
    assert done.returncode == 0, done.stderr
    for name in ("two.mcap", "two-2.mcap"):
        info = _irsim(world.parent, "info", name, "--json")
        assert json.loads(info.stdout)["ticks"] == 1, info.stdout
