"""Models of AMSA's own editor, written here in its format."""

from pathlib import Path

import pytest

from coopsim.app.main import run
from coopsim.errors import BadFile, NoSuchFile
from coopsim.features.amsa.components import execution_order, load_system
from coopsim.features.amsa.components.kinds import LeafKind
from coopsim.features.amsa.components.xmi import import_xmi

MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<AMSA:AMSAFramework xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:AMSA="http://x/AMSA" instancesCount="7">
  <rootComponent name="tank">
    <data name="level" source="//@rootComponent/@components.0/@outputs.0"/>
    <data name="flow" source="//@rootComponent/@components.1/@outputs.0"/>
    <components xsi:type="AMSA:LeafComponent" name="vessel" freq="4.0" schedulingPriority="2">
      <outputs name="level"/>
      <inputs name="inflow" source="//@rootComponent/@data.1"/>
      <leafTemplate href="tank.amsatemplate#Vessel"/>
      <parameters name="area" value="2.0"/>
      <parameters name="start"/>
      <interfacesProvided>
        <interface href="tank.amsainterface#Emptying"/>
      </interfacesProvided>
    </components>
    <components xsi:type="AMSA:CompositeComponent" name="inner" autoScheduling="false">
      <outputs xsi:type="AMSA:CompositePort" name="flow"
          source="//@rootComponent/@components.1/@components.0/@outputs.0"/>
      <inputs xsi:type="AMSA:CompositePort" name="level" source="//@rootComponent/@data.0"/>
      <interfacesRequired link="//@rootComponent/@components.0/@interfacesProvided.0">
        <interface href="tank.amsainterface#Emptying"/>
      </interfacesRequired>
      <interfacesRequired>
        <interface href="tank.amsainterface#Alarm"/>
      </interfacesRequired>
      <components xsi:type="AMSA:LeafComponent" name="weather">
        <outputs name="flow"/>
        <inputs name="level" source="//@rootComponent/@components.1/@inputs.0"/>
        <leafTemplate href="tank.amsatemplate#Weather"/>
      </components>
    </components>
  </rootComponent>
  <templatesContainers href="tank.amsatemplate#/"/>
