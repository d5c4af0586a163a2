"""`coopsim recover`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coopsim.app import completing, talk
from coopsim.app.table import counted
from coopsim.features.presentation.reading import reads_recordings

if TYPE_CHECKING:
    from coopsim.recording import Recovery


@click.command(short_help="Repair a recording that was cut off or damaged.")
@click.argument("file", shell_complete=completing.files)
@click.option(
    "--to", "target", type=click.Path(path_type=Path), help="Write this file. [FILE with .recovered in its name]"
)
@click.option("--replace", is_flag=True, help="Put the repaired recording in the place of FILE, which is lost.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@reads_recordings("file")
def recover(file: str, target: Path | None, replace: bool, as_json: bool) -> int:
    """Write a recording that has an index again and holds whatever can be read of FILE, and say what is lost.

    FILE stays as it is; a recording that is complete needs no other; whether it is what was run, `verify` says.
    Exit code 4: parts in the middle are lost.

    \b
    coopsim recover run.mcap                  writes run.recovered.mcap
    coopsim recover run.mcap --to whole.mcap
    coopsim recover run.mcap --replace
    """  # noqa: D301 - click's mark for lines it must not wrap
    if replace and target is not None:
        raise click.UsageError("--replace and --to exclude each other")
    written, recovery = _repaired(file, target, replace=replace)
    if written is None:
        talk.note(f"{file} is complete; nothing was to be done")
    else:
        talk.note(f"written: {written}")
    text = [f"{recovery.records} records, {recovery.seconds:.2f} s can be read", *_losses(recovery)]
    talk.answer("\n".join(text), {"file": str(written or file), **asdict(recovery)} if as_json else None)
    return 4 if recovery.damaged_chunks or recovery.missing_records else 0


def _repaired(file: str, target: Path | None, *, replace: bool) -> "tuple[Path | None, Recovery]":
    """Return where the repaired recording is, None where nothing was to be repaired, and what was found."""
    from coopsim.recording import examine
    from coopsim.recording import recover as repair

    if target is None:
        recovery = examine(file)
        if recovery.was_complete and not recovery.damaged_chunks:
            return None, recovery
    path = Path(file)
    beside = path.with_name(f"{path.stem}.recovered{path.suffix}")
    recovery = repair(file, None if replace else target or beside)
    return path if replace else target or beside, recovery


def _losses(recovery: "Recovery") -> list[str]:
    chunks = counted(recovery.damaged_chunks, "damaged chunk or attachment", "damaged chunks or attachments")
    lost = {
        f"{counted(recovery.lost_bytes, 'byte')} at the end": recovery.lost_bytes,
        chunks: recovery.damaged_chunks,
        counted(recovery.missing_records, "missing record"): recovery.missing_records,
    }
    return [f"lost: {text}" for text, count in lost.items() if count]
