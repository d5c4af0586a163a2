"""What a client is told of the looks of everything."""

import json
from dataclasses import replace

import pytest
from client_aio import using
from client_fakes import FakeServer, serving

from coopsim.client import aio, connect
from coopsim.client.scene import SceneView
from coopsim.errors import MalformedMessage
from coopsim.geometry import ORIGIN
from coopsim.message import Message
from coopsim.state import EntityRow, Visual
from coopsim.state.layout import JointRow
from coopsim.state.plain_entities import entities_to_plain

BOX = (Visual("box"),)
ROWS = [EntityRow(f"r{n}", "robot", "single", n, ORIGIN, (1, 1, 1), 20.0, (0, 0, 1), 0.6, False, BOX) for n in range(5)]

JOINTS = [JointRow(f"j{n}", "weld", "r0", f"r{n}") for n in (1, 2, 3)]


class SceneServer(FakeServer):
    """Tells a scene in pages of two.

    Attributes:
        rows: All of the scene.
        generations: Of the next pages; then 1.
        joints: They come behind the rows.
    """

    def __init__(self, rows: list[EntityRow], *generations: int) -> None:
        super().__init__()
        self.rows, self.generations, self.tick = rows, [*generations], 7
        self.joints: list[JointRow] = []

    def world_scene(self, request: Message) -> Message:
        first = int(request.params[0])
        rows = [*self.rows, *self.joints]
        page = rows[first : first + 2]
        entities = [row for row in page if isinstance(row, EntityRow)]
        text = json.dumps(entities_to_plain(entities, [row for row in page if isinstance(row, JointRow)]))
        generation = self.generations.pop(0) if self.generations else 1
        return request.reply((text, generation, len(rows)), tick=self.tick)


def test_a_scene_is_asked_for_page_by_page() -> None:
    server = SceneServer(ROWS)
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        assert sim.scene() == SceneView(1, 7, tuple(ROWS))
    assert [request.params for request in server.asked("/sim/world", "scene")] == [(0,), (2,), (4,)]


def test_a_scene_that_changes_between_two_pages_is_asked_for_anew() -> None:
    server = SceneServer(ROWS, 1, 2, 3, 3, 3)
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        scene = sim.scene()
    assert (scene.generation, [row.name for row in scene.entities]) == (3, ["r0", "r1", "r2", "r3", "r4"])
    assert len(server.asked("/sim/world", "scene")) == 5


def test_joints_are_asked_for_behind_the_entities_by_both_clients() -> None:
    server, whole = SceneServer(ROWS), SceneView(1, 7, tuple(ROWS), tuple(JOINTS))
    server.joints = JOINTS
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        assert sim.scene() == whole
    assert [request.params for request in server.asked("/sim/world", "scene")] == [(0,), (2,), (4,), (6,)]

    async def use(sim: aio.Client) -> None:
        assert await sim.scene() == whole

    scene_server = SceneServer(ROWS)
    scene_server.joints = JOINTS
    using(scene_server, use)


def test_a_scene_that_cannot_be_drawn_is_refused() -> None:
    server = SceneServer([replace(ROWS[0], visuals=(Visual("blob"),))])
    with (
        serving(server) as endpoint,
        connect(endpoint, timeout=5.0) as sim,
        pytest.raises(MalformedMessage, match=r"looks\[0\]\[0\]\.shape: expected box"),
    ):
        sim.scene()


def test_a_client_of_asyncio_sees_the_same() -> None:
    async def use(sim: aio.Client) -> None:
        assert await sim.scene() == SceneView(1, 7, tuple(ROWS))

    using(SceneServer(ROWS), use)
