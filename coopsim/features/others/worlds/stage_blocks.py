"""Blocks of Stage, the shapes that a model consists of, as polygons."""

from collections.abc import Iterator

from coopsim.features.others.worlds.irsim_shapes import moved
from coopsim.features.others.worlds.plan import PlanPoint, PlanPose, SolidPlan, why_no_polygon
from coopsim.features.others.worlds.stage_text import StageModel
from coopsim.geometry import Vector3
from coopsim.scene import MOST_CORNERS

_FLAT = 1e-9  # of a block; what has no extent is not stretched


def block_solids(model: StageModel, size: Vector3, pose: PlanPose, base: float) -> Iterator[SolidPlan | None]:
    """Yield the blocks of a model, which fill its box together; None for one whose points are no simple polygon.

    Args:
        model: It may have no blocks.
        size: Of its box [m].
        pose: Of the middle of the box.
        base: Height of its lower end [m].
    """
    blocks = [(_corners(child), child.row("z", (0.0, 1.0))[:2]) for child in model.children if child.kind == "block"]
    corners = [corner for points, _ in blocks for corner in points]
    if not corners:
        yield from (None for _ in blocks)
        return
    (left, right), (low, high) = ((min(along), max(along)) for along in zip(*corners, strict=True))
    top = max(upper for _, (_, upper) in blocks)
    across, along, up = max(right - left, _FLAT), max(high - low, _FLAT), max(top, _FLAT)
    for points, (lower, upper) in blocks:
        shares = [((x - left) / across - 0.5, (y - low) / along - 0.5) for x, y in points]
        outline = tuple(moved(pose, (size[0] * x, size[1] * y, 0.0))[:2] for x, y in shares)
        if len(outline) < 3 or upper <= lower or why_no_polygon(outline):
            yield None
            continue
        height = (upper - lower) / up * size[2]
        bottom = base + max(lower, 0.0) / up * size[2]
        yield SolidPlan("polygon", (0.0, 0.0, height), base=bottom, points=outline, closed=True)


def _corners(block: StageModel) -> list[PlanPoint]:
    """Return the points of a block, as far as it has them."""
    names = (f"point[{place}]" for place in range(MOST_CORNERS))
    return [(row[0], row[1]) for name in names if name in block.keys and len(row := block.row(name, (0.0, 0.0))) > 1]


def outline(model: StageModel, size: Vector3) -> tuple[PlanPoint, ...]:
    """Return the corners of a model of one block around its middle [m], none of a model of several or of no polygon.

    Args:
        model: It may have no blocks.
        size: Of its box [m].
    """
    solids = list(block_solids(model, size, (0.0, 0.0, 0.0), 0.0))
    return solids[0].points if len(solids) == 1 and solids[0] is not None else ()
