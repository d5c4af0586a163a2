"""Going on from a snapshot of the MuJoCo engine."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import spatial_standins
from spatial_standins import DT, engine_of, pose, robot, run, thing

from coopsim.engines import JointSpec, WorldSpec
from coopsim.errors import EngineCannot
from coopsim.features.space.engine import MujocoEngine


def heap():
    """Things that fall on each other, and robots among them, two of them joined."""
    kinds = ("box", "cylinder", "sphere")
    things = [
        thing(f"thing_{k}", 0.3 * (k % 3), 0.3 * (k // 3 % 3), 0.5 * k, kind=kinds[k % 3], turn=(0.2 * k, 0.1, 0.0))
        for k in range(12)
    ]
    robots = [robot("robot1", -0.6), robot("robot2", 1.6), robot("robot3", 1.0, 2.0)]
    joints = [JointSpec("tie", "support", "robot2", "robot3", (1.4, 1.0, 0.3), limit=0.1)]
    return engine_of(*things, *robots, joints=joints)


def stir(engine, count, seed=1):
    generator = np.random.default_rng(seed)
    for _ in range(count):
        engine.wrench[:] += generator.normal(size=engine.wrench.shape) * 5.0
        engine.step(DT)
    engine.fill()
    return hashlib.sha256(engine.poses.tobytes() + engine.twists.tobytes()).hexdigest()


def test_all_continuations_of_a_snapshot_are_the_same_bit_by_bit():
    engine = heap()
    stir(engine, 150)
    snapshot = engine.snapshot()
    restored = MujocoEngine(WorldSpec(()))

    engine.restore(snapshot)
    restored.restore(snapshot)

    assert len(engine.contacts().pairs) == len(restored.contacts().pairs)
    assert stir(engine, 100, seed=2) == stir(restored, 100, seed=2)
    assert np.array_equal(engine.joint_state(), restored.joint_state())


def test_a_snapshot_holds_everything_that_moves():
    engine = heap()
    stir(engine, 50)
    engine.wrench[3, 4] = 7.0
    engine.fill()
    poses, twists, joints = engine.poses.copy(), engine.twists.copy(), engine.joint_state()[:, :3]
    snapshot = engine.snapshot()
    restored = MujocoEngine(WorldSpec(()))

    restored.restore(snapshot)

    assert restored.snapshot() == snapshot
    assert np.array_equal(restored.poses, poses)
    assert np.array_equal(restored.twists, twists)
    assert np.array_equal(restored.joint_state()[:, :3], joints)
    assert restored.wrench[3, 4] == 7.0


def test_a_restored_world_is_in_sorted_order_whatever_came_and_went():
    engine = engine_of(*(thing(name, 2.0 * k) for k, name in enumerate("bcd")), tilt=0.1)
    engine.remove("b")
    engine.add(thing("a", 9.0, turn=(0.1, 0.2, 0.3)))
    before = pose(engine, "a").copy()

    engine.restore(engine.snapshot())

    assert list(engine.names) == ["a", "c", "d"]
    assert np.array_equal(pose(engine, "a"), before)


def test_friction_and_tilt_of_the_floor_are_part_of_a_snapshot():
    engine = engine_of(thing("crate", turn=(0.0, 0.3, 0.0)), tilt=0.3, floor_friction=0.1)
    restored = engine_of()

    restored.restore(engine.snapshot())
    run(restored, 1.0)

    assert restored.planar[0, 3] > 1.0


def test_an_empty_world_can_be_restored():
    engine = engine_of()

    engine.restore(engine.snapshot())
    engine.step(DT)

    assert engine.planar.shape == (0, 6)


def test_a_snapshot_that_was_cut_off_is_refused_and_changes_nothing():
    engine = engine_of(thing("box", 1.0), robot("robot", 3.0))
    whole = engine.snapshot()

    for length in range(len(whole)):
        with pytest.raises(EngineCannot):
            engine.restore(whole[:length])

    assert engine.planar[0, 0] == 1.0


@pytest.mark.parametrize("data", [b"garbage", b"\x92\x01\x02", b"\x96\xa5other\x90\x90\x90\xc4\x00\xc4\x00"])
def test_bytes_that_are_no_snapshot_are_refused(data):
    with pytest.raises(EngineCannot):
        engine_of(thing("box")).restore(data)


def test_two_processes_do_the_same_bit_by_bit():
    script = (
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent), str(Path(spatial_standins.__file__).parent)]!r}\n"
        + ("from test_spatial_snapshot import heap, stir\nprint(stir(heap(), 100))")
    )
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=100).stdout
        for _ in range(2)
    ]

    assert runs[0] == runs[1]
    assert len(runs[0]) == 65