</AMSA:AMSAFramework>
"""
TEMPLATES = """Template Vessel { input inflow output level parameter { double area = 1; double start = 3; } }
Template Weather { input level output flow }"""
KINDS = {"Vessel": LeafKind.CONTROLLED, "weather": LeafKind.ENVIRONMENT}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "tank.amsatemplate").write_text(TEMPLATES)
    file = tmp_path / "tank.amsacore"
    file.write_text(MODEL)
    return file


def changed(file: Path, old: str, new: str) -> Path:
    assert old in MODEL
    file.write_text(MODEL.replace(old, new, 1))
    return file


def test_leaves_data_values_composites_and_priorities_are_taken_over(model: Path) -> None:
    imported = import_xmi(model, KINDS)
    text = model.with_suffix(".amsa")
    text.write_text(imported.text)
    system = load_system(text)
    vessel, weather = system.leaves["vessel"], system.leaves["weather"]
    assert (vessel.rate, vessel.priority, weather.rate) == (4, 2, 10)
    assert [(setting.name, setting.value) for setting in vessel.settings] == [("area", 2.0)]
    assert {name: leaf.name for name, (leaf, _) in system.producers().items()} == {"level": "vessel", "flow": "weather"}
    assert [link.data for link in (*vessel.reads, *weather.reads)] == ["flow", "level"]
    assert [composite.auto_scheduling for composite in system.root.composites()] == [True, False]
    assert [leaf.name for leaf in execution_order(system)] == ["vessel", "weather"]
    assert imported.notes == [
        "instancesCount says 7, and there are 3 components besides the root",
        "vessel.start has no value: the default of the template holds",
        "inner requires Alarm, and the file says of nobody",
    ]
    inner = next(composite for composite in system.root.composites() if composite.name == "inner")
    assert [interface.name for interface in vessel.provides] == ["Emptying"]
    assert [(interface.name, interface.provider) for interface in inner.requires] == [
        ("Emptying", "vessel"),
        ("Alarm", ""),
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("</AMSA:AMSAFramework>", "", "tank.amsacore:36:1: no complete XML: no element found"),
        ("<rootComponent", "<root", "no complete XML: mismatched tag"),
        ("@components.0/@outputs.0", "@components.0/@outputs.7", "5:5: data 'level' refers to '//@rootComponent/"),
        (' source="//@rootComponent/@data.1"', "", "9:7: inputs 'inflow' has no source"),
        ("tank.amsatemplate#Vessel", "tank.amsatemplate", "7:5: vessel has no template by name, got ''"),
        ('<data name="level"', "<data", "5:5: data needs a name, got ''"),
        ("AMSA:CompositeComponent", "AMSA:Other", "17:5: expected a LeafComponent or CompositeComponent, got 'Other'"),
        ("@interfacesProvided.0", "@outputs.0", "21:7: interfacesRequired Emptying refers to '//@rootComponent/"),
        ("tank.amsainterface#Alarm", "//@interfaces.0", "24:7: interfacesRequired has no interface by name, got '//@i"),
        (
            "</rootComponent>",
            "<a>" * 3000 + "</a>" * 3000 + "</rootComponent>",
            "more than 64 elements are in each other",
        ),
        ("<AMSA:AMSA", '<!DOCTYPE x [<!ENTITY a "b">]><AMSA:AMSA', "no document type and no entities"),
    ],
)
def test_what_is_missing_is_named_with_its_place(model: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(BadFile) as caught:
        import_xmi(changed(model, old, new), KINDS)
    assert said in str(caught.value)


def test_kinds_are_never_guessed(model: Path) -> None:
    with pytest.raises(BadFile, match=r"7:5: the file says no kind of vessel; say --kind vessel=KIND or Vessel=KIND"):
        import_xmi(model, {"weather": LeafKind.ENVIRONMENT})
    with pytest.raises(NoSuchFile):
        import_xmi(model.parent / "none.amsacore", KINDS)


def test_the_command_writes_a_file_that_runs(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    out = str(model.with_suffix(".amsa"))
    words = ["components", "import", str(model), "-o", out]
    assert run([*words, "--kind", "Vessel=controlled", "--kind", "Weather=enviroment"]) == 2
    assert "did you mean 'environment'?" in capsys.readouterr().err
    assert run([*words, "--kind", "Vessel=controlled", "--kind", "Weather=environment"]) == 0
    assert run(["components", "check", out]) == 0


def test_a_file_in_another_folder_finds_its_templates(
    model: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    (tmp_path / "far" / "away").mkdir(parents=True)
    out = tmp_path / "far" / "away" / "tank.amsa"
    kinds = ["--kind", "Vessel=controlled", "--kind", "Weather=environment"]
    assert run(["components", "import", str(model), "-o", str(out), *kinds]) == 0
    assert 'templates "../../tank.amsatemplate";' in out.read_text(encoding="utf-8")
    assert list(load_system(out).leaves) == ["vessel", "weather"]
    assert run(["components", "import", str(model), "-o", str(out), *kinds, "--kind", "Vesel=sensor"]) == 1
    assert "--kind Vesel: no component and no template is called so; did you mean 'vessel'?" in (
        said := capsys.readouterr().err
    )
    assert "coopsim check" not in said  # which does not read such files


def test_data_that_run_in_a_circle_get_an_order(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    file = model
    file.write_text(MODEL.replace(' autoScheduling="false"', "").replace(' schedulingPriority="2"', ""))
    out = model.with_suffix(".amsa")
    kinds = ["--kind", "Vessel=controlled", "--kind", "Weather=environment"]
    assert run(["components", "import", str(file), "-o", str(out), *kinds]) == 0
    assert "an order is written: sense, decide, act" in capsys.readouterr().err
    assert "order weather vessel;" in out.read_text(encoding="utf-8")
    assert [leaf.name for leaf in execution_order(load_system(out))] == ["weather", "vessel"]


def test_a_model_that_is_not_imported_yet_is_told_how(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    for command in ("check", "run"):
        assert run(["components", command, str(model)]) == 1
        said = "".join(capsys.readouterr())
        assert "`coopsim components import tank.amsacore -o tank.amsa` reads it" in said
        assert "unexpected character" not in said
