"""Items of CoopDynSim about robots that cooperate, over the interfaces that its users have."""

import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.laws import escaping, formation, transport_helper, transport_leader
from coopsim.features.laws.body import Body, sonar_bearings
from coopsim.features.laws.transport import TransportPerception
from coopsim.features.laws.transport_helper import HelperParameters, help_carry
from coopsim.features.laws.transport_leader import LeaderParameters, lead
from coopsim.geometry import Floats
from coopsim.inprocess import LocalServer, connect
from coopsim.robots import load, load_type
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import SetParameter

EMPTY = "[WORLD]\nfile empty\n"
TEAM = "[ROBOT_1]\ntype team2\nname team1\nlength 2.5\nmass 5\n"


HAMMER = """[OBJECT_1]
name head
type cylinder
size 0.4 0.4 0.3
position 0 0 0
mass {head}
friction {friction}
[OBJECT_2]
name handle
type box
size 1 0.1 0.3
position 0.7 0 0
mass 0.5
friction {friction}
[JOINT_1]
type weld
bodies head handle
"""

BODY = Body(radius=0.25, half_track=0.18, fastest=0.5, bearings=sonar_bearings(11, math.radians(220.0)), reach=3.0)
HOLD = 5
"""Ticks for which a command is held."""


class Transport:
    """Teams of a built-in scene, driven by the laws from the readings of each robot alone, twenty times a second.

    Attributes:
        strongest: Largest force on a support so far [N].
        nearest: Least reading of a sonar so far [m].
    """

    def __init__(self, scene: str, targets: dict[str, int]) -> None:
        self.simulation = Simulation(load(scene))
        self._targets, self._teams = targets, list(targets)
        self._v, self._u = np.zeros(len(targets)), np.zeros(len(targets))
        self._escapes = escaping.calm(len(targets))
        self.strongest, self.nearest = 0.0, math.inf
        for team in targets:
            apply(self.simulation, SetParameter(f"{team}/leader", "target", "robots", f"{team}/helper"))
            apply(self.simulation, SetParameter(f"{team}/helper", "target", "robots", f"{team}/leader"))

    def drive(self, *, is_helped: bool = True, is_led: bool = True) -> None:
        leaders, self._v, self._escapes = lead(
            self._view("leader"), self._v, body=BODY, law=LeaderParameters(), escapes=self._escapes, dt=0.01 * HOLD
        )
        helpers, self._u = help_carry(self._view("helper"), self._u, body=BODY, law=HelperParameters(), dt=0.01 * HOLD)
        for row, team in enumerate(self._teams):
            if is_led:
                self.simulation.command(f"{team}/leader", "motors", 10, leaders[row])
            if is_helped:
                self.simulation.command(f"{team}/helper", "motors", 10, helpers[row])
        for _ in range(HOLD):
            self.simulation.tick()

    def ways(self) -> Floats:
        """Return how far each leader is from its target [m]."""
        return self._view("leader").goal[:, 0]

    def _view(self, role: str) -> TransportPerception:
        """Return what robots of a role perceive; a helper is told of no target."""
        read = self.simulation.reading
        robots = [f"{team}/{role}" for team in self._teams]
        support = np.array([read(robot, "support") for robot in robots])
        seen = np.array([read(robot, "target") for robot in robots])
        count = len(self.simulation.scene.targets)
        goals = np.array([row[3 * slot : 3 * slot + 2] for row, slot in zip(seen, self._targets.values(), strict=True)])
        distance, angle = seen[:, 3 * count], seen[:, 3 * count + 1]
        ranges = np.array([read(robot, "sonars") for robot in robots])
        self.strongest = max(self.strongest, float(np.hypot(support[:, 3], support[:, 4]).max()))
        self.nearest = min(self.nearest, float(ranges.min()))
        return TransportPerception(
            ranges=ranges,
            goal=goals if role == "leader" else np.full_like(goals, np.nan),
            mates=np.stack([distance * np.cos(angle), distance * np.sin(angle)], -1)[:, np.newaxis],
            motion=np.array([read(robot, "motors")[:2] for robot in robots]),
            angle=support[:, 0],
            force=support[:, 3:5],
            carriers=np.full(len(robots), 2.0),
        )


def _simulation(folder: Path, text: str) -> Simulation:
    (folder / "a.scenario").write_text(EMPTY + text)
    return Simulation(load(folder / "a.scenario"))


