"""Items of AMSA on the leader and follower challenge; the names of the tests say which."""

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from coopsim.features.amsa.commands.components import components
from coopsim.features.amsa.commands.generate import generate
from coopsim.features.amsa.components import LeafKind, System, load_scenario, load_system
from coopsim.features.amsa.components.kinds import may_feed, reason
from coopsim.features.amsa.components.rovers import (
    FULL_SPEED,
    LEADER_SPEED,
    REFERENCE,
    TRACK,
    compass,
    follow,
    normalize_power,
)
from coopsim.features.amsa.components.scenario import steps_of
from coopsim.features.amsa.components.trial import PhaseResult, play, usual_duration
from coopsim.inprocess import connect
from coopsim.robots import load
from coopsim.simulation import Simulation

CHALLENGE = load_system("challenge")
OWNERS = {"Kv": "MyFollowerController", "Kw": "MyFollowerController", "motorCoef": "MyNormalizePower"}


class Seen(NamedTuple):
    """What the control law reads."""

    xLeader: float  # noqa: N815 - ports as the authors named them
    yLeader: float  # noqa: N815
    xFollower: float  # noqa: N815
    yFollower: float  # noqa: N815
    headingFollower: float  # noqa: N815
    distanceLeaderFollower: float  # noqa: N815


class Gains(NamedTuple):
    Kv: float
    Kw: float


def powers(distance: float, angle: float, gains: Gains, heading: float = 0.0) -> tuple[float, float]:
    """Return the powers for a leader at a distance, at an angle to the heading of the follower."""
    x, y = distance * math.cos(angle + heading), distance * math.sin(angle + heading)
    return follow(Seen(x, y, 0.0, 0.0, heading, distance), gains)


def run(seconds: float, behavior: int = 1, **parameters: float) -> tuple[System, list[float]]:
    """Return a system that ran, and the distances at the end of each of its steps."""
    system = System(CHALLENGE, seed=1)
    for name, value in {"behavior": behavior, **parameters}.items():
        system.set_parameter(OWNERS.get(name, "LeaderGPS" if name == "lostDataGPS" else "Leader"), name, value)
    system.initialize()
    (result,) = play(system, (), Fraction(seconds))
    return system, result.values


def phases(name: str) -> list[PhaseResult]:
    system = System(CHALLENGE)
    system.initialize()
    steps = steps_of(load_scenario(name), CHALLENGE)
    return play(system, steps, usual_duration(steps))


def contexts(name: str) -> list[dict[str, Any]]:
    return [
        {parameter.partition(".")[2]: value for parameter, value in phase.parameters.items()} for phase in phases(name)
    ]


def test_a_44_power_is_a_share_of_the_largest_from_minus_100_to_100() -> None:
    class Limits(NamedTuple):
        powerMin: float = -100.0  # noqa: N815
        powerMax: float = 100.0  # noqa: N815
        motorCoef: int = 100  # noqa: N815

    class Power(NamedTuple):
        powerL: float  # noqa: N815
        powerR: float  # noqa: N815

    assert normalize_power(Power(-250.0, 250.0), Limits()) == (-100.0, 100.0)
    assert normalize_power(Power(-30.0, 70.0), Limits()) == (-30.0, 70.0)
    declared = CHALLENGE.leaves["MyNormalizePower"].template.parameter("powerMin")
    assert declared is not None
    assert (declared.parameter.low, declared.parameter.default) == (-100, -100.0)


def test_a_45_places_of_both_and_their_distance_are_read_by_anybody() -> None:
    with connect(Simulation(load("challenge_physics"))) as sim, sim.stepper() as stepper:
        for _ in range(30):
            stepper.step()
        names = ("posXLeader", "posYLeader", "posXFollower", "posYFollower", "distanceFollowerLeader")
        x, y, x_follower, y_follower, distance = (sim.module(f"/rover/data/{name}").read().value for name in names)
    assert distance == pytest.approx(math.hypot(x - x_follower, y - y_follower), abs=0.6)
    assert x > 14.0


def test_a_48_the_follower_turns_powers_into_place_and_heading() -> None:
    model = CHALLENGE
    system = System(model, behaviors={"NormalizePower": lambda *_: (20.0, 40.0)})
    system.initialize()
    system.run_until(1.1)  # the first of its steps at 4 Hz is the start
    heading = (40.0 - 20.0) / 100.0 * FULL_SPEED / TRACK
    assert system.value("followerheading") == pytest.approx(heading)
    way = 0.3 * FULL_SPEED
    assert system.value("posXFollower") == pytest.approx(way * math.sin(heading) / heading, rel=0.01)


