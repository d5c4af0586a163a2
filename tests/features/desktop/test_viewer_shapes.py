"""Meshes of shapes and out of files."""

import struct
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.features.desktop.mesh_files import load_mesh
from coopsim.features.desktop.shapes import LEVELS, MeshData, outline_mesh, shape_mesh

TETRAHEDRON = "v 0 0 0\nv 2 0 0\nv 0 4 0\nv 0 0 8\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2/1 3/2/1 4//1\n"


def volume(mesh: MeshData) -> float:
    """Positive where all triangles are seen from outside."""
    corners = mesh.vertices["position"][mesh.triangles].astype(float)
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0)


@pytest.mark.parametrize(
    ("shape", "expected"), [("box", 1.0), ("cylinder", np.pi / 4), ("sphere", np.pi / 6), ("cone", np.pi / 12)]
)
def test_shapes_fill_the_unit_box_seen_from_outside(shape: str, expected: float) -> None:
    mesh = shape_mesh(shape, 0)
    positions = mesh.vertices["position"]
    assert positions.min(axis=0) == pytest.approx((-0.5, -0.5, 0.0), abs=1e-6)
    assert positions.max(axis=0) == pytest.approx((0.5, 0.5, 1.0), abs=1e-6)
    assert volume(mesh) == pytest.approx(expected, rel=0.03)


def test_an_arrow_points_along_x() -> None:
    positions = shape_mesh("arrow", 0).vertices["position"]
    assert (positions[:, 0].min(), positions[:, 0].max()) == pytest.approx((0.0, 1.0))
    assert positions[np.argmax(positions[:, 0]), 1:] == pytest.approx((0.0, 0.0))
    assert volume(shape_mesh("arrow", 0)) > 0.0


@pytest.mark.parametrize("shape", ["cylinder", "sphere", "cone", "arrow"])
def test_coarser_levels_have_fewer_triangles_and_normals_of_length_one(shape: str) -> None:
    meshes = [shape_mesh(shape, level) for level in range(LEVELS)]
    counts = [len(mesh.triangles) for mesh in meshes]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 2 * counts[-1]
    assert np.linalg.norm(meshes[-1].vertices["normal"], axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("shape", ["box", "cylinder", "sphere", "cone"])
def test_the_mesh_of_a_shadow_encloses_the_same_with_fewer_vertices(shape: str) -> None:
    mesh = shape_mesh(shape, 1)
    outline = outline_mesh(mesh)
    assert volume(outline) == pytest.approx(volume(mesh), rel=1e-4)
    assert len(outline.vertices) < 0.9 * len(mesh.vertices)


def test_an_obj_file_is_scaled_to_the_unit_box(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(TETRAHEDRON)
    mesh = load_mesh(tmp_path / "a.obj")
    assert mesh.vertices["position"].max(axis=0) == pytest.approx((0.5, 0.5, 1.0))
    assert volume(mesh) == pytest.approx(1 / 6)


def test_an_stl_file_in_text_and_in_bytes_is_the_same(tmp_path: Path) -> None:
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    lines = "".join(f"vertex {x} {y} {z}\n" for x, y, z in corners)
    (tmp_path / "a.stl").write_text(f"solid a\nfacet normal 0 0 1\nouter loop\n{lines}endloop\nendfacet\nendsolid\n")
    facet = struct.pack("<12fH", 0, 0, 1, *[float(coordinate) for point in corners for coordinate in point], 0)
    (tmp_path / "b.stl").write_bytes(bytes(80) + struct.pack("<I", 1) + facet)
    a, b = load_mesh(tmp_path / "a.stl"), load_mesh(tmp_path / "b.stl")
    assert a.vertices.tobytes() == b.vertices.tobytes()


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.obj", "v 0 0 0\nv 1 0\n", "a.obj:2:1: expected three numbers"),
        ("a.obj", "v 0 0 0\nf 1 2 3\n", "a.obj:2:1: expected one of the 1 points"),
        ("a.stl", "hello", "a.stl:1:1: expected an STL or OBJ file"),
        ("a.stl", "solid a\nvertex 1 2 x\n", "a.stl:2:1: expected three numbers"),
        ("a.obj", "", "a.obj:1:1: no mesh"),
    ],
)
def test_a_mesh_that_cannot_be_read_is_located(tmp_path: Path, name: str, text: str, place: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadFile) as problem:
        load_mesh(tmp_path / name)
    assert place in str(problem.value)


@pytest.mark.parametrize("shape", ["box", "cylinder", "sphere", "cone"])
def test_a_picture_goes_once_around_every_shape(shape: str) -> None:
    """Its points are shares of the picture: none lies outside, and the last column meets the first."""
    places = shape_mesh(shape, 0).vertices["place"]
    assert places.min() == pytest.approx(0.0, abs=1e-6)
    assert places.max() == pytest.approx(1.0, abs=1e-6)
