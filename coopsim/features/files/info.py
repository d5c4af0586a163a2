"""`coopsim info`."""

from typing import Any

import click

from coopsim.app import completing, talk
from coopsim.features.presentation.reading import reads_recordings

_UNITS = {"duration": " s", "begin": " s", "end": " s", "step": " s", "size_bytes": " bytes", "image_bytes": " bytes"}


@click.command(short_help="Say what is in a recording.")
@click.argument("file", shell_complete=completing.files)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@reads_recordings("file")
def info(file: str, as_json: bool) -> None:
    """Say what is in the recording FILE; one that was cut off is read as far as it goes."""
    from coopsim.app.table import table
    from coopsim.features.files.facts import facts_of
    from coopsim.recording import Recording

    with Recording.open(file) as recording:
        facts = facts_of(recording)
    rows = [
        (name.replace("_", " "), f"{_said(value)}{_UNITS.get(name, '')}")
        for name, value in facts.items()
        if value not in (None, {}, [])
    ]
    shown = [table(("about", file), rows)]
    if facts["rewritten_by"]:
        shown.append(f"its index was made anew; `coopsim recover {file}` writes a copy that has one")
    elif not facts["complete"]:
        shown.append(f"it was not closed: `coopsim recover {file}` writes a copy with its index")
    talk.answer("\n".join(shown), facts if as_json else None)


def _said(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case dict():
            return ", ".join(f"{name} {_said(part)}" for name, part in value.items())
        case list():
            more = f" and {len(value) - 12} more" if len(value) > 12 else ""
            return ", ".join(map(_said, value[:12])) + more
        case _:
            return str(value)
