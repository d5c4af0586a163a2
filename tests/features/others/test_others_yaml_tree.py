"""YAML whose values know their lines: what a reader gets, and what is said of files that cannot be read."""

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadFile, NoSuchPlugin
from coopsim.features.others.worlds import yaml_tree
from coopsim.features.others.worlds.plan import WorldPlan
from coopsim.features.others.worlds.yaml_tree import YamlKeys, finite, read_yaml, row

yaml = pytest.importorskip("yaml")
FILE = Path("corner.yaml")
WORLD = """\
world:
  height: 10
  width: 12.5
robot:
  - kinematics:
      name: diff
    state: [1, 2,
            0.5]
  - goal:
obstacle: {shape: circle}
"""
_texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=12)
_scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | _texts
_trees = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4), max_leaves=12
)


def keys_of(text: str, plan: WorldPlan | None = None) -> YamlKeys:
    return YamlKeys(read_yaml(text, FILE), FILE, plan or WorldPlan("IR-SIM"))


def lost(plan: WorldPlan) -> list[str]:
    return [f"{loss.place} {loss.key}: {loss.reason}" for loss in plan.losses]


@given(_trees)
def test_what_was_written_is_read_again(tree: Any) -> None:
    read = read_yaml(yaml.safe_dump(tree, allow_unicode=True), FILE).plain()
    assert read == tree
    assert type(read) is type(tree)


def test_values_know_the_lines_of_their_keys() -> None:
    world = read_yaml(WORLD, FILE)
    assert world.line == 1
    assert {name: entry.line for name, entry in world.value.items()} == {"world": 1, "robot": 4, "obstacle": 10}
    first, second = world.value["robot"].items()
    assert (first.line, second.line) == (5, 9)
    # the row begins where its key stands, its third number one line below
    assert first.value["state"].line == 7
    assert [number.line for number in first.value["state"].items()] == [7, 7, 8]
    assert first.plain() == {"kinematics": {"name": "diff"}, "state": [1, 2, 0.5]}


def test_one_entry_is_as_good_as_a_list_of_one() -> None:
    for text in ("robot: {x: 1}", "robot: [{x: 1}]"):
        (robot,) = read_yaml(text, FILE).value["robot"].items()
        assert robot.plain() == {"x": 1}


def test_keys_are_got_with_what_is_usual_where_they_are_missing_or_empty() -> None:
    keys = keys_of("width: 3\nname:\nparts: [1, {a: b}]\n")
    assert keys.line == 1
    assert (keys.number("width", 7.0), keys.number("height", 7.0)) == (3.0, 7.0)
    assert (keys.get("name"), keys.plain("name", "x"), keys.plain("missing")) == (None, "x", None)
    assert keys.plain("parts") == [1, {"a": "b"}]


def test_keys_that_nobody_asked_for_are_losses_each_with_its_line_and_once() -> None:
    plan = WorldPlan("IR-SIM")
    keys = keys_of("width: 3\n\ncolor: red\nalpha:\nmodel: 7\ntail: x\n", plan)
    keys.number("width", 1.0)
    keys.plain("tail")
    keys.lose("model", "left out: there are no models")
    keys.lose("missing", "left out")
    keys.leave()
    assert lost(plan) == [
        "corner.yaml:5 model: left out: there are no models",
        "corner.yaml:3 color: left out: it has no counterpart",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "corner.yaml: the file is empty"),
        ("# nothing\n", "corner.yaml: the file is empty"),
        ("a: [1, 2\nb: 3\n", "corner.yaml:2:2: no YAML: "),
        ("a: 1\n\tb: 2\n", "corner.yaml:2:1: no YAML: "),
        ("a: \x07\n", "corner.yaml: no YAML: "),
        ("a: 1\nb: *nobody\n", "corner.yaml:2:4: no YAML: found undefined alias"),
        ("a: 1\nwhen: 2020-13-45\n", "corner.yaml:2: "),
        ("a: 1\nb: !!python/object:os.system x\n", "corner.yaml:2: could not determine a constructor"),
        ("[" * 60 + "]" * 60, "corner.yaml:1: more than 200000 values, or 50 levels of them"),
        ("[" * 5000, "corner.yaml"),
    ],
)
def test_files_that_cannot_be_read_are_refused_with_their_place(text: str, said: str) -> None:
    with pytest.raises(BadFile) as refused:
        read_yaml(text, FILE)
    assert str(refused.value).startswith(said)


def test_aliases_that_mean_more_and_more_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_tree, "MOST_VALUES", 2000)
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 8)}]" for k in range(1, 30)]
    with pytest.raises(BadFile, match=r"corner\.yaml:\d+: more than 2000 values"):
        read_yaml("\n".join(lines), FILE)


@pytest.mark.parametrize(
    "text", ["a: 'x'", "a: true", "a: .nan", "a: .inf", "a: -.inf", "a: 1.0e+9", "a: [1]", "a: {b: 1}"]
)
def test_a_number_is_finite_and_no_truth(text: str) -> None:
    with pytest.raises(BadFile, match=r"^corner\.yaml:1: a: expected a number below 1e9, got "):
        keys_of(text).number("a", 0.0)


def test_a_row_holds_numbers_alone() -> None:
    assert row(read_yaml("[1, -2.5, 999999999]", FILE), "state", FILE) == [1.0, -2.5, 999999999.0]
    assert row(read_yaml("[]", FILE), "state", FILE) == []
    with pytest.raises(BadFile, match=r"corner\.yaml:1: state: expected a list of numbers, got '3'"):
        row(read_yaml("3", FILE), "state", FILE)
    with pytest.raises(BadFile, match=r"corner\.yaml:2: state: expected a number below 1e9, got 'x'"):
        row(read_yaml("- 1\n- x\n", FILE), "state", FILE)
    assert finite(read_yaml("4", FILE), "state", FILE) == 4.0


def test_what_is_no_mapping_has_no_keys() -> None:
    with pytest.raises(BadFile, match=r"corner\.yaml:1: expected keys and values, got '\[1, 2\]'"):
        keys_of("[1, 2]")


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(NoSuchPlugin, match="need the package PyYAML") as missing:
        read_yaml("a: 1", FILE)
    assert "others" in missing.value.cure
