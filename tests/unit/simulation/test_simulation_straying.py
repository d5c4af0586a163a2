"""Worlds that diverge: put back on every engine, told once, recorded so that a proof holds, and the run goes on."""

from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from compiled_pairs import Both
from simulation_scenes import make_spec

from coopsim.engines import JointSpec
from coopsim.errors import BadArgument, CoopsimError, EngineCannot, PluginFailed
from coopsim.features.kinematic.engine import KinematicEngine
from coopsim.features.proof.verify import verify
from coopsim.features.space.flight.engine import FlightEngine
from coopsim.recording import Recording
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.events import Agenda
from coopsim.state.edits import Insert, Join, Push, SetEngine, Update
from coopsim.testkit.recorded_run import RecordedRun

BOX = "[OBJECT_1]\ntype box\nname q1\nsize 0.2 0.2 0.3\nposition 1 1 0.5\nmass 1\n"
SUPPORT = "[JOINT_1]\ntype support\nbodies robot1 q1\nanchor 1e-4 0 0.3\ntravel 0.1\nstiffness 4000\ndamping 400\n"
LEVER = Push("robot1", (1e4, 1e4, -1e4), 60.0, (100.0, 0.0, 0.0))


def crate(simulation: Simulation) -> int:
    return list(simulation.engine.names).index("crate")


def is_sound(simulation: Simulation) -> bool:
    engine = simulation.engine
    arrays = engine.planar, engine.poses, engine.twists, simulation.readings
    return all(np.isfinite(array).all() for array in arrays) and bool(
        np.abs(engine.planar[:, 3:]).max() <= 1.8e5
    )  # components in another frame


@pytest.mark.parametrize("engine", ["pymunk", "kinematic"])
def test_a_body_that_would_go_astray_is_put_back_and_the_run_goes_on_compiled_or_not(engine: str) -> None:
    both = Both(make_spec(1, engine=engine))
    both.do(lambda simulation: simulation.command("robot1", "motors", 10, (0.3, 0.0)))
    both.tick(8)
    before = both.plain.engine.planar.copy()
    both.do(lambda simulation: simulation.engine.wrench.__setitem__((crate(simulation), 0), 9e8))
    both.do(Simulation.tick)
    assert np.array_equal(np.sort(both.plain.engine.planar, axis=0), np.sort(before, axis=0))
    stumbles = [side.failures.stumbles for side in both.each]
    assert stumbles[0] == stumbles[1]
    assert stumbles[0][0].text.startswith("body 'crate' is stopped, and nothing moved in this tick: it would have gone")
    assert (stumbles[0][0].engine, stumbles[0][0].tick, len(stumbles[0])) == (engine, 8, 1)
    both.tick(60)
    robot = list(both.plain.engine.names).index("robot1")
    assert both.plain.engine.planar[robot, 0] > -2.0 + 0.1


@pytest.mark.parametrize("engine", ["pymunk", "mujoco"])
def test_a_push_with_a_long_lever_on_what_carries_a_load_ends_and_not_the_run(engine: str) -> None:
    simulation = Simulation(make_spec(1, engine=engine))
    for edit in (Insert(BOX), Insert(SUPPORT), LEVER):
        apply(simulation, edit)
    for _ in range(300):
        simulation.tick()
        assert is_sound(simulation)
    assert len(simulation.failures.stumbles) <= 2
    if simulation.failures.stumbles:
        assert simulation.pushes == ()


def test_what_pushes_a_body_astray_on_mujoco_ends_so_that_others_move_on() -> None:
    simulation = Simulation(make_spec(1, engine="mujoco"))
    simulation.command("robot1", "motors", 10, (0.3, 0.0))
    apply(simulation, Insert(BOX.replace("mass 1", "mass 1e-6")))
    apply(simulation, Push("q1", (1e4, 0.0, 0.0), 60.0))
    for _ in range(60):
        simulation.tick()
    assert simulation.failures.stumbles[0].text.startswith("body 'q1' is stopped")
    assert simulation.pushes == ()
    assert simulation.engine.planar[list(simulation.engine.names).index("robot1"), 0] > -2.0 + 0.1


