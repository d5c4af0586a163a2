"""The run as JSON: a recording that holds it needs no other file to be verified or continued."""

import json
from dataclasses import replace

from coopsim.errors import BadFile, DamagedRecording, NoSuchPlugin
from coopsim.recording import Recording
from coopsim.robots import RobotBlueprint, RunSpec
from coopsim.robots.plain import from_plain, to_plain
from coopsim.robots.sound import check_devices, check_run
from coopsim.state.plain import unpack

RUN = "run.json"
"""Name of the attachment."""


def spec_to_json(spec: RunSpec) -> str:
    """Return a run as JSON text; where its parts stood in files is left out."""
    return json.dumps(to_plain(spec), separators=(",", ":"))


def spec_from_json(text: str) -> RunSpec:
    """Return the run that `spec_to_json` wrote.

    Raises:
        DamagedRecording: The text is something else.
    """
    try:
        spec = from_plain(json.loads(text))
    except (ValueError, RecursionError, BadFile) as problem:
        raise DamagedRecording(f"what was run cannot be read: {problem}") from None
    if not isinstance(spec, RunSpec):
        raise DamagedRecording(f"what was run cannot be read: expected a RunSpec, found {type(spec).__name__}")
    return spec


def spec_of(recording: Recording) -> RunSpec:
    """Return what a recording was made of.

    Raises:
        DamagedRecording: It does not say.
    """
    text = recording.attachment(RUN)
    if text is None:
        raise DamagedRecording(f"{recording.path}: the attachment {RUN}, which says what was run, is missing")
    try:
        spec = spec_from_json(text)
        check_run(spec)
    except (DamagedRecording, BadFile) as problem:
        raise DamagedRecording(f"{recording.path}, attachment {RUN}: {problem}") from None
    return spec


def robot_types(recording: Recording) -> dict[str, RobotBlueprint]:
    """Return the robot types that the last key frame knows; none if it cannot be read."""
    frame = recording.keyframe(len(recording) - 1) if len(recording) else None
    try:
        types = from_plain(unpack(frame.state)["types"]) if frame else {}
    except (ValueError, KeyError, TypeError, BadFile):
        return {}  # of another version
    if not isinstance(types, dict):
        return {}
    return {name: kind for name, kind in types.items() if isinstance(kind, RobotBlueprint) and _is_sound(kind)}


def _is_sound(kind: RobotBlueprint) -> bool:
    """Return whether the settings of its devices can be, as far as these are installed."""
    for device in kind.devices:
        try:
            check_devices({kind.name: replace(kind, devices=(device,))})
        except NoSuchPlugin:
            continue
        except BadFile:
            return False
    return True
