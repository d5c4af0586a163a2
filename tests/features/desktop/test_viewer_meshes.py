"""Meshes that a viewer gets from the server of a run; pictures are drawn in memory."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from viewer_live import draw_until, frames, live
from viewer_scenes import FAST, SIZE, looking, row

from coopsim.client import Client
from coopsim.client.scene import SceneView
from coopsim.errors import BadFile, CoopsimError, NoReply, NoSuchCommand
from coopsim.features.desktop import served_meshes
from coopsim.features.desktop.application import Application
from coopsim.features.desktop.mesh_files import load_mesh
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.offscreen import Offscreen
from coopsim.features.desktop.served_meshes import ServedMeshes, fetched_meshes
from coopsim.features.desktop.shapes import MeshData
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.scene.stl import stl_of
from coopsim.simulation import Simulation
from coopsim.state import Visual

TENT = np.array(
    [[(0, 0, 0), (1, 0, 0), (0, 0, 1)], [(0, 0, 0), (0, 0, 1), (0, 1, 0)], [(1, 0, 0), (0, 1, 0), (0, 0, 1)]], float
)
WORLD = "[FLOOR]\nsize 9 9 .1\n[OBJECT_1]\ntype box\nname tent\nsize 1 1 1\nposition 0 0 0\nmesh tent.stl\n"


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    (tmp_path / "tent.stl").write_bytes(stl_of(TENT))
    (tmp_path / "yard.world").write_text(WORLD)
    return tmp_path / "yard.world"


@contextmanager
def client_of(yard: Path) -> Iterator[Client]:
    with LocalServer(Simulation(load(yard))).connect(timeout=60.0) as sim:
        yield sim


def elsewhere(monkeypatch: pytest.MonkeyPatch, *contents: bytes) -> None:
    """Make this viewer one on a machine that has other files, or none, by the names that the server uses."""
    candidates = iter(contents)

    def read(_file: str, wanted: str) -> bytes:
        return next((mesh_bytes for mesh_bytes in candidates if wanted == hashlib.sha256(mesh_bytes).hexdigest()), b"")

    monkeypatch.setattr(served_meshes, "_of_this_machine", read)


class Source:
    """Gives what the test puts in."""

    def __init__(self) -> None:
        self.version, self.mesh = 1, None

    mesh: MeshData | CoopsimError | None

    def put(self, mesh: MeshData | CoopsimError) -> None:
        self.mesh, self.version = mesh, self.version + 1

    def find(self, _file: str) -> MeshData | None:
        if isinstance(self.mesh, CoopsimError):
            raise self.mesh
        return self.mesh


def test_a_mesh_is_a_box_until_it_comes_and_again_when_it_is_lost(yard: Path) -> None:
    file = str(yard.parent / "tent.stl")
    models = [SceneModel([row(visuals=(visual,))]) for visual in (Visual("box"), Visual("mesh", mesh=file))]
    source, notes = Source(), list[str]()
    with Offscreen(SIZE, FAST, notes.append, source) as remote, Offscreen(SIZE, FAST) as local:
        box, mesh_picture = (local.picture(model, looking(model)) for model in models)
        model = models[1]
        assert np.array_equal(remote.picture(model, looking(model)), box)
        source.put(load_mesh(Path(file)))
        assert np.array_equal(remote.picture(model, looking(model)), mesh_picture)
        source.put(BadFile("it is gone"))
        assert np.array_equal(remote.picture(model, looking(model)), box)
        remote.picture(model, looking(model))
    assert not np.array_equal(box, mesh_picture)
    assert notes == ["it is gone; its box is drawn instead"]


@pytest.mark.parametrize("local_files", [(), (stl_of(TENT[:2]),)])
def test_who_has_not_the_file_or_another_one_draws_what_the_server_has(
    yard: Path, monkeypatch: pytest.MonkeyPatch, local_files: tuple[bytes, ...]
) -> None:
    elsewhere(monkeypatch, *local_files)
    with client_of(yard) as sim:
        scene = sim.scene()
        mesh = fetched_meshes(sim, scene).find(str(yard.parent / "tent.stl"))
    wanted = load_mesh(yard.parent / "tent.stl")
    assert mesh is not None
    np.testing.assert_array_equal(mesh.vertices, wanted.vertices)


def test_who_has_the_same_file_fetches_nothing(yard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*_: object) -> bytearray:
        raise AssertionError("it is here already")

    monkeypatch.setattr(ServedMeshes, "_fetched", fetch)
    with client_of(yard) as sim:
        assert fetched_meshes(sim, sim.scene()).find(str(yard.parent / "tent.stl")) is not None


def test_what_came_is_kept_for_the_next_scene(yard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere(monkeypatch)
    with client_of(yard) as sim:
        meshes, file = fetched_meshes(sim, sim.scene()), str(yard.parent / "tent.stl")
        first, version = meshes.find(file), meshes.version
        monkeypatch.setattr(ServedMeshes, "_fetched", None)
        meshes.follow(sim.scene())
        meshes.advance(sim)
        assert not meshes.is_busy
        assert (meshes.find(file), meshes.version) == (first, version)


def test_a_mesh_in_many_parts_goes_on_where_it_was_when_the_scene_changes(
    yard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(monkeypatch)
    monkeypatch.setattr(served_meshes, "_AT_ONCE", -1.0)  # one part each time
    many = np.tile(TENT, (4000, 1, 1))
    (yard.parent / "tent.stl").write_bytes(stl_of(many))
    file, steps = str(yard.parent / "tent.stl"), 0
    with client_of(yard) as sim:
        meshes = ServedMeshes()
        while meshes.find(file) is None:
            meshes.follow(sim.scene())
            meshes.advance(sim)
            steps += 1
    mesh = meshes.find(file)
    assert mesh is not None
    assert len(mesh.vertices) == 3 * len(many)
    assert steps == 4  # 600 084 bytes


def test_meshes_beyond_the_limit_are_boxes_and_said(yard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere(monkeypatch)
    monkeypatch.setattr(served_meshes, "_MOST_BYTES", 84 + 49)
    with client_of(yard) as sim, pytest.raises(CoopsimError, match=r"the meshes of this world have more than 0 MiB"):
        fetched_meshes(sim, sim.scene()).find(str(yard.parent / "tent.stl"))


def test_a_mesh_that_is_nowhere_is_a_box_and_said(yard: Path) -> None:
    with client_of(yard) as sim:
        (yard.parent / "tent.stl").unlink()
        with pytest.raises(BadFile, match=r"tent.stl:1:1: there is no such file"):
            fetched_meshes(sim, sim.scene()).find(str(yard.parent / "tent.stl"))


class OldServer:
    """Knows no meshes, or is gone."""

    def __init__(self, problem: CoopsimError) -> None:
        self.problem = problem

    def meshes(self) -> None:
        raise self.problem


def test_with_a_server_of_an_older_version_files_of_this_machine_are_drawn(yard: Path) -> None:
    file = str(yard.parent / "tent.stl")
    scene = SceneView(1, 0, (row(visuals=(Visual("mesh", mesh=file),)),))
    source = fetched_meshes(OldServer(NoSuchCommand("no meshes")), scene)  # type: ignore[arg-type]
    assert source.find(file) is not None
    with pytest.raises(NoReply):
        fetched_meshes(OldServer(NoReply("gone")), scene)  # type: ignore[arg-type]


def test_the_window_draws_what_came(yard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_meshes, "_of_this_machine", lambda *_: b"")
    file = str(yard.parent / "tent.stl")
    with live(str(yard)) as (sim, link):
        sim.clock.pause()
        application = Application(link)
        try:
            draw_until(application, lambda: link.meshes.find(file) is not None and "tent" in application.session.names)
            frames(application)
            drawn = application._picture._native._files[file]
        finally:
            application.close()
    np.testing.assert_array_equal(drawn.vertices, load_mesh(Path(file)).vertices)
