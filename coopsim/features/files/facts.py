"""Summary of a recording for people."""

from datetime import UTC, datetime
from typing import Any

from coopsim.errors import DamagedRecording
from coopsim.recording import Recording
from coopsim.replay.required_plugins import offers, recorded_plugins
from coopsim.state.edits import SetEngine
from coopsim.state.plain import unpack


def facts_of(recording: Recording) -> dict[str, Any]:
    """Return what `coopsim info --json` prints.

    Raises:
        DamagedRecording: A part of it is not what it should be.
    """
    layouts = [recording.layout(generation) for generation in recording.generations]
    names = dict.fromkeys(place.name for layout in layouts for place in layout.robots)
    metadata, changes = recording.metadata, engines(recording)
    return {
        "date": date(recording),
        "duration": round(recording.duration, 9),
        "ticks": recording.last_tick - recording.first_tick,
        "robots": len(names),
        "size_bytes": recording.size_bytes,
        "gaps": recording.gaps,
        "complete": recording.complete,
        "rewritten_by": recording.rewritten or None,
        "parent": metadata.get("parent"),
        "caption": metadata.get("caption"),
        "notes": metadata.get("notes", {}),
        "controllers": metadata.get("controllers", []),
        "begin": recording.begin_ns / 1e9,
        "end": recording.end_ns / 1e9,
        "first_tick": recording.first_tick,
        "last_tick": recording.last_tick,
        "records": len(recording),
        "damaged_chunks": recording.damaged,
        "names": list(names),
        "images": {stream.topic: len(places) for stream, places in recording.images.places.items()},
        "image_bytes": recording.images.size_bytes or None,
        **{name: metadata.get(name) for name in ("scenario", "mode", "seed", "step", "engine", "flags", "run")},
        "engines": [f"{name} from {round(since, 9):g} s" for since, name in changes] if len(changes) > 1 else [],
        "attachments": recording.attachment_names,
        "plugins": {plugin["file"]: plugin["sha256"] for plugin in recorded_plugins(recording)},
        "needs": [f"{plugin['file']} for {', '.join(offers(plugin))}" for plugin in recorded_plugins(recording)],
        "program": metadata.get("program", {}),
        "versions": metadata.get("versions", {}),
    }


def date(recording: Recording) -> str | None:
    """Return when a recording began, as people and programs write it; None if it does not say."""
    if not recording.began_ns:
        return None
    return f"{datetime.fromtimestamp(recording.began_ns // 10**9, UTC):%Y-%m-%d %H:%M:%S} UTC"


# Physics engines of a recording over time.
def engines(recording: Recording) -> list[tuple[float, str]]:
    """Return the engines of a recording, each with the position from which it was in force [s].

    Args:
        recording: Complete or cut off.
    """
    periods = _at_first(recording)
    for group in recording.edits():
        for applied in group.edits:
            edit = applied.edit
            if isinstance(edit, SetEngine) and (not periods or periods[-1][1] != edit.engine):
                periods.append((group.position_ns / 1e9, edit.engine))
    return periods


def _at_first(recording: Recording) -> list[tuple[float, str]]:
    """Return what the first key frame says, nothing if it cannot be read."""
    try:
        frame = recording.keyframe(0) if len(recording) else None
        return [] if frame is None else [(frame.position_ns / 1e9, str(unpack(frame.state)["engine"]))]
    except (DamagedRecording, ValueError, KeyError, TypeError):
        return []
