"""The world of sensors: calls of kernels write what methods do, and threads change no bit."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from ray_scenes import body, box

from coopsim.devices.calls import DeviceCalls
from coopsim.engines import WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.kernels.sequence import KernelSequence
from coopsim.kernels.threads import THREADS, KernelThreads
from coopsim.sensing import rays
from coopsim.sensing import world as world_module
from coopsim.sensing.world import EngineSensingWorld

NAMES = ("a", "b", "c", "d")
BEARINGS = np.linspace(-2.0, 2.0, 7)
BODIES = (
    body("a"),
    body("b", 1.5, 0.2),
    body("c", -2.0, 1.0, 0.7),
    body("d", 0.0, -3.0),
    box("wall", 0.0, 2.5, 8.0, 0.2),
    box("shelf", 0.75, 0.1, 0.1, 0.4),
)


def world_of(bodies: tuple[Any, ...] = BODIES) -> EngineSensingWorld:
    engine = PymunkEngine(WorldSpec(bodies))
    rows = np.array([list(engine.names).index(name) for name in NAMES])
    world = EngineSensingWorld(engine, bodies, (), np.zeros((0, 3)), NAMES, rows, np.full(rows.size, 0.25))
    world.begin_tick(1, 0.1)
    return world


def perform(said: DeviceCalls | None) -> list[Any]:
    """Make the calls as a compiled tick would; return what they return."""
    assert said is not None
    return [call.kernel(*call.arguments) for call in said.calls]


def cast(world: EngineSensingWorld, rows: Any, *, by_calls: bool) -> Any:
    out = np.full((rows.size, BEARINGS.size), np.nan)
    given = rows, BEARINGS, np.linspace(1.0, 4.0, rows.size), out, np.zeros(rows.size)
    perform(world.ray_calls(*given)) if by_calls else world.cast_rays(*given)
    return out


def nearest(world: EngineSensingWorld, rows: Any, *, by_calls: bool) -> Any:
    out = np.full((rows.size, 3), -7)
    given = rows, np.linspace(1.6, 4.0, rows.size), out
    perform(world.nearest_calls(*given)) if by_calls else world.nearest_robots(*given)
    return out


def nearest_seen(world: EngineSensingWorld, rows: Any, *, by_calls: bool) -> Any:
    out = np.full((rows.size, 3), -7)
    limits = np.array([np.full(rows.size, 5.0), np.full(rows.size, 3.0), np.ones(rows.size)])
    given = rows, limits, out
    perform(world.nearest_seen_calls(*given)) if by_calls else world.nearest_seen(*given)
    return out


def nearest_in_space(world: EngineSensingWorld, rows: Any, *, by_calls: bool) -> Any:
    out = np.full((rows.size, 3), -7)
    given = rows, np.linspace(1.6, 4.0, rows.size), out
    perform(world.nearest_in_space_calls(*given)) if by_calls else world.nearest_in_space(*given)
    return out


def scan(world: EngineSensingWorld, rows: Any, *, by_calls: bool) -> Any:
    out = np.full((rows.size, BEARINGS.size), np.nan)
    angles = np.array([BEARINGS, np.zeros(BEARINGS.size)])
    scanners = np.full(rows.size, 4.0), np.zeros(rows.size), (0.3, -0.1)
    given = rows, angles, scanners, out
    perform(world.scan_calls(*given)) if by_calls else world.scan(*given)
    return out


QUESTIONS = (cast, nearest, nearest_seen, nearest_in_space, scan)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_calls_of_an_answer_write_what_its_method_writes(question: Callable[..., Any]) -> None:
    world = world_of()
    by_method = question(world, world.robot_bodies, by_calls=False)
    assert by_method.tolist() == question(world, world.robot_bodies, by_calls=True).tolist()
    assert by_method.tolist() != question(world, world.robot_bodies[::-1].copy(), by_calls=False).tolist()


@pytest.mark.parametrize("question", QUESTIONS)
def test_rows_that_do_not_lie_side_by_side_give_the_same_answer(question: Callable[..., Any]) -> None:
    world = world_of()
    strided = np.repeat(world.robot_bodies, 2)[::2]
    assert not strided.flags.c_contiguous
    dense = question(world, world.robot_bodies, by_calls=False)
    assert dense.tolist() == question(world, strided, by_calls=False).tolist()


def test_what_kernels_alone_cannot_do_has_no_calls() -> None:
    world = world_of()
    strided, rows = np.repeat(world.robot_bodies, 2)[::2], world.robot_bodies
    slots, reach, out = np.zeros((4, 3), np.int64), np.full(4, 3.0), np.zeros((4, BEARINGS.size))
    assert world.ray_calls(strided, BEARINGS, reach, out, reach) is None
    assert world.ray_calls(rows, BEARINGS, reach, out[:, :0], reach) is None
    assert world.nearest_calls(strided, reach, slots) is None
    assert world.nearest_calls(rows, reach, slots[:, ::2]) is None
    assert world.nearest_seen_calls(strided, np.ones((3, 4)), slots) is None
    assert world.nearest_in_space_calls(strided, reach, slots) is None
    raised = np.array([BEARINGS, np.full(BEARINGS.size, 0.1)])
    assert world.scan_calls(rows, raised, (reach, reach, (0.0, 0.0)), out) is None


def test_what_touches_is_asked_of_the_engine_once_a_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    world, asked = world_of(), []
    contacts_of_engine = world.bodies.contacts
    monkeypatch.setattr(world.bodies, "contacts", lambda: asked.append(world.tick) or contacts_of_engine())
    for tick in (2, 3):
        world.begin_tick(tick, 0.1)
        assert world.contacts() is world.contacts()
    assert asked == [2, 3]


def test_an_engine_whose_contacts_are_its_own_method_says_no_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    world = world_of()
    assert world.contact_calls() is not None
    monkeypatch.setattr(world.bodies, "contacts", world.bodies.contacts)
    assert world.contact_calls() is None


@pytest.fixture
def crowd() -> EngineSensingWorld:
    """Two hundred robots in rows, which stand in each other's way, between two shelves."""
    robots = tuple(body(f"r{number:03}", 0.9 * (number % 20), 0.9 * (number // 20)) for number in range(200))
    bodies = (*robots, box("shelf_1", 4.1, 3.2, 0.3, 0.2), box("shelf_2", 9.4, 5.1, 0.2, 0.9))
    names = tuple(robot.name for robot in robots)
    return EngineSensingWorld(
        PymunkEngine(WorldSpec(bodies)), bodies, (), np.zeros((0, 3)), names, np.arange(200), np.full(200, 0.25)
    )


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[KernelThreads]:
    """Threads that share even small crowds; afterwards there are as many as before."""
    monkeypatch.setattr(rays, "_MANY", 8)
    monkeypatch.setattr(world_module, "_MANY", 8)
    monkeypatch.setattr(world_module, "_MANY_EYES", 8)
    before = THREADS.count
    yield THREADS
    THREADS.use(before)


def test_rays_of_many_robots_are_the_same_bit_by_bit_among_threads(
    crowd: EngineSensingWorld, threads: KernelThreads
) -> None:
    answers = []
    for count in (1, 2, 3):
        threads.use(count)
        crowd.begin_tick(count, 0.1)
        out = np.full((200, BEARINGS.size), np.nan)
        crowd.cast_rays(crowd.robot_bodies, BEARINGS, np.full(200, 3.0), out)
        answers.append(out.tobytes())
    assert answers[0] == answers[1] == answers[2]
    assert np.isfinite(np.frombuffer(answers[0])).all()


def nearest_of(crowd: EngineSensingWorld, out: Any) -> DeviceCalls | None:
    return crowd.nearest_calls(crowd.robot_bodies, np.linspace(0.5, 4.0, 200), out)


def nearest_seen_of(crowd: EngineSensingWorld, out: Any) -> DeviceCalls | None:
    limits = np.array([np.linspace(2.0, 12.0, 200), np.linspace(0.5, 6.0, 200), np.arange(200) % 3 > 0], np.float64)
    return crowd.nearest_seen_calls(crowd.robot_bodies, limits, out)


@pytest.mark.parametrize("calls_of", [nearest_of, nearest_seen_of])
def test_neighbours_of_many_robots_are_the_same_among_threads_from_tick_to_tick(
    calls_of: Callable[[EngineSensingWorld, Any], DeviceCalls | None],
    crowd: EngineSensingWorld,
    threads: KernelThreads,
) -> None:
    answers = []
    for count in (1, 2, 3):
        threads.use(count)
        out = np.full((200, 8), -7)
        said = calls_of(crowd, out)
        assert said is not None
        assert said.calls[-1].helpers == count - 1
        sequence = KernelSequence.of(said.calls)
        assert sequence is not None
        for tick in (1, 2, 3):  # parts and rooms are claimed anew
            crowd.begin_tick(tick, 0.1)
            out[:] = -7
            assert sequence.run(tick) == sequence.length
        answers.append(out.tolist())
    assert answers[0] == answers[1] == answers[2]
    filled = (np.array(answers[0]) >= 0).sum(axis=1)
    assert (filled.min(), filled.max()) == (0, 8)


def test_a_thread_for_which_there_is_no_room_leaves_its_part_to_those_that_came_first(
    crowd: EngineSensingWorld, threads: KernelThreads
) -> None:
    threads.use(2)
    crowd.begin_tick(1, 0.1)
    out = np.full((200, 8), -7)
    said = nearest_seen_of(crowd, out)
    assert said is not None
    begin, share = said.calls
    begin.kernel(*begin.arguments)
    claims, rooms = begin.arguments[-1], len(share.arguments[4][3][0])
    assert rooms == 2
    claims[1] = rooms
    share.kernel(*share.arguments)
    assert (out == -7).all()
    assert claims[0] == 0
    claims[1] = rooms - 1
    share.kernel(*share.arguments)
    assert (out != -7).all()


def test_a_longer_reach_makes_new_tables_and_says_so_to_calls_made_before() -> None:
    world = world_of()
    rows, out = world.robot_bodies, np.zeros((4, BEARINGS.size))
    said = world.ray_calls(rows, BEARINGS, np.full(4, 0.5), out, np.zeros(4))
    assert said is not None
    (source,) = said.sources
    assert not source.is_stale
    world.cast_rays(rows, BEARINGS, np.full(4, 30.0), out)
    assert source.is_stale
    assert out.max() == 30.0
