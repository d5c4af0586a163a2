"""`coopsim recover`."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from coopsim.app.table import counted


@click.command(short_help="Repair a recording that was cut off or damaged.")
@click.argument("file")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Write a new file instead of replacing FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON in the last line.")
def recover(file: str, target: Path | None, as_json: bool) -> None:
    """Give the recording FILE its index back, keep whatever can be read, and say what is lost."""
    from coopsim.recording import recover as repair

    found = repair(file, target)
    if found.was_complete and target is None:
        click.echo(f"{file} is complete; nothing was to be done")
    click.echo(f"{found.records} records, {found.seconds:.2f} s can be read")
    lost = {
        f"{counted(found.lost_bytes, 'byte')} at the end": found.lost_bytes,
        counted(found.damaged_chunks, "damaged chunk or attachment", "damaged chunks or attachments"): (
            found.damaged_chunks
        ),
        counted(found.missing_records, "missing record"): found.missing_records,
    }
    for text, count in lost.items():
        if count:
            click.echo(f"lost: {text}")
    if as_json:
        click.echo(json.dumps({"file": str(target or file), **asdict(found)}))
