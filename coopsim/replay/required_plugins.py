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
_ALL_GROUPS = (*_ALWAYS, *(group for group in plugins.GROUPS if group not in {*_ALWAYS, "robots"}))
"""What a recording names of each file: it was made with all of that; a proof does without control laws."""


def loaded() -> list[dict[str, Any]]:
    """Return what a recording says about the loose plugins of this process, by name of the file."""
    entries = [
        {
            "file": loose.path.name,
            "sha256": loose.sha256,
            **{group: sorted(loose.offers.get(group, {})) for group in _ALWAYS},
            **{group: sorted(loose.offers[group]) for group in _ALL_GROUPS[len(_ALWAYS) :] if loose.offers.get(group)},
        }
        for loose in plugins.loose_files()
    ]
    return sorted(
        (entry for entry in entries if any(entry.get(group) for group in _ALL_GROUPS)), key=lambda entry: entry["file"]
    )


def require(recording: Recording) -> None:
    """Check that everything that a recording was made with is here.

    Raises:
        PluginMissing: It is not; the text names files and hashes.
    """
    missing = [plugin for plugin in recorded_plugins(recording) if any(True for _ in _lacking(plugin))]
    if missing:
        lines = [
            f"  {plugin['file']} (sha256 {plugin['sha256'][:16]}...) for {', '.join(_lacking(plugin))}"
            for plugin in missing
        ]
        options = " ".join(f"--plugin {plugin['file']}" for plugin in missing)
        raise PluginMissing(
            "\n".join([f"{recording.path} was made with plugins that are not here; add {options}", *lines])
        )


def missing_metrics(recording: Recording, spec: RunSpec) -> list[str]:
    """Return for each metric of the goals that is not here what it is, and which file to add."""
    wanted = dict.fromkeys(goal.subject for goal in spec.scenario.goals if goal.kind == "score")
    registered = plugins.registered("metrics")
    lacking = [
        name
        for name in wanted
        if name not in registered and not any(name.startswith(f"{known_metric}_") for known_metric in registered)
    ]
    return [f"the metric {name!r} is not here; add {_option(recording, 'metrics', name)}" for name in lacking]


def offers(plugin: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a recorded plugin brought: `device lamp`."""
    for group in _ALL_GROUPS:
        names = plugin.get(group, ())
        for name in names if isinstance(names, list) else ():
            yield f"{group.removesuffix('s')} {name}"


def _option(recording: Recording, group: str, name: str) -> str:
    """Return the option that loads what is missing."""
    for plugin in recorded_plugins(recording):
        names = plugin.get(group, ())
        if isinstance(names, list) and any(name == offered or name.startswith(f"{offered}_") for offered in names):
            return f"--plugin {plugin['file']} (sha256 {plugin['sha256'][:16]}...)"
    return "--plugin FILE"


def lacking_plugins(metadata: Mapping[str, Any]) -> str:
    """Return which recorded plugins are not here, with all that they brought, and what to add; "" = none."""
    lacking = [plugin for plugin in _recorded(metadata) if any(True for _ in _lacking(plugin, _ALL_GROUPS))]
    named = [
        f"{plugin['file']} (sha256 {plugin['sha256'][:16]}...) for {', '.join(offers(plugin))}" for plugin in lacking
    ]
    options = " ".join(f"--plugin {plugin['file']}" for plugin in lacking)
    return f"{'; '.join(named)} is not here; add {options}" if named else ""


def changed(recording: Recording) -> list[str]:
    """Return the names of plugins that are not the files that the recording was made with."""
    hashes = {loose.path.name: loose.sha256 for loose in plugins.loose_files()}
    return [
        f"{plugin['file']} (sha256 {plugin['sha256'][:16]}... then, {hashes[plugin['file']][:16]}... now)"
        for plugin in recorded_plugins(recording)
        if plugin["file"] in hashes and hashes[plugin["file"]] != plugin["sha256"]
    ]


def recorded_plugins(recording: Recording) -> list[Mapping[str, Any]]:
    """Return what a recording says about plugins; what is no such thing is left out."""
    return _recorded(recording.metadata)


def _recorded(metadata: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = metadata.get("plugins", [])
    every = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return [entry for entry in every if all(isinstance(entry.get(key), str) for key in ("file", "sha256"))]


def _lacking(plugin: Mapping[str, Any], groups: Iterable[str] = _GROUPS) -> Iterable[str]:
    for group in groups:
        names = plugin.get(group, ())
        for name in names if isinstance(names, list) else ():
            if str(name) not in plugins.registered(group):
                yield f"{group.removesuffix('s')} {name}"
