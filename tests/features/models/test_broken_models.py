"""Broken descriptions: whatever is changed in one, it is read or refused with its place, and soon."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coopsim.robots import check
from coopsim.robots.type_files import read_type
from coopsim.scene import Problems

URDF = """<robot name="r">
 <link name="a"><inertial><origin xyz="0 0 .1"/><mass value="1"/>
  <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><mesh filename="m.stl" scale="1 1 1"/></geometry></collision></link>
 <link name="b"><collision><geometry><cylinder radius=".1" length=".4"/></geometry></collision></link>
 <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="4" velocity="2"/><dynamics damping=".1" friction=".2"/></joint>
</robot>
"""
SDF = """<sdf version="1.9"><model name="m">
 <frame name="f" attached_to="a"><pose>0 0 1 0 0 0</pose></frame>
 <link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
 <model name="n"><pose relative_to="f"/><link name="b"><collision name="c"><geometry>
  <mesh><uri>m.stl</uri></mesh></geometry></collision></link></model>
 <joint name="j" type="revolute"><parent>a</parent><child>n::b</child><axis><xyz expressed_in="f">0 1 0</xyz>
  <limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
</model></sdf>
"""
MJCF = """<mujoco><default><geom size=".1"/></default><asset><mesh name="m" file="m.stl"/></asset>
 <worldbody><body name="a"><joint name="j" range="-1 1"/><geom type="mesh" mesh="m"/>
  <body name="b" pos="0 0 1"><joint name="k" type="slide"/><geom/></body></body></worldbody>
 <equality><joint joint1="j" joint2="k"/></equality><actuator><motor joint="j"/></actuator>
