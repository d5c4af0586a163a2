"""Layouts of recordings of before: what programs read of their siblings since then is no difference."""

import json
from dataclasses import replace

from coopsim.features.proof.checked import _layout_facts
from coopsim.interfaces import Field, Input, Interface, Output
from coopsim.replay.plainly import fork
from coopsim.state import Layout
from coopsim.state.layout import ModuleLayout, TypeLayout
from coopsim.state.layout_json import layout_to_json

PROGRAM = Interface(
    "program",
    "Drives.",
    inputs=(Input("position", "pose"), Input("places", "neighbours", is_needed=False)),
    outputs=(Output("motors", "motors", ("set_velocity",)),),
    signals=(Field("moved", "m"),),
)


def layout(interface: Interface) -> Layout:
    module = ModuleLayout("program", interface, {}, (), -1, 0, 0, paces=False)
    return Layout(1, (TypeLayout("rover", (module,), 0, 0),), (), ())


def facts(interface: Interface) -> dict[str, object]:
    return _layout_facts(layout(interface))


def test_a_program_may_read_more_of_its_siblings_than_before() -> None:
    more = replace(
        PROGRAM,
        inputs=(PROGRAM.inputs[0], Input("velocity", "pose"), PROGRAM.inputs[1]),
        outputs=(*PROGRAM.outputs, Output("omni", "motors", kinds="omni_drive")),
        signals=(Field("arm", "m"), *PROGRAM.signals),
    )
    assert fork(facts(PROGRAM), facts(more), is_open=True) is None
    difference = fork(facts(more), facts(PROGRAM), is_open=True)
    assert difference is not None  # what was read then must be read still


def test_another_source_of_an_input_is_a_difference() -> None:
    rewired = replace(PROGRAM, inputs=(Input("position", "odometry"), PROGRAM.inputs[1]))
    difference = fork(facts(PROGRAM), facts(rewired), is_open=True)
    assert difference is not None
    assert "position" in difference.where


def test_ports_for_all_kinds_are_written_as_before() -> None:
    assert "kinds" not in json.dumps(json.loads(layout_to_json(layout(PROGRAM))))
