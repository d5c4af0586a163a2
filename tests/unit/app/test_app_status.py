"""What `coopsim status` says about recordings."""

from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.app.status import lines, recording

NOTHING = {"recording": 0, "file": "", "problem": "", "duration": 0.0, "ticks": 0.0, "size_bytes": 0.0, "gaps": 0.0}
SOMETHING = {**NOTHING, "recording": 1, "file": "recordings/a.mcap", "duration": 12.5, "size_bytes": 2.5e6}
SHOWN = {
    "scenario": "single",
    "mode": "lockstep",
    "paused": False,
    "tick": 1,
    "patience_fired": 0,
    "overruns": 0,
    "clients": 1,
    "time": 0.01,
    "step": 0.01,
    "speed": 1.0,
    "real_time_factor": 1.0,
    "max_lateness": 0.0,
    "slipped": 0.0,
    "awaited": {},
    "robots": 1,
}


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (NOTHING, "recorder nothing is recorded"),
        (SOMETHING, "recorder writes recordings/a.mcap: 12.50 s, 2.5 MB"),
        (SOMETHING | {"recording": 0}, "recorder wrote recordings/a.mcap: 12.50 s, 2.5 MB"),
        (SOMETHING | {"gaps": 3.0}, "recorder writes recordings/a.mcap: 12.50 s, 2.5 MB, 3 records missing"),
        (
            SOMETHING | {"problem": "the run waits for the recorder"},
            "recorder writes recordings/a.mcap: 12.50 s, 2.5 MB; the run waits for the recorder",
        ),
    ],
)
def test_status_says_what_is_recorded_and_what_is_wrong_with_it(told: dict[str, Any], line: str) -> None:
    assert lines({**SHOWN, "recorder": recording(SimpleNamespace(**told))})[-1] == line
