"""Field of view and occlusion of `target`."""

import math

import numpy as np
import pytest
from device_standins import prepare_kernels, readings_of, rig_for
from ray_scenes import body, box

from coopsim.devices import _view
from coopsim.engines import WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.features.sensors.target import Target
from coopsim.sensing import before_robot, nearest_seen, screens
from coopsim.sensing.world import EngineSensingWorld


class Camera:
    """Robots r00, r01, ... at (x, y, heading) with targets and other bodies around them."""

    def __init__(self, *poses, targets=None, others=(), **settings) -> None:
        self.names = tuple(f"r{k:02}" for k in range(len(poses)))
        bodies = [body(name, *pose) for name, pose in zip(self.names, poses, strict=True)] + list(others)
        self.engine = PymunkEngine(WorldSpec(tuple(bodies)))
        rows = np.array([list(self.engine.names).index(name) for name in self.names], np.int64)
        self.targets = targets or {}
        places = np.array(list(self.targets.values()), float).reshape(-1, 3)
        radii = np.full(len(poses), 0.25)
        self.world = EngineSensingWorld(self.engine, bodies, tuple(self.targets), places, self.names, rows, radii)
        context = rig_for(Target, len(poses), targets=tuple(self.targets), **settings)
        self.device = Target(
            type(context)(self.names, rows, context.keys, context.settings, context.radius, context.targets)
        )
        self.out, self.tick = readings_of(self.device, len(poses)), 0

    def see(self) -> np.ndarray:
        self.tick += 1
        self.world.begin_tick(self.tick, 0.01)
        self.device.sense(self.world, self.tick, self.out)
        return self.out.copy()

    def set(self, name, value, robot=0) -> "Camera":
        self.device.parameters[name][robot] = value
        self.device.changed(robot, name)
        return self

    def sees(self, robot=0) -> list[str]:
        """Return the names of the targets and robots that one robot sees."""
        row, m = self.see()[robot], len(self.targets)
        targets_seen = [name for place, name in enumerate(self.targets) if row[3 * place + 2] == 1.0]
        occupants = row[3 * (m + 8) :].astype(int)
        return targets_seen + [self.names[occupants[k]] for k in range(8) if row[3 * (m + k) + 2] == 1.0]

    def occupants(self, robot=0) -> list[int]:
        return self.see()[robot, -8:].astype(int).tolist()


AROUND = {"ahead": (3.0, 0.0, 0.0), "left": (0.0, 3.0, 0.0), "behind": (-3.0, 0.0, 0.0), "right": (0.0, -3.0, 0.0)}


