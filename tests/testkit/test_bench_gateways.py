"""`coopsim bench gateways`: trips and scans through real gateways, beside two programs of the middleware alone."""

import json
import shutil

import pytest
from click.testing import CliRunner

from coopsim.testkit.own_bench.gateways import gateways

KINDS = ("yarp", "rosbridge", "foxglove", "ros1", "ros2 zenoh", "ros2 dds")


@pytest.mark.parametrize("kind", KINDS)
def test_trips_and_scans_of_each_middleware_are_measured(kind: str) -> None:
    if kind == "ros1" and not shutil.which("roscore"):
        pytest.skip("needs a roscore")
    arguments = ["--trips", "10", "--seconds", "0.5", "--json", "--only", kind]
    done = CliRunner().invoke(gateways, arguments, catch_exceptions=False)
    rows = {row["case"]: row for row in json.loads(done.output.splitlines()[-1])["results"]}
    assert {case.partition(":")[0] for case in rows} == {kind}
    trip = rows[f"{kind}: velocity to odometry, a tick between"]
    assert trip["value"] > 0.0
    assert trip["bound"] == 1.5
    assert trip["ratio"] * trip["raw"] == pytest.approx(trip["value"], rel=0.01)
    assert trip["cpu"] > 0.0
    assert trip["raw cpu"] > 0.0
    scans = rows[f"{kind}: scans of 20 robots at 50 Hz"]
    assert scans["value"] > 0.0
    assert scans["bound"] == (0.3 if kind.startswith("ros2") else 0.15)
    assert scans["per_second"] > 100
    assert rows[f"{kind}: of them dropped"]["bound"] == 0.0
    assert rows[f"{kind}: ticks that began late meanwhile"]["bound"] == 0.0
