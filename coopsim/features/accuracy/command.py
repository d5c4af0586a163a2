"""`coopsim bench physics`."""

from collections.abc import Callable, Iterable, Iterator

import click

from coopsim.app import talk
from coopsim.features.accuracy.rows import Row
from coopsim.features.files.figures import show


@click.command(short_help="Errors of all engines against closed forms and integrators of their own.")
@click.option("--only", metavar="WORD", help="Rows whose engine or case holds this word; no others are measured.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def physics(only: str | None, as_json: bool) -> int:
    """Measure how far each engine is off closed forms and off an integrator of its own, each with a bound.

    Falls, drag, bricks that tumble, friction on planes and inclines, stacks that are pushed, damping, friction and
    springs of joints, joints that follow others, closed chains, rotors with ground effect and gyroscopic moments,
    sprung supports, impacts, wheels. The exit code is 1 where an error is beyond its bound.
    """
    rows = [row for row in _rows() if only is None or only in f"{row.engine} {row.case}"]
    if not rows:
        raise click.UsageError(f"no row holds {only!r}")
    show([row.plain() for row in rows], as_json=as_json)
    beyond = sum(not row.is_kept for row in rows)
    talk.note(f"{len(rows)} rows, {beyond} beyond their bounds")
    return int(beyond > 0)


def _rows() -> Iterator[Row]:
    # engines take a second to import: not before the command line was read
    from coopsim.features.accuracy.contacts import hitting, sliding
    from coopsim.features.accuracy.coupled import coupled
    from coopsim.features.accuracy.driving import driving
    from coopsim.features.accuracy.flying import flying
    from coopsim.features.accuracy.free import free_motion
    from coopsim.features.accuracy.holding import holding
    from coopsim.features.accuracy.swinging import swinging

    topics: tuple[Callable[[], Iterable[Row]], ...] = (
        free_motion,
        sliding,
        holding,
        swinging,
        coupled,
        hitting,
        driving,
        flying,
    )
    for topic in topics:
        yield from topic()
