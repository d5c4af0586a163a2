"""COLLADA files: triangles where the scene of the file has them, mistakes by their line."""

import time
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.features.models import collada
from coopsim.features.models.collada import collada_color, read_collada
from coopsim.scene import Problems, meshes, xml_nodes
from coopsim.scene.meshes import read_triangles
from coopsim.scene.xml_nodes import read_xml

POINTS = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1"
PIECE = '<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>'
NODE = '<node><instance_geometry url="#g"/></node>'
FILE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{asset}</asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="15">{points}</float_array>
<technique_common><accessor source="#a" count="5" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
{piece}
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def text_of(
    piece: str = PIECE, *, points: str = POINTS, nodes: str = NODE, asset: str = "<up_axis>Z_UP</up_axis>"
) -> str:
    return FILE.format(piece=piece, points=points, nodes=nodes, asset=asset)


def read(folder: Path, text: str) -> tuple[list[list[list[float]]], Problems]:
    (folder / "a.dae").write_text(text)
    problems = Problems()
    return read_collada(folder / "a.dae", problems).round(9).tolist(), problems


FIRST = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]


@pytest.mark.parametrize(
    "piece",
    [
        PIECE,
        PIECE.replace("0 1 2", "0 9 1 9 2 9").replace("<p>", '<input semantic="NORMAL" source="#n" offset="1"/><p>'),
        '<polylist><input semantic="VERTEX" source="#v" offset="0"/><vcount>3</vcount><p>0 1 2</p></polylist>',
        '<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></polygons>',
    ],
)
def test_faces_of_each_kind_are_triangles(tmp_path: Path, piece: str) -> None:
    triangles, problems = read(tmp_path, text_of(piece))
    assert problems.total == 0
    assert triangles == [FIRST]


def test_faces_with_more_corners_are_cut(tmp_path: Path) -> None:
    piece = (
        '<polylist count="2"><input semantic="VERTEX" source="#v"/><vcount>4 3</vcount><p>0 1 2 3 0 1 4</p></polylist>'
    )
    triangles, _ = read(tmp_path, text_of(piece))
    assert triangles == [FIRST, [[0, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 1]]]


def test_nodes_place_what_is_in_them_and_may_be_used_twice(tmp_path: Path) -> None:
    inner = '<node id="n"><rotate>0 0 1 90</rotate><scale>2 2 2</scale><instance_geometry url="#g"/></node>'
    moved = "<matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix><translate>0 0 1</translate>"
    outer = f'<node>{moved}<instance_node url="#n"/></node>'
    triangles, problems = read(tmp_path, text_of(nodes=inner + outer))
    assert problems.total == 0
    turned = [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [-2.0, 2.0, 0.0]]
    np.testing.assert_allclose(triangles, [turned, np.add(turned, (5.0, 0.0, 1.0)).tolist()], atol=1e-9)


@pytest.mark.parametrize(
    ("asset", "last"),
    [
        ("<unit meter='0.01'/><up_axis>Z_UP</up_axis>", [0.01, 0.01, 0.0]),
        ("<unit meter='0.01'/><up_axis>Y_UP</up_axis>", [0.01, 0.01, 0.0]),
        ("<up_axis>X_UP</up_axis>", [1.0, 1.0, 0.0]),
        ("", [1.0, 1.0, 0.0]),
    ],
)
def test_units_count_and_meshes_stand_as_in_gazebo_and_rviz_whatever_axis_is_called_up(
    tmp_path: Path, asset: str, last: list[float]
) -> None:
    ((_, _, corner),), _ = read(tmp_path, text_of(asset=asset))
    assert corner == last


