"""What game robots carry: border sensor, beeper, shooter."""

import math

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, command, readings_of, rig_for

from coopsim.features.games.devices.beeper import Beeper
from coopsim.features.games.devices.border import Border
from coopsim.features.games.devices.shooter import Shooter

POND = ("water", (1.0, -1.0, 3.0, -1.0, 3.0, 1.0, 1.0, 1.0))
FIELD = ("border", (-5.0, -5.0, 5.0, -5.0, 5.0, 5.0, -5.0, 5.0))


def border_at(x: float, y: float, heading: float, *areas, **settings: float) -> list[float]:
    world = SmallWorld(FlatBodies(1))
    world.bodies.planar[0, :3] = x, y, heading
    world.areas = areas
    device = Border(rig_for(Border, 1, **settings))
    out = readings_of(device)
    device.sense(world, 1, out)
    return out[0].tolist()


@pytest.mark.parametrize(
    ("pose", "expected"),
    [
        ((0.0, 0.0, 0.0), [0.0, 0.0, 0.0]),
        ((0.6, 0.0, 0.0), [1.0, 0.0, 0.0]),
        ((0.7, 1.3, -0.25 * math.pi), [1.0, 0.0, 0.0]),
        ((0.8, 0.9, 0.25 * math.pi), [0.0, 0.0, 1.0]),
        ((0.8, -0.9, -0.25 * math.pi), [0.0, 1.0, 0.0]),
        ((4.6, 3.0, 0.0), [1.0, 0.0, 0.0]),
        ((4.6, 3.0, math.pi), [0.0, 0.0, 0.0]),
    ],
)
def test_water_and_the_end_of_the_field_are_seen_ahead_and_to_both_sides(pose, expected) -> None:
    assert border_at(*pose, FIELD, POND) == expected


TIP = ("water", (0.0, -0.02, 1.0, 0.0, 0.0, 0.02))
NOTCHED = ("border", (-5.0, -5.0, 5.0, -5.0, 5.0, 5.0, 0.02, 5.0, 0.0, 0.0, -0.02, 5.0, -5.0, 5.0))
WEST = ("border", (-5.0, -5.0, 0.0, -5.0, 0.0, 5.0, -5.0, 5.0))
EAST = ("border", (0.0, -5.0, 5.0, -5.0, 5.0, 5.0, 0.0, 5.0))


def test_no_tip_of_a_lake_and_no_notch_of_the_field_is_too_thin_to_be_seen() -> None:
    assert border_at(0.5, 0.2, -0.5 * math.pi, FIELD, TIP) == [1.0, 1.0, 1.0]
    assert border_at(0.5, 0.2, 0.0, FIELD, TIP) == [0.0, 0.0, 1.0]
    assert border_at(0.5, 0.2, -0.5 * math.pi, FIELD, TIP, swims=1) == [0.0, 0.0, 0.0]
    assert border_at(-0.2, 2.0, 0.0, NOTCHED) == [1.0, 1.0, 1.0]
    assert border_at(-0.2, 2.0, 0.0, WEST, EAST) == [0.0, 0.0, 0.0]  # from one field into the next


def test_who_is_in_water_sees_where_it_ends() -> None:
    assert border_at(2.8, 0.0, 0.0, FIELD, POND) == [0.0, 0.0, 0.0]
    assert border_at(2.8, 0.0, math.pi, FIELD, POND) == [1.0, 1.0, 1.0]
    assert border_at(2.0, 0.0, 0.0, FIELD, POND) == [1.0, 1.0, 1.0]


def test_nothing_is_a_border_where_there_are_no_areas_and_water_is_none_for_who_swims() -> None:
    assert border_at(0.6, 0.0, 0.0) == [0.0, 0.0, 0.0]
    assert border_at(0.6, 0.0, 0.0, POND, swims=1) == [0.0, 0.0, 0.0]
    assert border_at(4.6, 0.0, 0.0, FIELD, POND, swims=1) == [1.0, 0.0, 0.0]
    assert border_at(0.6, 0.0, 0.0, ("base", POND[1])) == [0.0, 0.0, 0.0]


def test_a_beep_for_each_command_and_none_for_one_that_stands() -> None:
    device, world = Beeper(rig_for(Beeper)), SmallWorld()
    out, heard = readings_of(device), []
    for stamp in (0.0, 1.0, 1.0, 1.0, -7.0, 1.0, 2.0):
        device.act(command(stamp, 10.0 if stamp else 0.0), world.bodies, world.bodies.wrench, 0.1)
        device.sense(world, 1, out)
        heard.append(out[0].tolist())
    assert [reading[1] for reading in heard] == [0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 3.0]
    assert [reading[0] for reading in heard] == [0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]


class Range:
    """A shooter at the origin and others where a test puts them."""

    def __init__(self, *places: tuple[float, float], **settings: float) -> None:
        self.world = SmallWorld(FlatBodies(1 + len(places)))
        self.world.bodies.planar[1:, :2] = places
        self.is_hidden = False
        self.world.sight_lines = self.sight_lines  # type: ignore[attr-defined]
        self.device = Shooter(rig_for(Shooter, 1, **settings))
        self.out = readings_of(self.device)

    def sight_lines(self, rows, places, others, seen) -> None:
        seen &= not self.is_hidden

    def shoot(self, *slot: float, ticks: int = 1) -> list[float]:
        for _ in range(ticks):
            self.device.act(command(*slot), self.world.bodies, self.world.bodies.wrench, 0.1)
            self.device.sense(self.world, 1, self.out)
        return self.out[0].tolist()


def test_it_shoots_at_once_and_then_at_its_rate() -> None:
    range_ = Range((1.0, 0.0), rate=2.0)
    assert range_.shoot(1.0, 10.0, 1.0) == [1.0, 1.0, 0.0]
    assert range_.shoot(1.0, 10.0, 1.0, ticks=5) == [2.0, 1.0, 0.0]
    assert range_.shoot(2.0, 11.0, ticks=10) == [2.0, 1.0, 1.0]


@pytest.mark.parametrize("slot", [(0.0, 0.0), (1.0, 10.0, -1.0), (1.0, 10.0, 7.0), (1.0, 10.0, 0.0), (1.0, 11.0)])
def test_who_aims_at_nobody_or_himself_does_not_shoot(slot: tuple[float, ...]) -> None:
    assert Range((1.0, 0.0)).shoot(*slot, ticks=3) == [0.0, -1.0, 1.0]


def test_what_is_far_or_hidden_is_shot_at_as_soon_as_it_is_neither() -> None:
    far = Range((2.5, 0.0), range=2.0)
    assert far.shoot(1.0, 10.0, 1.0, ticks=3)[0] == 0.0
    far.world.bodies.planar[1, 0] = 1.9
    assert far.shoot(1.0, 10.0, 1.0)[0] == 1.0
    hidden = Range((1.0, 0.0))
    hidden.is_hidden = True
    assert hidden.shoot(1.0, 10.0, 1.0, ticks=3)[0] == 0.0
    hidden.is_hidden = False
    assert hidden.shoot(1.0, 10.0, 1.0)[0] == 1.0
    assert np.isfinite(hidden.out).all()
