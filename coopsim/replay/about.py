"""Facts of a recording about its run, apart from records: metadata and attachments."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coopsim.plugins import is_law_file
from coopsim.replay.required_plugins import loaded
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.replay.texts import agree, chosen_settings, controller_facts
from coopsim.robots import RunSpec
from coopsim.scene import Controller, facts_of

BEGINS_RUN = "run"
"""`begins` in the metadata of a recording whose first state is what `run.json` makes."""


def metadata(
    spec: RunSpec,
    flags: Mapping[str, Any],
    parent: Mapping[str, Any] | None = None,
    run: int = 0,
    *,
    notes: Mapping[str, str] | None = None,
    controllers: Sequence[Controller] = (),
) -> dict[str, Any]:
    """Return what people want to know first.

    Args:
        spec: What is run, with the choices of the command line in it.
        flags: Those choices.
        parent: The recording and the instant that the run goes on from.
        run: Number of the run; 0 = it has none.
        notes: What people want to be remembered, by name.
        controllers: Those that the run starts.
    """
    scenario = spec.scenario
    settings = scenario.settings
    about: dict[str, Any] = {
        "scenario": Path(scenario.file).stem,
        "seed": settings.seed,
        "engine": settings.engine,
        "step": settings.step,
        "mode": settings.mode,
        "flags": dict(flags),
        **facts_of(scenario),
        **({"run": run} if run else {}),
        **({"notes": dict(notes)} if notes else {}),
        **({"controllers": [controller_facts(controller) for controller in controllers]} if controllers else {}),
    }
    if plugins := loaded():
        about["plugins"] = plugins
    return about if parent is None else {**about, "parent": dict(parent)}


def attachments(spec: RunSpec, flags: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return the texts that the run was made of, by file name, and the run itself as JSON.

    Files that are gone by now, or say something else, are left out: the JSON says the same.

    Args:
        spec: What is run, with the choices of the command line in it.
        flags: Those choices; None = its settings come from somewhere else.
    """
    files = [spec.scenario.file, spec.scenario.world.file, *(kind.span.file for kind in spec.types.values())]
    folder = Path(spec.scenario.file).parent
    files += [str(folder / controller.run) for controller in spec.scenario.controllers if is_law_file(controller.run)]
    run = {RUN: spec_to_json(spec)}
    texts = dict(run)
    for path in sorted({Path(file) for file in files if file}):
        text = _text(path)
        if text is not None:
            texts[path.name if path.name not in texts else str(path)] = text
    return texts if agree(texts, spec, flags) else run


def chosen(texts: Mapping[str, str], spec: RunSpec) -> dict[str, Any]:
    """Return what a recording says of settings that neither its texts nor its flags have: `chosen` in the metadata."""
    return {"chosen": chosen_settings(texts, spec)} if len(texts) > 1 else {}


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
    except OSError:
        return None