RING = '<node id="x"><instance_node url="#x"/></node>'
MANY = "".join(f'<node id="n{k}">{f"""<instance_node url="#n{k - 1}"/>""" * 40}</node>' for k in range(1, 6))


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (text_of()[:400], "a.dae:7:", "no complete XML"),
        ("<!DOCTYPE r [<!ENTITY a 'aa'>]><COLLADA/>", "a.dae:1:", "no document type and no entities"),
        ("<scene/>", "a.dae:1:1", "expected <COLLADA>, got <scene>"),
        (text_of(PIECE.replace("0 1 2", "0 1 7")), "a.dae:8:1", "a triangle names a point that is not there"),
        (text_of(PIECE.replace("0 1 2", "0 -1 2")), "a.dae:8:1", "a triangle names a point that is not there"),
        (text_of(PIECE.replace("0 1 2", "0 1")), "a.dae:8:1", "triangles have three corners each; got 2 in all"),
        (text_of(PIECE.replace("0 1 2", "0 1 x")), "a.dae:8:", "expected whole numbers in this <p>"),
        (text_of(PIECE.replace("#v", "#w")), "a.dae:8:", "there is no '#w' in this file"),
        (text_of(PIECE.replace('offset="0"', 'offset="99999"')), "a.dae:8:", "expected a whole number up to 999"),
        (text_of("<tristrips/>"), "a.dae:8:1", "<tristrips> is not read; save the mesh with triangles"),
        (text_of(points="1 2 three"), "a.dae:5:", "expected numbers in this <float_array>"),
        (text_of(points="1 2 3 4"), "a.dae:5:", "expected points of 3 numbers each, got 4 numbers"),
        (text_of(points=POINTS.replace("0 0 0", "nan 0 0", 1)), "a.dae:2:1", "triangles with finite corners"),
        (text_of(nodes=""), "a.dae:2:1", "no mesh"),
        (text_of(nodes=RING), "a.dae:", "more than 64 nodes are in each other"),
        (text_of(nodes='<node id="n0"><instance_geometry url="#g"/></node>' + MANY), "a.dae:", "more than"),
        (text_of(nodes=NODE.replace("<i", "<matrix>1 2</matrix><i")), "a.dae:", "expected 16 numbers in this <matrix>"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_place(tmp_path: Path, text: str, place: str, said: str) -> None:
    triangles, problems = read(tmp_path, text)
    assert triangles == []
    assert place in str(problems)
    assert said in str(problems)


def test_a_file_that_is_not_there_or_too_large_is_said(tmp_path: Path) -> None:
    problems = Problems()
    read_collada(tmp_path / "none.dae", problems)
    with (tmp_path / "big.dae").open("wb") as file:
        file.truncate(17 * 2**20)
    read_collada(tmp_path / "big.dae", problems)
    assert "there is no such file" in str(problems)
    assert "the file is larger than 16 MiB" in str(problems)


def test_a_file_with_a_line_for_each_point_is_read_as_one_in_a_line(tmp_path: Path) -> None:
    lines = "\n".join([POINTS[:5], POINTS[6:11], *(POINTS[first : first + 5] for first in (12, 18, 24))])
    corners, problems = read(tmp_path, text_of(points=f"\n{lines}\n"))
    assert problems.total == 0
    assert corners == [FIRST]


def test_reading_takes_the_time_of_its_text_however_that_is_cut_into_lines(tmp_path: Path) -> None:
    spent = {}
    for separator in (" ", "\n"):
        points = separator.join(["0.123456 1.123456 2.123456"] * 80_000)
        (tmp_path / "a.dae").write_text(text_of(points=points))
        began = time.process_time()
        assert len(read_triangles(tmp_path / "a.dae")) == 1
        spent[separator] = time.process_time() - began
    assert spent["\n"] < 6.0 * spent[" "] + 0.2


def test_what_is_used_many_times_over_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    monkeypatch.setattr(collada, "_points", lambda source, read=collada._points: parsed.append(source) or read(source))
    empty = PIECE.replace("0 1 2", "")
    nodes = "<node>" + '<instance_geometry url="#g"/>' * 400 + "</node>"
    corners, problems = read(tmp_path, text_of(empty * 30 + PIECE, nodes=nodes))
    assert (len(corners), problems.total, len(parsed)) == (400, 0, 1)


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ("<node>" + '<instance_geometry url="#g"/>' * 10_000 + "</node>", "more than 10000 nodes and instances"),
        ("<node/>" * 10_001, "more than 10000 nodes and instances"),
    ],
)
def test_nodes_and_instances_are_counted_even_where_they_show_nothing(tmp_path: Path, nodes: str, said: str) -> None:
    _, problems = read(tmp_path, text_of(PIECE.replace("0 1 2", ""), nodes=nodes))
    assert said in str(next(iter(problems)))


