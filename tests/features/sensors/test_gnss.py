"""The receiver of satellites: places on the ellipsoid against closed forms, noise, what wanders, and outages."""

import math
from pathlib import Path

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, readings_of, rig_for

from coopsim.features.gateways.georeference import Georeference
from coopsim.features.sensors.geodesy import Datum
from coopsim.features.sensors.gnss import Gnss
from coopsim.features.sensors.gnss_interface import GNSS
from coopsim.interfaces import Value
from coopsim.robots import load, load_type
from coopsim.simulation import Simulation

RADIUS, FLATTENING = 6378137.0, 1.0 / 298.257223563
SQUARE = FLATTENING * (2.0 - FLATTENING)


def on_earth(latitude: float, longitude: float, height: float) -> np.ndarray:
    """Return a place in the frame of the Earth: the definition, in the direction that has a closed form."""
    normal = RADIUS / math.sqrt(1.0 - SQUARE * math.sin(latitude) ** 2)
    level = (normal + height) * math.cos(latitude)
    return np.array(
        [
            level * math.cos(longitude),
            level * math.sin(longitude),
            (normal * (1.0 - SQUARE) + height) * math.sin(latitude),
        ]
    )


@pytest.mark.parametrize("latitude", [0.0, 0.6, -1.2, 1.5707, math.pi / 2])
def test_places_on_the_ellipsoid_are_those_of_the_definition(latitude: float) -> None:
    datum, random = Datum(latitude, 2.1, 300.0), np.random.default_rng(2)
    offsets = random.uniform(-1.0, 1.0, (200, 3)) * [20e3, 20e3, 30e3]
    east = np.array([-math.sin(2.1), math.cos(2.1), 0.0])
    up = np.array([math.cos(latitude) * math.cos(2.1), math.cos(latitude) * math.sin(2.1), math.sin(latitude)])
    north = np.cross(up, east)
    expected = on_earth(latitude, 2.1, 300.0) + offsets @ np.array([east, north, up])
    places = np.array([on_earth(*place) for place in datum.geodetic(offsets)])
    assert np.abs(places - expected).max() < 2e-6


def test_a_world_turned_from_east_to_north_has_its_x_axis_there() -> None:
    datum = Datum(0.0, 0.0, 0.0, math.radians(90.0))
    assert datum.level(np.array([[1.0, 2.0, 3.0]]))[0] == pytest.approx([-2.0, 1.0, 3.0])
    # on the equator a metre to the north is 1 / 6335439 rad: the radius of the meridian there
    latitude, longitude, height = datum.geodetic(datum.level(np.array([[1.0, 0.0, 0.0]])))[0]
    assert (latitude, longitude) == pytest.approx((1.0 / (RADIUS * (1.0 - SQUARE)), 0.0), rel=1e-6)
    assert height == pytest.approx(0.0, abs=1e-6)


def test_it_says_what_gateways_say_of_the_same_place() -> None:
    georeference, datum = Georeference(48.1, 11.5, 520.0), Datum(math.radians(48.1), math.radians(11.5), 520.0)
    expected = georeference.geodetic(120.0, -45.0, 3.0)
    latitude, longitude, height = datum.geodetic(np.array([[120.0, -45.0, 3.0]]))[0]
    assert np.degrees([latitude, longitude]) == pytest.approx(expected[:2], abs=1e-10)
    assert height == pytest.approx(expected[2], abs=1e-6)


