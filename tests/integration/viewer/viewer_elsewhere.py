"""A process that may not open the files of a run: it connects, draws what is there and saves the picture."""

import sys
from typing import Any

import numpy as np

from coopsim.client import connect
from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.offscreen import Offscreen
from coopsim.features.desktop.quality import Quality
from coopsim.features.desktop.served_meshes import fetched_meshes

SIZE, FAST = (320, 240), Quality("flat", 1)


def forbid(folder: str) -> None:
    """Let this process open no file in a folder."""

    def refuse_files(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and folder in str(arguments[0]):
            raise PermissionError(13, "Permission denied", arguments[0])

    sys.addaudithook(refuse_files)


def main(endpoint: str, folder: str, out: str) -> None:
    forbid(folder)
    messages: list[str] = []
    with connect(endpoint, timeout=60.0) as sim:
        scene = sim.scene()
        source = fetched_meshes(sim, scene)
    model = SceneModel(scene.entities)
    camera = OrbitCamera(size=SIZE)
    camera.turn_to("iso")
    camera.fit(model.corners())
    with Offscreen(SIZE, FAST, messages.append, source) as canvas:
        picture = canvas.picture(model, camera)
    with open(out, "wb") as file:
        np.save(file, picture)
    print(messages)


if __name__ == "__main__":
    main(*sys.argv[1:])
