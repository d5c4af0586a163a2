"""What all engines of ours share: late poses, rows by name, refusals of joints and of wild forces."""

from collections.abc import Callable

import numpy as np
import pytest
from engine_standins import body

from coopsim.engines import JointSpec, WorldSpec
from coopsim.engines.base import EngineBase, sorted_rows
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import BadArgument, EngineCannot, NoSuchName
from coopsim.features.kinematic.engine import KinematicEngine
from coopsim.features.space.engine import MujocoEngine
from coopsim.features.space.flight.engine import FlightEngine
from coopsim.scene import Span

ALL = (PymunkEngine, KinematicEngine, MujocoEngine, FlightEngine)
WITHOUT_JOINTS = (KinematicEngine, FlightEngine)
Kind = Callable[[WorldSpec], EngineBase]


def _two(kind: Kind) -> EngineBase:
    return kind(WorldSpec((body("b", 2.0), body("a", 0.0))))


@pytest.mark.parametrize("kind", ALL)
def test_poses_are_computed_when_they_are_read_and_once(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = _two(kind)
    fills: list[bool] = []
    fill = engine.fill
    monkeypatch.setattr(engine, "fill", lambda: (fills.append(True), fill()))

    engine.step(0.01)
    assert not fills
    assert engine.poses[:, 0].tolist() == pytest.approx([0.0, 2.0])
    assert engine.twists.shape == (2, 6)

    assert len(fills) == 1


@pytest.mark.parametrize("kind", ALL)
def test_a_body_is_added_behind_the_others_and_its_name_is_taken(kind: Kind) -> None:
    engine = _two(kind)

    engine.add(body("0", 4.0))

    assert list(engine.names) == ["a", "b", "0"]
    with pytest.raises(BadArgument, match="there is already a body named 'a'"):
        engine.add(body("a", 9.0))


@pytest.mark.parametrize("kind", ALL)
def test_of_several_bodies_none_is_added_where_the_last_cannot_be(kind: Kind) -> None:
    engine = _two(kind)

    with pytest.raises(BadArgument):
        engine.add_all((body("c", 4.0), body("c", 6.0)))

    assert list(engine.names) == ["a", "b"]


@pytest.mark.parametrize("kind", ALL)
def test_a_force_that_is_no_number_is_refused_with_the_name_of_its_body(kind: Kind) -> None:
    engine = _two(kind)
    engine.wrench[1, 0] = np.nan

    with pytest.raises(EngineCannot, match=r"the force on body 'b' is not a finite number below .* of this robot"):
        engine.step(0.01)

    assert not engine.wrench.any()


@pytest.mark.parametrize("kind", ALL)
def test_a_body_that_is_not_there_cannot_be_removed(kind: Kind) -> None:
    with pytest.raises(NoSuchName, match="there is no body named 'c'"):
        _two(kind).remove("c")


@pytest.mark.parametrize("kind", ALL)
def test_a_snapshot_comes_back_in_the_order_of_names(kind: Kind) -> None:
    engine = _two(kind)
    engine.add(body("0", 4.0))
    engine.step(0.01)

    engine.restore(engine.snapshot())

    assert list(engine.names) == ["0", "a", "b"]
    assert engine.planar[:, 0].tolist() == pytest.approx([4.0, 0.0, 2.0])


@pytest.mark.parametrize("kind", WITHOUT_JOINTS)
def test_an_engine_without_joints_names_place_kind_and_cure(kind: Kind) -> None:
    joint = JointSpec("grip", "weld", "a", "b", span=Span("lab.scenario", 7, 3))

    with pytest.raises(
        EngineCannot, match=r"lab\.scenario:7:3: the \w+ engine has no joints; 'grip' is a weld, so choose"
    ):
        _two(kind).add_joint(joint)
    with pytest.raises(EngineCannot, match="'grip' is a weld"):
        kind(WorldSpec((body("b", 2.0), body("a", 0.0)), joints=(joint,)))
    with pytest.raises(NoSuchName, match="there is no joint named 'grip'; the"):
        _two(kind).remove_joint("grip")


@pytest.mark.parametrize("kind", WITHOUT_JOINTS)
def test_arrays_of_joints_are_empty_without_joints(kind: Kind) -> None:
    engine = _two(kind)

    assert engine.joint_state().shape == (0, 6)
    assert engine.joint_limits.shape == (0, 2)
    assert [array.size for array in (engine.joint_position, engine.joint_velocity, engine.joint_effort)] == [0, 0, 0]


@pytest.mark.parametrize("kind", [PymunkEngine, KinematicEngine])
def test_accelerations_of_a_plane_engine_are_those_of_the_last_step_alone(kind: Kind) -> None:
    engine = _two(kind)
    engine.wrench[0, 0] = 3.0

    engine.step(0.01)
    assert engine.accelerations[:, 0].tolist() == pytest.approx([3.0 / engine.mass[0], 0.0])

    engine.set_state(np.array([1]), np.zeros((1, 6)))
    assert not engine.accelerations.any()


def test_rows_are_sorted_as_people_count() -> None:
    assert sorted_rows(["robot10", "robot2", "a"]) == [2, 1, 0]