def test_a_13_each_output_is_written_to_data_of_its_own() -> None:
    system = System(CHALLENGE)
    system.initialize()
    system.step()
    assert (system.value("posXLeader"), system.value("posYLeader")) == (REFERENCE, 0.0)


def test_a_49_the_compass_gives_the_heading_and_the_gps_the_place() -> None:
    system, _ = run(10.0, behavior=3)
    for heading in (0.7, -0.7):
        assert compass(type("Inputs", (), {"heading": heading})(), None) == heading
    system.run_until(10.26)
    assert system.value("followerheadingcompass") == pytest.approx(float(system.value("followerheading")), abs=0.1)
    assert system.value("gpsPosXLeader") == pytest.approx(float(system.value("posXLeader")), abs=LEADER_SPEED * 0.3)


def test_a_50_a_84_both_velocities_are_corrected_in_proportion_to_the_error() -> None:
    gains = Gains(0.1, 0.01)
    near, far = powers(REFERENCE + 1.0, 0.0, gains), powers(REFERENCE + 2.0, 0.0, gains)
    assert sum(far) == pytest.approx(2.0 * sum(near))
    assert sum(near) > 0.0 > sum(powers(REFERENCE - 1.0, 0.0, gains))
    small, large = (powers(20.0, math.asin(share), gains) for share in (0.1, 0.2))
    assert large[1] - large[0] == pytest.approx(2.0 * (small[1] - small[0]))
    assert small[1] > small[0]  # the leader is to the left: the right wheel is the faster one


def test_a_56_kv_is_the_gain_of_the_speed_and_kw_that_of_the_turning() -> None:
    base, faster, sharper = (powers(20.0, 0.3, Gains(*gains)) for gains in ((0.1, 0.01), (0.2, 0.01), (0.1, 0.02)))

    def parts(pair: Sequence[float]) -> tuple[float, float]:
        return pair[0] + pair[1], pair[1] - pair[0]

    assert parts(faster) == pytest.approx((2.0 * parts(base)[0], parts(base)[1]))
    assert parts(sharper) == pytest.approx((parts(base)[0], 2.0 * parts(base)[1]))


@pytest.mark.parametrize("heading", [0.0, 2.0, -3.0])
def test_a_57_the_error_is_split_along_and_across_the_heading(heading: float) -> None:
    gains = Gains(0.1, 0.01)
    ahead, beside = powers(REFERENCE, 0.0, gains, heading), powers(REFERENCE, math.pi / 2.0, gains, heading)
    assert ahead == pytest.approx((0.0, 0.0), abs=1e-9)  # in line behind the leader, at the distance
    assert beside[0] + beside[1] == pytest.approx(2.0 * 300.0 * 0.1 * -REFERENCE)
    assert beside[1] > beside[0]  # it turns left, to where the leader is
    near, far = (powers(share * REFERENCE, math.pi / 2.0, gains, heading) for share in (1.0, 2.0))
    assert far[1] - far[0] == pytest.approx(2.0 * (near[1] - near[0])), "what is missing across grows with the distance"
    behind = powers(REFERENCE, math.pi, gains, heading)
    assert sum(behind) == pytest.approx(2.0 * 300.0 * 0.1 * -2.0 * REFERENCE), "a leader behind it is twice as far off"
    assert powers(REFERENCE, -0.5, gains, heading)[0] > powers(REFERENCE, -0.5, gains, heading)[1]


def test_a_58_bad_sensors_worn_motors_and_other_leaders_change_what_comes_out() -> None:
    _, nominal = run(40.0, behavior=2)
    assert run(40.0, behavior=2)[1] == nominal
    for change in ({"lostDataGPS": 30}, {"motorCoef": 60}, {"behavior": 4}, {"behavior": 1}):
        assert run(40.0, **{"behavior": 2, **change})[1] != nominal


def test_a_67_the_leader_drives_along_x_in_a_circle_and_at_30_degrees_and_time_is_in_seconds() -> None:
    courses = {}
    for behavior in (1, 2, 3):
        system, _ = run(10.05, behavior)
        courses[behavior] = math.atan2(float(system.value("posYLeader")), float(system.value("posXLeader")) - REFERENCE)
    assert courses[1] == 0.0
    assert courses[3] == pytest.approx(math.radians(30.0))
    assert courses[2] == pytest.approx(0.5, abs=0.02)  # half of what it turned, 0.1 rad in each of ten seconds
    assert system.time > 10


