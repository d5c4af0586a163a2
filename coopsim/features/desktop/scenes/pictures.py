"""Pictures of scenes: drawn once by a process of their own, kept in a folder, shown as textures."""

import contextlib
import hashlib
import json
import subprocess
import threading
from collections import deque
from pathlib import Path

import numpy as np
from PIL import Image

from coopsim.features.desktop.gl.textures import Texture
from coopsim.features.presentation.scene_listing import SceneEntry
from coopsim.interpreter import module_command
from coopsim.version import version

SIZE = (320, 200)
"""Width and height of a picture [pixels]: sharp at twice the size of a tile."""
_MOST_KEPT, _MOST_SHOWN = 500, 300
"""Files in the folder, and textures."""
_DRAWER = "coopsim.features.desktop.scenes.drawing"


class ScenePictures:
    """Draws scenes beside the window, which never waits for them.

    Args:
        folder: Keeps what was drawn from one window to the next, None = nothing is drawn.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._textures: dict[Path, Texture] = {}
        self._asked: set[Path] = set()
        self._problems: dict[Path, str] = {}
        self._answers: deque[tuple[Path, str]] = deque()
        self._process: subprocess.Popen[str] | None = None
        self._listener: threading.Thread | None = None

    def texture(self, entry: SceneEntry) -> Texture | None:
        """Return the picture of a scene, None while there is none; the first question has it drawn."""
        self._receive()
        if self._folder is None or entry.is_recording or entry.path in self._problems:
            return None
        kept = self._texture_of(entry.path)
        if kept is None and entry.path not in self._asked:
            self._asked.add(entry.path)
            self._ask(entry.path)
        return kept

    def problem(self, entry: SceneEntry) -> str:
        """Return why a scene cannot be drawn, "" = it can, as far as is known."""
        return self._problems.get(entry.path, "")

    def close(self) -> None:
        """End the process that draws, and forget all pictures."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._listener is not None:
                self._listener.join()
            for pipe in filter(None, (self._process.stdin, self._process.stdout)):
                with contextlib.suppress(BrokenPipeError):  # what was not sent any more
                    pipe.close()
            self._process = None
        for texture in self._textures.values():
            texture.delete()
        self._textures.clear()

    def _texture_of(self, path: Path) -> Texture | None:
        """Return a picture that was drawn before; the oldest give way to others."""
        if path in self._textures or path in self._asked:
            return self._textures.get(path)
        assert self._folder is not None  # noqa: S101 - who calls has looked
        file = self._folder / picture_name(path)
        try:
            with Image.open(file) as picture:
                pixels = np.asarray(picture.convert("RGB"))[::-1]
        except (OSError, ValueError):  # there is none yet, or another program has damaged it: it is drawn anew
            return None
        while len(self._textures) >= _MOST_SHOWN:
            self._textures.pop(next(iter(self._textures))).delete()
        self._textures[path] = Texture(np.ascontiguousarray(pixels))
        return self._textures[path]

    def _ask(self, path: Path) -> None:
        """Have a scene drawn."""
        assert self._folder is not None  # noqa: S101 - who calls has looked
        process = self._process or self._start()
        words = {"file": str(path), "picture": str(self._folder / picture_name(path))}
        try:
            assert process.stdin is not None  # noqa: S101 - it was started with a pipe
            process.stdin.write(json.dumps(words) + "\n")
            process.stdin.flush()
        except (OSError, ValueError):
            self._problems[path] = "the process that draws pictures has ended"

    def _start(self) -> "subprocess.Popen[str]":
        assert self._folder is not None  # noqa: S101 - who calls has looked
        _prune(self._folder)
        command = module_command(_DRAWER)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._listener = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
        self._listener.start()
        return self._process

    def _listen(self, process: "subprocess.Popen[str]") -> None:
        """Take the answers down as they come, in a thread of its own."""
        assert process.stdout is not None  # noqa: S101 - it was started with a pipe
        for line in process.stdout:
            answer = json.loads(line)
            self._answers.append((Path(answer["file"]), answer["problem"]))

    def _receive(self) -> None:
        """Take over what was drawn since."""
        while self._answers:
            path, problem = self._answers.popleft()
            self._asked.discard(path)
            if problem or (self._folder is not None and self._texture_of(path) is None):
                self._problems[path] = problem or "its picture cannot be read"


def picture_name(path: Path) -> str:
    """Return the name of the picture of a file as it is now."""
    try:
        status = path.stat()
        state = f"{path.resolve()} {status.st_mtime_ns} {status.st_size}"
    except OSError:
        state = str(path)
    return hashlib.sha256(f"{version()} {SIZE} {state}".encode()).hexdigest()[:32] + ".png"


def _prune(folder: Path) -> None:
    """Remove the oldest pictures where there are too many."""
    try:
        kept = sorted(folder.glob("*.png"), key=lambda file: file.stat().st_mtime)
        for file in kept[:-_MOST_KEPT]:
            file.unlink()
    except OSError:
        return  # another window is at it, or nothing may be removed
