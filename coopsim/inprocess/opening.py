"""A scenario as a client of it in this process: the shortest way to drive robots from Python."""

from collections.abc import Sequence
from pathlib import Path

from coopsim import client
from coopsim.inprocess.server import LocalServer
from coopsim.plugins import add
from coopsim.robots import load
from coopsim.simulation import Simulation


def open_scenario(
    scenario: str | Path,
    *,
    engine: str | None = None,
    seed: int | None = None,
    step: float | None = None,
    duration: float | None = None,
    plugins: Sequence[str | Path] = (),
    timeout: float | None = None,
) -> client.Client:
    """Return a client of a scenario that is simulated in this process: no ports, no other processes.

    Time passes as in lockstep: a tick is done as soon as every robot with an owner was commanded, so a loop runs as
    fast as this machine can. Robots stand still until they are commanded; controllers of the scenario are not started.

    Args:
        scenario: A path, or the bare name of a built-in scenario (`single`).
        engine: Name of a registered physics engine, instead of the scenario's.
        seed: Seed of all noise, instead of the scenario's.
        step: Simulated seconds per tick, instead of the scenario's.
        duration: Simulated time after which the run ends [s]; None = never.
        plugins: Python files and `.robot` files with devices, engines and robot types that the scenario needs.
        timeout: Time that a request waits for its reply when it does not say itself [s]; None = as usual.

    Raises:
        NoSuchFile: There is no such scenario, world or plugin.
        BadFile: It has mistakes; the error carries all of them.
        PluginFailed: The plugin, or a device of it, cannot be made.
        EngineCannot: The engine cannot represent the scene.
    """
    for file in plugins:
        add(file)
    simulation = Simulation(load(scenario), engine=engine, seed=seed, step=step)
    return LocalServer(simulation, duration=duration).connect(timeout=timeout)