def _pushed_hammer(folder: Path, head: float, friction: float) -> tuple[Floats, Floats]:
    """Return x y yaw vx vy w of head and handle after 1 N across the middle of the handle for half a second."""
    (folder / "hammer.world").write_text(HAMMER.format(head=head, friction=friction))
    (folder / "a.scenario").write_text("[WORLD]\nfile hammer.world\n[ROBOT_1]\ntype single\nposition -4 0 0\n")
    simulation = Simulation(load(folder / "a.scenario"))
    with connect(simulation) as sim, sim.stepper() as stepper:
        sim.world.push("handle", [0.0, 1.0, 0.0], 0.5)
        for _ in range(60):
            stepper.step([(0.0, 0.0)])
    head_row, handle_row = (
        simulation.engine.planar[simulation.engine.names.index(name)] for name in ("head", "handle")
    )
    return head_row.copy(), handle_row.copy()


@pytest.mark.parametrize("head", [0.5, 5.0])
def test_c_34_a_composed_object_moves_by_the_mass_and_friction_of_each_part(tmp_path: Path, head: float) -> None:
    head_state, handle_state = _pushed_hammer(tmp_path, head, 0.0)
    assert math.dist(head_state[:2], handle_state[:2]) == pytest.approx(0.7, abs=0.03)
    mass = head + 0.5
    momentum = head * head_state[3:5] + 0.5 * handle_state[3:5]
    assert math.hypot(*momentum) == pytest.approx(0.5, rel=0.02)
    arm = 0.7 * head / mass
    inertia = 0.5 * head * 0.2**2 + 0.5 * 1.01 / 12.0 + head * 0.5 / mass * 0.7**2
    assert head_state[5] == pytest.approx(0.5 * arm / inertia, rel=0.05)
    assert head_state[5] == pytest.approx(handle_state[5], abs=1e-3)
    braked, _ = _pushed_hammer(tmp_path, head, 0.9)
    assert abs(braked[5]) < abs(head_state[5])


def test_c_40_of_the_two_mobile_types_one_has_a_support_besides_what_the_other_has() -> None:
    plain, carrier = load_type("single"), load_type("transport")
    kinds = [[device.kind for device in kind.devices] for kind in (plain, carrier)]
    assert kinds[1] == [*kinds[0], "support"]
    assert (plain.shape, plain.size, plain.mass) == (carrier.shape, carrier.size, carrier.mass)


def test_c_49_the_support_tells_a_client_where_the_load_is_and_how_it_pushes(tmp_path: Path) -> None:
    with connect(_simulation(tmp_path, TEAM)) as sim, sim.stepper() as stepper:
        for _ in range(300):
            stepper.step({"team1/leader": (0.0, 0.0), "team1/helper": (0.0, 0.0)})
        support = sim.module("/team1/leader/support").state()
        assert (support.angle, support.loaded) == (pytest.approx(-math.pi / 2, abs=0.01), 1.0)
        for _ in range(300):
            stepper.step({"team1/leader": (0.3, 0.0), "team1/helper": (0.0, 0.0)})
        pulled = sim.module("/team1/leader/support").state()
        assert abs(pulled.angle) > math.pi / 2 + 0.1
        assert math.hypot(pulled.force_x, pulled.force_y) == pytest.approx(
            4000.0 * math.hypot(pulled.x, pulled.y), rel=0.1, abs=2.0
        )
        assert (pulled.force_x, pulled.force_y) == pytest.approx(
            (4000.0 * pulled.x, 4000.0 * pulled.y), rel=0.1, abs=2.0
        )
        assert pulled.force_x < -5.0  # the load, whose other end stands, holds the robot back


def test_c_59_a_team_for_transport_is_inserted_like_a_robot_and_stands_with_its_bar(tmp_path: Path) -> None:
    with connect(_simulation(tmp_path, "")) as sim:
        sim.world.insert(TEAM + "position 1 2 0\norientation 0 0 45\n")
        assert {"/team1/leader/support", "/team1/helper/support"} <= set(sim.names("/team1"))
        bar = sim.world.get("team1/bar")
        assert tuple(bar.pose[:2]) == pytest.approx((1.0, 2.0))
        assert (bar.size[1], bar.mass) == (2.5, 5.0)


