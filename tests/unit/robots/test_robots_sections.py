"""Sections of scenarios that a plugin brings."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.errors import BadFile, CannotSave, PluginClash, PluginFailed
from coopsim.features.presentation import presentation_of
from coopsim.robots import check, load
from coopsim.scene import facts_of, scenario_text

TIDE = """
from dataclasses import dataclass, replace
from coopsim.errors import CannotSave
from coopsim.robots import SectionFamily
from coopsim.scene import values
from coopsim.scene.keys import SectionKey, read_keys

KEYS = {"level": SectionKey(values.number(0.0, 9.0, "m")), "robots": SectionKey(values.names)}

@dataclass(frozen=True)
class Tide:
    level: float = 0.0
    robots: tuple = ()

class TideSections(SectionFamily[Tide]):
    name, heads = "tide", ("TIDE", "SWIMMER_")

    def read(self, sections, problems):
        found = [read_keys(section, KEYS, problems) for section in sections]
        return Tide(**{key: said for keys in found for key, said in keys.items()})

    def facts(self, content):
        return {"tide": content.level}

    def groups(self, content):
        return {"swimmers": content.robots}

    def check(self, content, scene, problems):
        if content.level > 8.0:
            1 / 0
        missing = [word for word in content.robots if not scene.names.meant(word)]
        for word in missing:
            problems.add(problems_span(), scene.names.missing(word))
        return replace(content, robots=tuple(name for word in content.robots for name in scene.names.meant(word)))

    def warn(self, content, spec, problems):
        if content.level > 5.0:
            problems.warn(problems_span(), f"at {content.level:g} m all robots drown")

    def forget(self, page, removed):
        if "red" in removed.targets:
            raise CannotSave("the tide rises at red, which is gone")

def problems_span():
    from coopsim.scene import Span
    return Span("tide", 1, 1)

PLUGINS = {"sections": {"tide": TideSections()}}
"""
ROBOTS = "[ROBOT_1]\ntype single\nname r1\n\n[ROBOT_2]\ntype single\nname r2\nposition 2 0 0\n"
SCENE = f"[TIDE]\nlevel 1.5\n\n[SWIMMER_1]\nrobots r1\n\n{ROBOTS}"


@pytest.fixture
def tide(tmp_path: Path) -> Iterator[Path]:
    """Yield a folder with a plugin that brings `[TIDE]` and `[SWIMMER_n]`, loaded."""
    file = tmp_path / "tide.py"
    file.write_text(TIDE)
    plugins.add(file)
    yield tmp_path
    plugins.forget(file)


def _scene(folder: Path, text: str = SCENE) -> Path:
    path = folder / "beach.scenario"
    path.write_text(text)
    return path


def test_a_section_of_a_plugin_is_read_checked_and_told(tide: Path) -> None:
    spec = load(_scene(tide))
    content = spec.scenario.extras["tide"]
    assert (content.level, content.robots) == (1.5, ("r1",))
    assert facts_of(spec.scenario) == {"tide": 1.5}


def test_mistakes_in_a_section_of_a_plugin_have_their_places(tide: Path) -> None:
    with pytest.raises(BadFile, match=r"beach\.scenario:2:7: .*9"):
        load(_scene(tide, SCENE.replace("1.5", "11")))
    with pytest.raises(BadFile, match="no robot 'r9'"):
        load(_scene(tide, SCENE.replace("robots r1", "robots r9")))


def test_a_plugins_warning_stands_behind_the_mistakes(tide: Path) -> None:
    assert "drown" in str(check(_scene(tide, SCENE.replace("1.5", "6")))[0])


def test_without_the_plugin_its_section_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"beach\.scenario:1:1: .*TIDE"):
        load(_scene(tmp_path))


def test_a_radio_serves_a_group_that_another_family_names(tide: Path) -> None:
    spec = load(_scene(tide, SCENE + "\n[RADIO_1]\nplayer swimmers\nloss 0.5\n"))
    kinds = {robot.name: spec.types[robot.type] for robot in spec.scenario.robots}
    with_radio = {name for name, kind in kinds.items() if "radio" in [device.name for device in kind.devices]}
    assert with_radio == {"r1"}


def test_a_saved_file_forgets_robots_in_sections_of_plugins_and_asks_the_family(tide: Path) -> None:
    text = SCENE.replace("robots r1", "robots r1 r2") + "\n[TARGET]\nred 1 1 0\n"
    spec = load(_scene(tide, text))
    saved = scenario_text(text, "", spec.scenario.targets, [spec.scenario.robots[1]])
    assert "robots r2" in saved
    assert "r1" not in saved
    with pytest.raises(CannotSave, match="tide rises at red"):
        scenario_text(text, "", (), spec.scenario.robots)


def test_a_family_that_raises_is_named_with_its_line(tide: Path) -> None:
    with pytest.raises(PluginFailed, match=r"tide\.py:\d+: sections tide: ZeroDivisionError"):
        load(_scene(tide, SCENE.replace("1.5", "8.5")))


@pytest.mark.parametrize(
    ("registered", "refusal", "text"),
    [
        ('{"sections": {"ebb": 3}}', PluginFailed, "expected an object of SceneSections"),
        ('{"sections": {"ebb": Ebb()}}', PluginClash, r"both bring \[VIEW\]"),
    ],
)
def test_what_is_no_family_or_brings_a_known_section_is_refused(
    tmp_path: Path, registered: str, refusal: type[Exception], text: str
) -> None:
    file = tmp_path / "ebb.py"
    family = "from coopsim.robots import SectionFamily\nclass Ebb(SectionFamily):\n    name, heads = 'ebb', ('VIEW',)\n"
    file.write_text(f"{family}PLUGINS = {registered}\n")
    plugins.add(file)
    try:
        with pytest.raises(refusal, match=text):
            load(_scene(tmp_path, "[ROBOT_1]\ntype single\nname r\n"))
    finally:
        plugins.forget(file)


def test_a_built_in_family_stands_under_its_name() -> None:
    assert presentation_of(load("formation")).caption
    assert load("formation").scenario.extras.keys() == {"presentation"}


def test_a_family_that_reads_nothing_is_named_with_what_it_lacks(tmp_path: Path) -> None:
    file = tmp_path / "reef.py"
    family = (
        "from coopsim.robots import SectionFamily\nclass Reef(SectionFamily):\n    name, heads = 'reef', ('REEF',)\n"
    )
    file.write_text(f"{family}PLUGINS = {{'sections': {{'reef': Reef()}}}}\n")
    plugins.add(file)
    try:
        with pytest.raises(PluginFailed, match=r"sections reef: .*Reef has no method `read"):
            load(_scene(tmp_path, f"[REEF]\n\n{ROBOTS}"))
    finally:
        plugins.forget(file)
