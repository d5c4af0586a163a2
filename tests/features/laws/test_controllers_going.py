"""Laws for robots that go to places of their own: ORCA, social force, artificial potential; and pure pursuit."""

import math
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from controllers_standin import SINGLE
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.laws.body import Body, exits
from coopsim.features.laws.going import Situation, commands, goal_positions, others, points, situation, towards
from coopsim.features.laws.orca import HalfPlanes, OrcaParameters, nearest_allowed, orca
from coopsim.features.laws.potential import PotentialParameters, potential
from coopsim.features.laws.pursuit import Path as Way
from coopsim.features.laws.pursuit import PursuitParameters, closed, ends, pursue
from coopsim.features.laws.senses import body_of
from coopsim.features.laws.social_force import SocialForceParameters, social_force
from coopsim.features.laws.tuned import Tuned
from coopsim.geometry import Floats
from coopsim.inprocess import LocalServer
from coopsim.interfaces import parameters_of
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state import Record

RADIUS, FASTEST, STEP = 0.3, 0.5, 0.1
NOTHING = np.empty((0, 0, 2))
LAWS: dict[str, Callable[[Situation], Floats]] = {
    "orca": lambda at: orca(at, OrcaParameters()),
    "social_force": lambda at: social_force(at, SocialForceParameters()),
    "potential": lambda at: potential(at, PotentialParameters()),
}


def at_rest(positions: Floats, wanted: Floats, obstacles: Floats | None = None) -> Situation:
    seen = np.empty((len(positions), 0, 2)) if obstacles is None else obstacles
    return Situation(positions, np.zeros_like(positions), wanted, seen, RADIUS, FASTEST)


def move(
    law: Callable[[Situation], Floats], starts: Floats, goals: Floats, seconds: float, post: Floats | None = None
) -> tuple[Floats, float]:
    """Move points that obey at once; return where they end, and how near two of them came."""
    positions, velocities, nearest = starts.copy(), np.zeros_like(starts), math.inf
    seen = np.empty((len(starts), 0, 2)) if post is None else np.broadcast_to(post, (len(starts), *post.shape))
    for _ in range(round(seconds / STEP)):
        wanted = towards(positions, goals, FASTEST, 0.2)
        velocities = law(Situation(positions, velocities, wanted, seen, RADIUS, FASTEST))
        positions = positions + STEP * velocities
        nearest = min(nearest, _nearest(positions))
        if np.abs(positions - goals).max() < 0.05:
            break
    return positions, nearest


def _nearest(positions: Floats) -> float:
    away = np.linalg.norm(positions[:, np.newaxis] - positions, axis=-1)
    return float(away[~np.eye(len(positions), dtype=np.bool_)].min())


