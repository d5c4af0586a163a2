"""A small scenario that is quick to run."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from coopsim.features.studies.job import Row, Task, run_task
from coopsim.features.studies.trial import ScenarioJob

SCENE = """\
[WORLD]
file arena
[TARGET]
red 1 0 0
[ROBOT_1]
type single
name robot1
position 0 0 0
[ROBOT_2]
type single
name robot2
position -2 1 0
[SIMULATION]
engine kinematic
duration 0.4
[CONTROLLER_1]
run wander
robots robot1 robot2
[GOAL_1]
name near
robots robot1
reach red 0.95
[GOAL_2]
name way
score path_length
"""


def scene(folder: Path, more: str = "") -> Path:
    """Return the file of the scenario."""
    path = folder / "small.scenario"
    path.write_text(SCENE + more)
    return path


class HereAndNow:
    """Does the runs of a study in this process."""

    def __init__(self, job: ScenarioJob) -> None:
        self.job, self.done = job, list[int]()

    def rows(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Yield their rows, the last one first."""
        for task in reversed(list(tasks)):
            self.done.append(task.number)
            yield run_task(self.job, task)


class OneByOne:
    """Does runs in this process, and asks for the next one when the row of the last was taken."""

    def __init__(self, job: ScenarioJob) -> None:
        self.job = job

    def rows(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Yield their rows in order."""
        for task in tasks:
            yield run_task(self.job, task)
