"""Makes the pictures of the window in the documentation, drawn in memory.

python docs/window_figures.py window    docs/window.png, the first picture of README.md: the laboratory after a while
python docs/window_figures.py game      docs/game_client.png: a match, as a player sees it
python docs/window_figures.py renderers docs/renderers.png: one scene by each renderer, side by side
python docs/window_figures.py lobby     docs/game_lobby.png: a match waits for its players
python docs/window_figures.py battle    docs/game_battle.png: shots of a match
python docs/window_figures.py flag      docs/game_flag.png: a robot carries a flag home
"""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from coopsim.features.desktop.displays import settle
from coopsim.robots import find_file
from coopsim.testkit import Run

settle()  # before OpenGL is loaded

from coopsim.features.desktop.aiming import aim  # noqa: E402
from coopsim.features.desktop.application import Application  # noqa: E402
from coopsim.features.desktop.camera import OrbitCamera  # noqa: E402
from coopsim.features.desktop.curves import PlotChannel  # noqa: E402
from coopsim.features.desktop.link import ViewerLink  # noqa: E402
from coopsim.features.desktop.offscreen import Offscreen  # noqa: E402
from coopsim.features.desktop.shown import BeginningScene  # noqa: E402

FOLDER = Path(__file__).parent
SIZE, PATIENCE, COLORS = (1440, 900), 200.0, 200


@dataclass(frozen=True)
class Shown:
    """A picture of the window.

    Attributes:
        file: Where it goes, in this folder.
        scene: That is run.
        begin: When the window is prepared [s].
        seconds: After which it is taken [s].
        arrange: Prepares the window.
        instead: Words of the scenario, and what the one that is run says there.
        holds: What must be seen then.
    """

    file: str
    scene: str
    begin: float
    seconds: float
    arrange: Callable[[Application], None]
    instead: tuple[str, str] = ("", "")
    holds: Callable[[Application], bool] = lambda _: True


def main(arguments: Sequence[str]) -> int:
    """Make what the words say."""
    if not arguments or not set(arguments) <= {*PICTURES, "renderers"}:
        sys.stderr.write(__doc__ or "")
        return 2
    if "renderers" in arguments:
        side_by_side().save(FOLDER / "renderers.png", optimize=True)
    for name in PICTURES.keys() & set(arguments):
        shown = PICTURES[name]
        with tempfile.TemporaryDirectory() as folder, Run(_scene(shown, folder), "--mode", "real-time") as run:
            image = picture(ViewerLink(run.endpoint), shown)
        image.save(FOLDER / shown.file, optimize=True)
    return 0


def _scene(shown: Shown, folder: str) -> str:
    """Return the scenario to run: the built-in one, or a changed one in a folder."""
    before, after = shown.instead
    if not before:
        return shown.scene
    file = Path(folder) / f"{shown.scene}.scenario"
    text = find_file(shown.scene, (".scenario",)).read_text(encoding="utf-8")
    file.write_text(text.replace(before, after), encoding="utf-8")
    return str(file)


def picture(link: ViewerLink, shown: Shown, size: tuple[int, int] = SIZE) -> Image.Image:
    """Return the window as it is when its run is old enough.

    Args:
        link: To the run.
        shown: What to wait for.
        size: Of the window.
    """
    application = Application(link, size)
    try:
        _draw_until(application, lambda: len(application.session.model.entities) > 0)
        _draw_until(application, lambda: application.session.time >= shown.begin)
        shown.arrange(application)
        _draw_until(application, lambda: application.session.time >= shown.seconds and shown.holds(application))
        return Image.fromarray(application.screenshot())
    finally:
        application.close()


def side_by_side(scene: str = "lab", size: tuple[int, int] = (640, 400)) -> Image.Image:
    """Return a scene as it begins, drawn by each renderer, the built-in one first."""
    names, beginning = ("opengl", "mujoco"), BeginningScene(scene)
    model, camera = beginning.at(0.0), OrbitCamera(size=size)
    aim(camera, model, beginning.camera or "iso")
    both = Image.new("RGB", (len(names) * size[0], size[1]))
    for number, name in enumerate(names):
        with Offscreen(size, renderer=name) as drawer:
            both.paste(Image.fromarray(drawer.picture(model, camera)), (number * size[0], 0))
    return both.quantize(COLORS)


def _draw_until(application: Application, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise SystemExit(f"it takes too long: {application.session.link.facts}")
        application.window.switch_to()
        application.window.dispatch_events()
        application.draw()
        application.window.flip()


def _laboratory(application: Application) -> None:
    session = application.session
    session.turn_camera_to("iso")
    session.select("robot1")
    for channel in (PlotChannel("robot1", "", "x"), PlotChannel("robot1", "", "y"), PlotChannel("scout1", "", "x")):
        session.curves.toggle(channel)
    session.curves.metrics.toggle("clearance")


def _match(application: Application) -> None:
    client = application.layouts["game"].client
    client.battle.battle.choose(["a1"])
    client.battle.order(client.battle.battle.orders("capture", "blue"))
    client.chat.say("we take the blue one")


def _battle(application: Application) -> None:
    application.layouts["game"].client.battle.battle.choose(["a1"])


def _has_shot(application: Application) -> bool:
    battle = application.layouts["game"].client.battle.battle
    shots = battle.recent_shots(application.session.time)
    return sum(bool(shot.target) for shot in shots) >= 2


def _carries(application: Application) -> bool:
    battle = application.layouts["game"].client.battle.battle
    return any(carrier for _, _, carrier in battle.flags.values())


def _is_awaited(application: Application) -> bool:
    client = application.layouts["game"].client
    return bool(client.chat.talk.lines) and any("waits" in line.text for line in client.monitor.talk.lines)


def _greet(application: Application) -> None:
    application.layouts["game"].client.chat.say("ready when you are")


PICTURES = {
    "window": Shown("window.png", "lab", 0.0, 17.0, _laboratory),
    "game": Shown("game_client.png", "capture_the_flag", 4.0, 16.0, _match),
    "lobby": Shown("game_lobby.png", "duel", 0.0, 4.0, _greet, ("[GAME]\n", "[GAME]\nlobby 60\n"), _is_awaited),
    "battle": Shown(
        "game_battle.png", "duel", 1.0, 22.0, _battle, ("bot         normal", "bot         easy"), _has_shot
    ),
    "flag": Shown("game_flag.png", "capture_the_flag", 4.0, 25.0, _match, holds=_carries),
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
