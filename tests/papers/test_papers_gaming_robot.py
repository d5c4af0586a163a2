"""Swarm gaming (Hristoskova et al. 2012), section 4.4: the intelligence on board. G-21 to G-33, G-64 to G-75, G-104."""

import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from coopsim.client import Client
from coopsim.errors import BadArgument
from coopsim.geometry import heading
from coopsim.inprocess import connect
from coopsim.robots import load
from coopsim.simulation import Simulation

BEEP, ROTATE, GO_TO, SHOOT, PICK_UP, DROP = range(10, 16)


def robot(name: str, x: float, y: float, theta: float = 0.0, kind: str = "game_infantry") -> str:
    return f"[ROBOT_{name[-1]}]\ntype {kind}\nname {name}\nposition {x} {y} 0\norientation 0 0 {theta}\n"


@pytest.fixture
def field(tmp_path: Path):
    def begin(*sections: str) -> Client:
        things = [section for section in sections if section.startswith("[OBJECT")]
        (tmp_path / "field.world").write_text("[FLOOR]\n" + "".join(things))
        kept = ["[WORLD]\nfile field.world\n", *(section for section in sections if section not in things)]
        (tmp_path / "field.scenario").write_text("".join(kept))
        return connect(Simulation(load(tmp_path / "field.scenario")))

    return begin


def steps(*of: tuple[float, ...]) -> list[float]:
    flat = [value for step in of for value in (*step, 0.0, 0.0)[:3]]
    return flat + [0.0] * (48 - len(flat))


def run(sim: Client, seconds: float) -> list:
    """Return what is read every tenth of a second; the motors get no commands of their own."""
    with sim.stepper(every=10) as stepper:
        return [stepper.step(np.zeros((len(stepper.robots), 2))) for _ in range(round(10 * seconds))]


def position_of(seen, name: str = "robot1") -> Sequence[float]:
    return seen[name].pose.position[:2].tolist()


def test_a_robot_turns_and_drives_in_a_straight_line_to_a_point_g71(field) -> None:
    with field(robot("robot1", 0, 0)) as sim:
        sim.robot("robot1").intelligence.go_to(0.0, 1.0)
        path = np.array([position_of(seen) for seen in run(sim, 5.0)])
    assert path[-1] == pytest.approx([0.0, 1.0], abs=0.06)
    assert np.abs(path[:, 0]).max() < 0.06


@pytest.mark.parametrize("angle", [math.pi / 2, -math.pi / 2, 1.5 * math.pi])
def test_a_robot_rotates_by_an_angle_g70(field, angle: float) -> None:
    with field(robot("robot1", 0, 0)) as sim:
        sim.robot("robot1").intelligence.rotate(angle)
        seen = run(sim, 5.0)[-1]["robot1"]
    w, _, _, z = seen.pose.orientation
    assert math.cos(2.0 * math.atan2(z, w) - angle) > math.cos(math.radians(0.2))
    assert (seen.intelligence.doing, seen.intelligence.finished) == (0.0, 1.0)


def test_it_beeps_and_shoots_at_the_preconfigured_rate_g69_g72(field) -> None:
    with field(robot("robot1", 0, 0), robot("robot2", 1.5, 0)) as sim:
        brain = sim.robot("robot1").intelligence
        brain.beep()
        assert run(sim, 0.3)[0]["robot1"].beeper.on == 1.0
        brain.shoot(sim.robots().index("robot2"))
        shots = [seen["robot1"].shooter.shots for seen in run(sim, 3.5)]
    assert shots[-1] == 4.0
    assert shots[0] == 1.0


