"""Items of SwarmSimX on quadrotors; the names of the tests say which. More stand in the rooms' own tests."""

import inspect
import math
import re
import time
from collections.abc import Iterator

import numpy as np
import pytest
from flying_scenes import flight, order, position_of, run

from coopsim.features.pictures.palette import SERIES_ON_PAPER
from coopsim.features.pictures.svg import color
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.features.space.devices import autopilot, potentials
from coopsim.features.space.potentials_interface import POTENTIALS
from coopsim.features.studies import eights, fidelity, other_quadrotor, realtime
from coopsim.features.studies.commands.report import realtime as report_realtime
from coopsim.geometry import Floats
from coopsim.interfaces import columns
from coopsim.simulation import Simulation


def test_s_48_seventy_quadrotors_take_their_places_on_a_sphere_and_keep_off_each_other() -> None:
    simulation = Simulation(realtime.scene(70, "flight"))
    places, names = realtime.sphere(70, 1.2), [f"q{k + 1}" for k in range(70)]
    for name, goal in zip(names, places, strict=True):
        simulation.command(name, "potentials", POTENTIALS.command("keep").number, goal)
    seen, tick_count = [], 1000
    for _ in range(tick_count):
        simulation.tick()
        seen.append([simulation.reading(name, "neighbours")[3] for name in names])
    positions = np.array([simulation.reading(name, "pose")[:3] for name in names])
    assert np.linalg.norm(positions - places, axis=1).max() < 0.3
    gaps = np.array(seen)
    assert gaps[gaps > 0.0].min() > 0.45  # wider than a quadrotor; without damping by closing speed it is 0.28
    assert not simulation.failures.remarks
    assert not list(simulation.failures)