def grid(numbers: list[int]) -> Floats:
    return np.array([(number % 6, number // 6) for number in numbers], float)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, 35), min_size=7, max_size=7, unique=True), st.permutations(range(7)))
@example([0, 31, 1, 9, 20, 3, 14], [1, 3, 4, 2, 5, 0, 6])  # one finds no velocity unless it counts as standing
@example([3, 14, 7, 9, 10, 34, 16], [3, 4, 5, 1, 6, 0, 2])  # nor then, unless its neighbours do so too
def test_agents_of_orca_never_touch_wherever_they_start(starts: list[int], order: list[int]) -> None:
    begin = grid(starts)
    _, nearest = move(LAWS["orca"], begin, begin[list(order)] * 0.9 + 0.2, 12.0)
    assert nearest >= 2.0 * RADIUS - 1e-3


@pytest.mark.parametrize("name", LAWS)
def test_robots_cross_a_circle_without_touching(name: str) -> None:
    angles = np.arange(6) * np.pi / 3
    starts = 2.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    starts += np.random.default_rng(1).normal(0.0, 0.05, starts.shape)  # nobody stands so exactly
    end, nearest = move(LAWS[name], starts, -starts, 60.0)
    assert np.abs(end + starts).max() < 0.1
    assert nearest > 2.0 * (RADIUS - 0.05)


@pytest.mark.parametrize("name", LAWS)
def test_what_stands_in_the_way_is_passed(name: str) -> None:
    post = np.array([[1.5, 0.05]])
    ways = []

    def law(at: Situation) -> Floats:
        ways.append(at.positions[0])
        return LAWS[name](at)

    end, _ = move(law, np.array([[0.0, 0.0], [9.0, 9.0]]), np.array([[3.0, 0.0], [9.0, 9.0]]), 30.0, post)
    assert np.abs(end[0] - [3.0, 0.0]).max() < 0.1
    assert np.linalg.norm(np.array(ways) - post, axis=1).min() > RADIUS - 0.06


def test_two_that_meet_share_the_effort() -> None:
    wanted = np.array([[FASTEST, 0.0], [-FASTEST, 0.0]])
    at = Situation(np.array([[0.0, 0.05], [1.2, -0.05]]), wanted, wanted, np.empty((2, 0, 2)), RADIUS, FASTEST)
    velocities = orca(at, OrcaParameters())
    assert velocities[0] == pytest.approx(-velocities[1])
    assert velocities[0, 1] > 0.05


def test_the_velocity_nearest_to_the_wanted_one_within_half_planes_is_found() -> None:
    planes = HalfPlanes(np.array([[[0.2, 0.0], [0.0, 0.1]]]), np.array([[[-1.0, 0.0], [0.0, -1.0]]]))
    allowed, is_free = nearest_allowed(planes, np.array([[0.4, 0.3]]), FASTEST)
    assert is_free.tolist() == [True]
    assert allowed[0] == pytest.approx([0.2, 0.1])
    apart = HalfPlanes(np.array([[[0.3, 0.0], [-0.3, 0.0]]]), np.array([[[1.0, 0.0], [-1.0, 0.0]]]))
    assert not nearest_allowed(apart, np.zeros((1, 2)), FASTEST)[1][0]


def test_in_a_jam_all_bounds_are_passed_as_little_as_can_be() -> None:
    positions = np.array([[0.0, 0.0], [0.5, 0.0], [-0.5, 0.0]])
    velocities = orca(at_rest(positions, np.zeros((3, 2))), OrcaParameters())
    assert velocities[0] == pytest.approx([0.0, 0.0], abs=1e-3)
    assert velocities[1, 0] > 0.05 > -0.05 > velocities[2, 0]


def test_who_is_alone_goes_where_it_wants() -> None:
    wanted = np.array([[0.3, -0.1]])
    for law in LAWS.values():
        assert law(at_rest(np.zeros((1, 2)), wanted)) == pytest.approx(wanted)


def test_a_point_ahead_of_the_axle_goes_in_any_direction() -> None:
    law = OrcaParameters(offset=0.2)
    poses = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, np.pi / 2]])
    v, w = commands(np.array([[0.0, 0.1], [0.0, 0.1]]), poses, law).T
    assert v == pytest.approx([0.0, 0.1])
    assert w == pytest.approx([0.5, 0.0])


def test_teammates_are_no_obstacles_and_what_sonars_see_is() -> None:
    poses = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    ranges = np.full((2, len(SINGLE.bearings)), SINGLE.reach)
    ranges[0, len(SINGLE.bearings) // 2] = 0.5
    ranges[1, len(SINGLE.bearings) // 2] = 0.8
    at = situation(poses, np.zeros((2, 2)), ranges, np.zeros((2, 2)), SINGLE, OrcaParameters())
    assert np.isnan(at.obstacles[0]).all()
    assert at.obstacles[1][~np.isnan(at.obstacles[1])] == pytest.approx([1.0 + 0.8 + SINGLE.radius, 0.0])
    near = others(at, 1.0)
    assert near.whose.tolist() == [0, 1, 1]
    assert near.reach.tolist() == [2.0 * at.radius, 2.0 * at.radius, at.radius]
    assert near.ways[:2] == pytest.approx(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    assert near.sums(np.array([[1.0, 0.0], [0.5, 0.0], [0.0, 2.0]])) == pytest.approx(
        np.array([[1.0, 0.0], [0.5, 2.0]])
    )


def test_places_are_opposite_or_as_they_are_written() -> None:
    starts = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 3.0]])
    assert goal_positions("across", starts)[2] == pytest.approx([0.0, -1.0])
    assert goal_positions("1 2, 3 4, 5 -6", starts)[2] == pytest.approx([5.0, -6.0])
    for text, problem in (("1 2", "3 robots need as many"), ("1 2, 3, 4 5", "are written"), ("a b", "are written")):
        with pytest.raises(BadArgument, match=problem):
            goal_positions(text, starts)