def test_a_sequence_is_carried_out_step_by_step_and_a_new_command_drops_the_rest_g64_g73_g105(field) -> None:
    with field(robot("robot1", 0, 0)) as sim:
        brain = sim.robot("robot1").intelligence
        brain.sequence(steps((GO_TO, 0.3, 0.0), (PICK_UP, 2.0), (GO_TO, 0.6, 0.0), (DROP,), (GO_TO, 5.0, 0.0)))
        seen = [readings["robot1"].intelligence for readings in run(sim, 7.0)]
        assert {0.0, 2.0, 4.0} <= {readings.step for readings in seen}
        assert [held for held, _ in groupby(readings.holding for readings in seen)] == [-1.0, 2.0, -1.0]
        brain.go_to(0.0, 0.0)
        after = run(sim, 12.0)
    assert position_of(after[-1]) == pytest.approx([0.0, 0.0], abs=0.06)
    assert after[-1]["robot1"].intelligence.finished == 1.0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ((99, 1.0, 2.0), "step 2 of steps must be 10 beep, 11 rotate, .*15 drop or 0 for the end, got 99"),
        ((16,), "step 2 of steps must be .*, got 16"),
        ((GO_TO + 0.5, 1.0), "step 2 of steps must be .*, got 12.5"),
        ((SHOOT, -1.0), "step 2 of steps, shoot: target must be at least 0"),
        ((PICK_UP, -1.0), "step 2 of steps, pick_up: object must be at least 0"),
    ],
)
def test_a_sequence_of_steps_that_are_no_commands_is_refused_and_the_one_before_goes_on_g105(
    field, wrong: tuple[float, ...], said: str
) -> None:
    with field(robot("robot1", 0, 0)) as sim:
        brain = sim.robot("robot1").intelligence
        brain.sequence(steps((GO_TO, 0.3, 0.0), (DROP,)))
        with pytest.raises(BadArgument, match=said):
            brain.sequence(steps((GO_TO, 1.0, 1.0), wrong))
        assert position_of(run(sim, 4.0)[-1]) == pytest.approx([0.3, 0.0], abs=0.06)


def test_what_stands_behind_the_end_of_a_sequence_means_nothing_g105(field) -> None:
    with field(robot("robot1", 0, 0)) as sim:
        brain = sim.robot("robot1").intelligence
        brain.sequence(steps((BEEP,), (0.0,), (99.0,)))
        assert run(sim, 0.3)[-1]["robot1"].intelligence.finished == 1.0


def test_only_the_last_command_counts_g74_g75(field) -> None:
    with field(robot("robot1", 0, 0)) as sim:
        brain = sim.robot("robot1").intelligence
        for x, y in ((3.0, 0.0), (0.0, 3.0), (0.5, 0.0)):
            brain.go_to(x, y)
        assert position_of(run(sim, 4.0)[-1]) == pytest.approx([0.5, 0.0], abs=0.06)
        brain.go_to(0.5, 0.5)  # one that has been carried out bars none
        assert position_of(run(sim, 5.0)[-1]) == pytest.approx([0.5, 0.5], abs=0.06)


def test_a_new_sequence_begins_with_its_first_step_g74(field) -> None:
    with field(robot("robot1", 0, 0)) as sim:
        brain = sim.robot("robot1").intelligence
        brain.sequence(steps((GO_TO, 0.2, 0.0), (GO_TO, 5.0, 0.0)))
        assert run(sim, 2.0)[-1]["robot1"].intelligence.step == 1.0
        brain.sequence(steps((PICK_UP, 2.0), (BEEP,)))
        after = run(sim, 0.3)[-1]["robot1"].intelligence
    assert (after.holding, after.finished) == (2.0, 1.0)


def test_a_newer_command_ends_a_turn_at_once_g75(field) -> None:
    with field(robot("robot1", 0, 0)) as sim:
        brain = sim.robot("robot1").intelligence
        brain.rotate(3.0)
        before = heading(*run(sim, 0.5)[-1]["robot1"].pose.orientation)
        brain.rotate(-0.5)
        after = heading(*run(sim, 3.0)[-1]["robot1"].pose.orientation)
    assert 0.5 < before < 2.0
    assert after - before == pytest.approx(-0.5, abs=0.1)


def reflexes(seen: Sequence, name: str = "robot1") -> list[float]:
    return [*dict.fromkeys(readings[name].intelligence.reflex for readings in seen)]


