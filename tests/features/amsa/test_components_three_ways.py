"""Random systems step alike by themselves, on board of a robot, and as a control law of their own."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from example_components import TEMPLATES, statements_of_systems
from hypothesis import HealthCheck, given, settings

from coopsim import plugins
from coopsim.features.amsa.components import System, load_system
from coopsim.features.amsa.laws import components
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

SECONDS, STEP = 1.5, 0.05
LEAVES = """
from coopsim.features.amsa.components import Behavior


class Noting(Behavior):
    steps = {}

    def initialize(self):
        self.count = 0
        self.steps[self.name] = []

    def do_step(self, inputs, parameters):
        self.count += 1
        found = 0.5 * sum(inputs) + self.count * len(self.name) + (sum(inputs) if inputs else self.count % 3)
        self.steps[self.name].append((tuple(inputs), found))
        return found


PLUGINS = {"components": {"Source": Noting, "Relay": Noting, "Sum": Noting}}
"""


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[Any]]]:
    """Return what each leaf read and put out since it began, by leaf."""
    path = tmp_path_factory.mktemp("ways") / "noting.py"
    path.write_text(LEAVES, encoding="utf-8")
    steps: dict[str, list[Any]] = plugins.add(path).offers["components"]["Source"].steps
    yield steps
    plugins.forget(path)


def noted_values(noted: dict[str, list[Any]]) -> dict[str, list[Any]]:
    values = dict(noted)
    noted.clear()
    return values


def scene(folder: Path, more: str) -> Simulation:
    file = folder / "ways.scenario"
    file.write_text(f"[SIMULATION]\nengine kinematic\nstep {STEP}\n[ROBOT_1]\ntype scout\nname r\n{more}", "utf-8")
    return Simulation(load(file))


@given(drawn=statements_of_systems())
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_three_ways_agree(
    drawn: tuple[str, dict[str, tuple[str, ...]]], noted: dict[str, list[Any]], tmp_path: Path
) -> None:
    file = tmp_path / "drawn.amsa"
    file.write_text(f"{TEMPLATES} System drawn {{ {drawn[0]} }}", encoding="utf-8")

    free = System(load_system(file))
    free.initialize()
    free.run_until(SECONDS)
    alone = noted_values(noted)

    on_board = scene(tmp_path, f"[SYSTEM_1]\nfile {file}\nrobots r\n")
    for _ in range(round(SECONDS / STEP)):
        on_board.tick()
    aboard = noted_values(noted)

    server = LocalServer(scene(tmp_path, ""), duration=SECONDS)
    words = ["--robots", "r", "--system", str(file), "--output", "motors.set_wheel_speeds", "d_n0", "d_n0", "1e-6"]
    assert server.run(partial(components.main, words)) == [0]
    outside = noted_values(noted)

    assert alone.keys() == aboard.keys() == outside.keys() == drawn[1].keys()
    for name, steps in alone.items():
        assert steps  # each leaf steps in this time
        for values in (aboard[name], outside[name]):
            assert abs(len(values) - len(steps)) <= 1  # the step that is due at the very end
            count = min(len(values), len(steps))
            assert values[:count] == steps[:count]
