"""A recording as one HTML page that opens from disk: top view, scrub bar, plots, messages; no server, no other host."""

import json
from collections.abc import Iterable
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from coopsim.features.pictures.page_data import page_data, plan
from coopsim.recording import Recording


def export_page(recording: Recording, path: str | Path, *, full: bool = False) -> int:
    """Write the page; return how many bytes it has.

    Args:
        recording: Complete or cut off.
        path: An older file is overwritten.
        full: Every record and every reading, however large the page becomes.

    Raises:
        DamagedRecording: It holds no record, or a chunk is damaged.
        OSError: The page cannot be written.
    """
    text = page(recording, full=full).encode()
    Path(path).write_bytes(text)
    return len(text)


def page(recording: Recording, *, full: bool = False) -> str:
    """Return the text of the page."""
    data = page_data(recording, plan(recording, full=full))
    title = escape(f"{data['title']} - coopsim")
    return filled("page.html", ("logic", "curves", "view", "plots", "page"), data, title=title)


def filled(template: str, scripts: Iterable[str], data: Any, **words: str) -> str:
    """Return a page that needs no other file.

    Args:
        template: Its HTML, with `{{NAME}}` for each part.
        scripts: Names of its scripts.
        data: What they show, plain as JSON.
        words: Further parts, as HTML.
    """
    text = json.dumps(data, separators=(",", ":"))
    parts = {
        **words,
        "css": _file("page.css"),
        **{name: _file(f"{name}.js") for name in scripts},
        "data": text.replace("<", "\\u003c"),  # nothing in it can end the element that holds it
    }
    head, *pieces = _file(template).split("{{")
    whole = [head]
    for piece in pieces:
        name, rest = piece.split("}}", 1)
        whole += [parts[name], rest]
    return "".join(whole)


def _file(name: str) -> str:
    return (resources.files("coopsim.features.pictures") / "page" / name).read_text(encoding="utf-8")
