"""The environment of IR-SIM, with robots of coopsim in it."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from coopsim.app import talk
from coopsim.errors import BadArgument
from coopsim.features.others.irsim.actions import assigned
from coopsim.features.others.irsim.behaviours import BEHAVIOURS, DASH, dash
from coopsim.features.others.irsim.driving import WIDTH, IrsimDriver
from coopsim.features.others.irsim.objects import IrsimObstacle, IrsimRobot, Refusing
from coopsim.features.others.irsim.scene import read_scene, write_scene
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
        self._agents = [IrsimRobot(number, agent, scanner) for number, agent in enumerate(plan.agents)]
        self.robot_list = [agent for agent in self._agents if agent.role == "robot"]
        standing = [IrsimObstacle(len(self._agents) + k, solid) for k, solid in enumerate(plan.solids)]
        self.obstacle_list: list[IrsimRobot | IrsimObstacle] = [
            *(agent for agent in self._agents if agent.role != "robot"),
            *standing,
        ]
        self.step_time, self.time, self.steps, self.status = plan.step_asked, 0.0, 0, "Running"
        self._due, self._is_noted = 0.0, False
        self._widths = [robot.vel_max.size for robot in self._agents]
        self._low = _table([robot.vel_min for robot in self._agents])
        self._high = _table([robot.vel_max for robot in self._agents])
        self._change = _table([robot.acce for robot in self._agents]) * self.step_time
        self._velocities = np.zeros((len(self._agents), WIDTH))
        self._begin()
        self._say_losses()

    def _begin(self) -> None:
        self.time = 0.0
        self._velocities[:] = 0.0
        for number, robot in enumerate(self._agents):
            robot.forget(self._state_of(number))

    def _say_losses(self) -> None:
        for agent in self._plan.agents:
            if agent.behaviour not in {"", *BEHAVIOURS}:
                text = f"{agent.name} stands still: its behavior {agent.behaviour!r} is none of {', '.join(BEHAVIOURS)}"
                talk.note(f"{self._file}: {text}")
        if self._plan.losses:
            count = len(self._plan.losses)
            talk.note(f"{count} keys have no counterpart, see: coopsim import world {self._file} --report")

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
        velocities = self._wanted(assigned(action, action_id, self._agents))
        self._driver.step(velocities)
        self.steps, self.time = self.steps + 1, self.time + self.step_time
        for number, robot in enumerate(self._agents):
            robot.velocity = velocities[number, : self._widths[number], np.newaxis].copy()
            touches = bool(self._driver.touches[number])
            robot.judge(self._state_of(number), touches=touches, stops=self._plan.stops)
        self._velocities = velocities
        self._note_status()

    def _wanted(self, actions: dict[int, Floats]) -> Floats:
        """Return velocities within the limits of the robots, shape (n, 3)."""
        assert self._driver is not None  # noqa: S101 - without robots nothing asks
        wanted = np.zeros_like(self._velocities)
        goals = np.array([self._goal_of(robot) for robot in self._agents])
        self._driver.decide(goals, wanted)
        for number, robot in enumerate(self._agents):
            width = self._widths[number]
            if robot.behavior == DASH and robot.goal is not None and number not in actions:
                velocity = dash(
                    robot.kinematics, robot.state[:, 0], robot.goal[:, 0], robot.vel_max[:, 0], robot.goal_threshold
                )
                wanted[number, :width] = velocity
        for number, values in actions.items():
            wanted[number, : self._widths[number]] = values
        low = np.maximum(self._low, self._velocities - self._change)
        high = np.minimum(self._high, self._velocities + self._change)
        velocities: Floats = np.clip(wanted, low, high)
        velocities[[robot.stop_flag for robot in self._agents]] = 0.0
        return velocities

    def _state_of(self, number: int) -> Floats:
        assert self._driver is not None  # noqa: S101 - without robots nothing asks
        size = 4 if self._agents[number].kinematics == "acker" else 3
        return self._driver.states[number, :size, np.newaxis].copy()

    def _goal_of(self, robot: IrsimRobot) -> Floats:
        goal = robot.goal
        return robot.state[:2, 0] if goal is None else goal[:2, 0]

    def _note_status(self) -> None:
        robots = self.robot_list
        if robots and all(robot.arrive for robot in robots):
            self.status = "Arrived"
        else:
            self.status = "Collision" if any(robot.collision for robot in robots) else "Running"

    def done(self, mode: str = "all") -> bool:
        """Return whether all robots are at their goals or stopped, or any one.

        Raises:
            BadArgument: The mode is another word.
        """
        if mode not in _CHECKED:
            raise BadArgument(f"mode: expected {' or '.join(_CHECKED)}, got {mode!r}")
        flags = [robot.done() for robot in self.robot_list]
        return bool(flags) and (all(flags) if mode == "all" else any(flags))

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
        if not self._is_noted:
            self._is_noted = True
            talk.note("show, draw_..., set_title and save_figure are left out: they draw into IR-SIM's own figure")

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


def _table(columns: list[Floats]) -> Floats:
    """Return columns of two or three values as rows of three."""
    rows = np.zeros((len(columns), WIDTH))
    for number, column in enumerate(columns):
        rows[number, : column.size] = column[:, 0]
    return rows
