"""Worlds of Stage: floor plans, models and robots with rangers."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from coopsim.features.others.worlds.irsim_shapes import color, moved
from coopsim.features.others.worlds.plan import (
    FloorPlan,
    ImportLoss,
    LawUse,
    PlanPose,
    RobotPlan,
    SolidPlan,
    WorldPlan,
    proper_name,
)
from coopsim.features.others.worlds.stage_blocks import block_solids
from coopsim.features.others.worlds.stage_robots import kind_of
from coopsim.features.others.worlds.stage_text import StageModel, read_world

_TICK = 0.01  # s
_ROOM = 20.0  # m; side of the floor where a world has nothing to say of it
_MARGIN = 1.0  # m; of the floor around what stands on it
_MODEL_SIZE = 0.1, 0.1, 0.1  # m; of Stage
_ABOUT_STAGE = {
    "resolution": "rays and contacts are exact here",
    "interval_sim": f"ticks take {_TICK} s",
    "interval_real": "see `mode` and `speed` of a scenario",
    "speedup": "see `mode` and `speed` of a scenario",
    "paused": "a run begins at once",
    "threads": "see `coopsim doctor`",
    "show_clock": "the window shows it",
    "show_clock_interval": "the window shows it",
}
_SHOWN = "gui_", "trail_", "obstacle_return", "ranger_return", "fiducial_return", "gripper_return", "blob_return"


def read_stage(text: str, file: Path) -> WorldPlan:
    """Return what a file describes.

    Raises:
        BadFile: It cannot be read, or a value is no number.
    """
    world = read_world(text, file)
    plan = WorldPlan(f"Stage's {file.name}", step=_TICK)
    for name, key in world.keys.items():
        if name == "quit_time":
            plan.duration = world.number("quit_time", 0.0)
        elif name != "name":
            plan.lose(key.place, name, _ABOUT_STAGE.get(name, "left out: it has no counterpart"))
    for model in world.children:
        _add(model, (0.0, 0.0, 0.0), 0.0, plan)
    if plan.floor_plans:
        _keep_largest_floor_plan(plan)
    _lay_floor(plan)
    return plan


def _add(model: StageModel, above: PlanPose, ground: float, plan: WorldPlan) -> None:
    """Add a model, and what is on it, whose poses are in the frame of another one.

    Args:
        model: What is added.
        above: Pose of what it is on.
        ground: Height of the top of that, from which its own is counted [m].
        plan: Gets it.
    """
    pose, base = moved(above, _pose(model)), ground + _pose_of(model)[2]
    if model.kind == "window":
        plan.lose(model.place, "window", "left out: see `[VIEW]` of a scenario")
    elif model.kind == "position":
        _add_robot(model, pose, plan)
    elif model.kind != "model":
        plan.lose(model.place, model.word, "left out: it has no counterpart")
    else:
        if model.keys.get("bitmap") is not None:
            _add_floor_plan(model, pose, plan)
        elif model.number("obstacle_return", 1.0) == 0.0:
            plan.lose(model.place, model.word, "left out: all that stands here is touched")
        else:
            _add_solid(model, pose, max(base, 0.0), plan)
        # `Model::GetGlobalPose` of Stage: children stand on their parent, unless it says that they do not
        top = base + (_size(model)[2] if model.number("stack_children", 1.0) else 0.0)
        for child in model.children:
            if child.kind not in {"block", "boundary"}:
                _add(child, pose, top, plan)


def _pose(model: StageModel) -> PlanPose:
    x, y, _, heading = _pose_of(model)
    return x, y, heading


def _pose_of(model: StageModel) -> tuple[float, float, float, float]:
    x, y, z, heading = [*model.row("pose", (0.0, 0.0, 0.0, 0.0)), 0.0, 0.0, 0.0, 0.0][:4]
    return x, y, z, heading


def _size(model: StageModel) -> tuple[float, float, float]:
    size = model.row("size", _MODEL_SIZE)[:3]
    length, width, height = (min(max(value, 0.01), 1000.0) for value in (*size, *_MODEL_SIZE[len(size) :]))
    return length, width, height


def _add_floor_plan(model: StageModel, pose: PlanPose, plan: WorldPlan) -> None:
    image = model.folder / model.text("bitmap")
    if not image.is_file():
        plan.lose(model.keys["bitmap"].place, "bitmap", f"left out: there is no picture {image}")
        return
    from PIL import Image

    with Image.open(image) as picture:
        across, up = picture.size
    length, width, height = model.row("size", (across * 0.02, up * 0.02, 0.5))[:3]
    resolution = length / across
    losses = []
    if abs(resolution * up - width) > 2.0 * resolution:
        reason = f"pixels are squares here: the plan is {resolution * up:.4g} m wide, not {width:.4g}"
        losses.append(ImportLoss(model.place, "size", reason))
    if pose[2]:
        losses.append(ImportLoss(model.place, "pose", "a floor plan is not turned here"))
    corner = pose[0] - 0.5 * length, pose[1] - 0.5 * resolution * up
    height = min(max(height, 0.1), 100.0)
    paint, name = color(model.text("color")), plan.free_name(model.text("name", model.word))
    box = SolidPlan("box", (length, width, height), pose, color=paint, name=name)
    place = model.keys["bitmap"].place
    plan.floor_plans.append(FloorPlan(str(image), resolution, corner, height, place, box, tuple(losses)))
    if model.number("boundary", 0.0):
        x, y = corner
        points = (x, y), (x + length, y), (x + length, y + resolution * up), (x, y + resolution * up)
        plan.solids.append(SolidPlan("line", (0.0, 0.05, max(height, 0.1)), points=points, closed=True))


def _keep_largest_floor_plan(plan: WorldPlan) -> None:
    """Have boxes in the place of all pictures but the largest: a world has one `[MAP]`."""
    first, *rest = sorted(plan.floor_plans, key=_ground, reverse=True)
    for floor_plan in rest:
        plan.lose(floor_plan.place, "bitmap", "the box around it: one picture is the map, the largest")
        if floor_plan.box is not None:
            plan.solids.append(floor_plan.box)
    for loss in first.losses:
        plan.lose(loss.place, loss.key, loss.reason)
    plan.floor_plans[:] = [first]


def _ground(floor_plan: FloorPlan) -> float:
    """Return the area that a picture covers [m2]."""
    return 0.0 if floor_plan.box is None else floor_plan.box.size[0] * floor_plan.box.size[1]


def _add_solid(model: StageModel, pose: PlanPose, base: float, plan: WorldPlan) -> None:
    length, width, height = _size(model)
    name = plan.free_name(model.text("name", model.word))
    if "mass" in model.keys:
        plan.lose(model.keys["mass"].place, "mass", "left out: it stands fast, as in Stage")
    _note_rest(model, plan, ("size", "pose", "name", "color", "mass", "stack_children", "boundary", "origin"))
    paint = color(model.text("color"))
    blocks = list(block_solids(model, (length, width, height), pose, base))
    if None in blocks:
        plan.lose(model.place, "block", "the box around it: its points are no simple polygons")
    solids = [block for block in blocks if block is not None]
    if not solids or None in blocks:
        solids = [SolidPlan("box", (length, width, height), pose, base)]
    for place, solid in enumerate(solids):
        plan.solids.append(replace(solid, color=paint, name=plan.free_name(f"{name}_{place + 1}") if place else name))


def _add_robot(model: StageModel, pose: PlanPose, plan: WorldPlan) -> None:
    name = plan.free_name(proper_name(model.text("name", model.word)))
    kind = plan.kind_of(kind_of(model, plan))
    plan.robots.append(RobotPlan(kind, name, pose, color(model.text("color"))))
    controller = model.keys.get("ctrl")
    if controller is None:
        return
    word = str(controller.value).split()[0] if str(controller.value).split() else ""
    if word == "wander":
        _join_law(plan, "wander", name)
    else:
        plan.lose(controller.place, f"ctrl {word}", "left out: write it as a client, in any language")


def _join_law(plan: WorldPlan, law: str, robot: str) -> None:
    """Have a law drive one robot more."""
    for place, use in enumerate(plan.laws):
        if use.law == law:
            plan.laws[place] = LawUse(law, (*use.robots, robot), use.settings)
            return
    plan.laws.append(LawUse(law, (robot,)))


def _note_rest(model: StageModel, plan: WorldPlan, known_keys: Sequence[str]) -> None:
    for name, key in model.keys.items():
        if name not in known_keys and not name.startswith(_SHOWN):
            plan.lose(key.place, name, "left out: it has no counterpart")


def _lay_floor(plan: WorldPlan) -> None:
    """Lay a floor below all that stands there."""
    xs, ys = [], []
    for floor_plan in plan.floor_plans:
        from PIL import Image

        with Image.open(floor_plan.image) as picture:
            across, up = picture.size
        xs += [floor_plan.corner[0], floor_plan.corner[0] + floor_plan.resolution * across]
        ys += [floor_plan.corner[1], floor_plan.corner[1] + floor_plan.resolution * up]
    for solid in plan.solids:
        reach = 0.0 if solid.points else 0.5 * math.hypot(*solid.size[:2])
        for x, y in solid.points or (solid.pose[:2],):
            xs += [x - reach, x + reach]
            ys += [y - reach, y + reach]
    for robot in plan.robots:
        xs += [robot.pose[0] - _MARGIN, robot.pose[0] + _MARGIN]
        ys += [robot.pose[1] - _MARGIN, robot.pose[1] + _MARGIN]
    if not xs:
        plan.size = _ROOM, _ROOM
        return
    plan.middle = 0.5 * (min(xs) + max(xs)), 0.5 * (min(ys) + max(ys))
    plan.size = max(xs) - min(xs) + _MARGIN, max(ys) - min(ys) + _MARGIN
