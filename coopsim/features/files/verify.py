"""`coopsim verify`."""

from typing import TYPE_CHECKING

import click

from coopsim.app import completing, talk
from coopsim.app.options import plugin_option
from coopsim.app.table import counted
from coopsim.features.presentation.reading import reads_recordings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coopsim.features.proof.verdict import Verdict
    from coopsim.recording import Recording
    from coopsim.replay.outcome import Claim


@click.command(short_help="Prove a recording: run it again and compare all that it shows.")
@click.argument("file", shell_complete=completing.files)
@plugin_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@reads_recordings("file")
def verify(file: str, as_json: bool) -> int:
    """Run again what the recording FILE holds, with its commands and edits, and compare all that it shows, bit by bit.

    Exit code 0: identical. 1: something differs; the first tick, entity and field are named. 4: identical as far as
    compared, or nobody can tell here; parts are damaged or missing, or a plugin is.
    """
    from coopsim.features.proof.verify import verify as proof
    from coopsim.recording import Recording
    from coopsim.replay.run_json import spec_of

    with Recording.open(file) as recording:
        verdict = proof(recording, spec_of(recording))
        text = "\n".join([*_lines(recording, verdict), *_plugins(recording)])
    talk.answer(text, verdict.to_json() if as_json else None)
    return verdict.outcome.exit_code


def _lines(recording: "Recording", verdict: "Verdict") -> list[str]:
    from coopsim.replay.outcome import Outcome

    lines = [f"  {part}" for part in verdict.breaks]
    if verdict.breaks:
        lines.insert(0, f"{counted(len(verdict.breaks), 'part')} cannot be compared:")
    lines += [f"cannot tell: {reason}" for reason in verdict.open]
    took = f"{verdict.sim_time:.2f} s in {verdict.wall_time:.2f} s, {verdict.speed:.1f} times real time"
    if not recording.complete:
        lines.append("the file was not closed: its last records may be lost")
    if verdict.outcome is Outcome.UNKNOWN and verdict.difference is None:
        return [*lines, verdict.outcome.describe(verdict.ticks, verdict.total)]
    if verdict.difference is None:
        lines += [verdict.outcome.describe(verdict.ticks, verdict.total), took]
        return [*lines, *_claims("proved", verdict.proved), *_claims("as the file says", verdict.stated)]
    if verdict.is_computed_otherwise:
        lines.append(f"cannot tell: after {verdict.ticks} identical ticks the states are others, and so is the program")
    else:
        lines.append(f"different after {verdict.ticks} identical ticks")
    return [*lines, f"{verdict.difference} (recorded, done again)", *_versions(recording), took]


def _claims(title: str, claims: "Sequence[Claim]") -> list[str]:
    return [f"{title}:", *(f"  {claim}" for claim in claims)] if claims else []


def _plugins(recording: "Recording") -> list[str]:
    from coopsim.replay.required_plugins import changed

    return [f"another plugin: {plugin}" for plugin in changed(recording)]


def _versions(recording: "Recording") -> list[str]:
    """Return the versions that differ; that alone may be the reason."""
    from coopsim.features.proof.stated import written_by
    from coopsim.recording import versions

    then, now = recording.metadata.get("versions", {}), versions()
    changed = [f"{name} {then[name]} then, {now.get(name, 'none')} now" for name in then if then[name] != now.get(name)]
    lines = [f"other versions: {', '.join(changed)}"] if changed else []
    if writer := written_by(recording):
        lines.append(f"written by {writer}; another version may compute other numbers: that alone may be the reason")
    return lines
