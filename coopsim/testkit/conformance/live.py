"""Dialogs with a real simulation in lockstep, and with a recording that is shown: the same bits in every language."""

import hashlib
import struct
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from coopsim.inprocess import connect
from coopsim.message import Message
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.conformance.program import ClientProgram, NotConformant
from coopsim.testkit.conformance.values import Value, read_list, written, written_list
from coopsim.testkit.raw import RawClient

ROBOTS = ("robot1", "robot2", "robot3")
STEPS = 40  # far enough that a robot has met something
ROOM = """[SIMULATION]
mode lockstep
seed 7

[ROBOT_1]
type single
name robot1
position -4.6 -1.5 0

[ROBOT_2]
type single
name robot2
position -4.6 0 0

[ROBOT_3]
type single
name robot3
position -4.6 1.5 0

[WORLD]
file obstacles
"""
"""Three robots among obstacles: the scene of the examples and of these dialogs."""

LiveDialog = Callable[[ClientProgram], None]


def ask(
    client: ClientProgram, target: str, command: int, params: Sequence[Value] = (), data: Sequence[float] = ()
) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """Let the client ask, and return the params and data of the reply."""
    words = client.asked("ask", written(target), written(command), written_list(params), written_list(map(float, data)))
    if words[0] != "reply":
        raise NotConformant(f"{target} {command}: expected a reply, got {' '.join(words)}")
    return read_list(words[2]), read_list(words[3])


def commands(step: int) -> tuple[tuple[float, float], ...]:
    """Return what the robots are told in a step: arcs of three sizes, whose numbers are exact in binary."""
    return tuple((0.25 + 0.0625 * place, 0.125 * (place - 1) + (0.25 if step % 32 < 8 else 0.0)) for place in range(3))


@dataclass(frozen=True, slots=True)
class SeenByClient:
    """State that a client saw, to be compared bit by bit.

    Attributes:
        poses: x and y of each robot after all steps [m].
        digest: SHA-256 of the readings of all steps, as little-endian float64.
    """

    poses: tuple[float, ...]
    digest: str


def digest(rows: Iterable[Sequence[float]]) -> str:
    """Return the SHA-256 of rows of numbers."""
    hashed = hashlib.sha256()
    for row in rows:
        hashed.update(struct.pack(f"<{len(row)}d", *row))
    return hashed.hexdigest()


def expected() -> SeenByClient:
    """Return what a client must see, from a simulation in this process."""
    with tempfile.NamedTemporaryFile("w", suffix=".scenario", encoding="utf-8") as file:
        file.write(ROOM)
        file.flush()
        simulation = Simulation(load(file.name))
    with connect(simulation) as sim, sim.stepper(ROBOTS) as stepper:
        seen = [stepper.step(commands(step)).flat.tolist() for step in range(STEPS)]
        poses = [sim.robot(name).odometry.pose() for name in ROBOTS]
    return SeenByClient(tuple(float(value) for pose in poses for value in (pose.x, pose.y)), digest(seen))


def lists_names(client: ClientProgram) -> None:
    """List names, and ping a module."""
    names, _ = ask(client, "/sim/names", 10, ("/robot1",))
    if "/robot1/sonars" not in names:
        raise NotConformant(f"/robot1/sonars is not among the names: {names}")
    kind, _ = ask(client, "/robot1/motors", 0)
    if kind[0] != "differential_drive":
        raise NotConformant(f"PING of /robot1/motors: expected differential_drive, got {kind}")


def is_refused_with_numbers(client: ClientProgram) -> None:
    """Ask for what is not there, and give what is not taken."""
    for number, target, command, data in (
        (201, "/robotX/motors", 10, (0.1, 0.0)),
        (202, "/robot1/motors", 99, ()),
        (203, "/robot1/motors", 10, (1.0, 2.0, 3.0)),
    ):
        words = client.asked("ask", written(target), written(command), "", written_list(data))
        if words[:2] != ["refused", written(number)]:
            raise NotConformant(f"{target} {command}: expected refused {number}, got {' '.join(words)}")


