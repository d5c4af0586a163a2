"""Sonars: the ring of distance sensors."""

import math

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, readings_of, rig_for
from ray_scenes import Scene, body, box

from coopsim.devices.sonars import Sonars
from coopsim.interfaces import SONARS
from coopsim.interfaces.sonars import POST
from coopsim.sensing.world import EngineSensingWorld


def seen_in(scene: Scene) -> EngineSensingWorld:
    """Return what sensors see of a scene."""
    nobody = np.zeros(0, np.int64)
    return EngineSensingWorld(scene.engine, scene.bodies, (), np.zeros((0, 3)), (), nobody, np.zeros(0))


def sonars(n: int = 1, **settings: float) -> tuple[Sonars, SmallWorld, np.ndarray]:
    device = Sonars(rig_for(Sonars, n, **settings))
    return device, SmallWorld(FlatBodies(n)), readings_of(device, n)


def test_eleven_sonars_look_from_right_to_left() -> None:
    """C-42: eleven distance sensors."""
    device, world, out = sonars(rays=1)
    device.sense(world, 0, out)
    assert out.shape == (1, 11)
    assert np.degrees(world.casts[0].bearings) == pytest.approx(np.linspace(-110, 110, 11))
    assert device.counts == {"count": 11}


def test_the_rays_of_all_sectors_are_evenly_spread() -> None:
    device, world, out = sonars(rays=4)
    device.sense(world, 0, out)
    assert np.degrees(world.casts[0].bearings) == pytest.approx(np.linspace(-118.25, 118.25, 44))
    assert np.degrees(device.bearings) == pytest.approx(np.linspace(-110, 110, 11))


def test_a_single_sonar_looks_straight_ahead() -> None:
    device, world, out = sonars(count=1)
    device.sense(world, 0, out)
    assert device.bearings == pytest.approx([0.0])
    assert world.casts[0].bearings == pytest.approx([0.0])


def test_a_single_sonar_with_several_rays_covers_its_sector() -> None:
    device, world, out = sonars(count=1, sector=30.0, rays=3)
    device.sense(world, 0, out)
    assert np.degrees(world.casts[0].bearings) == pytest.approx([-10.0, 0.0, 10.0])


@pytest.mark.parametrize("reach", [0.5, 3.0, 20.0])
def test_no_post_of_a_tenth_of_a_metre_within_reach_slips_between_the_rays(reach: float) -> None:
    """C-45: several rays for each sector."""
    robot, post = box("robot", 0.0, 0.0, 0.5, 0.5, mass=20.0), body("post", size=(POST, POST, 1.0))
    scene, device = Scene(robot, post), Sonars(rig_for(Sonars, 1, reach=reach))
    for far in (0.4, 0.6, 0.9, 1.0):
        distance = 0.25 + reach * far - 0.05
        for bearing in np.radians(np.linspace(-110.0, 110.0, 300)):
            scene.move("post", distance * math.cos(bearing), distance * math.sin(bearing))
            out = np.full((1, 11), np.nan)
            device.rows = np.array([scene.row("robot")])
            device.sense(seen_in(scene), 0, out)
            assert out[0, round(math.degrees(bearing) / 22.0) + 5] < reach


def test_the_nearest_hit_of_a_sector_counts() -> None:
    scene = Scene(
        body("robot"), body("far", 2.5), body("near", 1.5 * math.cos(0.1), 1.5 * math.sin(0.1), size=(0.1, 0.1, 0.3))
    )
    device, out = Sonars(rig_for(Sonars, 1)), np.full((1, 11), np.nan)
    device.rows = np.array([scene.row("robot")])
    device.sense(seen_in(scene), 0, out)
    assert out[0, 5] == pytest.approx(1.5 - 0.05 - 0.25, abs=0.005)
    assert (np.delete(out[0], 5) == 3.0).all()


def test_each_robot_has_as_many_rays_as_its_own_reach_needs() -> None:
    device, world, out = sonars(3)
    device.parameters["reach"][1] = 20.0
    device.changed(1, "reach")
    device.sense(world, 0, out)
    assert [(cast.rows, cast.bearings.size) for cast in world.casts] == [([0, 2], 13 * 11), ([1], 79 * 11)]
    assert (out == 1.0).all()


def test_robots_with_different_reach_and_intervals_share_a_type() -> None:
    device, world, out = sonars(3)
    device.parameters["reach"][1] = 20.0
    device.parameters["interval"][:] = [1, 2, 2]
    for tick in range(2):
        world.echo = 1.0 + tick
        device.sense(world, tick, out)
    assert out[:, 0].tolist() == [2.0, 1.0, 1.0]


def test_readings_are_the_distances_of_the_rays() -> None:
    device, world, out = sonars(2)
    world.echo = 1.25
    device.sense(world, 0, out)
    assert (out == 1.25).all()


