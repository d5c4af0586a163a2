"""What a foreign device must keep, and how it is told what it breaks."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from device_standins import rig_for

from coopsim.devices import checking
from coopsim.devices.checking import check_made, check_method, check_type, code_location
from coopsim.devices.sonars import Sonars
from coopsim.errors import PluginFailed
from coopsim.features.sensors.bumpers import Bumpers
from coopsim.interfaces import Command, Effect, Field, Interface, Parameter

GOOD = Command(10, "look", gives=(Field("far", "m"),))


class Still:
    """A device that does nothing."""

    interface = Interface("still", "Nothing.", (GOOD,), (Parameter("gain", float, 1.0),))

    def __init__(self, context) -> None:
        self.parameters = {"gain": np.ones(len(context.robots))}
        self.memory = {"seen": np.zeros((len(context.robots), 2))}
        self.counts: dict[str, int] = {}
        self.labels = ()

    def act(self, commands, bodies, wrench, dt) -> None: ...

    def sense(self, world, tick, out) -> None: ...

    def edit(self, row, command, data) -> None: ...

    def changed(self, row, name) -> None: ...


def still(commands=(GOOD,), parameters=()) -> type:
    return type("Other", (Still,), {"interface": Interface("other", "", commands, parameters)})


@pytest.mark.parametrize("kind", [Still, Sonars, Bumpers])
def test_a_device_that_keeps_the_contract_is_accepted(kind: type) -> None:
    check_type("it", kind)
    context = rig_for(kind, 3)
    check_made("it", kind(context), context)


def test_every_built_in_device_keeps_the_contract() -> None:
    """But for what the host answers by itself, as it does for cameras."""
    from coopsim import plugins

    for name in plugins.registered("devices"):
        kind = plugins.load("devices", name)
        commands = tuple(command for command in kind.interface.commands if command.effect is not Effect.SERVE)
        check_type(name, type(kind.__name__, (kind,), {"interface": replace(kind.interface, commands=commands)}))


@pytest.mark.parametrize(
    ("commands", "parameters", "words"),
    [
        ((Command(9, "look"),), (), "number of command look must be 10 or more"),
        ((GOOD, Command(10, "see")), (), "number of command see must be 10 or more and its own, got 10"),
        ((Command(10, "look"), Command(11, "look")), (), "the name 'look' is taken by command 10"),
        ((Command(10, "ping"),), (), "the name 'ping' is taken by a command of every module"),
        ((Command(10, "Look"),), (), "'Look' cannot be the name"),
        ((Command(10, "look", effect=Effect.SERVE),), (), "reads, sets or edits"),
        ((Command(10, "look", gives=(Field("far"),)),), (), 'far of command look has no unit; .*the unit "1"'),
        ((Command(10, "look", gives=(Field("far", "m", count=0),)),), (), "needs a fixed count, got 0"),
        ((Command(10, "go", takes=(Field("v", "m/s", count="n"),), effect=Effect.SET),), (), "needs a fixed count"),
        ((Command(10, "look", gives=("far",)),), (), "holds 'far', which is no Field"),
        ((Command(10, "close", takes=(Field("force", "N"),)),), (), "close takes values but reads.*effect=Effect.SET"),
        (("look",), (), "`commands` holds 'look', which is no Command"),
        ((), ("gain",), "`parameters` holds 'gain', which is no Parameter"),
        ((GOOD,), (Parameter("look", float, 1.0),), "the name 'look' is taken by command 10"),
        ((), (Parameter("gain", list, 1.0),), "parameter gain: unknown type list; use float, int or str"),
        ((), (Parameter("gain", float, 3.0, "1", 0.0, 1.0),), "the default is out of place: gain must lie within"),
        ((), (Parameter("gain", str, 3.0),), "the default is out of place: gain must be text"),
    ],
)
def test_a_wrong_interface_is_told_in_words(commands: tuple, parameters: tuple, words: str) -> None:
    with pytest.raises(PluginFailed, match=words):
        check_type("other", still(commands, parameters))


def test_what_is_no_device_at_all_is_refused() -> None:
    with pytest.raises(PluginFailed, match=r"expected a class with an `interface`, got <test"):
        check_type("it", Path(__file__) and type("Thing", (), {"__repr__": lambda _: "<test thing>"})())
    with pytest.raises(PluginFailed, match=r"test_checking\.py:\d+: device it: Bare needs `interface = Interface"):
        check_type("it", Bare)


class Bare:
    pass


class Narrow(Still):
    def sense(self, world, out) -> None: ...


def test_a_method_that_cannot_be_called_is_named_with_its_line() -> None:
    line = next(
        at for at, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "def sense(self, world, o" in text
    )
    with pytest.raises(
        PluginFailed, match=rf"test_checking\.py:{line}: device it: sense\(self, world, tick, out\) is call"
    ):
        check_type("it", Narrow)
    with pytest.raises(PluginFailed, match=r"device it: Bare has no method act\(self, commands, bodies, wrench, dt\)"):
        check_method("device it", Bare, Still, "act")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda it: it.parameters.clear(), r"`parameters` must have a column for each of \['gain'\], got \[\]"),
        (
            lambda it: it.parameters.update(gain=np.ones(1)),
            r"`parameters\['gain'\]` must be .* 2 robots, got float64 \(1,\)",
        ),
        (lambda it: it.parameters.update(gain=np.ones((2, 2))), r"got float64 \(2, 2\)"),
        (lambda it: it.parameters.update(gain=np.ones(2, np.float32)), r"an array of float64,.* got float32 \(2,\)"),
        (lambda it: it.memory.update(seen=[0, 0]), r"`memory\['seen'\]` must be .*, got \[0, 0\]"),
        (lambda it: it.memory.update(seen=np.zeros(2, bool)), r"float64 or int64 or uint64,.* got bool \(2,\)"),
        (lambda it: it.memory.update(seen=np.zeros(3)), r"got float64 \(3,\)"),
        (lambda it: setattr(it, "labels", ["red"]), r"`labels` must be a tuple of names, got \['red'\]"),
    ],
)
def test_arrays_of_another_shape_or_type_are_refused(change, words: str) -> None:
    context = rig_for(Still, 2)
    device = Still(context)
    change(device)
    with pytest.raises(PluginFailed, match=words):
        check_made("it", device, context)


def test_a_count_that_is_given_by_name_must_be_known() -> None:
    kind = still((Command(10, "look", gives=(Field("far", "m", count="many"),)),), (Parameter("gain", float, 1.0),))
    context = rig_for(kind, 2)
    with pytest.raises(PluginFailed, match=r"`counts` must say how many far there are: \{'many': ...\}, got \{\}"):
        check_made("it", kind(context), context)


def test_the_line_of_a_declaration_is_found_rather_than_of_a_use(tmp_path: Path) -> None:
    assert re.fullmatch(r".*test_checking\.py:\d+", code_location(Still, '"gain"'))
    first, second = (int(code_location(Still, near).rpartition(":")[2]) for near in ("", '"still"'))
    assert second == first + 3
    assert code_location(3) == ""
    assert not checking._names('x = robot.parameters["gain"]', '"gain"')
