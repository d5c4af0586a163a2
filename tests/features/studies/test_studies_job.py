"""What every job of a study may leave as it is."""

from dataclasses import dataclass
from typing import Any

from coopsim.features.studies.job import Job


@dataclass(frozen=True, kw_only=True)
class Sum(Job):
    """Adds up the values of a task."""

    def run(self, task: Any) -> Any:
        return sum(task)


def test_a_job_needs_no_commands_no_clock_on_the_wall_and_costs_little_unless_it_says_so() -> None:
    job = Sum()
    assert not job.has_commands
    assert not job.keeps_pace
    assert job.cost(None) == 0.0  # type: ignore[arg-type]
    assert job.run([1, 2]) == 3
