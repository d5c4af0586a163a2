"""Runs and recordings in a cell of a notebook: `sim.show()`, `recording.show()`, `coopsim.show(either)`."""

import atexit
import subprocess
import tempfile
import threading
import weakref
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coopsim.errors import BadArgument, NoReply
from coopsim.features.web.links import DRIVE, EDIT, WATCH
from coopsim.features.web.process import begin_server, end_server
from coopsim.plugins import load

if TYPE_CHECKING:
    from coopsim.client.client import BaseClient
    from coopsim.recording import Recording

_HEIGHT = 480  # pixels; a cell with it fits on a laptop's screen together with its code
_PATIENCE = 30.0
"""How long the server of the page may take to begin [s]: it imports on a machine that is busy with the run."""


class NotebookPage:
    """A page that a notebook shows as the value of a cell.

    Attributes:
        address: Where it is, "" = it is all in the cell.
        height: Of the cell [pixels].
    """

    def __init__(self, height: int, address: str = "", text: str = "") -> None:
        self.height, self.address, self._text = height, address, text

    def __repr__(self) -> str:
        return f"<page at {self.address}>" if self.address else f"<page of {len(self._text)} characters>"

    def _repr_html_(self) -> str:
        """Return the frame that a notebook puts below the cell."""
        content = f'src="{escape(self.address)}"' if self.address else f'srcdoc="{escape(self._text)}"'
        # what a recording says runs in a frame of its own, which reaches neither the notebook nor its server
        fence = "" if self.address else ' sandbox="allow-scripts"'
        return f'<iframe {content}{fence} width="100%" height="{self.height}" style="border: 0"></iframe>'


class LivePage(NotebookPage):
    """The page of a run, and the process that serves it until `close`, or until the notebook's own process ends."""

    def __init__(self, process: "subprocess.Popen[str]", height: int, address: str) -> None:
        super().__init__(height, address)
        self._end = weakref.finalize(process, end_server, process)
        self._process = process

    def close(self) -> None:
        """End the server of the page; the run goes on."""
        self._end()


def show(
    subject: "BaseClient | Recording", *, height: int = _HEIGHT, role: str = EDIT, keys: str | Path | None = None
) -> NotebookPage:
    """Return a page of a run, live, or of a recording, for a cell of a notebook.

    Args:
        subject: A client, whose run has an address, or a recording.
        height: Of the cell [pixels].
        role: What whoever looks at it may do with a run: `watch`, `drive` or `edit`.
        keys: Folder with our keys, where the run wants some.

    Raises:
        BadArgument: There is no such role, or the run is one of this process, which no other one reaches.
        NoReply: No page comes.
    """
    path = getattr(subject, "path", None)
    if path is not None:
        return NotebookPage(height, text=_still(subject))
    if role not in (WATCH, DRIVE, EDIT):
        raise BadArgument(f"expected the role {WATCH}, {DRIVE} or {EDIT}, got {role!r}")
    endpoint = str(getattr(subject, "endpoint", subject))
    if "://" not in endpoint:
        raise BadArgument(
            f"{endpoint} has no address that a browser could follow; record it and show the recording, or start the "
            "scene by `coopsim run`"
        )
    return _live(endpoint, height, role, () if keys is None else ("--keys", str(keys)))


def _still(recording: Any) -> str:
    """Return the page of a recording as `coopsim export --html` writes it."""
    with tempfile.TemporaryDirectory(prefix="coopsim-") as folder:
        file = Path(folder) / "page.html"
        load("pictures", "page")(recording, file)
        return file.read_text(encoding="utf-8")


def _live(endpoint: str, height: int, role: str, options: tuple[str, ...]) -> LivePage:
    arguments = endpoint, "--port", "0", *options
    process = begin_server(*arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines: list[str] = []
    said = threading.Event()
    threading.Thread(target=_listen, args=(process, f"  {role} ", lines, said), daemon=True).start()
    said.wait(_PATIENCE)
    link = next((line.split()[-1] for line in lines if line.startswith(f"  {role} ")), None)
    if link is None:
        end_server(process)
        raise NoReply(f"no page of {endpoint} comes: {' '.join(lines[-3:]) or 'its server says nothing'}")
    page = LivePage(process, height, link)
    atexit.register(page.close)
    return page


def _listen(process: "subprocess.Popen[str]", wanted: str, lines: list[str], said: threading.Event) -> None:
    """Keep what a process prints, and tell when a line begins as is wanted, or nothing more comes."""
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    with process.stdout as printed:
        for line in printed:
            if not said.is_set():
                lines.append(line.rstrip("\n"))
            if line.startswith(wanted):
                said.set()
    said.set()
