"""Forces on bodies for a while: what they do, when they end, and that a run with them is done again bit by bit."""

from pathlib import Path

import msgpack
import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.errors import BadArgument, BadFile, EngineCannot, NoSuchName
from coopsim.features.proof.verify import verify
from coopsim.inprocess import LocalServer
from coopsim.recording import Recording
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.saved import unpacked
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Push, Reset, SetStep
from coopsim.testkit.recorded_run import RecordedRun

ENGINES = ("pymunk", "mujoco")
STRONG = (100.0, 0.0, 0.0)


def crate(simulation: Simulation) -> np.ndarray:
    """Return x y yaw vx vy w."""
    return simulation.engine.planar[list(simulation.engine.names).index("crate")].copy()


def ticks(simulation: Simulation, count: int) -> None:
    for _ in range(count):
        simulation.tick()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_push_moves_a_body_as_newton_says_and_ends(engine: str) -> None:
    simulation = Simulation(make_spec(1), engine=engine)
    apply(simulation, Push("crate", STRONG, 0.2))
    ticks(simulation, 20)
    friction = 0.6 * 0.6 * 9.81
    assert crate(simulation)[3] == pytest.approx(0.2 * (100.0 / 5.0 - friction), rel=0.2)
    assert simulation.pushes == ()
    ticks(simulation, 200)
    assert abs(crate(simulation)[3]) < 0.01


@pytest.mark.parametrize("engine", ENGINES)
def test_a_push_beside_the_middle_turns_the_body(engine: str) -> None:
    simulation = Simulation(make_spec(1), engine=engine)
    apply(simulation, Push("crate", STRONG, 0.1, (0.0, 0.2, 0.0)))
    ticks(simulation, 10)
    assert crate(simulation)[5] < -0.5


def test_a_push_that_ends_within_a_tick_counts_for_its_share_of_it() -> None:
    speeds = []
    for step in (0.02, 0.01):
        simulation = Simulation(make_spec(1))
        apply(simulation, SetStep(step))
        apply(simulation, Push("crate", STRONG, 0.03))
        ticks(simulation, round(0.04 / step))
        speeds.append(crate(simulation)[3])
    assert speeds[0] == pytest.approx(speeds[1], rel=0.02)


def test_a_newer_push_replaces_the_older_one_and_none_lasting_ends_it() -> None:
    simulation = Simulation(make_spec(1))
    apply(simulation, Push("crate", STRONG, 1.0))
    apply(simulation, Push("crate", (0.0, 100.0, 0.0), 1.0))
    ticks(simulation, 5)
    assert crate(simulation)[3] == pytest.approx(0.0)
    assert crate(simulation)[4] > 0.5
    apply(simulation, Push("crate", STRONG, 0.0))
    assert simulation.pushes == ()


def test_a_push_goes_with_its_body_and_with_a_reset() -> None:
    simulation = Simulation(make_spec(1))
    apply(simulation, Push("crate", STRONG, 1.0))
    apply(simulation, Reset())
    assert simulation.pushes == ()
    with LocalServer(simulation).connect() as client:
        client.world.push("crate", STRONG, 1.0, point=(0.0, 0.1, 0.0))
        assert simulation.pushes[0].point == (0.0, 0.1, 0.0)
        client.world.remove("crate")
        simulation.tick()
    assert simulation.pushes == ()


def test_what_cannot_be_pushed_is_told() -> None:
    simulation = Simulation(make_spec(1))
    with pytest.raises(NoSuchName, match="there is no body 'nobody'"):
        apply(simulation, Push("nobody", STRONG, 1.0))
    with pytest.raises(BadArgument, match="wall_1 is fixed"):
        apply(simulation, Push("wall_1", STRONG, 1.0))
    with pytest.raises(EngineCannot, match="kinematic engine knows no forces"):
        apply(Simulation(make_spec(1), engine="kinematic"), Push("crate", STRONG, 1.0))
    with LocalServer(simulation).connect() as client, pytest.raises(BadArgument, match="force"):
        client.world.push("crate", (1e6, 0.0, 0.0), 1.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_snapshot_and_a_recording_of_a_push_go_on_bit_by_bit(engine: str, tmp_path: Path) -> None:
    spec = make_spec(1, engine=engine)
    with RecordedRun(Simulation(spec), tmp_path / "a.mcap", attachments={RUN: spec_to_json(spec)}) as run:
        run.tick(95)
        run.edit(Push("crate", STRONG, 0.2, (0.0, 0.1, 0.0)))
        run.tick(10)
        middle = snapshot(run.simulation)
        run.tick(15)
    with Recording.open(tmp_path / "a.mcap") as recording:
        verdict = verify(recording, spec)
    assert (verdict.identical, verdict.ticks, verdict.breaks) == (True, 120, ())
    simulation = Simulation(spec)
    restore(simulation, middle)
    assert simulation.pushes
    assert snapshot(simulation) == middle


def test_a_push_in_a_foreign_snapshot_is_looked_at() -> None:
    simulation = Simulation(make_spec(1))
    apply(simulation, Push("crate", STRONG, 1.0))
    state = msgpack.unpackb(snapshot(simulation))
    for wrong in ([["crate"]], [["crate", [1.0, 2.0], [0.0] * 3, 5]], [["crate", [0.0] * 3, [0.0] * 3, -5]]):
        with pytest.raises(BadFile, match="pushes"):
            unpacked(msgpack.packb({**state, "pushes": wrong}))