def test_pursuit_stays_near_its_path_and_ends_at_its_end() -> None:
    law, pose = PursuitParameters(lookahead=0.3), np.array([[0.0, 0.2, 0.0]])
    way, along, off = Way(points("0 0, 2 0, 2 2")), np.zeros(1), []
    for _ in range(300):
        along = way.nearest(pose[:, :2], along, law.lookahead)
        v, w = pursue(pose, way, along, law)[0]
        pose += 0.05 * np.array([[v * math.cos(pose[0, 2]), v * math.sin(pose[0, 2]), w]])
        off.append(float(np.linalg.norm(pose[0, :2] - way.at(along)[0])))
    assert along[0] == pytest.approx(way.lengths[-1], abs=0.1)
    assert max(off[80:]) < 0.15
    assert abs(v) < 0.05


def test_a_path_that_crosses_itself_is_gone_along_in_order_and_laps_close_it() -> None:
    square = points("0 0, 1 0, 1 1, 0 1")
    assert Way(closed(square, 2)).lengths[-1] == pytest.approx(8.0)
    way = Way(points("0 0, 2 0, 2 1, 1 1, 1 -1"))
    assert way.nearest(np.array([[1.0, 0.0]]), np.array([0.8]), 0.5)[0] == pytest.approx(1.0)
    assert way.nearest(np.array([[1.0, 0.0]]), np.array([4.8]), 0.5)[0] == pytest.approx(5.0)


def test_robots_on_a_path_keep_their_spacing() -> None:
    way = Way(points("0 0, 10 0"))
    assert ends(way, np.array([4.0, 3.5, 0.0]), 1.0).tolist() == [10.0, 3.0, 2.5]


def test_parameters_are_changed_while_a_law_drives() -> None:
    server = LocalServer(Simulation(load("single")))
    with server.connect() as sim, server.connect() as somebody:
        tuned = Tuned("orca", OrcaParameters(speed=0.25), parameters_of(OrcaParameters))
        tuned.offer(sim, ["robot1"])
        offered = somebody.module("/robot1/orca").parameters
        assert offered["speed"] == 0.25
        offered["speed"], offered["neighbours"] = 0.1, 3
        assert tuned.at(5).speed == 0.25
        law = tuned.at(10)
        assert (law.speed, law.neighbours, law.goals) == (0.1, 3, "across")
        with pytest.raises(BadArgument, match="horizon must lie within"):
            offered["horizon"] = 1000.0


WEDGE = "points      0.4 0  -0.2 0.3  -0.05 0  -0.2 -0.3\nheight      0.2\nmass        6\n"
DEVICES = "".join(
    f"[DEVICE_{n}]\ntype {kind}\nname {name}\n{more}\n"
    for n, (kind, name, more) in enumerate(
        [
            ("differential_drive", "motors", "half_track 0.14\nmax_force 40"),
            ("sonars", "sonars", "count 16\nsector 337.5\nreach 20\nrays 1"),
            ("odometry", "odometry", ""),
        ],
        1,
    )
)


def test_laws_know_the_real_outline_of_a_robot_that_is_a_polygon(tmp_path: Path) -> None:
    (tmp_path / "wedge.robot").write_text(f"[ROBOT]\nsummary a wedge\n[BODY]\ntype polygon\n{WEDGE}{DEVICES}")
    (tmp_path / "hall.world").write_text(
        "[FLOOR]\nsize 20 20 0.1\n[WALL_1]\npoints -3 -3  3 -3  3 3  -3 3\nthickness 0.02\nclosed yes\n"
    )
    scene = tmp_path / "hall.scenario"
    scene.write_text(
        "[WORLD]\nfile hall.world\n[SIMULATION]\nengine kinematic\n"
        "[ROBOT_1]\ntype wedge\nname robot1\nposition 0.5 0.2 0\norientation 0 0 30\n"
        "[ROBOT_2]\ntype wedge\nname robot2\nposition -1.5 0.2 0\norientation 0 0 200\n"
    )
    with LocalServer(Simulation(load(scene))).connect() as sim:
        body = body_of(sim, "robot1")
        ranges = np.array([sim.module(f"/robot{n}/sonars").ranges().ranges for n in (1, 2)])
    poses = np.array([[0.5, 0.2, math.radians(30)], [-1.5, 0.2, math.radians(200)]])
    assert body.radius == pytest.approx(0.4)
    assert body.around(0.15) == pytest.approx(math.hypot(0.35, 0.3))
    seen = situation(poses, np.zeros((2, 2)), ranges, poses[:, :2], body, OrcaParameters()).obstacles.reshape(-1, 2)
    seen = seen[np.isfinite(seen).all(axis=1)]
    assert len(seen) > 28  # rays that met the other robot are none of them
    assert np.abs(np.abs(seen).max(axis=1) - 2.99).max() < 1e-6


