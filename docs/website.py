"""Builds the documentation as a site: `python docs/website.py build/docs`, which `make docs` does.

The pages stand where they do in the repository, so that their links lead to the same places there and here. Besides
them there is a page for each room of the package that others may use, made from its docstrings. Whatever the
builder warns of (a link to nowhere, a docstring that describes a parameter that is not there) is an error.
"""

import argparse
import json
import logging
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort
from mkdocs.utils import CountHandler
from rooms import ROOMS

ROOT = Path(__file__).parents[1]
GUIDES = {
    "Tutorial": ("docs/tutorial",),
    "Course": ("docs/course",),
    "How to": ("docs/howto",),
    "Topics": ("docs",),
    "Clients": ("clients",),
    "The project": ("CONTRIBUTING.md", "CHANGELOG.md", "tests/mutants/results.md", "tests/mutants/drawn.md"),
}
_BUILT = {"__pycache__", "node_modules", "target", "build", "bin", "obj"}
_SEEN = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "clients", "coopsim", "docs", "tests")


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site and return the exit code."""
    parser = argparse.ArgumentParser(description="Build the documentation as a site.")
    parser.add_argument("folder", type=Path, help="where it is written; replaced if it is there")
    folder = parser.parse_args(arguments).folder
    with tempfile.TemporaryDirectory(prefix="coopsim-docs-") as work:
        warnings = site(Path(work), folder.resolve())
    print(f"{folder}/index.html" if not warnings else f"{warnings} warnings; see above")
    return 1 if warnings else 0


def site(work: Path, folder: Path) -> int:
    """Build the site from a copy of the pages; return how many warnings there were.

    Args:
        work: An empty folder for the copy.
        folder: Where the site is written.
    """
    pages = work / "pages"
    gather(pages)
    counter = CountHandler()
    counter.setLevel(logging.WARNING)
    teller = logging.StreamHandler(sys.stderr)
    teller.setLevel(logging.WARNING)
    log = logging.getLogger("mkdocs")
    log.handlers = [counter, teller]
    try:
        build(load_config(str(_configured(pages, folder))))
    except Abort as problem:
        print(problem, file=sys.stderr)
        return 1
    return sum(count for _, count in counter.get_counts())


def gather(pages: Path) -> None:
    """Copy what the site is made of, and write the pages of the rooms."""
    pages.mkdir()
    for name in _SEEN:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, pages / name, ignore=_unseen, ignore_dangling_symlinks=True)
        else:
            shutil.copy(place, pages / name)
    for room, summary in ROOMS.items():
        file = pages / "docs" / "reference" / f"{room}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# {room}\n\n{summary[0].upper()}{summary[1:]}.\n\n::: {room}\n", encoding="utf-8")


def _unseen(folder: str, names: list[str]) -> set[str]:
    """Return what the site does not need: what is built, and outside of the clients what no page links to."""
    kept = {".md", ".py", ".svg", ".png", ".json", ".sh", ".c", ".m"}
    is_client = "clients" in Path(folder).relative_to(ROOT).parts
    files = (name for name in names if not (Path(folder) / name).is_dir())
    # the page of a client would take the place of its README
    unneeded = {name for name in files if name == "index.html" or not (is_client or Path(name).suffix in kept)}
    return unneeded | {name for name in names if name.startswith(".") or name in _BUILT}


def _configured(pages: Path, folder: Path) -> Path:
    """Write what the builder has to know, and return where."""
    file = pages.parent / "mkdocs.yml"
    file.write_text(json.dumps(_configuration(pages, folder)), encoding="utf-8")  # JSON is YAML
    return file


def _configuration(pages: Path, folder: Path) -> dict[str, Any]:
    docstrings = {
        "docstring_style": "google",
        "show_root_heading": False,
        "show_root_toc_entry": False,
        "show_source": False,
        "show_if_no_docstring": False,
        "show_submodules": False,
        "show_signature_annotations": True,
        "separate_signature": True,
        "signature_crossrefs": True,
        "members_order": "source",
        "merge_init_into_class": True,
        "docstring_options": {"warn_unknown_params": True, "warn_missing_types": False, "warnings": True},
    }
    python = {"paths": [str(ROOT)], "options": docstrings}
    return {
        "site_name": "coopsim",
        "docs_dir": str(pages),
        "site_dir": str(folder),
        "use_directory_urls": False,
        "nav": _navigation(pages),
        "theme": {"name": "readthedocs", "locale": "en", "highlightjs": False},
        "markdown_extensions": ["tables", "fenced_code", "toc"],
        "plugins": ["search", {"mkdocstrings": {"handlers": {"python": python}}}],
        "validation": {"nav": {"omitted_files": "warn"}, "links": {"not_found": "warn", "anchors": "warn"}},
    }


def _navigation(pages: Path) -> list[Any]:
    sections: list[Any] = [{"coopsim": "README.md"}]
    for title, places in GUIDES.items():
        files = [file for place in places for file in _pages_of(pages / place)]
        sections.append({title: [str(file.relative_to(pages)) for file in files]})
    reference = [{room: f"docs/reference/{room}.md"} for room in ROOMS]
    commands = [{"overview": "docs/reference/README.md"}, {"commands": "docs/reference/commands.md"}]
    return [*sections, {"Reference": [*commands, *reference]}]


def _pages_of(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    files = sorted(place.glob("*.md"), key=lambda file: (file.name != "README.md", file.name))
    return files or sorted(place.glob("*/README.md"))


if __name__ == "__main__":
    sys.exit(main())
