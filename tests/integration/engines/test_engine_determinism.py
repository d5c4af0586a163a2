"""One world gives one history, in every process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

STANDINS = Path(__file__).parents[2] / "standins"
PROGRAM = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from engine_standins import crowd, engine_of, push_about
from coopsim.sensing.rays import RayCaster
bodies = crowd(49)
engine = engine_of(*bodies)
caster = RayCaster(bodies, engine.names, engine.planar)
rows, out, digest, touched = np.arange(49), np.empty((49, 11)), hashlib.sha256(), 0
for k in range(30):
    touched += push_about(engine, 10, seed=k)
    caster.begin()
    caster.cast(engine.planar, engine.height, rows, np.linspace(-2.0, 2.0, 11), np.full(49, 3.0), out, np.zeros(49))
    contacts = engine.contacts()
    for array in (engine.planar, out, contacts.pairs, contacts.points):
        digest.update(array.tobytes())
print(digest.hexdigest(), touched)
"""


@pytest.mark.integration
def test_states_contacts_and_ranges_are_the_same_in_processes_with_different_hash_seeds():
    results = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(STANDINS)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=100,
            check=True,
        ).stdout.split()
        for seed in ("1", "2")
    ]

    assert results[0] == results[1]
    assert int(results[0][1]) > 0
