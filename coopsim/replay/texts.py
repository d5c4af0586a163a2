"""Texts of a recording about its run: attachments and metadata, checked against `run.json`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from coopsim.recording.ending import digest
from coopsim.replay.mismatch import Mismatch
from coopsim.replay.outcome import Claim
from coopsim.replay.plainly import fork
from coopsim.replay.required_plugins import lacking_plugins
from coopsim.replay.run_json import RUN
from coopsim.replay.text_reading import read_texts, text_of
from coopsim.robots import RunSpec
from coopsim.robots.plain import to_plain
from coopsim.scene import Controller, Settings, facts_of
from coopsim.version import program

# Defaults that were others in older versions: what their files leave out meant something else then.
# A recording holds every setting as it was in force (`run.json`), and beside it the texts, which leave settings
# out. Read again, a text gets the defaults of today. Whoever changes a default adds a row here and counts up
# `coopsim.version.defaults_revision`, which recordings hold; older ones do not.
UNKNOWN = 0
"""Revision of the defaults of recordings that say nothing of it."""


@dataclass(frozen=True, slots=True)
class FormerDefault:
    """A default as it was.

    Attributes:
        until: The first revision that has another one.
        name: Of a setting of `[SIMULATION]`.
        value: What was in force where nothing was said.
    """

    until: int
    name: str
    value: Any


FORMER = (FormerDefault(1, "patience", 0.5),)  # what older programs wrote nothing for and meant


def former(name: str, revision: int) -> tuple[Any, ...]:
    """Return what else a setting may have been where a text says nothing of it.

    Args:
        name: Of the setting.
        revision: Of the defaults of the version that wrote the recording; `UNKNOWN` where it does not say.
    """
    return tuple(default.value for default in FORMER if default.name == name and revision < default.until)


def revision_of(metadata: Mapping[str, Any]) -> int:
    """Return the revision of the defaults that a recording was made with."""
    program = metadata.get("program")
    stated = program.get("defaults_revision") if isinstance(program, dict) else None
    return stated if isinstance(stated, int) else UNKNOWN


_SETTINGS = {setting.name for setting in fields(Settings) if setting.compare}
_PLACES = ("file", "texture", "mesh", "images")
_RUN_FACTS = ("seed", "engine", "step", "mode")


@dataclass
class TextProof:
    """Proof of texts and metadata, beside what was run.

    Attributes:
        mismatch: The first thing that they say otherwise, None if there is none.
        proved: What they say and `run.json` says, too.
        stated: What they alone say.
        open: What could be compared if something were here.
    """

    mismatch: Mismatch | None = None
    proved: list[Claim] = field(default_factory=list)
    stated: list[Claim] = field(default_factory=list)
    open: list[str] = field(default_factory=list)


def examine_texts(
    metadata: Mapping[str, Any], texts: Mapping[str, str], spec: RunSpec, beside: Path | None = None
) -> TextProof:
    """Return how metadata and attached texts stand to `spec`, which is what was run.

    Args:
        metadata: Of the recording.
        texts: Attached to it, by name.
        spec: From `run.json`.
        beside: Folder of the recording.
    """
    proof = TextProof()
    proof.mismatch = next(_contradictions(metadata, texts, spec, beside, proof), None)
    return proof


def agree(texts: Mapping[str, str], spec: RunSpec, flags: Mapping[str, Any] | None) -> bool:
    """Return whether texts say what is run: a file may have changed since, or be an older one.

    Args:
        texts: By name of the file.
        spec: What is run.
        flags: Choices of the command line in it; None = its settings come from somewhere else.
    """
    said = {"program": program(), "scenario": "", "flags": {}, **facts_of(spec.scenario)}
    return next(_in_texts(texts, spec, flags, said, TextProof()), None) is None


def chosen_settings(texts: Mapping[str, str], spec: RunSpec) -> dict[str, Any]:
    """Return the settings of a run that are not those of its texts, by name; nothing where these cannot be read."""
    stated = read_texts(texts, spec).spec if text_of(texts, spec.scenario.file) is not None else None
    if stated is None:
        return {}
    chosen, of_texts = spec.scenario.settings, stated.scenario.settings
    return {
        name: getattr(chosen, name) for name in sorted(_SETTINGS) if getattr(chosen, name) != getattr(of_texts, name)
    }


def controller_facts(section: Controller) -> dict[str, Any]:
    """Return a control law, or the command line of another program, and the values of its keys."""
    settings = {name: " ".join(values) for name, values in section.arguments}
    return {"run": section.run, "robots": list(section.robots), **({"settings": settings} if settings else {})}


def _contradictions(
    metadata: Mapping[str, Any], texts: Mapping[str, str], spec: RunSpec, beside: Path | None, proof: TextProof
) -> Iterator[Mismatch]:
    flags = metadata.get("flags", {})
    flags = flags if isinstance(flags, dict) else {}
    yield from _in_metadata(metadata, spec, flags, proof)
    choices = _choices(metadata, flags, proof)
    yield from _in_texts(texts, spec, choices, metadata, proof, beside)
    yield from _attached(metadata, texts, spec, proof)


def _in_metadata(
    metadata: Mapping[str, Any], spec: RunSpec, flags: Mapping[str, Any], proof: TextProof
) -> Iterator[Mismatch]:
    settings = spec.scenario.settings
    wanted = {name: getattr(settings, name) for name in _RUN_FACTS}
    if spec.scenario.file:
        wanted["scenario"] = Path(spec.scenario.file).stem
    stated = {name: metadata[name] for name in wanted if name in metadata}
    stated |= {f"flags.{name}": value for name, value in flags.items() if name in _SETTINGS}
    wanted |= {f"flags.{name}": getattr(settings, name) for name in flags if name in _SETTINGS}
    for name, recorded in stated.items():
        difference = fork(recorded, wanted[name])
        if difference is not None:
            yield Mismatch("", f"metadata {name}", difference.first, difference.second)
    yield from _controllers(metadata, spec)
    if stated:
        proof.proved.append(Claim("metadata", ", ".join(stated)))


def _controllers(metadata: Mapping[str, Any], spec: RunSpec) -> Iterator[Mismatch]:
    """Compare the controllers that were started with those of the scenario: all of them, or none."""
    started = metadata.get("controllers")
    if started is None:
        return
    sections = [controller_facts(controller) for controller in spec.scenario.controllers]
    difference = fork(started, sections)
    if difference is not None:
        where = (
            difference.where if difference.where.startswith("[") else f".{difference.where}" if difference.where else ""
        )
        yield Mismatch("", f"metadata controllers{where}", difference.first, difference.second)


def _choices(metadata: Mapping[str, Any], flags: Mapping[str, Any], proof: TextProof) -> Mapping[str, Any] | None:
    """Return the settings that were chosen beside the texts; None where a recording does not say.

    A continuation has the settings of its parent, whose choices it names by itself; older ones do not.
    """
    chosen = metadata.get("chosen")
    if isinstance(chosen, dict):
        return chosen
    if "parent" in metadata and "program" not in metadata:
        proof.stated.append(Claim("settings", "those of run.json: an older continuation, its texts are its parent's"))
        return None
    return flags


def _in_texts(
    texts: Mapping[str, str],
    spec: RunSpec,
    flags: Mapping[str, Any] | None,
    metadata: Mapping[str, Any],
    proof: TextProof,
    beside: Path | None = None,
) -> Iterator[Mismatch]:
    name = spec.scenario.file
    if not name or text_of(texts, name) is None:
        if spec.scenario.goals or spec.scenario.controllers:
            proof.stated.append(Claim("goals and control laws", "those of run.json: no text is attached"))
        return
    read = read_texts(texts, spec, behaviours=_behaviours(metadata), beside=beside)
    if read.spec is None:
        if _missing(metadata, texts, spec):
            return  # which is told below
        if lacking := lacking_plugins(metadata):
            proof.open.append(f"the attached texts cannot be read: {lacking}")
            return
        if read.missing:
            needed = ", ".join(read.missing)
            cure = "put the file where it lay, or beside the recording"
            proof.open.append(f"the attached texts cannot be read without {needed}: {cure}")
            return
        yield Mismatch("", f"attachment {Path(name).name}", f"unreadable ({read.problem})", "what was run")
        return
    stated = _with_settings(read.spec, spec, flags, texts, revision_of(metadata))
    difference = fork(_plain(spec), _plain(stated), is_open=True)
    if difference is not None:
        yield Mismatch("", f"attachments: {difference.where}", difference.second, difference.first)
    yield from _shown(stated, metadata, proof)
    proof.proved.append(Claim("attached texts", ", ".join(sorted(set(texts) - {RUN}))))


def _with_settings(
    stated: RunSpec, spec: RunSpec, flags: Mapping[str, Any] | None, texts: Mapping[str, str], revision: int
) -> RunSpec:
    """Return what texts describe with the settings that were chosen, and with the defaults of their version."""
    settings = spec.scenario.settings
    if flags is not None:
        given = {name: value for name, value in flags.items() if name in _SETTINGS}
        text = text_of(texts, spec.scenario.file) or ""
        for name in _SETTINGS - set(given):
            value = getattr(settings, name)
            if value in former(name, revision) and not re.search(rf"^\s*{name}\s", text, re.MULTILINE | re.IGNORECASE):
                given[name] = value
        settings = replace(stated.scenario.settings, **given)
    return replace(stated, scenario=replace(stated.scenario, settings=settings))


def _shown(stated: RunSpec, metadata: Mapping[str, Any], proof: TextProof) -> Iterator[Mismatch]:
    """Compare caption, camera and game, which `run.json` does not hold, with the texts."""
    facts = facts_of(stated.scenario)
    names = {"caption", "camera", "game", *facts}
    # older versions did not say all of it, nor do programs that record by themselves
    is_whole = all(name in metadata for name in ("program", "scenario", "flags"))
    for name in sorted(names):
        recorded, described = metadata.get(name), facts.get(name)
        if name not in metadata and not is_whole:
            continue
        difference = fork(_listed(recorded), _listed(described))
        if difference is not None:
            yield Mismatch("", f"metadata {name}", difference.first, difference.second)
    present = sorted(names & set(metadata))
    if present:
        proof.proved.append(Claim("metadata of the texts", ", ".join(present)))


def _attached(
    metadata: Mapping[str, Any], texts: Mapping[str, str], spec: RunSpec, proof: TextProof
) -> Iterator[Mismatch]:
    """Compare what is attached with the list of it."""
    listed, missing = metadata.get("attached"), _missing(metadata, texts, spec)
    files = _files_of(spec)
    is_of_run = {name for name in texts if Path(name).name in files or name.endswith((".robot", RUN))}
    if not isinstance(listed, dict):
        proof.stated += [Claim("attachment", f"{name}: not there") for name in missing]
    else:
        for name, text in texts.items():
            if listed.get(name) != digest(text):
                present = "there" if name not in listed else "changed"
                yield Mismatch(
                    "", f"attachment {name}", present, "missing" if name not in listed else "as it was attached"
                )
        proof.open += [f"the attachment {name} is missing; the file says that it was there" for name in missing]
    proof.stated += [Claim("attachment", name) for name in sorted(set(texts) - is_of_run)]


def _missing(metadata: Mapping[str, Any], texts: Mapping[str, str], spec: RunSpec) -> list[str]:
    """Return what was attached and is not: by the list of it, where there is one, else scenario and world."""
    listed = metadata.get("attached")
    if isinstance(listed, dict):
        return sorted(set(listed) - set(texts))
    return sorted(file for file in _files_of(spec) if text_of(texts, file) is None)


def _files_of(spec: RunSpec) -> set[str]:
    return {Path(file).name for file in (spec.scenario.file, spec.scenario.world.file) if file}


def _behaviours(metadata: Mapping[str, Any]) -> set[str]:
    """Return the behaviours of squads that a recording names."""
    game = metadata.get("game")
    squads = game.get("squads") if isinstance(game, dict) else None
    named = (
        [squad.get("behaviours", ()) for squad in squads if isinstance(squad, dict)] if isinstance(squads, list) else []
    )
    return {name for names in named if isinstance(names, list) for name in names if isinstance(name, str)}


def _listed(value: Any) -> Any:
    """Return a value as JSON brings it back."""
    if isinstance(value, dict):
        return {name: _listed(item) for name, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value


def _plain(spec: RunSpec) -> Any:
    """Return a run without the places of its files, which are others."""
    return _placeless(to_plain(spec))


def _placeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _name_of(item) if name in _PLACES else _placeless(item) for name, item in value.items()}
    return [_placeless(item) for item in value] if isinstance(value, list) else value


def _name_of(place: Any) -> Any:
    return [_name_of(part) for part in place] if isinstance(place, list) else Path(place).name
