"""What a recording says in words about the run: the texts attached to it, and its metadata, against `run.json`."""

import os.path
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from coopsim.errors import CoopsimError
from coopsim.replay.mismatch import Mismatch
from coopsim.replay.plainly import fork
from coopsim.replay.run_json import RUN
from coopsim.robots import RunSpec, TypeRegistry, load
from coopsim.robots.plain import to_plain
from coopsim.scene import Settings

_SETTINGS = {each.name for each in fields(Settings)}
_PLACES = ("file", "texture", "mesh")


def contradiction(metadata: Mapping[str, Any], texts: Mapping[str, str], spec: RunSpec) -> Mismatch | None:
    """Return the first difference between the stored texts and `spec`, which is what was run; None if there is none.

    Args:
        metadata: Of the recording.
        texts: Attached to it, by name.
        spec: From `run.json`.
    """
    return next(_contradictions(metadata, texts, spec), None)


def agree(texts: Mapping[str, str], spec: RunSpec, flags: Mapping[str, Any] | None) -> bool:
    """Return whether texts say what is run: a file may have changed since, or be an older one.

    Args:
        texts: By name of the file.
        spec: What is run.
        flags: Choices of the command line in it; None = its settings come from somewhere else.
    """
    return next(_in_texts(texts, spec, flags), None) is None


def _contradictions(metadata: Mapping[str, Any], texts: Mapping[str, str], spec: RunSpec) -> Iterator[Mismatch]:
    settings = spec.scenario.settings
    wanted = {name: getattr(settings, name) for name in ("seed", "engine", "step", "mode")}
    if spec.scenario.file:
        wanted["scenario"] = Path(spec.scenario.file).stem
    flags = metadata.get("flags", {})
    flags = flags if isinstance(flags, dict) else {}
    stated = {name: metadata[name] for name in wanted if name in metadata}
    stated |= {f"flags.{name}": value for name, value in flags.items() if name in _SETTINGS}
    wanted |= {f"flags.{name}": getattr(settings, name) for name in flags if name in _SETTINGS}
    for name, here in stated.items():
        found = fork(here, wanted[name])
        if found is not None:
            yield Mismatch("", f"metadata {name}", found.first, found.second)
    yield from _in_texts(texts, spec, None if "parent" in metadata else flags)


def _in_texts(texts: Mapping[str, str], spec: RunSpec, flags: Mapping[str, Any] | None) -> Iterator[Mismatch]:
    name = spec.scenario.file
    if not name or _text(texts, name) is None or any(map(_names_files, texts.values())):
        return
    try:
        stated = _read(texts, spec)
    except (CoopsimError, OSError) as problem:
        yield Mismatch("", f"attachment {name}", f"unreadable ({problem})", "what was run")
        return
    settings = spec.scenario.settings
    if flags is not None:
        given = {name: value for name, value in flags.items() if name in _SETTINGS}
        settings = replace(stated.scenario.settings, **given)
    stated = replace(stated, scenario=replace(stated.scenario, settings=settings))
    found = fork(_plain(spec), _plain(stated), is_open=True)
    if found is not None:
        yield Mismatch("", f"attachments: {found.where}", found.second, found.first)


def _names_files(text: str) -> bool:
    """Return whether a text names pictures or meshes, which are not attached: it cannot be read again."""
    return any(line.strip().lower().startswith(("[map", "texture", "mesh")) for line in text.splitlines())


def _read(texts: Mapping[str, str], spec: RunSpec) -> RunSpec:
    """Return what texts describe, read from files that lie to each other as they did."""
    with TemporaryDirectory() as folder:
        scenario = _mirrored(folder, spec.scenario.file)
        world = _mirrored(folder, spec.scenario.world.file) if spec.scenario.world.file else None
        scenario.parent.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            if name != RUN and not os.path.isabs(name):
                (scenario.parent / Path(name).name).write_text(text, encoding="utf-8")
        for path, file in ((world, spec.scenario.world.file), (scenario, spec.scenario.file)):
            if path is not None and (known := _text(texts, file)) is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(known, encoding="utf-8")
        # control laws take no part in a proof, so they need not be here
        laws = TypeRegistry(controllers={each.run for each in spec.scenario.controllers}, law_parameters=lambda _: None)
        return replace(load(scenario, registry=laws), commands=spec.commands)


def _text(texts: Mapping[str, str], file: str) -> str | None:
    """Return the text of a file: where two have the same name, one is attached by its path."""
    return texts.get(file, texts.get(Path(file).name))


def _mirrored(folder: str, file: str) -> Path:
    return Path(folder) / os.path.abspath(file).lstrip(os.sep)


def _plain(spec: RunSpec) -> Any:
    """Return a run without the places of its files, which are others."""
    return _placeless(to_plain(spec))


def _placeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: Path(each).name if name in _PLACES else _placeless(each) for name, each in value.items()}
    return [_placeless(each) for each in value] if isinstance(value, list) else value