</mujoco>
"""
TEXTS = {".urdf": URDF, ".sdf": SDF, ".mjcf": MJCF}
WORDS = (*("nan", "inf", "-1", "1e300", "0", "", "a", "b", "<", ">", '"', "&", "\x00", "é", "1 2 3 4 5", "m.stl", "."),)
SOLID = (
    "solid s\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid s\n"
)


def read(folder: Path, suffix: str, text: str, mesh: bytes = SOLID.encode()) -> Problems:
    (folder / f"r{suffix}").write_bytes(text.encode("utf-8", "surrogateescape"))
    (folder / "m.stl").write_bytes(mesh)
    problems = Problems()
    read_type(folder / f"r{suffix}", problems)
    return problems


@pytest.mark.parametrize("suffix", TEXTS)
def test_the_whole_model_is_read(tmp_path: Path, suffix: str) -> None:
    problems = read(tmp_path, suffix, TEXTS[suffix])
    assert not problems.total, str(problems)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), suffix=st.sampled_from(sorted(TEXTS)), changes=st.integers(1, 4))
def test_a_model_in_which_words_are_changed_is_read_or_refused_with_its_place(
    tmp_path: Path, seed: int, suffix: str, changes: int
) -> None:
    """No exception but of `Problems`, whatever becomes of the text."""
    choose = random.Random(seed)
    text = TEXTS[suffix]
    for _ in range(changes):
        at = choose.randrange(len(text))
        text = text[:at] + choose.choice(WORDS) + text[at + choose.choice((0, 0, 1, 2, 5, 40)) :]
    problems = read(tmp_path, suffix, text)
    assert not problems.total or str(tmp_path) in str(problems)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mesh=st.binary(max_size=300), suffix=st.sampled_from(sorted(TEXTS)), is_cut=st.booleans())
def test_a_broken_mesh_is_refused_with_its_place(tmp_path: Path, mesh: bytes, suffix: str, *, is_cut: bool) -> None:
    content = SOLID.encode()[: len(mesh)] if is_cut else b"x" * 80 + mesh
    problems = read(tmp_path, suffix, TEXTS[suffix], content)
    assert "m.stl" in str(problems)
    assert f"r{suffix}:" in str(problems)


@pytest.mark.parametrize(
    ("suffix", "old", "new", "words"),
    [
        (".urdf", 'radius=".1"', 'radius="0"', "r.urdf:5:56: radius of <cylinder> is '0'; expected lengths above 0"),
        (".urdf", 'damping=".1"', 'damping="-1"', "damping of the joint 'j' is below 0"),
        (".urdf", 'damping=".1"', 'damping="much"', "damping of <dynamics> takes a finite number, got 'much'"),
        (".urdf", '<child link="b"/>', '<child link="a"/>', "the link 'a' hangs on joints that go round in a ring"),
        (".urdf", 'name="b"', 'name=""', "r.urdf:5:2: this <link> has no name"),
        (".urdf", 'value="1"', 'value="1e300"', "r.urdf:2:62: mass of the body 'a' is 1e+300 kg; expected less"),
        (
            ".urdf",
            'value="1"',
            'value="1e9"',
            "r.urdf:2:62: mass of the body 'a' is 1e+09 kg; expected less than 1e+09",
        ),
        (".mjcf", 'pos="0 0 1"', 'pos="0 0 -2e9"', "r.mjcf:3:23: position of the body 'b' is 2e+09 m; expected less"),
        (".urdf", 'xyz="0 0 .1"', 'xyz="${x} 0 0"', "'${x} 0 0', a macro of xacro: expand the file"),
        (".sdf", '<link name="a">', '<link name="a"/><link name="a">', "the link 'a' is there twice"),
        (".sdf", "<mass>1</mass>", "<mass>inf</mass>", "<mass> takes a finite number, got 'inf'"),
        (".mjcf", 'motor joint="j"', 'motor joint="x"', "r.mjcf:4:63: MuJoCo cannot read this model: Error: unknown"),
        (".mjcf", '<geom type="mesh" ', '<geom kind="mesh" ', "r.mjcf:2:58: MuJoCo cannot read this model: XML Error"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path: Path, suffix: str, old: str, new: str, words: str) -> None:
    assert old in TEXTS[suffix]
    problems = read(tmp_path, suffix, TEXTS[suffix].replace(old, new))
    assert words in str(problems), str(problems)


def test_a_link_that_two_joints_hold_is_told_with_both(tmp_path: Path) -> None:
    second = '<link name="c"/><joint name="k" type="fixed"><parent link="c"/><child link="b"/></joint></robot>'
    problems = read(tmp_path, ".urdf", URDF.replace("</robot>", second))
    assert "the link 'b' is held by the joint 'k', and by 'j' on line 6: a link has one parent" in str(problems)


def test_what_other_readers_overlook_is_warned_of(tmp_path: Path) -> None:
    text = "\n<!-- made by hand -->\n<?xml version='1.0'?>" + URDF
    text = text.replace('xyz="0 1 0"', 'xyz="0 1 0 0"').replace("<dynamics", '<dynamics damping="9"/><dynamics')
    problems = read(tmp_path, ".urdf", text)
    assert not problems.total, str(problems)
    said = [(warning.span.line, warning.text) for warning in problems.warnings]
    assert (3, "the XML declaration is not at the beginning; it is left out") in said
    assert any("takes 3 numbers, got 4; the first 3 count" in text for _, text in said)
    assert any("<joint> has a second <dynamics>, which is left out" in text for _, text in said)


def test_a_shape_without_a_size_that_is_only_seen_is_left_out(tmp_path: Path) -> None:
    visual = '<link name="b"><visual><geometry><sphere radius="0.0"/></geometry></visual>'
    problems = read(tmp_path, ".urdf", URDF.replace('<link name="b">', visual))
    assert not problems.total, str(problems)
    assert any("the <visual> is left out" in warning.text for warning in problems.warnings)


def test_a_number_that_is_not_finite_is_all_that_is_said_of_a_moment_of_inertia(tmp_path: Path) -> None:
    problems = read(tmp_path, ".urdf", URDF.replace('ixx=".1"', 'ixx="nan"'))
    assert [problem.text for problem in problems] == ["ixx of <inertia> takes a finite number, got 'nan'"]
    assert not problems.warnings


def test_links_whose_names_something_else_has_here_are_told_with_their_line_and_their_names(tmp_path: Path) -> None:
    text = URDF.replace('"a"', '"base"').replace('"b"', '"base_link"')
    problems = read(tmp_path, ".urdf", text)
    assert not problems.total, str(problems)
    assert [(warning.span.line, warning.text) for warning in problems.warnings] == [
        (2, "the link 'base' is called 'base_link' here, as 'base' is something else"),
        (5, "the link 'base_link' is called 'base_link_2' here, as 'base_link' is something else"),
    ]
    assert not read(tmp_path, ".urdf", URDF.replace('"b"', '"base_link"')).warnings


def test_a_text_of_utf_16_is_told_as_such_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_bytes(URDF.encode("utf-16"))
    problems = Problems()
    read_type(tmp_path / "r.urdf", problems)
    said = [str(problem) for problem in (*problems, *problems.warnings)]
    assert said == [f"{tmp_path / 'r.urdf'}:1:1: the file is UTF-16; save the file as UTF-8"]


def test_letters_of_latin_1_are_read_as_other_readers_take_them_with_a_warning(tmp_path: Path) -> None:
    text = "<!-- von M\u00fcller -->\n" + URDF
    (tmp_path / "r.urdf").write_bytes(text.encode("latin-1"))
    (tmp_path / "m.stl").write_text(SOLID)
    problems = Problems()
    robot = read_type(tmp_path / "r.urdf", problems)
    assert not problems.total, str(problems)
    assert [str(warning.span).rpartition("r.urdf:")[2] for warning in problems.warnings] == ["1:11"]
    assert "0xfc is not UTF-8; the file is read as Latin-1" in str(problems.warnings[0])
    assert "j" in [joint.name for joint in robot.joints]


def test_a_type_that_several_models_may_be_is_told_once_with_the_one_that_counts(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF)
    (tmp_path / "r.sdf").write_text(SDF)
    (tmp_path / "m.stl").write_text(SOLID)
    robots = "[ROBOT_{0}]\n{1}\nname r{0}\nposition {0} 0 2\n"
    engine = "[SIMULATION]\nengine mujoco\n"
    scene = tmp_path / "run.scenario"
    scene.write_text(robots.format(1, "type r") + robots.format(2, "type r") + engine)
    warnings = [problem for problem in check(scene) if "may be" in problem.text]
    assert [(problem.source, problem.is_warning) for problem in warnings] == [("type r", True)]
    assert "'r' may be r.sdf, r.urdf; r.sdf counts: write `model r.sdf` or `model r.urdf`" in warnings[0].text
    scene.write_text(robots.format(1, "model r.urdf") + robots.format(2, "model r.sdf") + engine)
    assert not any("may be" in problem.text for problem in check(scene))
    (tmp_path / "r.robot").write_text("[ROBOT]\nmodel r.urdf\n")
    scene.write_text(robots.format(1, "type r") + engine)
    assert not any("may be" in problem.text for problem in check(scene))
