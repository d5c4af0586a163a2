"""The loose plugins that a run was made with: stored in its recording, required to repeat it."""

from collections.abc import Iterable, Mapping
from typing import Any

from coopsim import plugins
from coopsim.errors import PluginMissing
from coopsim.recording import Recording

_GROUPS = ("devices", "engines", "components", "behaviours")
"""What a run that is done again, or goes on, must have: robot types are in the recording."""
_NAMED = ("controllers",)
"""What is named besides: a proof does without it, and says if it is another file now."""


def loaded() -> list[dict[str, Any]]:
    """Return what a recording says about the loose plugins of this process, by name of the file."""
    found = [
        {
            "file": each.path.name,
            "sha256": each.sha256,
            **{group: sorted(each.offers.get(group, {})) for group in (*_GROUPS, *_NAMED)},
        }
        for each in plugins.loose_files()
    ]
    kept = (each for each in found if any(each[group] for group in (*_GROUPS, *_NAMED)))
    return sorted(kept, key=lambda each: each["file"])


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
    found = recording.metadata.get("plugins", [])
    every = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    return [each for each in every if all(isinstance(each.get(key), str) for key in ("file", "sha256"))]


def _lacking(plugin: Mapping[str, Any]) -> Iterable[str]:
    for group in _GROUPS:
        for name in plugin.get(group, ()):
            if name not in plugins.registered(group):
                yield f"{group.removesuffix('s')} {name}"
