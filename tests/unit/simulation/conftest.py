"""Fixtures of the simulation room."""

import pytest
from simulation_scenes import make_spec

from coopsim.robots import RunSpec


@pytest.fixture
def spec() -> RunSpec:
    return make_spec()