@pytest.mark.parametrize(("degrees", "distance"), [(0.0, 0.4), (90.0, 0.2), (180.0, 0.05), (123.69, 0.3606)])
def test_rays_leave_an_outline_that_is_not_convex_for_good_where_it_ends(degrees: float, distance: float) -> None:
    outline = np.array([[0.4, 0.0], [-0.2, 0.3], [-0.05, 0.0], [-0.2, -0.3]])
    assert exits(outline, np.radians([degrees])) == pytest.approx([distance], abs=1e-4)
    # a horseshoe: a ray ahead leaves the web, crosses the gap, and leaves an arm behind it
    horseshoe = np.array(
        [[-0.1, -0.2], [0.5, -0.2], [0.5, 0.1], [0.3, 0.1], [0.3, -0.1], [0.1, -0.1], [0.1, 0.2], [-0.1, 0.2]]
    )
    assert exits(horseshoe, np.radians([0.0, 90.0, 180.0])) == pytest.approx([0.5, 0.2, 0.1])


CROSS = [(1.0, 0.0, 180), (0.0, 1.0, 270), (-1.0, 0.0, 0), (0.0, -1.0, 90)]


@pytest.mark.parametrize("name", [*LAWS, "pursuit"])
def test_simulated_robots_reach_their_places_by_their_wheels(name: str, tmp_path: Path) -> None:
    robots = CROSS[:1] if name == "pursuit" else CROSS
    scene = tmp_path / "cross.scenario"
    scene.write_text(
        "".join(
            f"[ROBOT_{n}]\ntype single\nname robot{n}\nposition {x} {y} 0\norientation 0 0 {turn}\n"
            for n, (x, y, turn) in enumerate(robots, 1)
        )
    )
    simulation, gaps = Simulation(load(scene)), [math.inf]

    def keep_record(record: Record) -> None:
        if len(robots) > 1 and record.tick % 10 == 0:
            gaps.append(_nearest(record.poses[:, :2]))

    law, names = import_module(f"coopsim.features.laws.{name}"), [f"robot{n}" for n in range(1, len(robots) + 1)]
    more = ["--path", "1 0, -0.5 0, -1 -0.5"] if name == "pursuit" else ["--goals", "across"]
    server = LocalServer(simulation, duration=40.0, published=keep_record)
    assert server.run(partial(law.main, ["--robots", *names, *more])) == [0]
    assert simulation.time_ns < 40e9
    ends_at = np.array([[-1.0, -0.5]]) if name == "pursuit" else -np.array(robots)[:, :2]
    assert np.abs(simulation.engine.poses[:, :2] - ends_at).max() < 0.35
    assert min(gaps) > 0.5


def test_a_hull_is_left_at_its_far_side_and_places_within_it_are_not_away() -> None:
    # a fork: a ray ahead passes between its tines, those aside and back cross it
    fork = np.array([(-1, -1), (1, -1), (1, -0.5), (-0.5, -0.5), (-0.5, 0.5), (1, 0.5), (1, 1), (-1, 1)], float)
    assert exits(fork, np.array([0.0, math.pi / 2, math.pi])) == pytest.approx([0.0, 1.0, 1.0])
    body = Body(1.5, 0.1, 1.0, np.zeros(0), 2.0, outline=fork)
    places = np.array([(0.0, 0.0), (-0.75, 0.0), (-3.0, 0.0)])
    assert body.away(places, np.zeros((3, 3))) == pytest.approx([0.5, 0.0, 2.0])
    turned = np.full((3, 3), (0.0, 0.0, math.pi))
    assert body.away(places, turned) == pytest.approx([0.5, 0.5, math.hypot(2.0, 0.5)])
