"""Items of AMSA on models, their text and their parameters; the names of the tests say which."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from coopsim.errors import BadFile
from coopsim.features.amsa.component_graph import component_graph
from coopsim.features.amsa.components import (
    Behavior,
    Composite,
    Leaf,
    LeafKind,
    System,
    SystemModel,
    Template,
    load_scenario,
    load_system,
)
from coopsim.features.amsa.components.draft import SystemDraft
from coopsim.features.amsa.components.files import BUILT_IN, mistakes, mistakes_in
from coopsim.features.amsa.components.formatting import formatted
from coopsim.features.amsa.components.model import DEFAULT_RATE
from coopsim.features.amsa.components.scenario import steps_of
from coopsim.features.amsa.components.trial import play
from coopsim.features.amsa.components.xmi import import_xmi
from coopsim.features.studies.best import best_values
from coopsim.features.studies.job import run_task
from coopsim.features.studies.study import StudyOptions, plan
from coopsim.inprocess import connect
from coopsim.robots import load
from coopsim.simulation import Simulation

CHALLENGE = load_system("challenge")
PAIR = """Template Source { output out } Template Copy { input in1 output out }
System pair { sensor a : Source @ 2 Hz { out -> x; }
composite inner { control b : Copy @ 4 Hz { in1 <- x; out -> y; } } }"""
XMI = """<?xml version="1.0" encoding="UTF-8"?>
<AMSA:AMSAFramework xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:AMSA="http://x/AMSA" instancesCount="4">
  <rootComponent name="rovers">
    <data name="power" source="//@rootComponent/@components.1/@outputs.0"/>
    <components xsi:type="AMSA:LeafComponent" name="Normalize" freq="4.0">
      <inputs name="power" source="//@rootComponent/@data.0"/>
      <leafTemplate href="rovers.amsatemplate#Power"/>
      <parameters name="powerMin" value="-100.0"/>
      <parameters name="powerMax" value="100.0"/>
      <parameters name="motorCoef" value="0.0"/>
      <parameters name="Kv" value=""/>
      <interfacesProvided><interface href="rovers.amsainterface#Brake"/></interfacesProvided>
    </components>
    <components xsi:type="AMSA:CompositeComponent" name="law">
      <outputs xsi:type="AMSA:CompositePort" name="power"
          source="//@rootComponent/@components.1/@components.0/@outputs.0"/>
      <interfacesRequired link="//@rootComponent/@components.0/@interfacesProvided.0">
        <interface href="rovers.amsainterface#Brake"/>
      </interfacesRequired>
      <components xsi:type="AMSA:LeafComponent" name="Law">
        <outputs name="power"/>
        <leafTemplate href="rovers.amsatemplate#Law"/>
        <parameters name="behavior"/>
      </components>
    </components>
  </rootComponent>
  <templatesContainers href="rovers.amsatemplate#/"/>
</AMSA:AMSAFramework>
"""
TEMPLATES = """Template Power { input power parameter { double powerMin; double powerMax; int motorCoef; double Kv; } }
Template Law { output power parameter { int behavior; } }"""


def model_of(text: str) -> SystemModel:
    document, problems = mistakes_in(text, Path("text.amsa"))
    problems.raise_any()
    return next(iter(document.systems.values()))


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> SystemModel:
    folder = tmp_path_factory.mktemp("xmi")
    (folder / "rovers.amsatemplate").write_text(TEMPLATES, encoding="utf-8")
    (folder / "rovers.amsacore").write_text(XMI, encoding="utf-8")
    kinds = {"Power": LeafKind.ACTUATOR, "Law": LeafKind.CONTROL}
    (folder / "rovers.amsa").write_text(import_xmi(folder / "rovers.amsacore", kinds).text, encoding="utf-8")
    return load_system(folder / "rovers.amsa")


def test_a_2_everything_is_a_composite_or_a_leaf_and_the_root_is_the_system() -> None:
    model = model_of(PAIR)
    assert isinstance(model.root, Composite)
    assert [type(part) for part in model.root.parts] == [Leaf, Composite]
    assert [leaf.name for leaf in model.root.leaves()] == ["a", "b"]
    assert model.name == model.root.name == "pair"


def test_a_4_parameters_are_changed_by_a_person_by_a_scenario_and_by_exploration() -> None:
    with connect(Simulation(load("challenge_physics"))) as sim:
        law = sim.module("/rover/MyFollowerController")
        law.set_parameter("Kv", 0.2)
        assert law.get_parameter("Kv") == 0.2
    system = System(CHALLENGE)
    for leaf, name, value in steps_of(load_scenario("scenario2"), CHALLENGE)[0].settings:
        system.set_parameter(leaf, name, value)
    assert system.parameter("MyFollowerController", "Kv") == 0.35
    study = plan("challenge", ("FollowerController.Kv=0.1,0.3",), StudyOptions(duration=5.0))
    assert [task.values["FollowerController.Kv"] for task in study.tasks] == ["0.1", "0.3"]


def test_a_5_a_7_leaves_communicate_by_data_alone() -> None:
    seen: list[float] = []

    class Source(Behavior):
        def do_step(self, _inputs: Any, _parameters: Any) -> float:
            return 7.0

    def copy(inputs: Any, _: Any) -> float:
        seen.append(inputs.in1)
        return float(inputs.in1) + 1.0

    system = System(model_of(PAIR), behaviors={"Source": Source, "Copy": copy})
    system.initialize()
    system.step()
    assert seen == [7.0]
    assert system.values() == {"x": 7.0, "y": 8.0}  # each has a place of its own


def test_a_8_a_composite_exists_once_and_is_no_template() -> None:
    twice = PAIR.replace("composite inner {", "composite inner { } composite inner {")
    with pytest.raises(BadFile, match="two components are called 'inner'"):
        model_of(twice)
    with pytest.raises(BadFile, match="unknown template 'inner'"):
        model_of(PAIR.replace("a : Source", "a : inner"))


def test_a_11_every_leaf_is_initialised_before_its_first_step() -> None:
    done: list[str] = []

    class Noting(Behavior):
        def initialize(self) -> None:
            done.append(f"initialize {self.name}")

        def do_step(self, _inputs: Any, _parameters: Any) -> float:
            done.append(f"step {self.name}")
            return 0.0

    system = System(model_of(PAIR), behaviors={"Source": Noting, "Copy": Noting})
    system.initialize()
    system.step()
    assert done == ["initialize a", "initialize b", "step a", "step b"]


def test_a_10_leaves_of_one_template_begin_with_the_values_that_each_is_given() -> None:
    text = """Template Source { output out parameter { double gain = 1.0; } }
