"""The environment of IR-SIM, with robots of coopsim in it."""

import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from coopsim.app import talk
from coopsim.errors import BadArgument
from coopsim.features.others.irsim.actions import write_actions
from coopsim.features.others.irsim.behaviours import BEHAVIOURS, DASH, dash
from coopsim.features.others.irsim.driving import IrsimDriver
from coopsim.features.others.irsim.fleet import Fleet
from coopsim.features.others.irsim.objects import IrsimObstacle, IrsimRobot, Refusing
from coopsim.features.others.irsim.places import free_place
from coopsim.features.others.irsim.scene import entity_names, read_scene, write_scene
from coopsim.features.others.own_runs import OwnRuns, ShownRun
from coopsim.geometry import Floats

_CHECKED = "all", "any"


class IrsimEnvironment(Refusing):
    """A world with its robots, stepped by a loop; a context manager that ends its run.

    Args:
        file: World of IR-SIM.
        options: What is kept of the run, and who sees it.
        is_paced: Whether a step that is drawn takes as long as it simulates.

    Attributes:
        robot_list: All robots, in the order of the file.
        obstacle_list: All obstacles, those that move first.
        step_time: Length of a step [s].
        time: Since the beginning or the last reset [s].
        steps: Since the beginning, resets not counted.
        status: What IR-SIM would write beside its figure.
    """

    _what = "an environment"

    def __init__(self, file: Path, options: ShownRun, *, is_paced: bool) -> None:
        self._file, self._plan, self._is_paced = file, read_scene(file), is_paced
        self._runs = OwnRuns(options)
        plan = self._plan
        self._driver: IrsimDriver | None = None
        if plan.agents:
            self._driver = IrsimDriver(self._runs.begin(lambda folder: write_scene(plan, folder)), plan)
        scanner: Any = self._driver
        self._fleet = fleet = Fleet(plan.agents)
        self._agents = [IrsimRobot(number, agent, scanner, fleet) for number, agent in enumerate(plan.agents)]
        self.robot_list = [agent for agent in self._agents if agent.role == "robot"]
        named = zip(plan.solids, entity_names(plan.solids), strict=True)
        self._standing = [IrsimObstacle(len(self._agents) + k, *solid, scanner) for k, solid in enumerate(named)]
        self.obstacle_list: list[IrsimRobot | IrsimObstacle] = [
            *(agent for agent in self._agents if agent.role != "robot"),
            *self._standing,
        ]
        self.step_time, self.time, self.steps, self.status = plan.step_asked, 0.0, 0, "Running"
        self._due, self._said = 0.0, set[str]()
        self._widths = np.array([robot.vel_max.size for robot in self._agents])
        self._numbers = np.array([robot.id for robot in self.robot_list], np.int64)
        self._kinematics = {
            name: np.array([robot.kinematics == name for robot in self._agents])
            for name in {robot.kinematics for robot in self._agents}
        }
        self._begin()
        self._say_losses()

    def _begin(self) -> None:
        self.time = 0.0
        if self._driver is not None:
            self._fleet.forget(self._driver.states)
        for thing in (*self._agents, *self._standing):
            thing.forget()

    def _say_losses(self) -> None:
        for agent in self._plan.agents:
            if agent.behaviour not in {"", *BEHAVIOURS}:
                text = f"{agent.name} stands still: its behavior {agent.behaviour!r} is none of {', '.join(BEHAVIOURS)}"
                talk.note(f"{self._file}: {text}")
        if self._plan.losses:
            count = len(self._plan.losses)
            talk.note(f"{count} keys have no counterpart, see: coopsim import world {self._file} --report")

    def _note_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            talk.note(text)

    # steps

    def step(self, action: Any = None, action_id: Any = None) -> None:
        """Do a step.

        Args:
            action: Velocities of a robot, of several, or by name; who has none follows its behaviour.
            action_id: Whom the first of them is for; None = the first robot.

        Raises:
            BadArgument: A velocity is no number, or one is missing.
            NoSuchName: There is no such robot.
            SimulationEnded: The run is over: its window was closed.
        """
        if self._driver is None:
            self.time += self.step_time
            return
        velocities = self._wanted(action, action_id)
        self._driver.step(velocities)
        self.steps, self.time = self.steps + 1, self.time + self.step_time
        self._fleet.velocities = velocities
        self._fleet.judge(self._driver.states, self._driver.touches, stops=self._plan.stops)
        self._note_status()

    def _wanted(self, action: Any, action_id: Any) -> Floats:
        """Return velocities within the limits of the robots, shape (n, 3)."""
        assert self._driver is not None  # noqa: S101 - without robots nothing asks
        fleet = self._fleet
        wanted = np.zeros_like(fleet.velocities)
        self._driver.decide(fleet.places, wanted)
        self._dash(wanted)
        write_actions(action, action_id, self._agents, self._widths, wanted, self._note_once)
        change = fleet.changes * self.step_time
        low = np.maximum(fleet.slowest, fleet.velocities - change)
        high = np.minimum(fleet.fastest, fleet.velocities + change)
        velocities: Floats = np.clip(wanted, low, high)
        velocities[fleet.stopped] = 0.0
        return velocities

    def _dash(self, out: Floats) -> None:
        """Write velocities of those that go straight to their goals."""
        fleet = self._fleet
        dashing = np.array([robot.behavior == DASH for robot in self._agents]) & ~np.isnan(fleet.goals[:, 0])
        for kinematics, members in self._kinematics.items():
            rows = np.flatnonzero(dashing & members)
            if rows.size:
                out[rows] = dash(
                    kinematics, fleet.states[rows], fleet.goals[rows], fleet.fastest[rows], fleet.thresholds[rows]
                )

    def _note_status(self) -> None:
        fleet, numbers = self._fleet, self._numbers
        if numbers.size and fleet.arrived[numbers].all():
            self.status = "Arrived"
        else:
            self.status = "Collision" if fleet.touching[numbers].any() else "Running"

    def done(self, mode: str = "all") -> bool:
        """Return whether all robots are at their goals or stopped, or any one.

        Raises:
            BadArgument: The mode is another word.
        """
        if mode not in _CHECKED:
            raise BadArgument(f"mode: expected {' or '.join(_CHECKED)}, got {mode!r}")
        flags = (self._fleet.arrived | self._fleet.stopped)[self._numbers]
        return bool(flags.size) and bool(flags.all() if mode == "all" else flags.any())

    def reset(self, random: bool = False) -> None:
        """Put everything back to where it was at the beginning.

        Raises:
            BadArgument: Other places are to be drawn by chance.
        """
        if random:
            raise BadArgument("reset(random=True): places by chance are drawn once, when the world is read")
        if self._driver is not None:
            self._driver.reset()
        self._begin()
        self.status = "Reset"

    def random_obstacle_position(
        self,
        range_low: Any = (0.0, 0.0, -np.pi),
        range_high: Any = (10.0, 10.0, np.pi),
        ids: Sequence[int] | None = None,
        non_overlapping: bool = False,
    ) -> None:
        """Put obstacles at places by chance, from which a reset begins.

        Args:
            range_low: Smallest x, y and angle.
            range_high: Largest ones.
            ids: Numbers of obstacles; None = all that can be moved.
            non_overlapping: Whether they keep away from everything.

        Raises:
            BadArgument: There is no room, or one cannot be moved.
        """
        chosen = [thing for thing in self.obstacle_list if (thing.line is None if ids is None else thing.id in ids)]
        for thing in chosen:
            avoided = [item for item in self.objects if item is not thing] if non_overlapping else []
            thing.set_state(free_place(range_low, range_high, thing.radius, avoided), init=True)

    def render(self, *_: Any, **__: Any) -> None:
        """Wait until the step may be over, where somebody sees it; our window draws by itself."""
        if not self._is_paced:
            return
        now = time.monotonic()
        self._due = max(self._due + self.step_time, now - self.step_time)  # who was late does not hurry afterwards
        if self._due > now:
            time.sleep(self._due - now)

    def save_figure(self, *_: Any, **__: Any) -> None:
        """Do nothing, and say so once: IR-SIM's own figure is not drawn."""
        self._note_once("show, draw_..., set_title and save_figure are left out: they draw into IR-SIM's own figure")

    show = draw_trajectory = draw_points = draw_box = draw_quiver = draw_quivers = set_title = reset_plot = save_figure

    def end(self, *_: Any, **__: Any) -> None:
        """End the run, and close its recording."""
        self._runs.end()

    close = end

    # what is asked for

    @property
    def robot(self) -> IrsimRobot:
        """The first robot.

        Raises:
            BadArgument: There is none.
        """
        return self._robot(0)

    def _robot(self, number: int) -> IrsimRobot:
        if not 0 <= number < len(self.robot_list):
            raise BadArgument(f"{self._file} has {len(self.robot_list)} robots, none with the number {number}")
        return self.robot_list[number]

    @property
    def objects(self) -> list[IrsimRobot | IrsimObstacle]:
        """Robots and obstacles."""
        things: list[IrsimRobot | IrsimObstacle] = [*self.robot_list]
        return things + self.obstacle_list

    @property
    def robot_number(self) -> int:
        """Number of robots."""
        return len(self.robot_list)

    @property
    def obstacle_number(self) -> int:
        """Number of obstacles."""
        return len(self.obstacle_list)

    @property
    def names(self) -> list[str]:
        """Names of all robots and obstacles."""
        return [thing.name for thing in self.objects]

    @property
    def recorded(self) -> list[Path]:
        """Recordings that were written."""
        return self._runs.recorded

    def get_robot_state(self) -> Floats:
        """Return the state of the first robot, a column."""
        return self.robot.state

    def get_lidar_scan(self, id: int = 0) -> dict[str, Any]:  # noqa: A002 - its name in IR-SIM
        """Return the newest scan of a robot.

        Raises:
            NoSuchName: It has no laser.
        """
        return self._robot(id).get_lidar_scan()

    def get_lidar_offset(self, id: int = 0) -> list[float]:  # noqa: A002 - its name in IR-SIM
        """Return x, y and heading of the laser of a robot in its frame.

        Raises:
            NoSuchName: It has no laser.
        """
        return self._robot(id).get_lidar_offset()

    def get_robot_info(self, id: int = 0) -> SimpleNamespace:  # noqa: A002 - its name in IR-SIM
        """Return the figures of a robot."""
        return self._robot(id).get_info()

    def get_robot_info_list(self) -> list[SimpleNamespace]:
        """Return the figures of all robots."""
        return [robot.get_info() for robot in self.robot_list]

    def get_obstacle_info_list(self) -> list[SimpleNamespace]:
        """Return middle, corners, velocity and radius of all obstacles."""
        return [obstacle.get_obstacle_info() for obstacle in self.obstacle_list]

    def get_object_by_name(self, name: str) -> IrsimRobot | IrsimObstacle | None:
        """Return the robot or obstacle of this name, None if there is none."""
        return next((thing for thing in self.objects if thing.name == name), None)

    def get_object_by_id(self, target_id: int) -> IrsimRobot | IrsimObstacle | None:
        """Return the robot or obstacle of this number, None if there is none."""
        return next((thing for thing in self.objects if thing.id == target_id), None)

    def __enter__(self) -> "IrsimEnvironment":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
