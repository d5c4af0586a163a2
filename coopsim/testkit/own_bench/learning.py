"""`coopsim bench learning`: many worlds in one process, beside what learners use elsewhere."""

import json
import os
import subprocess
import sys
from typing import Any

import click

from coopsim.features.files.figures import at_least, at_most, show
from coopsim.interpreter import module_command

SHARE_OF_CROWD, MILLION = 0.9, 1e6
"""Least share of the robot-steps of one world of 1000 robots."""
TWO_CORES = 1.6
STEP, RESET = 20.0, 50.0  # us
KILOBYTES = 20.0
"""Of a world: 4 of arrays, 6 of pools, 2 of contacts once something touched, and 8 of Chipmunk's bodies and shapes.

What all worlds share is not counted."""
VMAS = {"64 1": 15.0, "8192 1": 6.0, "64 10": 1.0, "8192 10": 1.0}
"""Least times the agent-steps of VMAS, by worlds and ticks of an action; ten ticks are the 0.1 s of its step."""
MPE = 100.0
_PEERS = "COOPSIM_PEERS_PYTHON"
"""Environment variable with the Python of the peers, for programs that run all benchmarks."""

_ENVIRONMENT = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_VMAS = """
import json, time, torch
from vmas import make_env
torch.set_num_threads(1)
rates = {}
for count, steps in ((64, 60), (8192, 4)):
    env = make_env("navigation", num_envs=count, device="cpu", continuous_actions=True, n_agents=4, n_lidar_rays=12)
    env.reset()
    actions = [torch.full((count, 2), 0.5) for _ in range(4)]
    env.step(actions)
    times = []
    for _ in range(3):
        begun = time.process_time()
        for _ in range(steps):
            env.step(actions)
        times.append(time.process_time() - begun)
    rates[str(count)] = 4 * count * steps / min(times)
print(json.dumps(rates))
"""
_MPE = """
import json, time, numpy
try:
    from mpe2 import simple_spread_v3
except ImportError:
    from pettingzoo.mpe import simple_spread_v3
env = simple_spread_v3.parallel_env(N=4, max_cycles=10 ** 9, continuous_actions=True)
env.reset(seed=0)
actions = {agent: numpy.zeros(5, numpy.float32) for agent in env.agents}
times = []
for _ in range(3):
    begun = time.process_time()
    for _ in range(200):
        env.step(actions)
    times.append(time.process_time() - begun)
print(json.dumps({"1": 4 * 200 / min(times)}))
"""


@click.command()
@click.option(
    "--peers",
    metavar="PYTHON",
    default="",
    envvar=_PEERS,
    help="Python that has VMAS and mpe2, if not this one; or set COOPSIM_PEERS_PYTHON.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def learning(peers: str, as_json: bool) -> None:
    """Measure batches of worlds of four robots with 11 rays each, in CPU time of one core.

    Peers take turns with it: VMAS `navigation` with 12 rays, PettingZoo-MPE `simple_spread`; four agents, one thread.
    An agent-step gives observations, rewards and ends; in VMAS it is 0.1 s, here one tick of 10 ms, or ten. Agents of
    VMAS meet nobody, so robots here turn where they stand; rows with "pressing" have them drive against walls and each
    other. The batch and the crowd of 1000 avoid each other by one law.
    """
    rows = _own_rows()
    python = peers or sys.executable
    vmas, rates, mpe = _peer(python, _VMAS), _measured("learners"), _peer(python, _MPE)
    for case, bound in VMAS.items():
        count, ticks = case.split()
        name, rate = f"VMAS, {count} worlds, {ticks} ticks an action", None if vmas is None else vmas[count]
        rows.append(_beside(name, rates[f"{case} free"], rate, bound))
        rows.append(_beside(f"{name}, pressing", rates[f"{case} pressing"], rate))
    rows.append(_beside("PettingZoo-MPE, 64 worlds", rates["64 1 free"], None if mpe is None else mpe["1"], MPE))
    show(rows, as_json=as_json)


def _own_rows() -> list[dict[str, Any]]:
    costs = _measured("ours")
    ratio = round(costs["rate"] / costs["crowd"], 3)
    speed = {
        "case": "256 worlds of 4, beside one of 1000",
        "unit": "M robot-steps/s",
        "value": round(costs["rate"] / MILLION, 3),
        "raw": round(costs["crowd"] / MILLION, 3),
        "ratio": ratio,
        "bound": SHARE_OF_CROWD,
        "ok": ratio >= SHARE_OF_CROWD,
    }
    rows = [speed]
    for name, words in (("seldom", "ten ticks an action"), ("pressing", "pressing against walls")):
        value = round(costs[name] / MILLION, 3)
        rows.append({"case": f"256 worlds of 4, {words}", "unit": "M robot-steps/s", "value": value})
    if (os.cpu_count() or 1) > 1:
        rows.append(at_least("two cores, real time", "x", _measured("two_cores")["ratio"], TWO_CORES))
    rows.append(at_most("a call of step, without its tick", "us", MILLION * costs["step"], STEP))
    rows.append(at_most("reset of 1 world in 256", "us", MILLION * costs["reset"], RESET))
    memory = _measured("memory")
    rows.append(at_most("memory of a world", "kB", memory["kilobytes"], KILOBYTES))
    rows.append(at_most("memory of a world, pressing", "kB", memory["pressing"], KILOBYTES))
    return rows


def _beside(case: str, rate: float, peer: float | None, bound: float | None = None) -> dict[str, Any]:
    """Return a row of agent-steps beside those of a peer; without it the row says so."""
    row: dict[str, Any] = {"case": case, "unit": "M agent-steps/s", "value": round(rate / MILLION, 3)}
    if peer is None:
        return {**row, "raw": "not installed"}
    ratio = round(rate / peer, 2)
    row |= {"raw": round(peer / MILLION, 4), "ratio": ratio}
    return row if bound is None else {**row, "bound": bound, "ok": ratio >= bound}


def _measured(name: str) -> dict[str, float]:
    """Return what a measuring process of its own printed."""
    arguments = module_command("coopsim.testkit.own_bench.measuring.many_worlds", name)
    done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, **_ENVIRONMENT}, check=False)
    if done.returncode:
        raise click.ClickException(f"the measuring process failed:\n{done.stderr[-2000:]}")
    rates: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return rates


def _peer(python: str, program: str) -> dict[str, float] | None:
    """Return agent-steps a second of a peer, None where it is not installed."""
    try:
        done = subprocess.run(
            [python, "-c", program], capture_output=True, text=True, env={**os.environ, **_ENVIRONMENT}, check=False
        )
    except OSError as problem:
        raise click.ClickException(f"{python} cannot be run: {problem.strerror}; expected a Python") from None
    if done.returncode and "ModuleNotFoundError" in done.stderr:
        return None
    if done.returncode:
        raise click.ClickException(f"the peer failed:\n{done.stderr[-2000:]}")
    rates: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return rates
