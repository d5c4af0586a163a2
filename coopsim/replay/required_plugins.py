"""The loose plugins that a run was made with: stored in its recording, required to repeat it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from coopsim import plugins
from coopsim.errors import PluginMissing
from coopsim.recording import Recording
from coopsim.robots import RunSpec

_GROUPS = ("devices", "engines", "components", "behaviours")
"""What a run that is done again, or goes on, must have: robot types are in the recording."""
_ALWAYS = (*_GROUPS, "controllers")
_ALL_GROUPS = (*_ALWAYS, *(each for each in plugins.GROUPS if each not in {*_ALWAYS, "robots"}))
"""What a recording names of each file: it was made with all of that; a proof does without control laws."""


def loaded() -> list[dict[str, Any]]:
    """Return what a recording says about the loose plugins of this process, by name of the file."""
    found = [
        {
            "file": each.path.name,
            "sha256": each.sha256,
            **{group: sorted(each.offers.get(group, {})) for group in _ALWAYS},
            **{group: sorted(each.offers[group]) for group in _ALL_GROUPS[len(_ALWAYS) :] if each.offers.get(group)},
        }
        for each in plugins.loose_files()
    ]
    return sorted((each for each in found if any(each.get(it) for it in _ALL_GROUPS)), key=lambda each: each["file"])


def require(recording: Recording) -> None:
    """Check that everything that a recording was made with is here.

    Raises:
        PluginMissing: It is not; the text names files and hashes.
    """
    missing = [each for each in recorded_plugins(recording) if any(True for _ in _lacking(each))]
    if missing:
        lines = [
            f"  {each['file']} (sha256 {each['sha256'][:16]}...) for {', '.join(_lacking(each))}" for each in missing
        ]
        options = " ".join(f"--plugin {each['file']}" for each in missing)
        raise PluginMissing(
            "\n".join([f"{recording.path} was made with plugins that are not here; add {options}", *lines])
        )


def missing_metrics(recording: Recording, spec: RunSpec) -> list[str]:
    """Return for each metric of the goals that is not here what it is, and which file to add."""
    wanted = dict.fromkeys(goal.subject for goal in spec.scenario.goals if goal.kind == "score")
    here = plugins.registered("metrics")
    lacking = [name for name in wanted if name not in here and not any(name.startswith(f"{each}_") for each in here)]
    return [f"the metric {name!r} is not here; add {_option(recording, 'metrics', name)}" for name in lacking]


def offers(plugin: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a recorded plugin brought: `device lamp`."""
    for group in _ALL_GROUPS:
        names = plugin.get(group, ())
        for name in names if isinstance(names, list) else ():
            yield f"{group.removesuffix('s')} {name}"


def _option(recording: Recording, group: str, name: str) -> str:
    """Return the option that loads what is missing."""
    for each in recorded_plugins(recording):
        names = each.get(group, ())
        if isinstance(names, list) and any(name == it or name.startswith(f"{it}_") for it in names):
            return f"--plugin {each['file']} (sha256 {each['sha256'][:16]}...)"
    return "--plugin FILE"


def lacking_plugins(metadata: Mapping[str, Any]) -> str:
    """Return which recorded plugins are not here, with all that they brought, and what to add; "" = none."""
    lacking = [each for each in _recorded(metadata) if any(True for _ in _lacking(each, _ALL_GROUPS))]
    named = [f"{each['file']} (sha256 {each['sha256'][:16]}...) for {', '.join(offers(each))}" for each in lacking]
    options = " ".join(f"--plugin {each['file']}" for each in lacking)
    return f"{'; '.join(named)} is not here; add {options}" if named else ""


def changed(recording: Recording) -> list[str]:
    """Return the names of plugins that are not the files that the recording was made with."""
    here = {each.path.name: each.sha256 for each in plugins.loose_files()}
    return [
        f"{each['file']} (sha256 {each['sha256'][:16]}... then, {here[each['file']][:16]}... now)"
        for each in recorded_plugins(recording)
        if each["file"] in here and here[each["file"]] != each["sha256"]
    ]


def recorded_plugins(recording: Recording) -> list[Mapping[str, Any]]:
    """Return what a recording says about plugins; what is no such thing is left out."""
    return _recorded(recording.metadata)


def _recorded(metadata: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = metadata.get("plugins", [])
    every = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    return [each for each in every if all(isinstance(each.get(key), str) for key in ("file", "sha256"))]


def _lacking(plugin: Mapping[str, Any], groups: Iterable[str] = _GROUPS) -> Iterable[str]:
    for group in groups:
        names = plugin.get(group, ())
        for name in names if isinstance(names, list) else ():
            if str(name) not in plugins.registered(group):
                yield f"{group.removesuffix('s')} {name}"