@pytest.mark.parametrize("vertical", [False, True])
def test_s_50_an_eight_lies_in_its_plane_and_the_robot_turns_at_a_constant_rate(vertical: bool) -> None:
    simulation = flight(engine="flight", step=eights.STEP)
    order(simulation, "q", "take_off", eights.HEIGHT)
    run(simulation, 4.0)
    middle = position_of(simulation, "q")
    order(simulation, "q", "eight", *eights.eight(vertical))
    run(simulation, 2.0)
    wanted, headings = [], []
    for _ in range(round(eights.PERIOD / eights.STEP)):
        simulation.tick()
        wanted.append(simulation.reading("q", "autopilot")[:4].copy())
        w, x, y, z = simulation.reading("q", "pose")[3:7]
        headings.append(math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
    path = np.array(wanted)
    spans = np.ptp(path[:, :3], axis=0)
    across, flat = (2, 1) if vertical else (1, 2)
    assert spans[0] == pytest.approx(eights.LENGTH, rel=0.02)
    assert spans[across] == pytest.approx(eights.WIDTH, rel=0.02)
    assert spans[flat] < 1e-6
    assert path[0, :3] == pytest.approx(path[-1, :3], abs=0.03)  # closed after a period
    assert np.abs(path[:, :3].mean(axis=0) - middle).max() < 0.2
    assert np.ptp(np.unwrap(path[:, 3])) == pytest.approx(eights.TURN * eights.PERIOD, rel=0.01)
    assert np.ptp(np.unwrap(headings)) == pytest.approx(eights.TURN * eights.PERIOD, rel=0.05)


def test_s_61_to_s_63_vertical_eights_are_tracked_better_by_the_simulator_and_by_the_other_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S-51, S-52: the same controller flies both; the other model is another integrator, mass, air and noise."""
    monkeypatch.setattr(eights, "ROUNDS", 1)
    simulated = [eights.simulated_flight(vertical, engine="flight") for vertical in (False, True)]
    assert simulated[1].mean < simulated[0].mean
    real = eights.real_flight(True)
    assert (real.case, simulated[1].case) == ("real vertical", "simulated vertical")
    assert 0.01 < real.mean < simulated[0].mean + 0.05
    assert fidelity.PAPER[real.case] == (0.0654, 0.0179)


def test_s_52_the_other_model_is_flown_by_the_same_function_with_the_same_parameters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[Floats, ...]] = []

    def noted(*given: Floats) -> int:
        calls.append(given)
        raise InterruptedError

    assert other_quadrotor.fly is autopilot.fly
    monkeypatch.setattr(other_quadrotor, "fly", noted)
    with pytest.raises(InterruptedError):
        other_quadrotor.flight(True, 0)
    device = flight(engine="flight").tables.blocks[0].devices["autopilot"]
    theirs, ours = calls[0][3][:, 0], device.table[:, 0]
    assert theirs.tolist() == ours.tolist()


def test_s_53_to_s_55_the_autopilot_reads_inertial_unit_and_pose_and_commands_the_rotors() -> None:
    modules = {(input_.module, input_.source) for input_ in AUTOPILOT.inputs}
    assert {("imu", "acceleration"), ("imu", "rate"), ("pose", "position"), ("pose", "orientation")} <= modules
    assert [output.module for output in AUTOPILOT.outputs] == ["rotors"]


def test_s_58_a_flight_that_is_tracked_better_reaches_1_sooner() -> None:
    times = np.arange(50) * 0.1
    near, far = (fidelity.Tracking("f", times, scale * np.linspace(0.01, 0.1, 50)) for scale in (1.0, 2.0))
    levels = np.linspace(0.0, 0.25, 26)
    shares = np.array([[flight.closer_than(level) for level in levels] for flight in (near, far)])
    assert (np.diff(shares) >= 0.0).all()
    assert (shares[0] >= shares[1]).all()
    assert shares[:, -1].tolist() == pytest.approx([1.0, 1.0])
    assert 0.3 < fidelity.ks_distance(near, far) <= 1.0


def test_s_59_to_s_62_the_report_tells_mean_and_deviation_beside_those_of_the_paper() -> None:
    printed = {
        "real horizontal": (0.0919, 0.0412),
        "real vertical": (0.0654, 0.0179),
        "simulated horizontal": (0.1245, 0.0444),
        "simulated vertical": (0.0546, 0.0131),
    }
    for case, (mean, deviation) in printed.items():
        distances = np.tile([mean - deviation, mean + deviation], 50)  # with this mean and this deviation
        report = fidelity.Tracking(case, np.arange(100) * 0.01, distances).to_json()
        assert (report["mean"], report["std"]) == pytest.approx((mean, deviation), abs=1e-5)
        assert (report["paper_mean"], report["paper_std"]) == (mean, deviation)


def test_s_64_s_65_s_73_real_time_is_held_while_a_tick_takes_less_than_the_step() -> None:
    """Every part of a tick counts, whoever computes: robots and engine stand in one time."""
    for median, factor in ((10.0, 2.0), (20.0, 1.0), (40.0, 0.5)):
        report = realtime.StepTimes(100, np.array([median - 1.0, median, median + 1.0])).to_json()
        assert (report["median_ms"], report["real_time_factor"]) == (median, factor)


def test_s_66_s_70_whole_ticks_of_as_many_robots_as_are_asked_for_are_measured() -> None:
    def clock() -> Iterator[int]:
        now = 0
        for took in (3_000_000, 5_000_000, 4_000_000, 30_000_000):
            yield now
            now += took
            yield now
            now += 1_000_000  # between two ticks: not theirs

    moments = clock()
    times = realtime.measure(3, 4, "flight", clock=lambda: next(moments))
    assert times.robots == 3
    assert times.milliseconds.tolist() == pytest.approx([3.0, 5.0, 4.0, 30.0])
    simulation = Simulation(realtime.scene(7, "flight"))
    assert len(simulation.layout.robots) == 7
    assert simulation.step_ns == 20_000_000
    assert realtime.STEP == 0.02


POTENTIAL = columns(POTENTIALS)


def _driven(ranges: Floats, places: Floats) -> Floats:
    """Return the velocity of a robot at the origin that is to be at (1, 0, 0)."""
    table = np.array([[float(POTENTIALS.parameter(name).default)] for name in POTENTIAL._fields])
    out = np.zeros((1, 4))
    directions = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    where = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 3))
    potentials.drive(np.array([[1.0, 0.0, 0.0]]), where, (places, ranges, directions), table, out)
    return out[0]


def test_s_67_places_attract_and_neighbours_and_obstacles_repel() -> None:
    free, nobody = np.array([[5.0, 5.0]]), np.zeros((1, 4))
    alone = _driven(free, nobody)
    assert alone[0] > 0.1
    assert alone[1:].tolist() == [0.0, 0.0, 0.0]
    beside = _driven(free, np.array([[0.0, 0.3, 0.0, 0.3]]))  # somebody to the left
    assert beside[1] < -0.05
    barred = _driven(np.array([[0.3, 5.0]]), nobody)  # something ahead
    assert barred[0] < alone[0] - 0.1
    left = _driven(np.array([[5.0, 0.3]]), nobody)  # something to the left
    assert left[1] < -0.05


def test_s_68_each_robot_has_flight_control_potentials_and_sensors_of_its_neighbourhood() -> None:
    spec = realtime.scene(10, "mujoco")
    kinds = {device.kind for device in spec.types["quadrotor"].devices}
    assert kinds >= {"range", "neighbours", "autopilot", "potentials", "rotors", "imu"}
    simulation = Simulation(realtime.scene(2, "flight"))
    seen = simulation.reading("q1", "neighbours")[:4]
    assert seen == pytest.approx([1.2, 0.0, 0.0, 1.2])


def test_s_69_eleven_cases_with_five_thousand_ticks_each() -> None:
    assert len(realtime.PAPER_CASES) == 11
    assert {10, 90, 100} <= set(realtime.PAPER_CASES) <= set(realtime.CASES)
    (samples,) = (param for param in report_realtime.params if param.name == "samples")
    assert samples.default == 5000
    assert "CASES" in inspect.getsource(report_realtime.callback)


def test_s_71_the_box_plot_has_median_quartiles_whiskers_outliers_and_a_line_at_the_step() -> None:
    times = realtime.StepTimes(10, np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 15.0, 90.0]))
    report = times.to_json()
    assert [report[name] for name in ("p25_ms", "median_ms", "p75_ms", "max_ms")] == [3.0, 5.0, 7.0, 90.0]
    low, high, outliers = times.whiskers()
    assert (low, high, outliers.tolist()) == (1.0, 7.0, [15.0, 90.0])
    drawn = realtime.picture([times], "flight")
    heights = {
        label: float(y) for y, label in re.findall(r'<text x="[^"]*" y="([^"]*)"[^>]*>(10|100) ms</text>', drawn)
    }
    (limit,) = re.findall(rf'<polyline points="[^ ,]*,([^ ]*) [^"]*"[^>]*stroke="{color(SERIES_ON_PAPER[2])}"', drawn)
    ten, hundred = heights["10"] - 4.0, heights["100"] - 4.0  # words stand 4 pixels below their lines
    assert float(limit) == pytest.approx(ten + math.log10(2.0) * (hundred - ten), abs=1.0)
    assert drawn.count(">+</text>") == 2


def test_s_72_s_74_ninety_quadrotors_need_less_than_a_step_and_more_than_nine_do() -> None:
    few, many = (realtime.measure(count, 60, "flight", clock=time.process_time_ns) for count in (9, 90))
    assert np.median(few.milliseconds) < np.median(many.milliseconds) < 1e3 * realtime.STEP
    assert 90 in realtime.PAPER_CASES


def test_s_53_blades_turn_the_body_about_its_axis_by_their_torque() -> None:
    """S-50: so it keeps a constant rate of turn."""
    simulation = flight(("q", "quadrotor", (0.0, 0.0, 5.0)), engine="flight", step=0.01)
    device = simulation.tables.blocks[0].devices["rotors"]
    simulation.command("q", "rotors", 10, (3.0, 2.0, 3.0, 2.0))
    run(simulation, 0.1)
    row, dt = list(simulation.engine.names).index("q"), 0.2
    begin = simulation.engine.twists[row, 5]
    run(simulation, dt)
    turned = simulation.engine.twists[row, 5] - begin
    thrusts = device.memory["thrusts"][0]
    torque = float(device.column("torque")[0]) * (thrusts[0] - thrusts[1] + thrusts[2] - thrusts[3])
    assert torque > 0.0
    assert turned == pytest.approx(torque * dt / simulation.engine.inertia[row], rel=0.15)
