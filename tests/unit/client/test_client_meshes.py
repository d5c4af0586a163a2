"""Meshes of the running world come by message: those that it is drawn with, whole and unchanged, and no other file."""

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from client_aio import using
from client_fakes import FakeServer, serving

from coopsim.client import Client, aio, connect
from coopsim.client.meshes import LARGEST
from coopsim.errors import BadArgument, MalformedMessage, NoSuchName
from coopsim.inprocess import LocalServer
from coopsim.message import Message
from coopsim.robots import load
from coopsim.scene.meshes import read_triangles
from coopsim.scene.stl import stl_of
from coopsim.server.modules import mesh_store
from coopsim.simulation import Simulation

WORLD = "[FLOOR]\nsize 9 9 .1\n" + "".join(
    f"[OBJECT_{n}]\ntype box\nname {name}\nsize 1 1 1\nposition {n} 0 0\nmesh {file}\n"
    for n, (name, file) in enumerate([("rock", "rock.stl"), ("twin", "rock.stl"), ("tent", "tent.obj")], 1)
)


def rock(triangles: int = 9000) -> np.ndarray:
    """Triangles whose corners float32 holds, more than two parts take."""
    return np.arange(triangles * 9, dtype=float).reshape(-1, 3, 3) % 4096 / 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rock.stl").write_bytes(stl_of(rock()))
    (tmp_path / "tent.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\n# not for others\n")
    (tmp_path / "other.stl").write_bytes(stl_of(rock(1)))
    (tmp_path / "yard.world").write_text(WORLD)
    return tmp_path


@pytest.fixture
def sim(folder: Path) -> Iterator[Client]:
    with LocalServer(Simulation(load(folder / "yard.world"))).connect(timeout=60.0) as sim:
        yield sim


def test_a_mesh_comes_in_parts_as_the_server_reads_it(sim: Client, folder: Path) -> None:
    first, second = sim.meshes()
    assert [Path(mesh.file).name for mesh in (first, second)] == ["rock.stl", "tent.obj"]
    assert first.size == 84 + 50 * 9000 > 2 * mesh_store.PART
    np.testing.assert_array_equal(sim.mesh(first), rock())
    np.testing.assert_array_equal(sim.mesh(second), read_triangles(folder / "tent.obj"))


def test_only_triangles_go_out_and_only_of_this_world(sim: Client, folder: Path) -> None:
    _, tent = sim.meshes()
    (other_file,) = [path for path in folder.iterdir() if path.name == "other.stl"]
    part = sim.world.mesh(tent.hash, 0)
    assert part.size == 84 + 2 * 50
    for wanted in ("", str(other_file), str(folder / "rock.stl"), "0" * 64):
        with pytest.raises(NoSuchName, match="no mesh of the running world has the hash"):
            sim.world.mesh(wanted, 0)
    with pytest.raises(BadArgument, match="this mesh has 184 bytes, got first 184"):
        sim.world.mesh(tent.hash, 184)
    with pytest.raises(BadArgument):
        sim.world.mesh(tent.hash, -1)


def test_a_file_that_changes_is_another_mesh(sim: Client, folder: Path) -> None:
    before, _ = sim.meshes()
    (folder / "rock.stl").write_bytes(stl_of(rock(3)))
    now, _ = sim.meshes()
    assert before.hash != now.hash
    assert len(sim.mesh(now)) == 3
    with pytest.raises(NoSuchName):
        sim.mesh(before)


@pytest.mark.parametrize("what", [b"root:x:0:0", stl_of(rock(1) * np.nan), None])
def test_a_file_that_is_no_mesh_any_more_is_not_handed_out(sim: Client, folder: Path, what: bytes | None) -> None:
    sim.meshes()
    (folder / "rock.stl").unlink()
    if what is not None:
        (folder / "rock.stl").write_bytes(what)
    lost, tent = sim.meshes()
    assert (lost.hash, lost.size) == ("", 0)
    assert tent.hash
    with pytest.raises(NoSuchName, match=r"the server does not offer the mesh '.*rock.stl'"):
        sim.mesh(lost)


def test_a_mesh_that_is_too_large_is_not_handed_out(sim: Client, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_store, "LARGEST_MESH", 84 + 50 * 8999)
    first, second = sim.meshes()
    assert (first.hash, first.size) == ("", 0)
    assert second.hash


def test_what_is_not_kept_is_read_again(sim: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_store, "_MOST_KEPT", 0)
    first, _ = sim.meshes()
    np.testing.assert_array_equal(sim.mesh(first), rock())


def test_meshes_are_listed_by_pages(sim: Client) -> None:
    page = sim.world.meshes(1, 1)
    assert page.total == 2
    assert [Path(page.meshes[0]).name, len(page.sizes)] == ["tent.obj", 1]
    assert sim.world.meshes(2, 9).meshes == ()


class MeshServer(FakeServer):
    """Tells of one mesh, and gives what it is told to."""

    def __init__(self, size: int, *parts: str, content: bytes | None = None) -> None:
        super().__init__()
        self.size, self.parts = size, [*parts]
        self.hash = "a" * 64 if content is None else hashlib.sha256(content).hexdigest()

    def world_meshes(self, request: Message) -> Message:
        return request.reply((1, "a.stl", self.hash), (float(self.size),))

    def world_mesh(self, request: Message) -> Message:
        return request.reply((self.size, self.parts.pop(0)))


@pytest.mark.parametrize(
    ("size", "parts", "said"),
    [
        (9, ["not base64!"], "expected a part of a mesh in base64"),
        (9, [""], "0 bytes came for 'a.stl', more than its 9"),
        (9, ["AAAA", "AAAAAAAAAAAA"], "9 bytes came for 'a.stl', more than its 9"),
        (LARGEST + 1, ["AAAA"], "3 bytes came for 'a.stl'"),
        (6, ["AAAA", "AAAA"], "the mesh 'a.stl' has another hash than announced"),
    ],
)
def test_what_is_no_part_of_the_mesh_is_refused(size: int, parts: list[str], said: str) -> None:
    with serving(MeshServer(size, *parts)) as endpoint, connect(endpoint, timeout=60.0) as sim:
        (mesh,) = sim.meshes()
        with pytest.raises(MalformedMessage, match=said):
            sim.mesh(mesh)


def test_the_same_comes_to_tasks() -> None:
    content = stl_of(rock(2))
    parts = [base64.b64encode(part).decode() for part in (content[:90], content[90:])]

    async def fetch(client: aio.Client) -> np.ndarray:
        (mesh,) = await client.meshes()
        return await client.mesh(mesh)

    np.testing.assert_array_equal(
        using(MeshServer(len(content), *parts, content=content), fetch, timeout=60.0), rock(2)
    )


@pytest.mark.parametrize("content", [b"", stl_of(rock(1))[:-1], stl_of(rock(0)), stl_of(np.full((1, 3, 3), np.inf))])
def test_what_holds_no_triangles_is_refused(content: bytes) -> None:
    parts = [base64.b64encode(content).decode()] if content else []
    with serving(MeshServer(len(content), *parts, content=content)) as endpoint, connect(endpoint, timeout=60.0) as sim:
        (mesh,) = sim.meshes()
        with pytest.raises(MalformedMessage, match="as STL with finite triangles"):
            sim.mesh(mesh)
