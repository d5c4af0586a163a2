"""A window on a robot with a system of components on board, in this process."""

from types import SimpleNamespace
from typing import Any

from viewer_simulations import SimulationLink


class SystemLink(SimulationLink):
    """Shows what the data of systems are, too."""

    def _fetch(self) -> None:
        super()._fetch()
        sample = self.samples.pop()
        state: Any = SimpleNamespace(**vars(sample.state))
        state.readings, state.time = _Readings(self.simulation), self.simulation.time
        state.tick = round(100 * state.time)
        self.samples.append(SimpleNamespace(state=state, arrived=sample.arrived))


class _Readings:
    def __init__(self, simulation: Any) -> None:
        self._simulation, self.robots = simulation, tuple(simulation.layout.robot)
        self.types: tuple[str, ...] = ()

    def __getitem__(self, robot: str) -> Any:
        return _Row(self._simulation, robot)


class _Row:
    def __init__(self, simulation: Any, robot: str) -> None:
        self._simulation, self._robot = simulation, robot

    def __getattr__(self, module: str) -> Any:
        return SimpleNamespace(value=self._simulation.reading(self._robot, module)[0])