def test_a_69_four_gains_are_tried_in_scenario_1_and_two_in_scenario_2() -> None:
    assert [context["Kv"] for context in contexts("scenario1")] == [0.35, 0.15, 0.1, 0.05]
    assert [context["Kv"] for context in contexts("scenario2")] == [0.35, 0.05]


def test_a_70_the_quality_of_control_is_the_largest_distance() -> None:
    phase = phases("scenario2")[1]
    counted = [value for time, value in zip(phase.times, phase.values, strict=True) if time >= 120.0]
    assert phase.to_json(15.0, 20.0)["max_distance"] == max(counted)


def test_a_72_the_reference_is_15_in_figures_and_in_the_picture(tmp_path: Path) -> None:
    assert CHALLENGE.evaluation is not None
    assert CHALLENGE.evaluation.reference == REFERENCE == 15.0
    out = tmp_path / "distance.svg"
    words = ["run", "challenge", "--scenario", "scenario2", "--duration", "30", "--plot", str(out)]
    result = CliRunner().invoke(components, words)
    assert result.exit_code == 0, result.output
    assert "reference 15" in out.read_text(encoding="utf-8")


def test_a_78_the_style_guides_and_only_the_domain_is_written_by_hand(tmp_path: Path) -> None:
    assert not may_feed(LeafKind.SENSOR, LeafKind.ACTUATOR)
    assert "a sensor produces data only for the control law" in reason(LeafKind.SENSOR)
    result = CliRunner().invoke(generate, ["ros1", "challenge", "-o", str(tmp_path / "package")])
    assert result.exit_code == 0, result.output
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (tmp_path / "package").rglob("*.cpp")}
    by_hand = sum(size for path, size in sizes.items() if path.parent.name == "domain")
    assert 0 < by_hand < 0.5 * sum(sizes.values())


def test_a_80_parameters_stand_for_versions_of_the_code() -> None:
    leaves = CHALLENGE.leaves
    assert leaves["LeaderGPS"].template is leaves["FollowerGPS"].template
    system, _ = run(20.0, lostDataGPS=100)
    assert system.value("gpsPosXLeader") == 0.0  # nothing ever arrived, and the same code serves the follower
    assert system.value("gpsPosXfollower") != 0.0


def test_a_83_scenario_1_is_nominal_and_scenario_2_realistic() -> None:
    nominal, realistic = contexts("scenario1"), contexts("scenario2")
    assert {(context["motorCoef"], context["lostDataGPS"]) for context in nominal} == {(100, 0)}
    assert {context["behavior"] for context in nominal} == {1, 3}
    assert {(context["motorCoef"], context["lostDataGPS"], context["behavior"]) for context in realistic} == {
        (60, 10, 4)
    }


def test_a_87_events_address_the_whole_system_and_lost_data_are_those_of_the_leader() -> None:
    assert {event.node for event in load_scenario("scenario2").events} == {"scenarioNode"}
    assert "scenarioNode" not in CHALLENGE.leaves
    settings = {
        (leaf, name): value for leaf, name, value in steps_of(load_scenario("scenario2"), CHALLENGE)[0].settings
    }
    assert settings["LeaderGPS", "lostDataGPS"] == 10
    assert ("FollowerGPS", "lostDataGPS") not in settings


def test_a_89_what_is_not_stated_is_decided_and_said() -> None:
    steps = {name: steps_of(load_scenario(name), CHALLENGE) for name in ("scenario1", "scenario2")}
    assert [usual_duration(step) for step in steps.values()] == [800, 200]
    system, _ = run(0.3)
    assert (system.value("posXFollower"), system.value("posYFollower")) == (0.0, 0.0)
    page = (Path(__file__).parents[2] / "docs" / "components.md").read_text(encoding="utf-8")
    for number in (f"drives {FULL_SPEED:g} per second", f"are {TRACK:g} apart", f"{LEADER_SPEED:g} per second"):
        assert number in page


def test_a_91_the_control_law_reads_no_speed() -> None:
    ports = [port.name for port in CHALLENGE.leaves["MyFollowerController"].template.inputs]
    assert ports == list(Seen._fields)
    assert not any("speed" in name.lower() for name in ports)