class _Wild:
    """Gives a body a place that is no number in its sixth step, and raises in its ninth."""

    steps: ClassVar[int] = 0

    def spoil(self) -> None:
        """Give the first body that place."""

    def step(self, dt: float, substeps: int = 1) -> None:
        type(self).steps += 1
        super().step(dt, substeps)  # type: ignore[misc]
        if type(self).steps == 6:
            self.spoil()
        if type(self).steps == 9:
            raise np.linalg.LinAlgError("SVD did not converge")


class _WildInPlane(_Wild, KinematicEngine):
    def spoil(self) -> None:
        self.planar[0] = np.nan


class _WildInSpace(_Wild, FlightEngine):
    def spoil(self) -> None:
        self._state.positions[0, 2] = np.nan  # where it is in the plane stays a number
        self._read_planar()


@pytest.mark.parametrize("kind", [_WildInPlane, _WildInSpace])
def test_a_foreign_engine_that_diverges_is_made_anew_where_it_was(
    kind: type[_Wild], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coopsim.simulation.stage.engine_type", lambda _: kind)
    monkeypatch.setattr(kind, "steps", 0)
    simulation = Simulation(make_spec(1))
    simulation.command("robot1", "motors", 10, (0.3, 0.0))
    for _ in range(5):
        simulation.tick()
    before, old = simulation.engine.poses.copy(), simulation.engine
    simulation.tick()
    assert np.array_equal(simulation.engine.poses, before)
    assert simulation.engine is not old
    for _ in range(40):
        simulation.tick()
    assert is_sound(simulation)
    first, second = simulation.failures.stumbles
    assert (first.tick, second.tick) == (5, 8)
    assert "SVD did not converge" in second.text


def test_a_recording_of_a_world_that_diverged_is_proved_bit_by_bit(tmp_path: Path) -> None:
    spec = make_spec(1)
    with RecordedRun(Simulation(spec), tmp_path / "a.mcap", attachments={RUN: spec_to_json(spec)}) as run:
        run.tick(20)
        for edit in (Insert(BOX), Insert(SUPPORT), LEVER):
            run.edit(edit)
        run.tick(150)
        assert run.simulation.pushes == (), "it diverged"
    with Recording.open(tmp_path / "a.mcap") as recording:
        verdict = verify(recording, spec)
    assert (verdict.identical, verdict.ticks, verdict.breaks) == (True, 170, ())


@pytest.mark.parametrize("axis", ["1e-300 0 5e-324", "0 0 0", "1e-7 0 0", "1e300 0 0"])
def test_an_axis_that_doubles_cannot_hold_is_refused_with_its_line(axis: str) -> None:
    simulation = Simulation(make_spec(1, engine="mujoco"))
    before = simulation.state_hash()
    text = f"{BOX}[JOINT_1]\ntype hinge\nbodies q1 crate\naxis {axis}\n"
    with pytest.raises(CoopsimError, match=r":\d+:\d+: .*axis"):
        apply(simulation, Insert(text))
    assert simulation.state_hash() == before


def test_an_engine_refuses_an_axis_that_doubles_cannot_hold_from_programs_too() -> None:
    simulation = Simulation(make_spec(1, engine="mujoco"))
    joint = JointSpec("pin", "hinge", "robot1", "crate", axis=(1e-300, 0.0, 5e-324))
    with pytest.raises(BadArgument, match="expected a direction, 1e-06 to 1e\\+06 long"):
        simulation.add_joint(joint)


def test_an_edit_in_which_an_engine_raises_is_refused_and_nothing_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(make_spec(1))
    before = simulation.state_hash()

    def raise_(*_: object) -> None:
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr(simulation.engine, "add_joint", raise_)
    with pytest.raises(PluginFailed, match="SVD did not converge"):
        apply(simulation, Join("pin", "weld", "robot1", "crate"))
    assert simulation.state_hash() == before


def test_a_timed_event_in_which_an_engine_raises_has_no_effect_and_ends_no_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    simulation = Simulation(make_spec(1))
    monkeypatch.setattr(Agenda, "due", lambda *_: [SetEngine("kinematic")])
    monkeypatch.setattr(simulation.agenda, "next_ns", 0)
    monkeypatch.setattr(simulation, "exchange", lambda _: 1 / 0)
    simulation.tick()
    (event,) = simulation.happened
    assert "division by zero" in event.problem


def test_a_state_of_an_engine_that_is_no_number_after_an_edit_is_refused() -> None:
    simulation = Simulation(make_spec(1))
    make = type(simulation.engine)

    class Nowhere(make):  # type: ignore[misc, valid-type]
        def add_all(self, bodies: object) -> None:
            super().add_all(bodies)
            self.planar[-1] = np.nan

    simulation.engine.__class__ = Nowhere
    with pytest.raises(EngineCannot, match="'q1' the place and velocity nan"):
        apply(simulation, Insert(BOX))
    assert "q1" not in simulation.engine.names


NUMBERS = (
    0.0,
    5e-324,
    1e-300,
    1e-9,
    1e-6,
    0.1,
    1.0,
    50.0,
    1e4,
    1e5,
    1e6,
    1e9,
    1e300,
    -1e-300,
    -1.0,
    -1e5,
    np.inf,
    np.nan,
)


def edits(generator: np.random.Generator) -> "Insert | Update | Push | SetEngine":
    """Return an edit whose numbers are within the documented ranges, or far beyond."""

    def words(count: int) -> str:
        return " ".join(f"{value!r}" for value in numbers(count))

    def numbers(count: int) -> list[float]:
        return [float(value) for value in generator.choice(NUMBERS, count)]

    number = int(generator.integers(1000))
    kind = str(generator.choice(["box", "sphere", "cylinder"]))
    joint = str(generator.choice(["hinge", "slide", "weld", "pivot", "support", "spring"]))
    thing = f"[OBJECT_1]\ntype {kind}\nname o{number}\nsize 0.2 0.2 0.2\nposition {words(3)}\nmass {words(1)}\n"
    hinge = f"[JOINT_1]\ntype {joint}\nname j{number}\nbodies robot1 crate\nanchor {words(3)}\n"
    more = {"hinge": f"axis {words(3)}\n", "slide": f"axis {words(3)}\n", "support": f"stiffness {words(1)}\n"}
    choices = (
        Insert(thing),
        Insert(hinge + more.get(joint, "")),
        Update("crate", f"position {words(3)}"),
        Update("crate", f"mass {words(1)}\nsize {words(3)}"),
        Push(
            "crate",
            (1e4, float(generator.uniform(-1e4, 1e4)), 1e4),
            1.0,
            (100.0, -100.0, float(generator.uniform(0, 9))),
        ),
        Push("robot1", (1e4, -1e4, 0.0), 60.0, (0.0, 100.0, 100.0)),
        SetEngine(str(generator.choice(["pymunk", "mujoco", "kinematic", "flight"]))),
    )
    return choices[int(generator.integers(len(choices)))]


@pytest.mark.parametrize("engine", ["pymunk", "mujoco", "kinematic", "flight"])
@pytest.mark.parametrize("seed", range(6))
def test_no_numbers_of_edits_end_a_run(engine: str, seed: int) -> None:
    generator = np.random.default_rng((seed, len(engine)))
    kind = "single" if engine != "flight" else "quadrotor"
    simulation = Simulation(make_spec(1, kind=kind, engine=engine))
    for _ in range(25):
        edit = edits(generator)
        before = simulation.state_hash()
        try:
            apply(simulation, edit)
        except PluginFailed:
            raise
        except CoopsimError:
            assert simulation.state_hash() == before, edit
        for _ in range(4):
            simulation.tick()
            assert is_sound(simulation), edit
