"""Places of the files that models name: beside the model, or where ROS, Gazebo and Python packages keep them."""

import os
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

from coopsim.scene import Problems
from coopsim.scene.xml_nodes import read_xml_file

PACKAGE_PATHS = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "COLCON_PREFIX_PATH")
"""Variables that name folders of packages, or folders with `share` in them."""
MODEL_PATHS = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH")
"""Variables that name folders of models."""
FUEL_CACHES = ("GZ_FUEL_CACHE_PATH", "IGN_FUEL_CACHE_PATH")
"""Variables that name the folder in which Gazebo keeps models that it was given from Fuel."""
_FUEL = re.compile(
    r"^([\w.-]+)/(?:[\d.]+/)?([^/]+)/models/([^/]+)(?:/[\w.]+/files|/(?:\d+|tip))?(?:/(.*))?$", re.IGNORECASE
)
_SCHEME = re.compile(r"^([a-z]+)://(.*)$", re.IGNORECASE)
_HIGHEST = 12
"""Folders above a model in which its package is looked for."""
_MANIFEST = re.compile(rb"<name>\s*([\w.+-]+)\s*</name>")


def find_model_file(name: str, model: Path) -> Path | None:
    """Return the file that a model names, None where it is nowhere.

    Args:
        name: A path, `package://PKG/PATH`, `model://NAME/PATH` or `file://PATH`.
        model: The file that names it.
    """
    return next((candidate for candidate in _candidates(name, model) if candidate.is_file()), None)


def find_model_folder(name: str, model: Path) -> Path | None:
    """Return the folder that `model://NAME` or a path means, None where it is nowhere."""
    return next((candidate for candidate in _candidates(name, model) if candidate.is_dir()), None)


def searched_in() -> str:
    """Return the places beyond the model's own folders, for people."""
    return f"the folders above the model, Python packages, and {', '.join((*PACKAGE_PATHS[:2], *MODEL_PATHS[:1]))}"


def find_main_model(name: str, model: Path) -> Path | None:
    """Return the SDF file of the nearest folder of this name that holds a model, None where there is none."""
    # Gazebo takes a bare name for that of a model, too
    names = [name] if _SCHEME.match(name) else [name, f"model://{name}"]
    folders = (candidate for written in names for candidate in _candidates(written, model) if candidate.is_dir())
    # a folder may be called as a model is, and be something else
    return next((file for file in map(_main_model, folders) if file is not None), None)


def _main_model(folder: Path) -> Path | None:
    """Return the SDF file of a folder with a model: what its `model.config` names last, or `model.sdf`."""
    manifest, problems = folder / "model.config", Problems()
    root = read_xml_file(manifest, problems) if manifest.is_file() else None
    names = [node.text.strip() for node in root.all("sdf")] if root else []
    return next((folder / name for name in (*reversed(names), "model.sdf") if (folder / name).is_file()), None)


def _candidates(name: str, model: Path) -> Iterator[Path]:
    match = _SCHEME.match(name)
    scheme, rest = (match[1].lower(), unquote(match[2])) if match else ("", name)
    if scheme in ("http", "https"):
        # never from the network: what Gazebo keeps is used
        yield from _of_fuel(rest)
        return
    if scheme not in ("package", "model"):
        yield model.parent / rest
    else:
        package, _, inner = rest.partition("/")
        for root in _roots(package, model.resolve()):
            yield root / inner
    # as files come that were taken out of their package: flat, or with a folder `meshes`
    yield model.parent / rest
    for folder in (model.parent, model.parent / "meshes", model.parent.parent / "meshes"):
        yield folder / Path(rest).name


def _roots(package: str, model: Path) -> Iterator[Path]:
    """Yield folders that may be those of a package, the nearest first."""
    for folder in list(model.parents)[:_HIGHEST]:
        if folder.name == package or _named_by_manifest(folder) == package:
            yield folder
        yield folder / package
        # as Gazebo's own repositories have them: worlds/NAME.sdf beside models/PKG
        yield folder / "models" / package
    for variable in (*PACKAGE_PATHS, *MODEL_PATHS):
        for entry in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            yield from _below(Path(entry), package)
    yield from _installed(package)
    for prefix in dict.fromkeys((*sys.path, sys.prefix)):
        yield from _below(Path(prefix) / "share", package)
        yield from _below(Path(prefix) / "cmeel.prefix" / "share", package)


def _of_fuel(rest: str) -> Iterator[Path]:
    """Yield where Gazebo keeps a model, or a file of one, that an address of Fuel names; the newest version first."""
    match = _FUEL.match(rest)
    if match is None or ".." in rest.split("/"):
        return
    server, owner, model, inner = match.groups()
    named = [Path(os.environ[variable]) for variable in FUEL_CACHES if os.environ.get(variable)]
    for cache in (*named, Path.home() / ".gz" / "fuel", Path.home() / ".ignition" / "fuel"):
        folder = cache / server / owner.lower() / "models" / model.lower()
        versions = [path for path in folder.glob("*") if path.name.isdigit()] if folder.is_dir() else []
        for version in sorted(versions, key=lambda path: int(path.name), reverse=True):
            yield version / (inner or "")


def _below(entry: Path, package: str) -> Iterator[Path]:
    if entry.name == package:
        yield entry
    yield entry / package
    yield entry / "share" / package


@lru_cache(maxsize=1024)
def _named_by_manifest(folder: Path) -> str:
    """Return the name of the ROS package in a folder, "" where it is none."""
    try:
        with (folder / "package.xml").open("rb") as file:
            match = _MANIFEST.search(file.read(65_536))
    except OSError:
        return ""
    return match[1].decode() if match else ""


def _installed(package: str) -> Iterator[Path]:
    """Yield the folder of an installed Python package of this name; it is not imported."""
    if not package.isidentifier():
        return
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(folder)
