"""Metadata of a run in its recordings."""

from typing import Any

from coopsim.launch.config import LaunchConfig
from coopsim.launch.options import started_controllers
from coopsim.launch.recording import RecordingInfo
from coopsim.replay.about import attachments, chosen, metadata


def recorded_run(order: LaunchConfig) -> RecordingInfo:
    """Return what a recording says about a run."""
    spec, options = order.spec, order.options
    parent = None if options.origin is None else options.origin.parent
    texts = attachments(spec, options.flags if parent is None else None)
    more: dict[str, Any] = {"notes": dict(options.notes), "controllers": started_controllers(spec, options)}
    said = metadata(spec, options.flags, parent, order.run, **more)
    return RecordingInfo(spec.scenario.file, said if parent is None else {**said, **chosen(texts, spec)}, texts)
