"""Items of the papers that no room proves by itself; the names of the tests say which."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from coopsim.robots import check, load, load_type
from coopsim.robots.bodies import object_body
from coopsim.scene import Object
from coopsim.simulation import Simulation
from coopsim.simulation.process import SMALLEST_STEP, PhysicsOptions
from coopsim.state import Record
from coopsim.transport import Ring

ROOT = Path(__file__).parents[2]
PROMISED = [
    *(
        f"C-{number}"
        for first, last in ((11, 23), (26, 35), (37, 39), (41, 48), (65, 73))
        for number in range(first, last + 1)
    ),
    "C-51",
    *(f"S-{number}" for number in (22, 23, 25, 26, 27, 28, 29)),
    *(f"D-{number}" for number in (2, 3, 5, 6, 7)),
]


def _proved() -> set[str]:
    """Return the items that tests name: `C-30` in a text, `_c_30` or `_C_30` in a name, ranges as `C-11…14`."""
    found: set[str] = set()
    for path in sorted((ROOT / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path == Path(__file__):
            text = text.split("PROMISED", maxsplit=1)[0] + text.split("def _proved", maxsplit=1)[1]
        for kind, first, last in re.findall(r"(?<![A-Za-z])([CSDcsd])[-_](\d+)(?:(?:…|\.{2,3})(?:C-)?(\d+))?", text):
            found |= {f"{kind.upper()}-{number}" for number in range(int(first), int(last or first) + 1)}
    return found


def test_every_promised_item_is_named_by_a_test() -> None:
    assert [item for item in PROMISED if item not in _proved()] == []


def test_c_26_physics_runs_at_a_hundred_hertz_unless_told_otherwise() -> None:
    assert PhysicsOptions().step == 0.01
    assert Simulation(load("single")).step_ns == 10_000_000
    assert SMALLEST_STEP == 0.01


def test_c_33_simulated_time_is_faster_than_real_time_with_many_robots() -> None:
    from coopsim.app.workload import measure

    outcome = measure(30, seconds=0.05, repeats=1)
    assert outcome.real_time_factor > 1.0
    assert outcome.moved > 0.0


def test_c_35_all_is_predefined_but_mass_comes_from_the_file(tmp_path: Path) -> None:
    world = tmp_path / "heavy.world"
    world.write_text(
        "[FLOOR]\nsize 9 9 0.1\n[WALL_1]\ntype box\nsize 1 1 1\nposition 0 0 0\norientation 0 0 0\nmass 7\n"
    )
    assert not check(str(world))
    given = object_body(Object("thing", "box", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), mass=7.0))
    assert (given.mass, given.shapes[0].friction) == (7.0, Object("x", "box", (1, 1, 1), (0, 0, 0)).friction)


def test_c_37_locations_are_shared_memory_that_other_processes_read() -> None:
    ring = Ring.create(ring_bytes=1 << 20, command_floats=64)
    try:
        from coopsim.state import RecordHeader

        pose = np.array([1.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        ring.append(RecordHeader(tick=1, bodies=1), (pose, np.zeros(6), np.zeros(0), np.zeros(0)))
        code = (
            "import sys; from coopsim.state import Record; from coopsim.transport import Ring;"
            "print(Record(Ring.attach(sys.argv[1]).latest()).poses[0, :2].tolist())"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(ring.path)], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.stdout.strip() == "[1.0, 2.0]", done.stderr
        assert Record(ring.latest()).tick == 1
    finally:
        ring.unlink()


def test_c_38_c_39_c_41_a_robot_is_a_cylinder_of_the_real_ones_size_with_its_devices() -> None:
    single = load_type("single")
    assert (single.shape, single.size, single.mass) == ("cylinder", (0.5, 0.5, 0.3), 20.0)
    kinds = [device.kind for device in single.devices]
    assert kinds == ["differential_drive", "sonars", "target", "odometry", "bumpers"]
    assert single.devices[1].settings["count"] == 11


def test_c_44_casters_neither_drive_nor_hold_an_undriven_robot_coasts_to_rest_by_its_wheels_alone() -> None:
    simulation = Simulation(load("single"))
    row = simulation.layout.robots[0].body
    simulation.engine.set_state(np.array([row]), np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.4]]))
    for _ in range(200):
        simulation.tick()
    assert abs(simulation.engine.planar[row, 5]) < 1e-3  # the wheels brake the turn; casters roll along


def test_s_25_a_tick_is_over_when_every_device_is_done() -> None:
    simulation = Simulation(load("formation"))
    before = simulation.readings.copy()
    for name in simulation.layout.robot:
        simulation.command(name, "motors", 10, (0.3, 0.0))
    for _ in range(5):
        simulation.tick()
    for block in simulation.tables.blocks:
        assert (block.readings[:, 0] > 0.0).all()  # each robot's speed is that of this very tick
    assert (simulation.readings != before).any()


def test_s_27_sleeping_is_precise_and_only_where_there_is_time_left() -> None:
    from coopsim.simulation.pacing import Lateness, RealTime

    class Never:
        def wait(self, timeout_ns: int | None) -> bool:
            return False

        def permitted(self) -> bool:
            return False

    slept: list[float] = []
    clock = iter([0, 20_000_000, 20_000_000, 20_000_000])
    pacer = RealTime(10_000_000, Never(), Lateness(), lambda: next(clock), slept.append)
    assert pacer.wait()
    assert slept == []


@pytest.mark.parametrize(
    "name",
    ["setup.cfg", "coopsim", "clients", "worlds", "scenarios", "recordings", "tests"],
)
def test_d_2_the_top_level_is_that_of_the_design_card(name: str) -> None:
    assert (ROOT / name).exists()


@pytest.mark.integration
def test_d_3_d_5_d_6_d_7_physics_is_a_process_robots_have_threads_and_both_modes_are_there() -> None:
    command = [sys.executable, "-u", "-m", "coopsim", "run", "formation", "--no-gui", "--no-controllers", "--port", "0"]
    environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment) as run:
        try:
            assert run.stdout is not None
            endpoint = re.search(r"tcp://\S+", run.stdout.readline())
            assert endpoint
            _look_inside(run.pid, endpoint[0])
        finally:
            run.terminate()
            run.communicate(timeout=30)


def _look_inside(launcher: int, endpoint: str) -> None:
    from coopsim.client import connect

    children = Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in children}
    assert sum("physics_process" in command for command in commands.values()) == 1
    (host,) = [pid for pid, command in commands.items() if "host_process" in command]
    names = [task.joinpath("comm").read_text().strip() for task in Path(f"/proc/{host}/task").iterdir()]
    assert len(names) >= 4  # the conductor and one thread for each of three robots
    with connect(endpoint) as simulation:
        endpoints = {simulation.module("/sim/names").lookup(f"/robot{n}/motors").zmq for n in (1, 2, 3)}
        assert len(endpoints) == 3
        assert simulation.clock.status().mode == "real-time"
        simulation.clock.set_mode("lockstep")
        assert simulation.clock.status().mode == "lockstep"
