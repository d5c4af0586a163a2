"""Window on a run of its own, in a process that a test kills: it edits, says so, and draws on."""

import sys
from pathlib import Path

from coopsim.features.desktop.commands.gui import OwnRun
from coopsim.features.desktop.displays import settle
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.recent import UserFolders


def main(scene: str, unsaved: str) -> None:
    """Edit a scene: a colour, a new robot that is moved, a box that is undone.

    Args:
        scene: File that is run.
        unsaved: Folder for edits that are not saved.
    """
    settle()  # before OpenGL is loaded: this window is drawn into memory
    from viewer_live import draw_until, frames

    from coopsim.features.desktop.application import Application

    with OwnRun() as own:
        own.begin(scene)
        window = Application(ViewerLink(own.locate()), (400, 300), own.exchange, UserFolders(unsaved=Path(unsaved)))
        window.settings.quality, window.documents.file = "low", scene
        draw_until(window, lambda: not window.session.obstacle and bool(window.session.names))
        editor = window.session.editor
        editor.update("robot1", {"color": "255 0 0"})
        window.session.insert("robot single", (1.0, 2.0, 0.0))  # type: ignore[arg-type]
        draw_until(window, lambda: "robot2" in window.session.names)
        editor.update("robot2", {"position": "1 2.5 0"})
        window.session.insert("box", (-2.0, -2.0, 0.0))  # type: ignore[arg-type]
        draw_until(window, lambda: "box1" in window.session.names and not editor.history.is_waiting)
        editor.history.undo()
        draw_until(window, lambda: "box1" not in window.session.names and not editor.history.is_waiting)
        frames(window, 2)
        sys.stdout.write(f"edited {own.pid}\n")
        sys.stdout.flush()
        draw_until(window, lambda: False)


if __name__ == "__main__":
    main(*sys.argv[1:])
