from typing import Any

import pytest

from coopsim.launch.watching import CommandWatch


def status(tick: int, driven: int, mode: str = "free") -> dict[str, Any]:
    return {"mode": mode, "tick": tick, "driven": driven}


def test_time_that_outruns_controllers_is_told_once_early_and_once_in_the_end() -> None:
    warnings: list[str] = []
    outrun = CommandWatch(3, warnings.append)
    for tick, driven in ((50, 0), (120, 1), (5000, 1)):
        outrun.check(status(tick, driven))
    outrun.conclude("free", 1, 6000)
    assert [line.partition(":")[0] for line in warnings] == [
        "2 of 3 robots got no command in the first 120 ticks",
        "2 of 3 robots got no command in 6000 ticks",
    ]
    assert all("--mode lockstep" in line for line in warnings)


@pytest.mark.parametrize(("mode", "driven"), [("free", 3), ("free", 4), ("lockstep", 0), ("real-time", 0)])
def test_runs_that_wait_or_whose_robots_are_driven_are_not_warned(mode: str, driven: int) -> None:
    warnings: list[str] = []
    outrun = CommandWatch(3, warnings.append)
    outrun.check(status(500, driven, mode))
    outrun.conclude(mode, driven, 500)
    outrun.conclude("free", None, 500)
    assert warnings == []
