"""Process that draws scenes as they begin; a window asks it for pictures by lines of JSON."""

import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING

from PIL import Image

from coopsim.errors import CoopsimError

if TYPE_CHECKING:
    from coopsim.features.desktop.offscreen import Offscreen

_PATIENCE = 60
"""A scene that takes longer is given up with this process [s]."""


def serve(requests: IO[str], answers: IO[str]) -> None:
    """Draw until nobody asks any more.

    Args:
        requests: Lines with `file` and `picture`, where it is written.
        answers: Gets a line for each: `file`, and `problem`, "" = it was drawn.
    """
    from coopsim.features.desktop import displays

    displays.settle()
    from coopsim.features.desktop.offscreen import Offscreen
    from coopsim.features.desktop.scenes.pictures import SIZE

    with Offscreen(SIZE, tell=lambda _: None) as drawer:
        for line in requests:
            request = json.loads(line)
            signal.alarm(_PATIENCE)
            try:
                _draw(drawer, SIZE, request["file"], Path(request["picture"]))
                problem = ""
            except (CoopsimError, OSError) as trouble:
                problem = str(trouble).partition("\n")[0]
            signal.alarm(0)
            answers.write(json.dumps({"file": request["file"], "problem": problem}) + "\n")
            answers.flush()


def _draw(drawer: "Offscreen", size: tuple[int, int], file: str, picture: Path) -> None:
    """Draw a scene into a file, which is there as a whole or not at all."""
    from coopsim.features.desktop.aiming import aim
    from coopsim.features.desktop.camera import OrbitCamera
    from coopsim.features.desktop.shown import BeginningScene

    scene, camera = BeginningScene(file), OrbitCamera(size=size)
    model = scene.at(0.0)
    aim(camera, model, scene.camera or "iso")
    pixels = drawer.picture(model, camera)
    picture.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=picture.parent, suffix=".part", delete=False) as part:
        Image.fromarray(pixels).save(part, format="PNG")
    Path(part.name).replace(picture)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(5)  # the run and its window come first
    serve(sys.stdin, sys.stdout)
