"""`coopsim bench gateways`: trips and scans through real gateways, beside two programs of the middleware alone."""

import json
import shutil

import pytest
from click.testing import CliRunner

from coopsim.testkit.bench.gateways import gateways


def test_trips_and_scans_of_each_middleware_are_measured() -> None:
    done = CliRunner().invoke(gateways, ["--trips", "10", "--seconds", "0.5", "--json"], catch_exceptions=False)
    rows = {row["case"]: row for row in json.loads(done.output.splitlines()[-1])["results"]}
    kinds = ("rosbridge", "ros1") if shutil.which("roscore") else ("rosbridge",)
    assert {case.partition(":")[0] for case in rows} == {*kinds}
    for kind in kinds:
        trip = rows[f"{kind}: velocity to odometry, a tick between"]
        assert trip["value"] > 0.0
        assert trip["ratio"] * trip["raw"] == pytest.approx(trip["value"], rel=0.01)
        scans = rows[f"{kind}: scans of 20 robots at 50 Hz"]
        assert scans["value"] > 0.0
        assert scans["per_second"] > 100
