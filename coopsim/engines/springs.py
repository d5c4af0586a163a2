"""Step that springs between bodies need to swing as they should, on any engine.

Source: stability and frequency of the semi-implicit Euler method on a damped oscillator, by the usual analysis: it
swings by (w dt)^2 / 24 too fast, and grows from (w dt)^2 + 2 c dt / m = 4 on.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from coopsim.engines.contract import JointSpec
from coopsim.engines.plane.footprints import located
from coopsim.errors import EngineCannot

MOST_PARTS = 32  # a step then costs up to 32 times as much; who needs more has chosen numbers that do not fit
_CALM = 0.25  # of 4, where it grows: 1 % of its frequency


@dataclass(frozen=True, slots=True)
class SpringEnd:
    """Point of a body that a spring holds.

    Attributes:
        body: Its name.
        give: How much it yields there, in the direction in which it yields most; 0 = it is fixed [1/kg].
    """

    body: str
    give: float


def spring_parts(springs: Sequence[tuple[JointSpec, SpringEnd, SpringEnd]], dt: float, engine: str) -> int:
    """Return into how many parts a step must be cut for springs to swing as they should.

    Args:
        springs: Each with its two ends.
        dt: Length of the step [s].
        engine: Its name, for the error.

    Raises:
        EngineCannot: Too many; the text begins with the span of the spring.
    """
    holding: dict[str, list[tuple[JointSpec, float]]] = defaultdict(list)
    for spec, *two in springs:
        for end in two:
            holding[end.body].append((spec, end.give))
    return max((_parts(spec, two, holding, dt, engine) for spec, *two in springs), default=1)


def _parts(
    spec: JointSpec,
    two: Sequence[SpringEnd],
    holding: dict[str, list[tuple[JointSpec, float]]],
    dt: float,
    engine: str,
) -> int:
    """Return what one spring needs, given what else pulls at its bodies, by name."""
    # rows of the matrix of all springs bound its eigenvalues
    near = [(neighbour, math.sqrt(end.give * give)) for end in two for neighbour, give in holding[end.body]]
    for parts in range(1, MOST_PARTS + 1):
        part = dt / parts
        if sum((spring.stiffness * part * part + 2.0 * spring.damping * part) * give for spring, give in near) <= _CALM:
            return parts
    raise EngineCannot(
        f"{located(spec.span)}the spring {spec.name!r} ({spec.stiffness:g} N/m, {spec.damping:g} N s/m) is too stiff "
        f"for a step of {dt * 1e3:g} ms and what it holds: the {engine} engine would have to cut it into more than "
        f"{MOST_PARTS} parts; make it softer, what it holds heavier, or the step shorter"
    )
