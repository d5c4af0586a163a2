"""`check_engine`: engines that keep the contract pass, broken ones are told where."""

from dataclasses import replace

import numpy as np
import pytest

from coopsim import plugins
from coopsim.engines import JointSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import EngineCannot, NoSuchPlugin, PluginFailed
from coopsim.features.kinematic.engine import KinematicEngine
from coopsim.testkit import EngineReport, check_engine

BUILT_IN = [name for name, plugin in plugins.registered("engines").items() if not plugin.is_foreign]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_engine_keeps_the_contract(name):
    """S-12: the framework does not depend on a concrete physics library."""
    report = check_engine(name)

    assert isinstance(report, EngineReport)
    assert report.failures == ()
    assert len(report.outcomes) > 40


def test_a_report_has_one_line_for_each_check():
    report = check_engine(KinematicEngine)
    lines = str(report).splitlines()

    assert len(lines) == 1 + len(report.outcomes)
    assert lines[0].endswith(" passed, 0 failed, 21 not offered")
    assert "  passed      a wall stops who drives into it: went into the wall by " in "\n".join(lines)
    assert "  not offered a weld makes one body of two" in lines


class Forgetful(PymunkEngine):
    """Keeps wrenches from step to step."""

    def step(self, dt, substeps=1):
        kept = self.wrench.copy()
        super().step(dt, substeps)
        self.wrench[:] = kept


class Sticky(PymunkEngine):
    """Reports contacts of the world before."""

    def contacts(self):
        contacts_ = super().contacts()
        return contacts_._replace(pairs=contacts_.pairs + 1)


class Restless(PymunkEngine):
    """Moves a little by chance."""

    noise = np.random.default_rng(1)

    def step(self, dt, substeps=1):
        super().step(dt, substeps)
        self.planar[:, 0] += self.noise.normal(size=len(self.names)) * 1e-9
        self.set_state(np.arange(len(self.names)), self.planar.copy())


class Boastful(KinematicEngine):
    """Claims joints it does not have."""

    abilities = frozenset({"joints", "dynamics"})


class Vague(KinematicEngine):
    """Claims what nobody knows."""

    abilities = frozenset({"teleport"})


class Loose(PymunkEngine):
    """Makes pivots of welds."""

    def rebuild(self, world):
        joints = tuple(replace(joint, kind="pivot") if joint.kind == "weld" else joint for joint in world.joints)
        super().rebuild(replace(world, joints=joints))


class Lenient(PymunkEngine):
    """Accepts rows that are not there."""

    def set_state(self, rows, planar):
        rows = np.clip(rows, 0, len(self.names) - 1)
        super().set_state(rows, np.nan_to_num(planar))


class Crude(PymunkEngine):
    """Fails with errors of its own."""

    def remove(self, name):
        del {}[name]


class Amnesiac(PymunkEngine):
    """Its snapshots lack velocities."""

    def restore(self, snapshot):
        super().restore(snapshot)
        state = self.planar.copy()
        state[:, 3:] = 0.0
        self.set_state(np.arange(len(self.names)), state)


@pytest.mark.parametrize(
    ("engine", "promise"),
    [
        (Forgetful, "forces accelerate by mass and inertia, for one step"),
        (Sticky, "contact with a wall is reported"),
        (Restless, "the same pushes give the same motion"),
        (Boastful, "a support springs, stops, and measures its force: EngineCannot: .*has no joints"),
        (Boastful, "momentum passes from body to body"),
        (Vague, "it says what it can: unknown abilities \\['teleport'\\]"),
        (Loose, "a weld makes one body of two"),
        (Lenient, "states that cannot be are refused: .*accepted, expected BadArgument"),
        (Crude, r"fixed bodies come and go: .*test_testing_engines\.py:\d+: KeyError"),
        (Crude, "names must be known and used once: .*raised KeyError, expected NoSuchName"),
        (Amnesiac, "a snapshot holds state, forces and bodies: state off by"),
    ],
)
def test_a_broken_engine_is_told_which_promise_it_breaks(engine, promise):
    with pytest.raises(PluginFailed, match=promise) as caught:
        check_engine(engine)

    assert "breaks the contract in" in str(caught.value)
    assert engine.__name__ in str(caught.value)
    assert "passed" not in str(caught.value)


class Pivots(PymunkEngine):
    """Has some kinds of joints, and declines the rest."""

    abilities = frozenset({"dynamics"})

    def rebuild(self, world):
        for joint in world.joints:
            self._check(joint)
        super().rebuild(world)

    def add_joint(self, joint):
        self._check(joint)
        super().add_joint(joint)

    def _check(self, joint: JointSpec):
        if joint.kind != "pivot":
            raise EngineCannot(f"{joint.span}: pivots alone")


def test_an_engine_may_decline_kinds_of_joints_that_it_does_not_claim():
    results = {outcome.name: outcome.result for outcome in check_engine(Pivots).outcomes}

    assert results["a weld makes one body of two"] == "not offered"
    assert results["a pivot holds a point and measures its force"] == "passed"


def test_an_unknown_name_is_told():
    with pytest.raises(NoSuchPlugin, match="'perpetuum'"):
        check_engine("perpetuum")
