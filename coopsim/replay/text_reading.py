"""Attached texts, read again: from files that lie to each other as they did when they were run."""

import os.path
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from coopsim import plugins
from coopsim.errors import CoopsimError
from coopsim.replay.run_json import RUN
from coopsim.robots import RunSpec, TypeRegistry, load
from coopsim.scene import shown_files_assumed

_FILES = re.compile(r"[^\s\"'<>=]+\.(?:png|pgm|ppm|jpe?g|stl|obj|dae)\b", re.IGNORECASE)
"""Pictures and meshes that a text names: they are not attached."""


class ReadTexts(NamedTuple):
    """The outcome of reading texts again.

    Attributes:
        spec: What they describe; None = they cannot be read.
        problem: Why not, for people.
        missing: Pictures and meshes that they name and that are nowhere, where they cannot be read.
    """

    spec: RunSpec | None
    problem: str = ""
    missing: tuple[str, ...] = ()


def read_texts(
    texts: Mapping[str, str], spec: RunSpec, *, behaviours: Iterable[str] = (), beside: Path | None = None
) -> ReadTexts:
    """Return what texts describe.

    Pictures and meshes that only show something are taken for granted. Those that something is made of - walls of a
    map, shapes of a model - are looked for where they lay, and beside the recording.

    Args:
        texts: By name of the file.
        spec: What was run: where its files lay, and which metrics and control laws it names.
        behaviours: Names of behaviours of squads that need not be here.
        beside: Folder of the recording.
    """
    with TemporaryDirectory() as folder, shown_files_assumed():
        scenario = _mirrored(folder, spec.scenario.file)
        missing = _lay_out(texts, spec, folder, scenario, beside)
        metrics = {goal.subject for goal in spec.scenario.goals if goal.kind == "score"}
        registry = TypeRegistry(
            # control laws and metrics take no part in a proof, so they need not be here
            controllers={controller.run for controller in spec.scenario.controllers},
            law_parameters=lambda _: None,
            law_check=lambda _: None,
            metrics={*plugins.registered("metrics"), *metrics},
            behaviours={*plugins.registered("behaviours"), *behaviours},
        )
        try:
            return ReadTexts(replace(load(scenario, registry=registry), commands=spec.commands))
        except (CoopsimError, OSError) as problem:
            return ReadTexts(None, str(problem).replace(f"{folder}{os.sep}", os.sep), missing)


def text_of(texts: Mapping[str, str], file: str) -> str | None:
    """Return the text of a file: where two have the same name, one is attached by its path."""
    return texts.get(file, texts.get(Path(file).name))


def _lay_out(
    texts: Mapping[str, str], spec: RunSpec, folder: str, scenario: Path, beside: Path | None
) -> tuple[str, ...]:
    """Write the files; return the pictures and meshes that are nowhere."""
    world = _mirrored(folder, spec.scenario.world.file) if spec.scenario.world.file else None
    scenario.parent.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        if name != RUN and not os.path.isabs(name):
            (scenario.parent / Path(name).name).write_text(text, encoding="utf-8")
    for path, file in ((world, spec.scenario.world.file), (scenario, spec.scenario.file)):
        if path is not None and (text_now := text_of(texts, file)) is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text_now, encoding="utf-8")
    homes = [Path(file).parent for file in (spec.scenario.file, spec.scenario.world.file) if file]
    targets = [path.parent for path in (scenario, world) if path is not None]
    named = sorted({name for file, text in texts.items() if file != RUN for name in _FILES.findall(text)})
    homes += [] if beside is None else [beside]
    return tuple(name for name in named if not _link(name, homes, targets, Path(folder)))


def _link(name: str, homes: Iterable[Path], targets: Iterable[Path], root: Path) -> bool:
    """Link a picture or a mesh to where the texts expect it; return whether it was found."""
    source = next(_sources(name, homes), None)
    if source is None:
        return False
    for target in targets:
        place = Path(os.path.normpath(target / name))
        if not os.path.isabs(name) and place.is_relative_to(root) and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(source.resolve())
    return True


def _sources(name: str, homes: Iterable[Path]) -> Iterator[Path]:
    for home in homes:
        for file in (home / name, home / Path(name).name):
            if file.is_file():
                yield file


def _mirrored(folder: str, file: str) -> Path:
    return Path(folder) / os.path.abspath(file).lstrip(os.sep)
