"""Springs between bodies, from text and message to file and proof (SwarmSimX, S-75)."""

from pathlib import Path

import pytest
from simulation_scenes import make_spec

from coopsim.errors import BadFile, EngineCannot
from coopsim.features.proof.verify import verify
from coopsim.inprocess import connect
from coopsim.recording import Recording
from coopsim.replay.run_json import RUN, spec_of, spec_to_json
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Insert, Remove, SetEngine, Update
from coopsim.testkit.recorded_run import RecordedRun

WORLD = """\
[OBJECT_1]
name post
type box
size 0.2 0.2 0.3
position 0 0 0

[OBJECT_2]
name sled
type box
size 0.2 0.2 0.2
position 1.5 0 0
orientation 0 0 90
mass 2
friction 0

[JOINT_1]
name coil
type spring
bodies post sled
anchor 0.1 0 0.1
far_anchor 0 0.1 0.1
length 1
stiffness 200
damping 2
"""
SCENE = "[WORLD]\nfile swing.world\n[ROBOT_1]\ntype single\nname rover\nposition 0 2 0\n[SIMULATION]\nengine {}\n"
ENGINES = ("pymunk", "mujoco")


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    (tmp_path / "swing.world").write_text(WORLD)
    return tmp_path / "swing.scenario"


def load_on(scene: Path, engine: str) -> Simulation:
    scene.write_text(SCENE.format(engine))
    return Simulation(load(scene))


def where(simulation: Simulation, name: str = "sled") -> float:
    return float(simulation.engine.planar[list(simulation.engine.names).index(name), 0])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_section_makes_a_spring_between_places_on_its_bodies(scene: Path, engine: str) -> None:
    simulation = load_on(scene, engine)
    far = simulation.joints["coil"].spec
    # the sled is turned by 90 degrees: y of its frame points along -x
    assert (far.anchor, far.far) == (pytest.approx((0.1, 0.0, 0.1)), pytest.approx((1.4, 0.0, 0.1)))

    for _ in range(100):
        simulation.tick()
    assert 0.8 < where(simulation) < 1.45

    again = load_on(scene, engine)
    restore(again, snapshot(simulation))
    restore(simulation, snapshot(simulation))
    for sim in (simulation, again):
        for _ in range(50):
            sim.tick()
    assert again.state_hash() == simulation.state_hash()


def test_a_message_makes_a_spring_that_is_saved_and_read_as_the_same(scene: Path, tmp_path: Path) -> None:
    simulation = load_on(scene, "mujoco")
    with connect(simulation) as sim:
        sim.world.join("tow", "spring", "rover", "sled", "anchor 0 0 0.1\nstiffness 5\nlength 0.25")
        sim.world.join("slack", "spring", "rover", "post", "stiffness 4000")
        assert [(joint.name, joint.kind) for joint in sim.scene().joints] == [
            (k, "spring") for k in ("coil", "tow", "slack")
        ]
        sim.world.save(str(tmp_path / "saved.scenario"))
    text = (tmp_path / "saved.scenario").read_text()

    saved = {joint.name: joint for joint in load(tmp_path / "saved.scenario").scenario.joints}
    assert saved == {name: joint for name, joint in simulation.scene.joints.items() if name != "coil"}
    assert (saved["tow"].length, saved["tow"].far_anchor, saved["tow"].damping) == (0.25, None, 0.0)
    assert (saved["slack"].length, saved["slack"].stiffness) == (None, 4000.0)
    assert "length      0.25" in text
    assert "damping" not in text


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_with_springs_that_come_and_go_is_recorded_and_done_again_bit_by_bit(
    scene: Path, tmp_path: Path, engine: str
) -> None:
    simulation = load_on(scene, engine)
    spec, other_engine = simulation.spec, "pymunk" if engine == "mujoco" else "mujoco"
    with RecordedRun(simulation, tmp_path / "a.mcap", attachments={RUN: spec_to_json(spec)}) as run:
        run.tick(40)
        run.edit(Insert("[JOINT_1]\nname tow\ntype spring\nbodies rover sled\nstiffness 50\ndamping 1\n"))
        run.tick(40)
        run.edit(Update("sled", "mass 3\n"))
        run.tick(20)
        run.edit(SetEngine(other_engine))
        run.tick(40)
        run.edit(Remove("coil"))
        run.tick(20)

    with Recording.open(tmp_path / "a.mcap") as recording:
        assert spec_of(recording) == spec
        verdict = verify(recording, spec)
    assert (verdict.identical, verdict.ticks, verdict.breaks) == (True, 160, ())


def test_a_spring_keeps_its_length_when_the_engine_is_exchanged(scene: Path) -> None:
    (scene.parent / "swing.world").write_text(WORLD.replace("length 1\n", "").replace("damping 2", "damping 40"))
    simulation = load_on(scene, "pymunk")
    apply(simulation, Update("sled", "position 1.3 0 0"))
    apply(simulation, SetEngine("mujoco"))
    for _ in range(300):
        simulation.tick()
    assert where(simulation) == pytest.approx(1.5, abs=2e-3)


def test_a_fixed_body_that_is_moved_takes_its_spring_along(scene: Path) -> None:
    simulation = load_on(scene, "pymunk")
    apply(simulation, Update("post", "position -0.1 0 0"))
    for _ in range(1000):
        simulation.tick()
    assert where(simulation) == pytest.approx(1.1, abs=5e-3)


@pytest.mark.parametrize("engine", ["kinematic", "flight"])
def test_engines_without_springs_refuse_the_scene_by_its_place(scene: Path, engine: str) -> None:
    with pytest.raises(EngineCannot, match=r"swing\.world:16:1: .*joint"):
        load_on(scene, engine)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("travel 0.1", "a spring has no travel"),
        ("axis 1 0 0", "a spring has no axis"),
        ("length -1", "length"),
        ("far_anchor 0 0", "far_anchor"),
    ],
)
def test_keys_that_a_spring_does_not_know_are_told_by_their_line(scene: Path, line: str, problem: str) -> None:
    key = line.split(maxsplit=1)[0]
    kept = [
        splitline
        for splitline in WORLD.splitlines()
        if not splitline.startswith(key + " ") or splitline.startswith("position")
    ]
    (scene.parent / "swing.world").write_text("\n".join([*kept, line]))
    with pytest.raises(BadFile, match=problem):
        load_on(scene, "pymunk")


def test_other_joints_have_no_length() -> None:
    text = "[OBJECT_1]\nname a\ntype box\nsize 1 1 1\nposition 3 0 0\n[JOINT_1]\ntype weld\nbodies a robot1\nlength 1\n"
    simulation = Simulation(make_spec(1))
    with pytest.raises(BadFile, match="a weld has no length"):
        apply(simulation, Insert(text))
    assert simulation.engine.joints == ()
