"""`coopsim info`."""

from typing import TYPE_CHECKING, Any

import click

from coopsim.app import talk

if TYPE_CHECKING:
    from coopsim.recording import Recording


@click.command(short_help="Say what is in a recording.")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def info(file: str, as_json: bool) -> None:
    """Say what is in the recording FILE; one that was cut off is read as far as it goes."""
    from coopsim.app.table import table
    from coopsim.recording import Recording

    with Recording.open(file) as recording:
        facts = _facts(recording)
    rows = [(name.replace("_", " "), _said(value)) for name, value in facts.items() if value not in (None, {}, [])]
    shown = [table(("about", file), rows)]
    if not facts["complete"]:
        shown.append(f"it was not closed: `coopsim recover {file}` writes a copy with its index")
    talk.answer("\n".join(shown), facts if as_json else None)


def _facts(recording: "Recording") -> dict[str, Any]:
    from coopsim.replay.in_force import engines
    from coopsim.replay.needing import said as plugins_said

    layouts = [recording.layout(generation) for generation in recording.generations]
    names = dict.fromkeys(place.name for layout in layouts for place in layout.robots)
    said, changes = recording.metadata, engines(recording)
    return {
        "duration": round(recording.duration, 9),
        "ticks": recording.last_tick - recording.first_tick,
        "robots": len(names),
        "size_bytes": recording.size_bytes,
        "gaps": recording.gaps,
        "complete": recording.complete,
        "parent": said.get("parent"),
        "notes": said.get("notes", {}),
        "controllers": said.get("controllers", []),
        "begin": recording.begin_ns / 1e9,
        "end": recording.end_ns / 1e9,
        "first_tick": recording.first_tick,
        "last_tick": recording.last_tick,
        "records": len(recording),
        "damaged_chunks": recording.damaged,
        "names": list(names),
        **{name: said.get(name) for name in ("scenario", "mode", "seed", "step", "engine", "flags", "run")},
        "engines": [f"{name} from {round(since, 9):g} s" for since, name in changes] if len(changes) > 1 else [],
        "attachments": sorted(recording.attachments),
        "plugins": {each["file"]: each["sha256"] for each in plugins_said(recording)},
        "versions": said.get("versions", {}),
    }


def _said(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case dict():
            return ", ".join(f"{name} {_said(each)}" for name, each in value.items())
        case list():
            more = f" and {len(value) - 12} more" if len(value) > 12 else ""
            return ", ".join(map(_said, value[:12])) + more
        case _:
            return str(value)