class Flying(FlatBodies):
    """Bodies at places, with velocities."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.poses, self.twists = np.zeros((n, 7)), np.zeros((n, 6))


class Receivers:
    """Receivers that read each 10 ms at latitude 0, longitude 0, where metres are simple."""

    def __init__(self, n: int = 1, **settings: Value) -> None:
        self.world, self.tick = SmallWorld(Flying(n)), 0
        self.device = Gnss(rig_for(Gnss, n, **settings))
        self.out = readings_of(self.device, n)
        self.read(0.0)

    def read(self, dt: float = 0.01) -> np.ndarray:
        self.world.dt = dt
        self.device.sense(self.world, self.tick, self.out)
        return self.out.copy()

    def record(self, ticks: int, dt: float = 0.01) -> np.ndarray:
        rows = []
        for _ in range(ticks):
            self.tick += 1
            rows.append(self.read(dt))
        return np.array(rows)


def metres(fixes: np.ndarray) -> np.ndarray:
    """Return errors east, north and up of fixes near latitude 0, longitude 0 [m]."""
    return np.stack([fixes[..., 1] * RADIUS, fixes[..., 0] * RADIUS * (1.0 - SQUARE), fixes[..., 2]], axis=-1)


def test_a_fix_has_place_and_velocity_and_states_its_deviation() -> None:
    receivers = Receivers(2, noise=0.3, noise_height=0.6, drift=0.4, drift_height=0.8)
    for name in ("noise", "noise_height", "drift", "drift_height"):
        receivers.device.parameters[name][1] = 0.0
    receivers.device.changed(1, "noise")
    receivers.record(1)
    receivers.world.bodies.poses[:, :3] = 30.0, 40.0, 5.0
    receivers.world.bodies.twists[:, :3] = 1.0, -2.0, 0.5
    fixes = receivers.record(18)[-1]
    assert fixes[0, 6:8] == pytest.approx([0.5, 1.0])
    assert metres(fixes[1]) == pytest.approx([30.0, 40.0, 5.0], abs=1e-3)
    assert fixes[1, 3:] == pytest.approx([1.0, -2.0, 0.5, 0.0, 0.0, 1.0, 0.09])


def test_fixes_scatter_as_noise_says_and_wander_as_drift_says() -> None:
    receivers = Receivers(3000, noise=0.2, noise_height=0.4, drift=2.0, drift_height=3.0, correlation=50.0)
    errors = metres(receivers.record(60, 0.1))
    assert errors[-1].std(axis=0) == pytest.approx(np.hypot([0.2, 0.2, 0.4], [2.0, 2.0, 3.0]), rel=0.06)
    steps = np.diff(errors, axis=0).std(axis=(0, 1))
    wandered = np.array([2.0, 2.0, 3.0]) * math.sqrt(2.0 * (1.0 - math.exp(-0.1 / 50.0)))
    assert steps == pytest.approx(np.hypot(math.sqrt(2.0) * np.array([0.2, 0.2, 0.4]), wandered), rel=0.03)
    later = metres(receivers.record(6, 50.0))[-1]
    correlation = np.mean(later[:, 0] * errors[-1][:, 0]) / 4.0
    assert correlation == pytest.approx(math.exp(-300.0 / 50.0), abs=0.06)


def test_outages_take_their_share_of_the_time_in_pieces_and_the_last_fix_is_held() -> None:
    receivers = Receivers(60, rate=10.0, outage=2.0, outage_share=0.3)
    rows = receivers.record(600, 0.1)
    is_lost = rows[..., 8] == 0.0
    assert is_lost.mean() == pytest.approx(0.3, abs=0.03)
    # 20 fixes come, or none of them
    pieces = is_lost[19:-1].reshape(-1, 20, 60)[1:]
    assert np.mean(pieces.all(axis=1) | (~pieces).all(axis=1)) > 0.9
    assert rows[..., 9].max() >= 2.0


def test_a_look_without_time_changes_nothing_and_a_copy_goes_on_bit_by_bit() -> None:
    settings = {"noise": 0.2, "drift": 1.0, "outage_share": 0.2, "loss": 0.1, "delay": 0.05}
    receivers, copied = Receivers(4, **settings), Receivers(4, **settings)
    last = receivers.record(77)[-1]
    assert (receivers.read(0.0) == last).all()
    for key, array in receivers.device.memory.items():
        copied.device.memory[key][:] = array
    copied.tick = receivers.tick
    assert (copied.record(60) == receivers.record(60)).all()


def test_a_robots_fixes_do_not_depend_on_who_else_is_there() -> None:
    settings = {"noise": 0.2, "drift": 1.0, "outage_share": 0.2, "rate": 7.0}
    assert (Receivers(5, **settings).record(200)[:, 0] == Receivers(1, **settings).record(200)[:, 0]).all()


@pytest.mark.parametrize(("preset", "circle"), [("neo_m8n", 2.5), ("zed_f9p", 0.01)])
def test_half_of_the_fixes_of_a_preset_lie_within_the_circle_of_its_datasheet(preset: str, circle: float) -> None:
    settings = dict(next(datasheet for datasheet in GNSS.presets if datasheet.name == preset).values)
    for name, value in settings.items():
        assert GNSS.parameter(name).check(value) == value
    fixes = metres(Receivers(800, **settings).record(12)[-1])
    share = np.mean(np.hypot(fixes[:, 0], fixes[:, 1]) <= circle)
    assert share == pytest.approx(0.5, abs=0.06)


def test_a_robot_with_a_receiver_runs_the_same_each_time(tmp_path: Path) -> None:
    (tmp_path / "rover6.robot").write_text(
        "[BODY]\ntype cylinder\nsize 0.4 0.4 0.3\nmass 10\n[DEVICE_1]\ntype gnss\nname gnss\npreset neo_m8n\n"
        "latitude 48.1\nlongitude 11.5\naltitude 520\nheading 30\n"
    )
    assert load_type("rover6", folder=tmp_path).devices[0].settings["drift"] == pytest.approx(
        math.hypot(2.5 / 1.1774, 0.3), rel=0.05
    )
    scenario = tmp_path / "a.scenario"
    scenario.write_text("[WORLD]\nfile lab\n[ROBOT_1]\ntype rover6\nname robot1\nposition 1 2 0\n")
    hashes = []
    for _ in range(2):
        simulation = Simulation(load(str(scenario)))
        for _ in range(30):
            simulation.tick()
        hashes.append(simulation.state_hash())
        latitude, longitude, altitude = simulation.reading("robot1", "gnss")[:3]
        assert np.degrees([latitude, longitude]) == pytest.approx([48.1, 11.5], abs=2e-4)
        assert altitude == pytest.approx(520.0, abs=20.0)
    assert hashes[0] == hashes[1]
