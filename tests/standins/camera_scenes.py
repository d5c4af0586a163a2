"""Scenes for cameras: an observer at the origin that looks along x."""

from coopsim.features.desktop.cameras.states import TickState
from coopsim.geometry import Vector3
from coopsim.inprocess.source import DirectSource
from coopsim.robots import RunSpec, load_type
from coopsim.scene import Object, RobotPlacement, Scenario, Settings, World
from coopsim.simulation import Simulation
from coopsim.state import Record
from coopsim.state.edits import AnyEdit
from coopsim.transport import Answer

RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def box(name: str = "box", x: float = 3.0, y: float = 0.0, color: Vector3 = RED, mass: float = 0.0) -> Object:
    """Return a cube of one metre."""
    return Object(name, "box", (1.0, 1.0, 1.0), (x, y, 0.0), mass=mass, color=color)


def scene(*objects: Object, heading: float = 0.0, engine: str = "pymunk") -> RunSpec:
    """Return an observer that looks at things."""
    robots = (RobotPlacement("robot1", "observer", (0.0, 0.0, 0.0), (0.0, 0.0, heading)),)
    scenario = Scenario(World(objects=objects), (), robots, settings=Settings(mode="lockstep", engine=engine))
    return RunSpec(scenario, {"observer": load_type("observer")})


class Ticking:
    """A simulation whose states are kept by tick."""

    def __init__(self, spec: RunSpec) -> None:
        self.simulation = Simulation(spec)
        self.states: dict[int, TickState] = {}
        self.source = DirectSource(self.simulation, published=self._keep)

    def at(self, tick: int) -> TickState:
        return self.states[tick]

    def go(self, ticks: int = 1) -> TickState:
        """Go on, and return the newest state."""
        for _ in range(ticks):
            self.source.grant_tick()
            self.source.work()
        return self.states[self.simulation.tick_count]

    def edit(self, edit: AnyEdit) -> None:
        """Change something between two ticks."""
        answers: list[Answer] = []
        self.source.edit(edit, answers.append)
        assert answers[0].problem() is None, answers[0].problem()

    def _keep(self, record: Record) -> None:
        self.states[record.tick] = TickState(self.simulation.layout, record)