def test_c_78_two_teams_carry_a_long_bar_each_from_one_corner_to_the_opposite_one() -> None:
    """C-97: the text of the figure counts, two teams and a bar each, not its caption."""
    teams = Transport("transport", {"team1": 0, "team2": 1})
    targets = [teams.simulation.scene.targets[name].position for name in ("magenta", "blue")]
    bars = [teams.simulation.engine.names.index(f"{team}/bar") for team in ("team1", "team2")]
    start = teams.simulation.engine.planar[bars, :2].copy()
    for _ in range(1600):
        teams.drive()
        if (teams.ways() < 0.3).all():
            break
    assert (teams.ways() < 0.3).all()
    ends = teams.simulation.engine.planar[bars, :2]
    assert (np.hypot(*(ends - start).T) > 11.0).all()
    assert [math.dist(end, target[:2]) < 1.6 for end, target in zip(ends, targets, strict=True)] == [True, True]
    assert teams.nearest > 0.0
    assert teams.strongest < LeaderParameters().most_force


def test_c_79_without_its_helper_a_leader_does_not_get_the_bar_away(tmp_path: Path) -> None:
    team = Transport("doorway", {"team1": 0})
    before = team.ways()
    for _ in range(200):
        team.drive(is_helped=False)
    assert (before - team.ways() < 1.5).all()
    helped = Transport("doorway", {"team1": 0})
    for _ in range(800):
        helped.drive()
        if (helped.ways() < 0.3).all():
            break
    assert (helped.ways() < 0.3).all()


@pytest.mark.parametrize("is_helped", [True, False])
def test_a_team_stands_soon_after_the_program_of_its_leader_has_vanished(is_helped: bool) -> None:
    team = Transport("doorway", {"team1": 0})
    for _ in range(100):
        team.drive()
    for _ in range(60):
        team.drive(is_helped=is_helped, is_led=False)
    rows = [team.simulation.engine.names.index(f"team1/{role}") for role in ("leader", "helper", "bar")]
    before = team.simulation.engine.planar[rows, :2].copy()
    for _ in range(20):
        team.drive(is_helped=is_helped, is_led=False)
    assert np.abs(team.simulation.engine.planar[rows, :2] - before).max() < 0.05


def test_c_52_a_bar_on_two_robots_and_five_in_an_inverted_v_drive_past_box_cylinder_and_sphere() -> None:
    simulation = Simulation(load("fig4"))
    assert {"magenta", "red"} == set(simulation.scene.targets)
    assert {"box", "cylinder", "sphere"} <= {thing.shape for thing in simulation.scene.objects.values()}
    vee = [f"robot{number}" for number in range(1, 6)]
    names = ("team1/bar", *vee)
    rows = [simulation.engine.names.index(name) for name in names]
    start = simulation.engine.planar[rows, 0].copy()
    server = LocalServer(simulation, duration=5.0, wait_for=[*vee, "team1/leader", "team1/helper"])
    server.run(
        partial(transport_leader.main, ["--robots", "team1/leader", "--target", "magenta"]),
        partial(transport_helper.main, ["--robots", "team1/helper"]),
        partial(formation.main, ["--robots", *vee, "--shape", "vee", "--spacing", "1", "--target", "red"]),
    )
    way = simulation.engine.planar[rows, 0] - start
    assert way[0] > 0.5
    assert (way[1:] > 1.0).all()
    x, y = simulation.engine.planar[rows[1:], :2].T
    assert (x[0] > x[1:]).all()
    assert (abs(x[1:] - x[0] + np.array([1, 1, 2, 2]) * math.sqrt(0.5)) < 0.2).all()
    assert (abs(y[1:] - y[0] - np.array([1, -1, 2, -2]) * math.sqrt(0.5)) < 0.2).all()


def test_c_80_three_robots_break_their_triangle_at_a_gap_and_form_it_again() -> None:
    simulation = Simulation(load("gap"))
    rows = [simulation.engine.names.index(f"robot{number}") for number in (1, 2, 3)]
    wrong: list[float] = []

    def note_record(_record: object) -> None:
        places = simulation.engine.planar[rows, :2]
        sides = np.hypot(*(places - np.roll(places, 1, axis=0)).T)
        wrong.append(float(np.abs(sides - 0.8).max()))

    server = LocalServer(simulation, duration=26.0, published=note_record)
    line = ["--robots", "robot1", "robot2", "robot3", "--shape", "triangle", "--spacing", "0.8", "--target", "red"]
    assert server.run(partial(formation.main, line)) == [0]
    broken = int(np.argmax(wrong))
    assert min(wrong[:broken]) < 0.1
    assert wrong[broken] > 0.4
    assert max(wrong[-100:]) < 0.15
    assert (simulation.engine.planar[rows, 0] > 0.5).all()
