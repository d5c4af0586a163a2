"""Items of SwarmSimX on artifacts; the names of the tests say which. More stand in the tests of the simulation."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from coopsim import plugins
from coopsim.devices.artifacts import Driver, Sensor, SimulationExtension
from coopsim.features.artifacts.devices.door import AutomaticDoor, Presence
from coopsim.interfaces import MOTORS
from coopsim.robots import RunSpec, load, load_type
from coopsim.scene import RobotPlacement, Scenario, Settings, World
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import SetParameter

_DRIVE = MOTORS.command("set_velocity").number


def _door(engine: str = "pymunk", at: float = -3.0) -> Simulation:
    placed = (RobotPlacement("door", "door", (0.0, 0.0, 0.0)), RobotPlacement("r", "single", (at, 0.5, 0.0)))
    types = {name: load_type(name) for name in ("door", "single")}
    return Simulation(RunSpec(Scenario(World(), (), placed, settings=Settings(engine=engine)), types))


def _opening(simulation: Simulation, seconds: float) -> Iterator[tuple[float, float, float]]:
    """Yield distance of the robot, whether the door is to be open, and where the leaf is."""
    for _ in range(round(seconds / 0.01)):
        simulation.tick()
        yield tuple(simulation.reading("door", name)[0] for name in ("presence", "driver", "leaf"))  # type: ignore[misc]


def test_s_7_to_s_13_an_artifact_has_bodies_and_visuals_that_stand_relative_to_their_parents() -> None:
    simulation = _door()
    names = list(simulation.engine.names)
    shown = {entity.name: entity for entity in simulation.layout.entities}
    leaf = simulation.engine.planar[names.index("door.leaf")]

    assert leaf[:2].tolist() == pytest.approx([0.0, -0.64])
    assert {visual.body for visual in shown["door"].visuals} == {"", "leaf"}
    assert simulation.layout.robot["door"].links == (names.index("door.leaf"),)


@pytest.mark.parametrize("engine", ["pymunk", "mujoco"])
def test_s_17_and_s_19_the_door_opens_when_something_is_near_and_closes_after_a_time_without_input(engine: str) -> None:
    simulation = _door(engine)
    simulation.command("r", "motors", _DRIVE, (0.5, 0.0))
    approach = list(_opening(simulation, 7.0))
    for distance, is_open, leaf in approach[1:]:
        assert is_open == (distance < 1.5) or abs(distance - 1.5) < 0.02
        assert leaf < 0.02 or distance < 1.51
    assert max(leaf for _, _, leaf in approach) > 0.85

    simulation.command("r", "motors", _DRIVE, (-0.5, 0.0))
    leaving = list(_opening(simulation, 7.0))
    last_near = max(at for at, (distance, _, _) in enumerate(leaving) if distance < 1.5)
    closed = next(at for at, (_, is_open, _) in enumerate(leaving) if not is_open)
    assert closed - last_near == pytest.approx(200, abs=2)  # `stay` is 2 s
    assert leaving[-1][2] < 0.05


def test_s_20_and_s_21_sensors_give_the_simulated_time_and_the_global_state() -> None:
    simulation = _door()
    simulation.command("r", "motors", _DRIVE, (0.3, 0.0))
    for number in range(1, 51):
        simulation.tick()
        assert simulation.reading("door", "time")[0] == simulation.time == pytest.approx(0.01 * number)
    clock = simulation.tables.block_of("door").devices["time"].objects[0]  # type: ignore[union-attr]
    assert clock.run() == simulation.time, "one by itself says what all of them do together"
    kind = plugins.load("devices", "global_state")
    sensor = kind()
    sensor.environment = clock.environment
    bodies, mass, x, _, fastest, energy = sensor.run()
    assert (bodies, mass) == (3.0, pytest.approx(simulation.engine.mass.sum()))
    assert x == pytest.approx(float(simulation.engine.mass @ simulation.engine.planar[:, 0] / mass))
    assert fastest == pytest.approx(0.3, abs=0.02)
    engine = simulation.engine
    motion = engine.mass @ np.hypot(engine.planar[:, 3], engine.planar[:, 4]) ** 2
    assert energy == pytest.approx(0.5 * (motion + engine.inertia @ engine.planar[:, 5] ** 2))
    assert energy > 0.5 * 20.0 * 0.29**2  # the robot of 20 kg drives at 0.3 m/s


def test_s_31_and_s_32_the_door_is_a_driver_with_sensors_and_parameters_of_its_own() -> None:
    kinds = [plugins.load("devices", device.kind) for device in load_type("door").devices]
    authored = [kind for kind in kinds if issubclass(kind, Driver | Sensor)]
    assert [kind for kind in authored if issubclass(kind, Driver)] == [AutomaticDoor]
    assert Presence in authored
    assert {"init", "shutdown"} <= set(vars(SimulationExtension))
    simulation = _door(at=-1.0)
    apply(simulation, SetParameter("door", "driver", "range", 0.5))
    assert not any(is_open for _, is_open, _ in _opening(simulation, 0.5))


def test_s_40_a_door_listens_to_the_sensor_of_another_artifact() -> None:
    kind = load_type("door")
    driver = next(device for device in kind.devices if device.name == "driver")
    rest = tuple(device for device in kind.devices if device is not driver)
    waiting_door = replace(kind, devices=(*rest, replace(driver, settings={**driver.settings, "at": "mat"})))
    mat = replace(kind, name="mat", devices=rest)
    placed = tuple(
        RobotPlacement(name, kind_of, (x, 0.0, 0.0))
        for name, kind_of, x in (("door", "door", 0.0), ("mat", "mat", 20.0), ("r", "single", 19.0))
    )
    scenario = Scenario(World(), (), placed, settings=Settings(engine="pymunk"))
    simulation = Simulation(RunSpec(scenario, {"door": waiting_door, "mat": mat, "single": load_type("single")}))
    assert [is_open for _, is_open, _ in _opening(simulation, 0.05)][-1] == 1.0
    assert simulation.reading("door", "presence")[0] == 3.0


def test_the_scene_with_a_door_lets_robots_through_and_shows_no_failure() -> None:
    simulation = Simulation(load("door"))
    simulation.command("robot1", "motors", _DRIVE, (0.5, 0.0))
    for _ in range(900):
        simulation.tick()
    at = simulation.engine.planar[list(simulation.engine.names).index("robot1"), :2]
    assert at[0] > 0.4
    assert np.isfinite(simulation.readings).all()
    assert not simulation.failures.news