def test_reach_can_differ_from_robot_to_robot_and_change_while_running() -> None:
    device, world, out = sonars(2)
    world.echo = math.inf
    device.sense(world, 0, out)
    device.parameters["reach"][1] = 0.5
    device.changed(1, "reach")
    device.sense(world, 1, out)
    assert {row: far for cast in world.casts[1:] for row, far in zip(cast.rows, cast.reach, strict=True)} == {
        0: 3.0,
        1: 0.5,
    }
    assert out[:, 0] == pytest.approx([3.0, 0.5])


def test_noise_stays_within_0_and_reach() -> None:
    device, world, out = sonars(50, noise=0.5)
    seen = []
    for world.echo in (0.1, 1.5, 3.0):
        device.sense(world, 1, out)
        assert out.min() >= 0.0
        assert out.max() <= 3.0
        seen.append(out.copy())
    near, middle, far = seen
    assert (near == 0.0).mean() == pytest.approx(0.42, abs=0.08)
    assert (far == 3.0).mean() == pytest.approx(0.5, abs=0.08)
    assert middle.std() == pytest.approx(0.5, rel=0.1)


def test_noise_repeats_with_the_tick_and_the_seed_and_with_nothing_else() -> None:
    def read(tick: int, **context: int) -> list[float]:
        device, world, out = sonars(2, noise=0.1, **context)
        device.sense(world, tick, out)
        return out[1].tolist()

    assert read(5) == read(5)
    assert read(5) != read(6)
    assert read(5) != read(5, seed=2)


def test_noise_can_be_switched_on_for_one_robot() -> None:
    device, world, out = sonars(2)
    device.sense(world, 0, out)
    device.parameters["noise"][1] = 0.1
    device.changed(1, "noise")
    device.sense(world, 1, out)
    assert (out[0] == 1.0).all()
    assert (out[1] != 1.0).all()


def test_between_two_readings_the_last_one_is_held() -> None:
    device, world, out = sonars(interval=3)
    seen = []
    for tick in range(7):
        world.echo = 1.0 + 0.1 * tick
        device.sense(world, tick, out)
        seen.append(out[0, 0])
    assert seen == pytest.approx([1.0, 1.0, 1.0, 1.3, 1.3, 1.3, 1.6])
    assert len(world.casts) == 3


def test_robots_with_different_intervals_share_a_type() -> None:
    device, world, out = sonars(3)
    device.parameters["interval"][:] = [1, 2, 4]
    seen = []
    for tick in range(5):
        world.echo = 1.0 + tick / 10
        device.sense(world, tick, out)
        seen.append(out[:, 0].tolist())
    assert np.transpose(seen) == pytest.approx(
        np.array([[1.0, 1.1, 1.2, 1.3, 1.4], [1.0, 1.0, 1.2, 1.2, 1.4], [1.0, 1.0, 1.0, 1.0, 1.4]])
    )
    assert [cast.rows for cast in world.casts] == [[0, 1, 2], [0], [0, 1], [0], [0, 1, 2]]


def test_a_reading_taken_at_intervals_has_the_noise_of_its_tick() -> None:
    plain, world, out = sonars(3, noise=0.1)
    plain.sense(world, 8, out)
    held, world, again = sonars(3, noise=0.1, interval=4)
    for tick in range(11):
        held.sense(world, tick, again)
    assert (out == again).all()


def test_a_shorter_interval_takes_effect_at_once_and_a_longer_one_holds_no_old_reading() -> None:
    device, world, out = sonars(interval=1000)
    for tick, interval, echo in ((0, 1000, 1.0), (5, 2, 1.1), (6, 1, 1.2), (7, 1000, 1.3)):
        device.parameters["interval"][0] = interval
        device.changed(0, "interval")
        world.echo = echo
        device.sense(world, tick, out)
        assert out[0, 0] == pytest.approx(echo)


def test_a_held_reading_never_exceeds_a_reach_that_shrank() -> None:
    device, world, out = sonars(interval=10)
    world.echo = 2.5
    device.sense(world, 0, out)
    device.parameters["reach"][0] = 1.0
    device.changed(0, "reach")
    device.sense(world, 1, out)
    assert out.max() == 1.0


def test_memory_copied_into_a_new_instance_goes_on_holding() -> None:
    device, world, out = sonars(2, interval=10)
    device.sense(world, 0, out)
    newer, _, _ = sonars(3, interval=10)
    newer.memory["held"][[0, 2]] = device.memory["held"]
    world, out = SmallWorld(FlatBodies(3)), readings_of(newer, 3)
    world.echo = 2.0
    newer.sense(world, 5, out)
    assert out[:, 0].tolist() == [1.0, 2.0, 1.0]


def test_every_changeable_parameter_is_a_column() -> None:
    device, _, _ = sonars(2)
    assert sorted(device.parameters) == sorted(parameter.name for parameter in SONARS.parameters if not parameter.fixed)
    assert {name: column.tolist() for name, column in device.parameters.items()} == {
        parameter.name: [parameter.default] * 2 for parameter in SONARS.parameters if not parameter.fixed
    }
