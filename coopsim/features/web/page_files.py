"""Files of the page, packed once, and the headers that keep it to itself."""

import gzip
import io
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from coopsim.features.pictures.patterns import pattern
from coopsim.features.presentation.packaged import packaged_text

_LIBRARY: Final = "three.js"
"""Of others, in one long line that nobody reads: the repository, too, has it compressed."""
SCRIPTS: Final = (
    _LIBRARY,
    "frames.js",
    "sharpness.js",
    "shapes.js",
    "levels.js",
    "packs.js",
    "history.js",
    "sources.js",
    "scene.js",
    "lines.js",
    "layers.js",
    "cameras.js",
    "time.js",
    "people.js",
    "inspector.js",
    "plots.js",
    "driving.js",
    "editing.js",
    "managers.js",
    "match.js",
    "ending.js",
    "scenes.js",
    "main.js",
)
"""In the order in which a page runs them; none is a module, so that they can be put into one file as well."""
FILM_SCRIPTS: Final = tuple("film.js" if name == "sources.js" else name for name in SCRIPTS)
"""Of the page of a recording, which holds all that it shows."""
PAGE, STYLE, SCRIPT = "page.html", "page.css", "page.js"
"""Files that a browser gets; the last is all scripts in one, since each request takes a connection of its own."""
_TYPES: Final = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
)
"""Nothing runs that did not come from here, whatever robots and worlds are called."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file as browsers get it.

    Attributes:
        type: Of its content.
        packed: Its bytes, compressed by gzip.
    """

    type: str
    packed: bytes


@cache
def page_files() -> dict[str, PageFile]:
    """Return all files of the page by name."""
    return {name: _packed(name) for name in (PAGE, STYLE, SCRIPT)}


def text_of(name: str) -> str:
    """Return a file of the page."""
    return packaged_text(resources.files(__package__).joinpath("page"), name)


def picture_of_pattern(name: str) -> bytes:
    """Return the picture of a pattern as a PNG file."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pattern(name)).save(file, "PNG")
    return file.getvalue()


def _packed(name: str) -> PageFile:
    text = "\n".join(map(text_of, SCRIPTS)) if name == SCRIPT else text_of(name)
    if name == PAGE:
        text = text.replace("<!-- scripts -->", f'<script src="{SCRIPT}" defer></script>')
    kind = _TYPES[name.rpartition(".")[2]]
    # the same bytes each time: no time stamp
    return PageFile(f"{kind}; charset=utf-8", gzip.compress(text.encode(), mtime=0))