@pytest.mark.parametrize("kind", ["polylist", "polygons"])
def test_triangles_of_large_faces_are_counted_before_they_are_made(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collada, "MOST_TRIANGLES", 100)
    listed = "<vcount>200</vcount>" if kind == "polylist" else ""
    corners = "0 1 2 3 " * 50
    piece = f'<{kind}><input semantic="VERTEX" source="#v"/>{listed}<p>{corners}</p></{kind}>'
    _, problems = read(tmp_path, text_of(piece))
    assert "more than 100 triangles" in str(next(iter(problems)))


def test_an_obj_file_with_too_many_triangles_is_refused_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meshes, "MOST_TRIANGLES", 100)
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf " + "1 2 3 " * 50)
    with pytest.raises(BadFile, match=r"a\.obj:4:1: there are more than 100 triangles"):
        read_triangles(tmp_path / "a.obj")


def test_a_file_with_too_many_elements_is_refused_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_nodes, "MOST_ELEMENTS", 100)
    problems = Problems()
    assert read_xml(b"<a>\n" + b"<b/>" * 100 + b"</a>", "a.xml", problems) is None
    assert "a.xml:2:401: there are more than 100 elements" in str(next(iter(problems)))


PAINTED = """<library_materials><material id="m"><instance_effect url="#e"/></material>
<material id="n"><instance_effect url="#f"/></material></library_materials>
<library_effects><effect id="e"><profile_COMMON><technique><phong><emission><color>9 9 9 1</color></emission>
<diffuse>{diffuse}</diffuse></phong></technique></profile_COMMON></effect>
<effect id="f"><profile_COMMON><technique><lambert><diffuse><color>0 0 1 1</color></diffuse></lambert></technique>
</profile_COMMON></effect></library_effects>"""
BOUND = (
    '<node><instance_geometry url="#g"><bind_material><technique_common>'
    '<instance_material symbol="x" target="#m"/><instance_material symbol="y" target="#n"/>'
    "</technique_common></bind_material></instance_geometry></node>"
)
TWO = (
    '<triangles count="1" material="y"><input semantic="VERTEX" source="#v"/><p>0 1 2</p></triangles>'
    '<triangles count="2" material="x"><input semantic="VERTEX" source="#v"/><p>0 1 2 0 2 3</p></triangles>'
)


@pytest.mark.parametrize(
    ("diffuse", "color"),
    [
        ("<color>1 0.5 0 1</color>", (1.0, 0.5, 0.0)),
        ("<color>7 0.5 -1 1</color>", (1.0, 0.5, 0.0)),
        ('<texture texture="t"/>', None),
        ("<color>1 0 1</color>", None),
    ],
)
def test_a_mesh_has_the_colour_of_its_largest_part(
    tmp_path: Path, diffuse: str, color: tuple[float, float, float] | None
) -> None:
    text = text_of(TWO, nodes=BOUND).replace("<library_vis", PAINTED.format(diffuse=diffuse) + "<library_vis")
    (tmp_path / "a.dae").write_text(text)
    assert collada_color(tmp_path / "a.dae") == color
    (tmp_path / "a.dae").write_text(text.replace('material="x"', 'material="y"'))
    assert collada_color(tmp_path / "a.dae") == (0.0, 0.0, 1.0)


def test_a_mesh_without_materials_or_that_cannot_be_read_has_no_colour(tmp_path: Path) -> None:
    (tmp_path / "a.dae").write_text(text_of())
    assert collada_color(tmp_path / "a.dae") is None
    (tmp_path / "a.dae").write_text("<COLLADA")
    assert collada_color(tmp_path / "a.dae") is None
    assert collada_color(tmp_path / "none.dae") is None
