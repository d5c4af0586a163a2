"""Artifacts as XML: bodies that stand in bodies, their joints, and what cannot be said, with its line."""

from pathlib import Path

import pytest

from coopsim.scene.artifact_file import read_artifact
from coopsim.scene.problems import Problems
from coopsim.scene.specs import RobotFile

TREE = """<artifact summary="a mast">
  <body type="cylinder" size="0.5 0.5 0.3" mass="20">
    <body name="arm" type="box" size="0.1 0.1 0.4" mass="1" position="0.1 0 0.2">
      <joint type="hinge" axis="0 0 1"/>
      <body name="hand" type="box" size="0.1 0.1 0.1" mass="0.5" position="0 0.05 0.4"/>
    </body>
  </body>
  <sensor type="sonars" name="front"/>
</artifact>
"""


def read(folder: Path, text: str) -> tuple[RobotFile, list[str]]:
    (folder / "mast.xml").write_text(text)
    problems = Problems()
    file = read_artifact(folder / "mast.xml", problems)
    return file, str(problems).splitlines()


def test_bodies_in_bodies_are_links_that_stand_on_the_outermost_one(tmp_path: Path) -> None:
    file, problems = read(tmp_path, TREE)
    assert problems == []
    assert (file.name, file.summary, file.mass) == ("mast", "a mast", 20.0)
    assert [(link.name, link.position) for link in file.links] == [("arm", (0.1, 0.0, 0.2)), ("hand", (0.1, 0.05, 0.6))]
    assert [(device.name, device.role) for device in file.devices] == [("front", "sensor")]


def test_a_body_without_a_joint_is_welded_to_the_one_that_it_is_in(tmp_path: Path) -> None:
    file, _ = read(tmp_path, TREE)
    assert [(joint.kind, (joint.a, joint.b)) for joint in file.joints] == [
        ("hinge", ("base", "arm")),
        ("weld", ("arm", "hand")),
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        (
            '<joint type="hinge" axis="0 0 1"/>',
            '<joint type="hinge"/>\n<joint type="slide"/>',
            5,
            "one joint holds a body",
        ),
        ('mass="20">', 'mass="20"><joint type="hinge"/>', 2, "no joint holds the outermost body"),
        ('<body type="cylinder"', '<body name="trunk" type="cylinder"', 2, "the outermost body is called"),
        ("</artifact>", '<body type="box" size="1 1 1"/></artifact>', 9, "one outermost body, that on line 2"),
        ('<sensor type="sonars" name="front"/>', "<wheel/>", 8, "knows no element 'wheel'"),
    ],
)
def test_what_cannot_be_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    assert old in TREE
    _, problems = read(tmp_path, TREE.replace(old, new, 1))
    assert any(f"mast.xml:{line}:" in problem and said in problem for problem in problems), problems


def test_an_artifact_needs_a_body(tmp_path: Path) -> None:
    _, problems = read(tmp_path, "<artifact><sensor type='sonars' name='front'/></artifact>")
    assert any("needs a <body>" in problem for problem in problems)
