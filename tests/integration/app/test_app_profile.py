"""`coopsim run --profile`."""

import json

import pytest
from app_runs import coopsim

pytestmark = pytest.mark.integration


def test_a_run_says_what_its_ticks_cost_and_how_many_robots_there_is_time_for(quiet: str) -> None:
    done = coopsim("run", quiet, "--duration", "0.5", "--port", "0", "--profile", "--json")
    assert done.returncode == 0, done.stderr
    assert "this machine has time for about" in done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    profile = result["profile"]
    assert profile["ticks"] == 50
    assert {device["kind"] for device in profile["devices"]} >= {"sonars", "target", "differential_drive"}
    assert profile["period"] == 0.01
    assert profile["largest"] > 2
    assert 0.0 <= result["lateness_p50"] <= result["lateness_p99"]


def test_a_profiled_run_ends_in_the_state_of_one_that_is_not(quiet: str) -> None:
    run = ("run", quiet, "--mode", "free", "--duration", "0.5", "--port", "0", "--json")
    plain, profiled = (json.loads(coopsim(*run, *more).stdout.splitlines()[-1]) for more in ((), ("--profile",)))
    assert plain["state_hash"] == profiled["state_hash"]
    assert "profile" not in plain
    assert (plain["lateness_p50"], plain["lateness_p99"]) == (None, None)