System pair { sensor a : Source @ 2 Hz { out -> x; gain = 3.0; } sensor b : Source @ 2 Hz { out -> y; } }"""
    system = System(model_of(text), behaviors={"Source": lambda _, parameters: parameters.gain})
    system.initialize()
    system.step()
    assert (system.value("x"), system.value("y")) == (3.0, 1.0)


def test_a_25_a_leaf_of_which_nothing_is_said_steps_ten_times_a_second(imported: SystemModel) -> None:
    assert model_of(PAIR.replace("@ 2 Hz ", "")).leaves["a"].rate == 10
    assert Leaf("a", Template("Source"), LeafKind.SENSOR).rate == 10
    assert imported.leaves["Law"].rate == 10


def test_a_13_inputs_are_read_at_the_beginning_and_outputs_written_at_the_end_of_a_step() -> None:
    during: list[tuple[float, float]] = []

    class Source(Behavior):
        def do_step(self, _inputs: Any, _parameters: Any) -> float:
            system.newest[system.slot("y")] = 99.0  # what another leaf might do meanwhile
            during.append((float(system.value("x")), float(system.value("y"))))
            return 1.0

    class Copy(Behavior):
        def do_step(self, inputs: Any, _: Any) -> float:
            before = inputs.in1
            system.newest[system.slot("x")] = -5.0
            assert inputs.in1 == before
            return float(inputs.in1)

    system = System(model_of(PAIR), behaviors={"Source": Source, "Copy": Copy})
    system.initialize()
    system.step()
    assert system.faults == []
    assert during == [(0.0, 99.0)]  # its own output is not there before its step ends
    assert system.value("y") == 1.0


def test_a_19_a_scenario_is_a_sequence_of_settings_in_time() -> None:
    steps = steps_of(load_scenario("scenario1"), CHALLENGE)
    assert [float(step.at) for step in steps] == [0.0, 200.0, 400.0, 600.0]
    assert all(step.settings for step in steps)
    system = System(CHALLENGE)
    system.initialize()
    play(system, steps, Fraction(201))
    assert (system.parameter("MyFollowerController", "Kv"), system.parameter("Leader", "behavior")) == (0.15, 3)
    text = "Scenario s { ParamEvent at 5 on Leader { scenarioNode.Kv = 1; } ParamEvent at 2 on Leader { reset(); } }"
    document, problems = mistakes_in(text, Path("s.amsascenario"))
    problems.raise_any()
    with pytest.raises(BadFile, match="time goes backwards: 2 s comes behind 5 s"):
        steps_of(document.scenarios["s"], CHALLENGE)


def test_a_20_a_21_a_85_each_context_gets_the_control_law_of_best_quality() -> None:
    settings = ("FollowerController.Kv=0.05,0.35", "NormalizePower.motorCoef=60,100")
    study = plan("challenge", settings, StudyOptions(duration=60.0, seeds=(3,)))
    rows = [run_task(study.job, task) for task in study.tasks]
    assert len(rows) == 4  # every combination
    winners = best_values(rows, study.best, study.laws)
    assert [(winner.context["NormalizePower.motorCoef"], winner.by.metric) for winner in winners] == [
        (share, metric) for share in ("60", "100") for metric in ("max_distance", "rms_error")
    ]
    for chosen in winners:  # no other gain of the context has a smaller one
        values = {"NormalizePower.motorCoef": chosen.context["NormalizePower.motorCoef"]}
        rivals = [row for row in rows if values.items() <= row["values"].items()]
        least = min(rivals, key=lambda row: row["metrics"][chosen.by.metric])
        assert chosen.values == {"FollowerController.Kv": least["values"]["FollowerController.Kv"]}
        assert len(rivals) == 2


def ports_of(template: Template) -> list[tuple[str, str]]:
    return [(port.name, port.type) for port in (*template.inputs, *template.outputs, *template.parameters)]


def test_a_22_templates_instances_and_scenarios_have_their_tools(tmp_path: Path) -> None:
    for file in sorted(BUILT_IN.glob("challenge*.amsatemplate")):
        text = file.read_text(encoding="utf-8")
        assert formatted(text) == text  # the editor of templates: layout, mistakes with their places
        crowded = re.sub(r"\s+", " ", re.sub(r"//[^\n]*", "", text))
        assert formatted(crowded) != crowded
        same = [mistakes_in(source, file)[0].templates for source in (crowded, formatted(crowded), text)]
        assert [list(templates) for templates in same] == [list(same[2])] * 3
        for named in same:
            assert [ports_of(template) for template in named.values()] == [
                ports_of(template_) for template_ in same[2].values()
            ]
    bad = tmp_path / "bad.amsatemplate"
    bad.write_text("Template T {\n  inptu a\n}", encoding="utf-8")
    assert ":2:3:" in str(mistakes(bad)[1])
    drawn = component_graph(CHALLENGE)
    assert all(leaf in drawn for leaf in CHALLENGE.leaves)
    file = tmp_path / "pair.amsa"
    file.write_text(PAIR, encoding="utf-8")
    draft = SystemDraft(file)  # the editor of instances and links
    draft.add("c", "Copy", LeafKind.OBSERVER, Fraction(5))
    draft.connect("a", "out", "c", "in1")
    draft.save()
    assert [link.data for link in load_system(file).leaves["c"].reads] == ["x"]
    scenario = tmp_path / "s.amsascenario"
    scenario.write_text("Scenario s { ParamEvent at x on n { } }", encoding="utf-8")
    assert "expected a time in seconds" in str(mistakes(scenario)[1])


def test_a_26_priority_is_0_and_scheduling_automatic_where_nothing_is_said() -> None:
    model = model_of(PAIR)
    assert [leaf.priority for leaf in model.root.leaves()] == [0, 0]
    assert all(composite.auto_scheduling and composite.priority == 0 for composite in model.root.composites())
    assert model_of(PAIR.replace("{ in1", "{ priority 3; in1")).leaves["b"].priority == 3
    assert not model_of(PAIR.replace("pair {", "pair { auto_scheduling no;")).root.auto_scheduling


def test_a_27_components_provide_and_require_interfaces_and_ports_of_composites_go_both_ways(
    imported: SystemModel,
) -> None:
    law = next(composite for composite in imported.root.composites() if composite.name == "law")
    assert [interface.name for interface in imported.leaves["Normalize"].provides] == ["Brake"]
    assert [(interface.name, interface.provider) for interface in law.requires] == [("Brake", "Normalize")]
    assert imported.producers()["power"][0].name == "Law"  # through the port of its composite
    assert [link.data for link in imported.leaves["Normalize"].reads] == ["power"]
    for wrong, said in (
        ("Brakes from a", "a provides Brake"),
        ("Brake from c", "requires Brake from 'c', no component"),
    ):
        text = PAIR.replace("out -> x;", "out -> x; provides Brake;").replace("in1 <-", f"requires {wrong}; in1 <-")
        with pytest.raises(BadFile, match=said):
            model_of(text)


def test_a_29_a_template_is_written_as_the_paper_writes_it() -> None:
    text = "Template NAME { input a, b  output c  parameter { int p; double q; } }"
    document, problems = mistakes_in(text, Path("t.amsatemplate"))
    assert not problems.total
    template = document.templates["NAME"]
    assert [port.name for port in (*template.inputs, *template.outputs)] == ["a", "b", "c"]
    assert [(parameter.name, parameter.type) for parameter in template.parameters] == [("p", "int"), ("q", "double")]


def test_a_31_a_92_values_as_the_authors_wrote_them_are_taken(imported: SystemModel) -> None:
    system = System(imported, behaviors={"Power": lambda *_: None, "Law": lambda *_: 1.0})
    values = [system.parameter("Normalize", name) for name in ("powerMin", "powerMax", "motorCoef", "Kv")]
    assert values == [-100.0, 100.0, 0, 0.0]  # an int that is written 0.0; an empty text, which leaves the default
    assert type(values[2]) is int
    assert system.parameter("Law", "behavior") == 0
    assert imported.leaves["Law"].rate == DEFAULT_RATE
    still = System(CHALLENGE)
    still.set_parameter("MyNormalizePower", "motorCoef", 0)
    still.initialize()
    still.run_until(20)
    assert still.value("posXFollower") == 0.0  # until a scenario gives it power


def test_a_32_names_are_those_of_the_repository_and_the_monitor_is_a_sensor() -> None:
    assert CHALLENGE.leaves["MyNormalizePower"].kind is LeafKind.ACTUATOR
    assert CHALLENGE.leaves["MyDistanceMonitor"].kind is LeafKind.SENSOR
