"""The camera as a device: of which tick the newest image is, and with what settings it is drawn."""

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, readings_of, rig_for

from coopsim.features.sensors.camera import Camera
from coopsim.interfaces import CAMERA

NAMES = [field.name for field in CAMERA.readings]


class Looks:
    """Robots with cameras that look at each tick; the first look is before the first tick."""

    def __init__(self, n: int = 1, **settings: float) -> None:
        self.world, self.tick = SmallWorld(FlatBodies(n)), 0
        self.device = Camera(rig_for(Camera, n, **settings))
        self.out = readings_of(self.device, n)
        self.world.dt = 0.0
        self.device.sense(self.world, 0, self.out)

    def images(self, ticks: int, dt: float = 0.01) -> list[int]:
        """Go on, and return the ticks of all images that were taken."""
        drawn = []
        for _ in range(ticks):
            self.tick += 1
            self.world.dt = dt
            self.device.sense(self.world, self.tick, self.out)
            if self.out[0, 0] == self.tick:
                drawn.append(self.tick)
        return drawn


def test_images_come_at_the_rate_and_the_first_one_before_the_first_tick() -> None:
    looks = Looks(rate=10.0)
    assert looks.out[0, 0] == 0
    assert looks.images(35) == [10, 20, 30]
    assert looks.out[0, 0] == 30


def test_a_rate_between_two_ticks_is_kept_on_average() -> None:
    looks = Looks(rate=30.0)
    assert len(looks.images(1000)) == 300


def test_without_a_rate_each_tick_has_an_image() -> None:
    assert Looks(rate=0.0).images(3) == [1, 2, 3]


def test_an_edit_between_two_ticks_takes_no_image_of_its_own() -> None:
    looks = Looks(rate=10.0)
    looks.images(4)
    looks.world.dt = 0.0
    looks.device.sense(looks.world, 4, looks.out)
    assert looks.out[0, 0] == 0


def test_the_readings_say_how_images_are_taken_and_each_camera_has_noise_of_its_own() -> None:
    looks = Looks(n=2, width=64, height=48, fov=1.0, elevation=-0.1, noise=0.02)
    looks.device.parameters["noise"][1] = 0.5
    looks.images(1)
    first, second = (dict(zip(NAMES, row, strict=True)) for row in looks.out)
    assert (first["width"], first["height"], first["fov"]) == (64, 48, 1.0)
    assert (first["elevation"], first["noise"], second["noise"]) == pytest.approx((-0.1, 0.02, 0.5))
    assert first["seed"] != second["seed"]
    assert np.float64(first["seed"]).is_integer()


def test_the_size_of_images_is_fixed_and_everything_else_can_be_changed() -> None:
    fixed = {parameter.name for parameter in CAMERA.parameters if parameter.fixed}
    assert fixed == {"width", "height", "preset"}
    assert set(Looks().device.parameters) == {parameter.name for parameter in CAMERA.parameters} - fixed