def test_what_the_sonar_sees_near_makes_it_turn_by_a_quarter_and_drive_ahead_g61_g66_g104(field) -> None:
    wall = "[OBJECT_1]\ntype box\nname post\nsize 0.2 0.2 0.4\nposition 1 0 0\nmass 0\n"
    with field(wall, robot("robot1", 0, 0)) as sim:
        sim.robot("robot1").intelligence.go_to(2.0, 0.0)
        seen = run(sim, 40.0)
    assert reflexes(seen) == [0.0, 2.0]
    began = next(i for i, row in enumerate(seen) if row["robot1"].intelligence.reflex)
    ended = next(i for i, row in enumerate(seen[began:], began) if not row["robot1"].intelligence.reflex)
    aside = abs(position_of(seen[ended])[1] - position_of(seen[began])[1])
    assert aside == pytest.approx(0.15 * math.tan(math.radians(40.0)), abs=0.01)  # d_crit tan(alpha)
    assert min(float(readings["robot1"].sonars.ranges.min()) for readings in seen) > 0.02
    assert position_of(seen[-1]) == pytest.approx([2.0, 0.0], abs=0.06)


def test_a_touch_makes_it_turn_away_g65(field) -> None:
    low = "[OBJECT_1]\ntype box\nname step\nsize 0.2 0.1 0.05\nposition 1 0 0\nmass 0\n"
    with field(low, robot("robot1", 0, 0)) as sim:
        sim.robot("robot1").intelligence.go_to(2.0, 0.0)
        seen = run(sim, 30.0)
    assert 1.0 in reflexes(seen)
    felt = [row["robot1"].intelligence.reflex == 1.0 for row in seen]
    began = felt.index(True)
    ended = felt.index(False, began)
    turned = heading(*seen[ended]["robot1"].pose.orientation) - heading(*seen[began - 1]["robot1"].pose.orientation)
    assert abs(math.remainder(turned, math.tau)) == pytest.approx(math.pi / 2.0, abs=0.1)
    assert position_of(seen[-1]) == pytest.approx([2.0, 0.0], abs=0.06)


@pytest.mark.parametrize(("kind", "crosses"), [("game_infantry", False), ("game_amphibian", True)])
def test_the_border_of_the_field_and_water_are_respected_g67_g68_g79(field, kind: str, crosses: bool) -> None:
    water = "[AREA_1]\ntype water\npoints 1 -2 2 -2 2 2 1 2\n[AREA_2]\ntype border\npoints -1 -3 4 -3 4 3 -1 3\n"
    with field(water, robot("robot1", 0, 0, kind=kind)) as sim:
        sim.robot("robot1").intelligence.sequence(steps((GO_TO, 3.0, 0.0), (GO_TO, 6.0, 0.0)))
        seen = run(sim, 15.0)
    way = np.array([position_of(readings) for readings in seen])
    wet = (way[:, 0] > 1.0) & (way[:, 0] < 2.0) & (np.abs(way[:, 1]) < 2.0)
    assert wet.any() == crosses
    assert way[:, 0].max() < 4.0
    assert 3.0 in reflexes(seen)


def test_reflexes_have_control_over_commands_of_the_motors_too_g33_g64(field) -> None:
    border = "[AREA_1]\ntype border\npoints -1 -1 1 -1 1 1 -1 1\n"
    with field(border, robot("robot1", 0, 0)) as sim, sim.stepper(every=10) as stepper:
        way = np.array([position_of(stepper.step([(0.4, 0.0)])) for _ in range(150)])
    assert np.abs(way).max() < 1.0
    assert np.abs(way).max() > 0.5


@pytest.mark.parametrize(("share", "reached"), [("full", 1.0), ("commands", 0.5), ("reflexes", 0.0)])
def test_the_share_on_board_fits_the_hardware_g27_g28(tmp_path: Path, share: str, reached: float) -> None:
    from coopsim.robots import find_file

    text = find_file("game_infantry", [".robot"]).read_text()
    (tmp_path / "weak.robot").write_text(text.replace("type        intelligence", f"type intelligence\nshare {share}"))
    (tmp_path / "field.scenario").write_text(robot("robot1", 0, 0, kind="weak"))
    with connect(Simulation(load(tmp_path / "field.scenario"))) as sim:
        assert sim.robot("robot1").intelligence.parameters["share"] == share
        sim.robot("robot1").intelligence.sequence(steps((GO_TO, 0.5, 0.0), (GO_TO, 1.0, 0.0)))
        assert position_of(run(sim, 5.0)[-1])[0] == pytest.approx(reached, abs=0.06)
