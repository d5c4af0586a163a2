"""Noise terms of the inertial unit: the Allan variance of what it reads, computed, against closed forms."""

import math
from pathlib import Path

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, readings_of, rig_for

from coopsim.errors import BadArgument
from coopsim.features.sensors.imu import Imu
from coopsim.features.sensors.imu_interface import IMU
from coopsim.interfaces import Value
from coopsim.kernels.constants import GRAVITY
from coopsim.robots import load, load_type
from coopsim.simulation import Simulation


class Resting(FlatBodies):
    """Bodies at rest, upright."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.poses = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (n, 1))
        self.twists, self.accelerations = np.zeros((n, 6)), np.zeros((n, 6))


class Unit:
    """Inertial units at rest."""

    def __init__(self, n: int = 1, **settings: Value) -> None:
        self.world, self.tick = SmallWorld(Resting(n)), 0
        self.device = Imu(rig_for(Imu, n, **settings))
        self.out = readings_of(self.device, n)
        self.read(0.0)

    def read(self, dt: float) -> np.ndarray:
        self.world.dt = dt
        self.device.sense(self.world, self.tick, self.out)
        return self.out.copy()

    def record(self, ticks: int, dt: float) -> np.ndarray:
        """Return what is read in `ticks` ticks, gravity taken off, shape (ticks, n, 6)."""
        rows = []
        for _ in range(ticks):
            self.tick += 1
            rows.append(self.read(dt))
        return np.array(rows) - [0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0]


def allan_variance(readings: np.ndarray, span: int) -> np.ndarray:
    """Return the overlapping Allan variance of averages over `span` readings, shape (n,), by its definition."""
    sums = np.cumsum(np.concatenate([np.zeros((1, *readings.shape[1:])), readings]), axis=0)
    means = (sums[span:] - sums[:-span]) / span
    return 0.5 * np.mean((means[span:] - means[:-span]) ** 2, axis=0)


def of_gauss_markov(deviation: float, correlation: float, time: float) -> float:
    """Return the Allan variance of a Gauss-Markov process (IEEE Std 952-1997, B.4.5)."""
    part = time / correlation
    fall = 3.0 - 4.0 * math.exp(-part) + math.exp(-2.0 * part)
    return 2.0 * deviation**2 / part * (1.0 - fall / (2.0 * part))


@pytest.mark.parametrize("dt", [0.01, 0.02])
@pytest.mark.parametrize("rate", [0.0, 25.0])
def test_white_noise_has_its_density_whatever_step_and_rate_are(dt: float, rate: float) -> None:
    unit = Unit(40, density_acceleration=0.02, density_rate=0.001, rate=rate)
    period = dt if rate == 0.0 else 1.0 / rate
    readings = unit.record(4000, dt)
    for seconds in (1.0, 4.0):
        variance = allan_variance(readings, round(seconds / dt)).mean(axis=0)
        # a reading that is held is averaged as often as it is read
        assert np.sqrt(variance * seconds) == pytest.approx([0.02] * 3 + [0.001] * 3, rel=0.06), period


def test_a_random_walk_grows_as_its_allan_variance_says() -> None:
    unit = Unit(100, walk_acceleration=0.05, walk_rate=0.01)
    readings = unit.record(3000, 0.01)
    for seconds in (1.0, 3.0):
        deviation = np.sqrt(allan_variance(readings, round(seconds / 0.01)).mean(axis=0) * 3.0 / seconds)
        assert deviation == pytest.approx([0.05] * 3 + [0.01] * 3, rel=0.08)
    assert readings[-1].std(axis=0) == pytest.approx(np.array([0.05] * 3 + [0.01] * 3) * math.sqrt(30.0), rel=0.25)


def test_bias_instability_is_the_peak_of_the_allan_deviation() -> None:
    unit = Unit(150, instability_acceleration=0.03, instability_rate=0.002, correlation=0.5)
    readings = unit.record(4000, 0.01)
    scale = np.array([0.03] * 3 + [0.002] * 3)
    peak = np.sqrt(allan_variance(readings, round(1.89 * 0.5 / 0.01)).mean(axis=0))
    assert peak / scale == pytest.approx(np.ones(6), rel=0.04)
    for seconds in (0.1, 0.5, 4.0):
        expected = math.sqrt(of_gauss_markov(1.0 / 0.6176, 0.5, seconds))
        deviation = np.sqrt(allan_variance(readings, round(seconds / 0.01)).mean(axis=0))
        assert deviation / scale == pytest.approx(np.full(6, expected), rel=0.06), seconds


def test_a_bias_that_wanders_is_as_wide_at_the_start_as_later() -> None:
    unit = Unit(400, instability_acceleration=0.03, correlation=1000.0)
    first = unit.record(1, 0.01)[0, :, :3]
    assert first.std() == pytest.approx(0.03 / 0.6176, rel=0.1)
    assert np.abs(unit.record(20, 0.01)[-1, :, :3] - first).max() < 0.005


def test_readings_stay_within_the_range_of_the_unit() -> None:
    unit = Unit(4, density_acceleration=5.0, density_rate=1.0, range_acceleration=20.0, range_rate=3.0)
    readings = unit.record(300, 0.01)
    readings[..., 2] += GRAVITY
    assert np.abs(readings).max(axis=(0, 1)) == pytest.approx([20.0] * 3 + [3.0] * 3)


@pytest.mark.parametrize("rate", [0.0, 30.0])
def test_a_robots_terms_do_not_depend_on_who_else_is_there(rate: float) -> None:
    settings = {"density_rate": 0.01, "instability_rate": 0.02, "walk_acceleration": 0.05, "rate": rate}
    many, alone = Unit(5, **settings).record(200, 0.01), Unit(1, **settings).record(200, 0.01)
    assert (many[:, 0] == alone[:, 0]).all()


@pytest.mark.parametrize("rate", [0.0, 30.0])
def test_a_look_without_time_changes_nothing_and_a_copy_goes_on_bit_by_bit(rate: float) -> None:
    settings = {"density_rate": 0.01, "instability_rate": 0.02, "walk_acceleration": 0.05, "rate": rate}
    unit, copied = Unit(3, **settings), Unit(3, **settings)
    unit.record(70, 0.01)
    last = unit.out.copy()
    assert (unit.read(0.0) == last).all()
    for key, array in unit.device.memory.items():
        copied.device.memory[key][:] = array
    copied.tick = unit.tick
    assert (copied.record(50, 0.01) == unit.record(50, 0.01)).all()


def test_a_unit_without_terms_has_no_memory_and_refuses_them_with_the_cure() -> None:
    unit = Unit(1, noise_rate=0.1)
    assert unit.device.memory == {}
    unit.device.parameters["walk_rate"][0] = 0.1
    with pytest.raises(BadArgument, match=r"walk_rate needs memory .* in its \.robot file"):
        unit.device.changed(0, "walk_rate")


def test_terms_change_while_it_runs_where_there_is_memory() -> None:
    unit = Unit(50, density_acceleration=0.001)
    unit.device.parameters["density_acceleration"][:] = 0.1
    unit.device.changed(0, "density_acceleration")
    assert unit.record(100, 0.01)[:, :, :3].std() == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize("preset", IMU.presets, ids=lambda preset: preset.name)
def test_a_preset_has_the_noise_of_its_datasheet(preset) -> None:
    for name, value in preset.values:
        assert IMU.parameter(name).check(value) == value
    settings = dict(preset.values) | {"bias_acceleration": 0.0, "bias_rate": 0.0}
    readings = Unit(20, **settings).record(800, 1.0 / settings["rate"])
    deviation = np.sqrt(allan_variance(readings, 40).mean(axis=0) * 40 / settings["rate"])
    micro_g, degrees = 1e6 * deviation[:3] / 9.80665, np.degrees(deviation[3:])
    density, turn = {"bmi088": (160.0, 0.014), "adis16448": (230.0, 0.0135)}[preset.name]
    assert micro_g == pytest.approx(np.full(3, density), rel=0.1)
    assert degrees == pytest.approx(np.full(3, turn), rel=0.1)


ROBOT = "[BODY]\ntype cylinder\nsize 0.4 0.4 0.3\nmass 10\n[DEVICE_1]\ntype imu\nname imu\n"


def test_files_give_rates_in_degrees_and_a_wrong_preset_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "rover8.robot").write_text(f"{ROBOT}preset bmi088\ndensity_rate 0.02\n")
    settings = load_type("rover8", folder=tmp_path).devices[0].settings
    assert settings["density_rate"] == pytest.approx(math.radians(0.02))
    assert settings["instability_rate"] == pytest.approx(math.radians(2.0 / 3600.0))
    (tmp_path / "rover9.robot").write_text(f"{ROBOT}preset bmi99\n")
    with pytest.raises(Exception, match=r"rover9.robot:8:8: preset must be one of bmi088, adis16448, got 'bmi99'"):
        load_type("rover9", folder=tmp_path)


def test_a_run_by_compiled_calls_is_that_of_the_methods(tmp_path: Path) -> None:
    (tmp_path / "rover8.robot").write_text(f"{ROBOT}density_rate 0.02\ninstability_acceleration 0.1\nwalk_rate 1\n")
    scenario = tmp_path / "a.scenario"
    scenario.write_text("[WORLD]\nfile lab\n[ROBOT_1]\ntype rover8\nname robot1\nposition 0 0 0\n")
    hashes = []
    for compiled in (True, False):
        simulation = Simulation(load(str(scenario)))
        if not compiled:
            device = simulation.tables.blocks[0].devices["imu"]
            device.sense_calls = lambda world, out: None
        for _ in range(30):
            simulation.tick()
        hashes.append(simulation.state_hash())
        assert np.abs(simulation.reading("robot1", "imu")[2] - GRAVITY) < 1.0
    assert hashes[0] == hashes[1]
