"""`python -m coopsim.testkit.driving`: a controller that drives robots, and stops sending commands on request.

It says `driving` after its first step, `silent` before it falls silent, and `did N steps ...` in the end.
"""

import sys
from collections.abc import Callable

import click
import xxhash

from coopsim.client import Client, Robot, connect
from coopsim.errors import CoopsimError, Evicted, Late, SimulationEnded

_LAWS = ("batched", "per-robot", "naive")
_INFINITY = float("inf")


@click.command()
@click.argument("endpoint")
@click.argument("robots", nargs=-1, required=True)
@click.option("--how", type=click.Choice(_LAWS), default="batched", help="One message for all, one each, or three.")
@click.option("--steps", type=click.IntRange(1), help="Number of steps after which it ends.")
@click.option("--silent-after", type=click.IntRange(1), help="Number of steps after which it loops without a command.")
def main(endpoint: str, robots: tuple[str, ...], how: str, steps: int | None, silent_after: int | None) -> None:
    """Drive ROBOTS of the simulation at ENDPOINT."""
    seen = xxhash.xxh3_128()
    with connect(endpoint, timeout=20.0) as simulation:
        step = _steps(simulation, robots, how, seen)
        done = 0
        try:
            while done != steps:
                step()
                done += 1
                if done == 1:
                    click.echo("driving")
                if done == silent_after:
                    click.echo("silent")
                    while True:
                        pass
        except SimulationEnded:
            pass
    click.echo(f"did {done} steps and saw {seen.hexdigest()}")


def _steps(simulation: Client, robots: tuple[str, ...], how: str, seen: xxhash.xxh3_128) -> Callable[[], None]:
    """Return what makes one step of all robots, and adds what they saw to `seen`."""
    if how == "naive":
        simulation.module("/sim/step").call("claim", list(robots))
        return _naive([simulation.robot(robot) for robot in robots], seen)
    groups = [robots] if how == "batched" else [(robot,) for robot in robots]
    steppers = [simulation.stepper(group, timeout=_INFINITY) for group in groups]

    def step() -> None:
        for stepper in steppers:
            ranges = stepper.readings.sonars.ranges
            seen.update(ranges.tobytes())
            commands = [_law(float(row.min()), float(row[0])) for row in ranges.reshape(len(stepper.robots), -1)]
            try:
                stepper.step(commands)
            except Late:
                pass  # the others went on without us: the next step is the next one
            except Evicted:
                stepper.claim()

    return step


def _naive(robots: list[Robot], seen: xxhash.xxh3_128) -> Callable[[], None]:
    def step() -> None:
        looks = []
        for robot in robots:
            ranges, state = robot.sonars.ranges().ranges, robot.motors.state()
            seen.update(ranges.tobytes() + repr(tuple(state)).encode())
            looks.append((float(ranges.min()), float(ranges[0])))
        for robot, look in zip(robots, looks, strict=True):
            robot.motors.set_velocity(*_law(*look))

    return step


def _law(nearest: float, right: float) -> tuple[float, float]:
    """Return v and w: forward, slower near things, away from what is to the right [m/s, rad/s]."""
    return 0.1 + 0.1 * nearest, 0.8 if nearest < 0.7 else 0.2 * right


if __name__ == "__main__":
    try:
        main()
    except CoopsimError as problem:
        sys.exit(str(problem))