def steps_three_robots(client: ClientProgram, wanted: SeenByClient) -> None:
    """Reset, do all steps, and compare all that was read, and where the robots are, bit by bit."""
    ask(client, "/sim/world", 14)
    ask(client, "/sim/step", 13, ROBOTS)
    seen = []
    for step in range(STEPS):
        data = [value for row in commands(step) for value in row]
        seen.append([float(value) for value in ask(client, "/sim/step", 11, (0, *ROBOTS), data)[1]])
    poses = [ask(client, f"/{name}/odometry", 10)[1] for name in ROBOTS]
    ask(client, "/sim/step", 15)
    coordinates = [value for pose in poses for value in pose[:2]]
    if written_list(coordinates) != written_list(wanted.poses):
        raise NotConformant(f"after {STEPS} steps: expected {[*wanted.poses]}, got {coordinates}")
    if digest(seen) != wanted.digest:
        raise NotConformant(f"readings of {STEPS} steps: expected SHA-256 {wanted.digest}, got {digest(seen)}")


def drives_by_the_plain_loop(client: ClientProgram) -> None:
    """Read and command, one request after the other."""
    _, before = ask(client, "/robot1/odometry", 10)
    for _ in range(20):
        ask(client, "/robot1/sonars", 10)
        ask(client, "/robot1/motors", 10, (), (0.3, 0.0))
    _, after = ask(client, "/robot1/odometry", 10)
    ask(client, "/sim/step", 15)
    if before == after:
        raise NotConformant("robot1 did not move")


def is_told_of_an_eviction(client: ClientProgram, address: str) -> None:
    """Hold up another client until the robot is lost; the next command is refused with 205, then it is claimed anew."""
    step = ("ask", written("/sim/step"), written(11), written_list((0, "robot1")), written_list((0.0, 0.0)))
    with RawClient(f"tcp+plain://{address}") as second_client:
        second_client.ask(Message("/sim/clock", 18, ("robot1", "evict")))
        second_client.ask(Message("/sim/clock", 3, ("patience", 0.05)))
        ask(client, "/sim/step", 13, ("robot1",))
        client.asked(*step)
        second_client.ask(Message("/sim/step", 13, ("robot2",)))
        second_client.ask(Message("/sim/step", 11, (0, "robot2"), (0.0, 0.0)))
        words = client.asked(*step)
        second_client.ask(Message("/sim/clock", 3, ("patience", 0.0)))
        second_client.ask(Message("/sim/clock", 18, ("robot1", "default")))
        second_client.ask(Message("/sim/step", 15))
    if words[:3] != ["refused", written(205), written("robot1")]:
        raise NotConformant(f"a step of a robot that was lost: expected refused 205 robot1, got {' '.join(words)}")
    ask(client, "/sim/step", 13, ("robot1",))
    ask(client, "/sim/step", 15)


def seeks_in_a_recording(client: ClientProgram, address: str) -> None:
    """Show moments of a recording, which nobody drives, and read the bits that another client reads."""
    mine, of_others = [], []
    with RawClient(f"tcp+plain://{address}") as second_client:
        ask(client, "/sim/playback", 13)
        for time in (1.0, 2.0, 0.5):
            _, position = ask(client, "/sim/playback", 14, (), (time,))
            if position != (time,):
                raise NotConformant(f"seek to {time}: the recording stands at {position}")
            for target in ("/robot1/odometry", "/robot1/sonars"):
                mine.append([float(value) for value in ask(client, target, 10)[1]])
                of_others.append([*second_client.ask(Message(target, 10)).data])
    if digest(mine) != digest(of_others):
        raise NotConformant(f"readings: expected SHA-256 {digest(of_others)}, got {digest(mine)}")
    words = client.asked("ask", written("/robot1/motors"), written(10), "", written_list((0.3, 0.0)))
    if words[:2] != ["refused", written(303)]:
        raise NotConformant(f"driving a recording: expected refused 303, got {' '.join(words)}")
