"""A camera through the message: images of ticks, in this process."""

import asyncio
import io

import numpy as np
import pytest
from camera_scenes import box, scene
from PIL import Image as Pictures

from coopsim.errors import BadArgument, NoImage
from coopsim.features.desktop.cameras import LocalImages
from coopsim.inprocess import LocalServer
from coopsim.interfaces import CAMERA
from coopsim.message import MAX_BYTES, MAX_PARAM_BYTES, Message, decode
from coopsim.simulation import Simulation


@pytest.fixture(scope="module")
def server(images: LocalImages) -> LocalServer:
    return LocalServer(Simulation(scene(box())), images=images)


def test_an_image_is_an_array_that_knows_its_tick(server: LocalServer) -> None:
    with server.connect() as sim:
        camera = sim.robot("robot1").camera
        image, depth = camera.image(), camera.depth()
        assert (image.shape, image.dtype) == ((240, 320, 3), np.uint8)
        assert (depth.shape, depth.dtype) == ((240, 320), np.float32)
        assert image.tick == camera.info().image
        assert depth[120, 160] == pytest.approx(2.32, abs=0.01)


def test_a_png_is_a_file_with_the_same_pixels(server: LocalServer) -> None:
    with server.connect() as sim:
        camera = sim.robot("robot1").camera
        assert np.array_equal(np.asarray(Pictures.open(io.BytesIO(camera.png()))), camera.image())


def test_in_lockstep_an_image_belongs_to_the_tick_that_info_says(server: LocalServer) -> None:
    with server.connect() as sim, sim.stepper("robot1") as stepper:
        camera = sim.robot("robot1").camera
        for _ in range(25):
            stepper.step()
        assert camera.info().image == 20
        image = camera.image()
        assert (image.tick, image.time) == (20, pytest.approx(0.2))
        assert camera.depth().tick == 20


def test_parameters_are_in_force_with_the_next_image(server: LocalServer) -> None:
    with server.connect() as sim:
        camera = sim.robot("robot1").camera
        camera.parameters["fov"] = 0.5
        assert camera.parameters["fov"] == 0.5
        with pytest.raises(BadArgument, match="width is given in files alone"):
            camera.parameters["width"] = 64


def test_replies_keep_the_limits_of_messages(server: LocalServer) -> None:
    link = server.open_link()
    for name in ("image", "depth", "png"):
        link.send(_request(name), 1.0)
        raw = link.receive(5.0)
        reply = decode(raw)
        assert reply.error == 0
        assert len(raw) < MAX_BYTES
        assert all(len(text) <= MAX_PARAM_BYTES for text in reply.params[2:])
    link.close()


def test_the_largest_image_fits_a_message() -> None:
    sizes = {parameter.name: parameter.high for parameter in CAMERA.parameters if parameter.name in {"width", "height"}}
    assert 4 * sizes["width"] * sizes["height"] < MAX_BYTES - 4096


def test_where_nothing_draws_that_is_said() -> None:
    with LocalServer(Simulation(scene())).connect() as sim:
        camera = sim.robot("robot1").camera
        assert camera.info().width == 320
        with pytest.raises(NoImage, match="nothing draws the images of /robot1/camera here"):
            camera.image()


def test_a_client_of_asyncio_gets_arrays_too(server: LocalServer) -> None:
    from coopsim.client import aio

    async def show() -> object:
        async with aio.connect(server) as sim:
            return await sim.robot("robot1").camera.image()

    assert asyncio.run(show()).shape == (240, 320, 3)


def _request(name: str) -> bytes:
    from coopsim.message import encode

    return encode(Message("/robot1/camera", CAMERA.command(name).number))
