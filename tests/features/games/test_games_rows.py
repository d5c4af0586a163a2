"""Rows of robots: each column is the reading of its name, whatever modules a type of robot has."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.rows import COLUMN, COLUMNS, WIDTH, robot_rows, row_at
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation


def test_a_column_has_the_name_of_the_reading_that_it_holds() -> None:
    server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        robots = sim.robot("a1"), sim.robot("b1")
        robots[0].intelligence.pick_up(1)
        robots[1].intelligence.go_to(-4.0, 3.0)
        robots[1].shooter.shoot(sim.robots().index("a1"))
        for _ in range(5):
            seen = stepper.step({})
        rows = robot_rows(seen.of("game_infantry"))
    assert rows.shape == (6, WIDTH)
    for name, row in zip(seen.robots, rows, strict=True):
        robot = seen[name]
        assert row[[COLUMN.x, COLUMN.y]].tolist() == robot.pose.position[:2].tolist()
        for field in ("doing", "step", "holding", "stuck", "finished"):
            assert row[getattr(COLUMN, field)] == getattr(robot.intelligence, field)
        assert (row[COLUMN.shots], row[COLUMN.target]) == (robot.shooter.shots, robot.shooter.target)
    assert rows[0, COLUMN.holding] == 1.0
    assert rows[3, COLUMN.doing] > 0.0


def test_who_has_no_shooter_has_shot_nobody(tmp_path: Path) -> None:
    infantry = find_file("game_infantry", [".robot"]).read_text()
    gun = infantry[infantry.index("[DEVICE_6]") : infantry.index("[DEVICE_7]")]
    unarmed = infantry.replace(gun, "").replace("DEVICE_7", "DEVICE_6").replace("DEVICE_8", "DEVICE_7")
    (tmp_path / "porter.robot").write_text(unarmed)
    (tmp_path / "one.scenario").write_text("[ROBOT_1]\ntype porter\nname p1\nposition 2 3 0\n")
    server = LocalServer(Simulation(load(str(tmp_path / "one.scenario"))), is_hashed=False)
    with server.connect() as sim, sim.stepper() as stepper:
        (row,) = robot_rows(stepper.step({}).of("porter"))
    assert (row[COLUMN.shots], row[COLUMN.target]) == (0.0, -1.0)
    np.testing.assert_array_equal(row, row_at(2.0, 3.0))


@pytest.mark.parametrize("name", ["doing", "step", "stuck"])
def test_what_squads_know_of_robots_is_the_column_of_that_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        match = Match(sim, stepper)
        seen = stepper.step({})
        rows = np.arange(6.0 * WIDTH).reshape(6, WIDTH)
        monkeypatch.setattr(match, "_observed", lambda _: rows)
        events = match.observe(seen)
        expected = {column: rows[:, number] for column, number in zip(COLUMNS, COLUMN, strict=True)}
        assert (events.shots == expected["shots"]).all()
        assert (events.targets == expected["target"]).all()
        assert (events.doing == expected["doing"]).all()
        held = {"doing": match.view.doing, "step": match.view.steps, "stuck": match.view.stuck}
        assert (held[name] == expected[name]).all()
        match.close()