def crowd(count, seed=1):
    generator = np.random.default_rng(seed)
    side = math.ceil(math.sqrt(count))
    index = np.arange(count)
    places = np.column_stack([index % side, index // side]) + generator.uniform(-0.2, 0.2, (count, 2))
    return [(*place, angle) for place, angle in zip(places, generator.uniform(-3, 3, count), strict=True)]


DEGREE = math.pi / 180.0


@pytest.mark.parametrize(
    ("field", "seen"), [(360, ["ahead", "left", "behind", "right"]), (190, ["ahead", "left", "right"]), (90, ["ahead"])]
)
def test_what_lies_outside_the_field_of_view_is_not_seen(field, seen) -> None:
    camera = Camera((0, 0, 0), targets=AROUND, field=field * DEGREE)
    assert camera.sees() == seen


def test_the_field_of_view_turns_with_the_robot() -> None:
    assert Camera((0, 0, math.pi / 2), targets=AROUND, field=90.0 * DEGREE).sees() == ["left"]
    assert Camera((0, 0, -math.pi), targets=AROUND, field=90.0 * DEGREE).sees() == ["behind"]
    assert Camera((0, 0, 9 * math.pi), targets=AROUND, field=10.0 * DEGREE).sees() == ["behind"]


def test_what_is_not_seen_reads_as_reach_without_angle() -> None:
    camera = Camera((0, 0, 0), (-2, 0, 0), targets=AROUND, field=90.0 * DEGREE, reach=7.0)
    row = camera.see()[0]
    assert row[3:6].tolist() == [7.0, 0.0, 0.0]
    assert row[12:15].tolist() == [7.0, 0.0, 0.0]
    assert camera.occupants() == [-1] * 8


def test_noise_does_not_move_a_target_out_of_the_field_of_view() -> None:
    camera = Camera((0, 0, 0), targets={"edge": (3.0, 2.9, 0.0)}, field=90.0 * DEGREE, noise_angle=0.5)
    assert all(camera.sees() == ["edge"] for _ in range(30))


def test_a_wall_hides_targets_and_robots_with_occlusion_alone() -> None:
    wall = box("wall", 2.0, 0.0, 0.2, 2.0)
    camera = Camera((0, 0, 0), (3, 0, 0), (0, 2, 0), targets={"red": (5, 0, 0), "blue": (-3, 0, 0)}, others=[wall])
    assert camera.sees() == ["red", "blue", "r02", "r01"]
    assert camera.set("occlusion", 1).sees() == ["blue", "r02"]
    assert camera.sees(1) == ["red", "blue", "r00", "r02"]
    assert camera.set("occlusion", 0).sees() == ["red", "blue", "r02", "r01"]


def test_a_robot_hides_the_one_behind_it() -> None:
    row = Camera((0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 3, 0), occlusion=1)
    assert row.sees() == ["r01", "r03"]
    assert row.sees(2) == ["r01", "r03"]


def test_a_robot_named_keeps_its_slot_though_it_is_hidden() -> None:
    camera = Camera((0, 0, 0), (1, 0, 0), (2, 0, 0), occlusion=1, robots="r02 r01")
    row = camera.see()[0]
    assert row[-8:].tolist() == [2, 1, *[-1] * 6]
    assert row[:6].tolist() == [20.0, 0.0, 0.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize("settings", [{"field": 1.2}, {"occlusion": 1}, {"field": 3.5, "occlusion": 1}])
def test_slots_hold_the_nearest_that_are_seen_however_many_nearer_ones_are_not(settings) -> None:
    poses = crowd(90)
    camera, planar = Camera(*poses, **settings), np.array(poses)
    names = camera.names
    everybody = camera.see()
    for robot in range(0, 90, 7):
        order = np.argsort(np.hypot(*(planar[:, :2] - planar[robot, :2]).T), kind="stable")
        alone = Camera(*poses, **settings)
        seen = []
        for begin in range(1, 90, 8):
            seen += _seen_of(alone, robot, [names[k] for k in order[begin : begin + 8]])
        assert [names[int(k)] for k in everybody[robot, -8:] if k >= 0] == seen[:8]


def test_behind_more_things_in_a_direction_than_are_listed_with_it_the_same_is_seen() -> None:
    # thin posts in a row, more than a bin lists, with gaps between them through which those behind are seen or not
    posts = [
        body(f"p{k:02}", 1.0 + 0.2 * k, 0.003 * (k % 3 - 1), mass=0.0, size=(0.004, 0.004, 0.3)) for k in range(30)
    ]
    moving = [body(f"q{k:02}", 1.1 + 0.2 * k, 0.003 * (k % 3 - 1), size=(0.004, 0.004, 0.3)) for k in range(30)]
    poses = [(0.0, 0.0, 0.0), *((9.0, 0.02 * k, 0.0) for k in range(-4, 5))]
    for obstacles in (posts, moving, [*posts, *moving]):
        camera, alone = (Camera(*poses, occlusion=1, others=obstacles) for _ in range(2))
        nearest_first = sorted(camera.names[1:], key=lambda name: (math.hypot(*poses[int(name[1:])][:2]), name))
        seen = [name for name in nearest_first if _seen_of(alone, 0, [name])]
        assert camera.sees() == seen[:8]
        assert 0 < len(seen) < 9


def test_what_lies_on_the_edge_of_the_field_is_seen_as_its_angle_says() -> None:
    angles = [0.5 + k * 1e-9 for k in (-3, -2, -1, 1, 2, 3)]
    camera = Camera((0.0, 0.0, 0.0), *((5.0 * math.cos(a), 5.0 * math.sin(a), 0.0) for a in angles), field=1.0)
    assert sorted(camera.sees()) == [f"r{k + 1:02}" for k, angle in enumerate(angles) if angle <= 0.5]


def _seen_of(camera, robot, wanted) -> list[str]:
    """Return which of 8 robots are seen, by naming them."""
    return camera.set("robots", " ".join(wanted), robot).sees(robot)


def test_full_field_without_occlusion_reads_bit_by_bit_as_if_there_were_no_limits() -> None:
    poses = crowd(30)
    settings = {"noise_distance": 0.1, "noise_angle": 0.05, "reach": 3.0}
    plain = Camera(*poses, targets=AROUND, **settings)
    limited = Camera(*poses, targets=AROUND, **settings)
    # one robot's narrow field must not change what the others read
    limited.set("field", 0.1, robot=29)
    for _ in range(3):
        assert (plain.see()[:29] == limited.see()[:29]).all()
    assert (plain.see()[29] != limited.see()[29]).any()


def test_limits_belong_to_their_robot_at_intervals_and_among_those_that_name_others_too() -> None:
    camera = Camera((0, 0, 0), (-2, 0, 0), (-4, 0, 0), targets=AROUND, field=90.0 * DEGREE, interval=2)
    camera.set("robots", "r02 r00", robot=1).set("occlusion", 1, robot=2)
    assert camera.sees(0) == ["ahead"]
    assert camera.sees(1) == ["ahead", "r00"]
    assert camera.sees(2) == ["left", "behind", "right", "r01"]


def test_a_robot_alone_in_an_empty_world_sees_nothing() -> None:
    assert Camera((0, 0, 0), field=90.0 * DEGREE, occlusion=1).sees() == []


def test_nothing_is_compiled_after_warm() -> None:
    prepare_kernels()
    modules = (_view, before_robot, nearest_seen, screens)
    kernels = [var for module in modules for var in vars(module).values() if hasattr(var, "signatures")]
    before = [len(kernel.signatures) for kernel in kernels]
    for count in (1, 3):
        Camera(*crowd(count), targets=AROUND, field=90.0 * DEGREE, occlusion=1).set("occlusion", 0).see()
    assert [len(kernel.signatures) for kernel in kernels] == before
    assert len(kernels) > 10
