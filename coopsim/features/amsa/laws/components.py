r"""`components`: leaves of a system of components drive robots from outside, through the modules of a run.

python -m coopsim.features.amsa.laws.components --robots rover --system challenge_physics --leaf MyFollowerController \\
    MyNormalizePower --input gpsPosXLeader leader.gps.x 10, ... --output motors.set_wheel_speeds left right 0.015
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from coopsim.client import Client, Module
from coopsim.errors import BadArgument, PluginFailed
from coopsim.features.amsa.components import System, SystemModel, load_system
from coopsim.features.amsa.components.bindings import Binding, binding, lines_of
from coopsim.features.amsa.laws.bound_modules import BoundModules
from coopsim.features.laws import options
from coopsim.features.laws.process import driving
from coopsim.interfaces import FileParameter, Parameter, Value, WordsParameter
from coopsim.suggest import hint, listed

# Parameters of leaves that step in a client: modules that others change, `/rover/MyFollowerController`.
_EVERY = 50
"""Ticks from one look at the parameters to the next."""


class LeafParameters:
    """Offers the parameters of leaves, or takes those of the modules of these names that a run has already.

    Args:
        sim: The run.
        robot: Under whose name.
        system: Whose leaves.
        leaves: Names of those that step here.
    """

    def __init__(self, sim: Client, robot: str, system: System, leaves: Sequence[str]) -> None:
        self._system, self._looked = system, -float(_EVERY)
        names = set(sim.names(f"/{robot}/"))
        self._modules: dict[str, tuple[Module, list[str]]] = {}
        for leaf in leaves:
            declared = [parameter.parameter for parameter in system.model.leaves[leaf].template.parameters]
            if declared:
                name = f"/{robot}/{leaf}"
                module = sim.module(name) if name in names else self._offer(sim, name, leaf, declared)
                self._modules[leaf] = module, [parameter.name for parameter in declared]

    def _offer(self, sim: Client, name: str, leaf: str, declared: Sequence[Parameter]) -> Module:
        now = [
            replace(parameter, default=_plain(self._system.parameter(leaf, parameter.name))) for parameter in declared
        ]
        return sim.offer(name, {}, now, summary=f"leaf {leaf} of {self._system.model.name}, in a program of its own")

    def renew(self, tick: float) -> None:
        """Take the values over that others have set, now and then."""
        if 0 <= tick - self._looked < _EVERY:
            return
        self._looked = tick
        for leaf, (module, names) in self._modules.items():
            for name in names:
                self._system.set_parameter(leaf, name, module.get_parameter(name))


def _plain(value: Value | bool) -> Value:
    return int(value) if isinstance(value, bool) else value


PARAMETERS: tuple[Parameter, ...] = (
    FileParameter("system", str, "challenge_physics", summary="a file .amsa, or the name of a built-in one"),
    WordsParameter("leaf", str, "", summary="names of the leaves that step here, default all"),
    WordsParameter("input", str, "", summary="DATA PATH [FACTOR], several with commas"),
    WordsParameter("output", str, "", summary="PATH DATA... [FACTOR], several with commas"),
    WordsParameter("set", str, "", summary="LEAF.NAME=VALUE, several with commas"),
    Parameter("seed", int, 0, low=0, summary="of the random numbers of all leaves"),
    Parameter("seconds", float, 0.0, "s", 0.0, 1e6, "how long, 0 = until the run ends"),
)
__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Leaves of a system of components drive robots from outside, through the modules of a run."
_SHORTEST = 0.001
"""Pause after a step in real time [s]: one that is late does not ask the servers without end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots by leaves; return the exit code: 0 = the time is over, or the run has ended."""
    chosen = options.parser("components", _SUMMARY, PARAMETERS).parse_args(arguments)
    return driving("components", chosen.endpoint, lambda sim: _drive(sim, chosen))


def _drive(sim: Client, chosen: argparse.Namespace) -> None:
    path = Path(chosen.law_system)
    model = load_system(path if path.suffix else chosen.law_system)
    inputs = [binding((words[1], words[0], *words[2:])) for words in _lines("input", chosen.law_input, 2)]
    drives = [binding(words) for words in _lines("output", chosen.law_output, 2)]
    if not drives:
        _say_idle(chosen.robots, model)
    system = System(model, seed=chosen.law_seed)
    for (text,) in _lines("set", chosen.law_set, 1):
        _set(system, text)
    system.initialize()
    stepped = chosen.law_leaf.split()
    system.hold(_held(model, stepped, inputs))
    leaves = stepped or list(model.leaves)
    with sim.stepper(chosen.robots) as stepper, BoundModules(sim, stepper, inputs, drives) as modules:
        _loop(sim, system, modules, LeafParameters(sim, chosen.robots[0], system, leaves), chosen.law_seconds)


def _say_idle(robots: Sequence[str], model: SystemModel) -> None:
    """Say that nothing is commanded: with the usual settings no data of the system go to a robot."""
    data = sorted({link.data for leaf in model.leaves.values() for link in leaf.writes})
    sys.stderr.write(
        f"{model.name} steps and drives nothing, so {listed(robots)} will not move: give output, "
        f"PATH DATA... [FACTOR], such as motors.set_velocity DATA DATA; its leaves write {listed(data)}\n"
    )
    sys.stderr.flush()


def _loop(sim: Client, system: System, modules: BoundModules, parameters: LeafParameters, seconds: float) -> None:
    """Read, step what is due, and command, again and again; in lockstep the reading waits for the tick."""
    begin, unit = None, float(system.unit)
    while True:
        given = modules.read()
        status = sim.clock.status()
        if begin is None or status.tick < begin:
            # the clock was set back: all begins anew
            begin = status.tick
            system.initialize()
            system.go_to(0)
        elapsed = (status.tick - begin) * status.step
        if 0.0 < seconds <= elapsed:
            return
        parameters.renew(status.tick)
        for name, value in given.items():
            system.newest[system.slot(name)] = value
        system.run_before(round(elapsed * 1e9) // round(unit * 1e9) + 1)
        for fault in system.faults:
            raise PluginFailed(str(fault))
        modules.command(system.values())
        if status.mode == "real-time":
            time.sleep(max(_SHORTEST, system.instant * unit - elapsed))


def _lines(name: str, text: str, least: int) -> list[list[str]]:
    """Return the words of each line of a parameter; commas stand between lines.

    Raises:
        BadArgument: One has too few.
    """
    lines = [[word for word, _ in line] for line in lines_of([text])]
    for line in lines:
        if len(line) < least:
            form = next(parameter.summary for parameter in PARAMETERS if parameter.name == name).partition(",")[0]
            raise BadArgument(f"{name}: expected {form}, got {' '.join(line)!r}").advise("")
    return lines


def _set(system: System, text: str) -> None:
    name, equals, value = text.partition("=")
    leaf, dot, parameter = name.partition(".")
    if not equals or not dot:
        raise BadArgument(f"expected LEAF.NAME=VALUE, got {text!r}")
    try:
        system.set_parameter(leaf, parameter, json.loads(value))
    except ValueError:
        system.set_parameter(leaf, parameter, value)


def _held(model: SystemModel, chosen: Sequence[str], inputs: Sequence[Binding]) -> set[str]:
    """Return the data that come from outside: those of inputs, and all that leaves write which do not step here.

    Raises:
        BadArgument: There is no such leaf, or data of a leaf that does not step here are read and have no input.
    """
    for name in chosen:
        if name not in model.leaves:
            raise BadArgument(f"no component {name!r}{hint(name, model.leaves)}; there are: {listed(model.leaves)}")
    given = {port.data[0] for port in inputs}
    foreign_data = {
        link.data for leaf in model.leaves.values() if chosen and leaf.name not in chosen for link in leaf.writes
    }
    for name in chosen:
        for link in model.leaves[name].reads:
            if link.data in foreign_data - given:
                raise BadArgument(f"{name} reads {link.data}, which no leaf here writes: add --input {link.data} PATH")
    return given | foreign_data


if __name__ == "__main__":
    sys.exit(main())
