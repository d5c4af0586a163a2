"""Judgements of described robots: whether they load, and how far they move from where their home simulator has them."""

import importlib.util
import math
import re
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.features.accuracy.packages.descriptions import Description
from coopsim.features.accuracy.packages.motion import Motion, bullet_motion, mujoco_motion, our_motion
from coopsim.geometry import Floats
from coopsim.scene import Problems

SINKS = 0.1
"""A robot falls whose links sink by this part of their mean height in a second."""
_OWN_MEDIUM = ("viscosity=", "density=")
_CHANGES = (
    ("they grow to where it begins", "joints begin beyond limits"),
    ("ball joint", "ball joints"),
    ("is free beside others", "several free bodies"),
    ("connects bodies", "closed loops"),
    ("welds bodies", "closed loops"),
    ("close a loop", "closed loops"),
    ("the tendon ", "tendons"),
    ("couples tendons", "tendons"),
    ("by a curve", "coupling by a curve"),
    ("is at ", "ref of joints"),
    ("those of no body", "inertias of no body"),
    ("which are welded", "joints that are welded"),
    ("viscosity=", "a medium"),
    ("is static", "static"),
    ("as soft as MuJoCo's default", "softness of limits"),
)
"""Parts of warnings, and what they mean for how a robot moves."""


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """Outcome for one description.

    Attributes:
        package: Its distribution.
        name: Its path in there.
        home: "mujoco" or "pybullet", what it is compared with.
        refused: Why it does not load, "" = it does.
        home_refused: Why its home simulator refuses it, "" = it loads there.
        links: Count of those that were compared, by their names.
        error: Mean distance of a link's origin from where the home simulator has it, in 1 s without contacts [m].
        turn: Mean angle between the link's frames [deg].
        moved: Mean way of a link from where it begins [m].
        stands: Whether it stands here, dropped on the floor; None = its base is held, or not compared.
        home_stands: The same at home.
        changed: What of the model becomes something else here that moves otherwise, in words.
    """

    package: str
    name: str
    home: str
    refused: str = ""
    home_refused: str = ""
    links: int = 0
    error: float | None = None
    turn: float | None = None
    moved: float | None = None
    stands: bool | None = None
    home_stands: bool | None = None
    changed: str = ""

    def plain(self) -> dict[str, Any]:
        """Return it for tables and JSON."""
        return asdict(self)


def judged(description: Description) -> ModelVerdict:
    """Return what becomes of a description."""
    home = "mujoco" if description.format == "mjcf" else "pybullet"
    facts: dict[str, Any] = {"package": description.package, "name": description.name, "home": home}
    ours, problems = None, Problems()
    try:
        ours = our_motion(description.path, free=False if description.format == "urdf" else None, problems=problems)
        facts["changed"] = _changes(problems, description)
    except CoopsimError as problem:
        facts["refused"] = str(problem).replace(f"{description.path.parent}/", "")
    if importlib.util.find_spec(home) is None:
        return ModelVerdict(**facts, home_refused=f"{home} is not installed")
    try:
        aloft, origin = _at_home(description, is_aloft=True)
    except Exception as problem:  # a library in C++ raises what it likes: it is reported
        return ModelVerdict(**facts, home_refused=" ".join(str(problem).split()) or type(problem).__name__)
    if ours is not None:
        if aloft.meets_stops:
            facts["changed"] = ", ".join(filter(None, (facts["changed"], "meets stops")))
        facts |= _compared(ours, aloft)
        if origin is not None:
            facts |= _stood(description)
    return ModelVerdict(**facts)


def _changes(problems: Problems, description: Description) -> str:
    """Return in a few words which parts of a model that steer its motion are something else here."""
    texts = [problem.text for problem in problems.warnings]
    if description.format == "mjcf":
        texts += [word for word in _OWN_MEDIUM if word in description.path.read_text("utf-8", "replace")]
    return ", ".join(dict.fromkeys(words for part, words in _CHANGES if any(part in text for text in texts)))


def _at_home(description: Description, *, is_aloft: bool) -> tuple[Motion, Floats | None]:
    if description.format == "mjcf":
        return mujoco_motion(description.path, is_aloft=is_aloft)
    return bullet_motion(description.path, is_aloft=is_aloft)


def _stood(description: Description) -> dict[str, Any]:
    """Return whether a robot stands, here and at home."""
    motion, origin = _at_home(description, is_aloft=False)
    x, y, z = origin if origin is not None else np.zeros(3)
    ours = our_motion(description.path, (float(x), float(y), float(z)), True if description.format == "urdf" else None)
    ours, motion = _paired(ours, motion)
    return {"stands": _stands(ours), "home_stands": _stands(motion)}


def _stands(motion: Motion) -> bool:
    height = motion.height()
    return bool(height[0] - height[-1] < SINKS * abs(height[0]))


def _compared(ours: Motion, home: Motion) -> dict[str, Any]:
    """Return errors of the links of one name, of which the first is in one place at the start."""
    ours, home = _paired(ours, home)
    if not ours.names:
        return {"links": 0}
    shift = home.frames[0, 0, :3] - ours.frames[0, 0, :3]
    apart = np.linalg.norm(ours.frames[:, :, :3] + shift - home.frames[:, :, :3], axis=2)
    likeness = np.abs(np.sum(ours.frames[:, :, 3:] * home.frames[:, :, 3:], axis=2)).clip(0.0, 1.0)
    ways = np.linalg.norm(home.frames[1:, :, :3] - home.frames[0, :, :3], axis=2)
    return {
        "links": len(ours.names),
        "error": float(apart.mean()),
        "turn": math.degrees(2.0 * float(np.arccos(likeness).mean())),
        "moved": float(ways.mean()),
    }


def _paired(ours: Motion, home: Motion) -> tuple[Motion, Motion]:
    """Return both with the links that both have, in one order."""
    rows = {name: row for row, name in enumerate(ours.names)}
    pairs = []
    for row, name in enumerate(home.names):
        word = re.sub(r"\W", "_", name, flags=re.ASCII)
        own = rows.get(f"{word}_link" if word == "base" else word)
        if own is not None:
            pairs.append((own, row))
    if not pairs:
        return Motion((), ours.frames[:, :0]), Motion((), home.frames[:, :0])
    left, right = (list(side) for side in zip(*pairs, strict=True))
    names = tuple(ours.names[row] for row in left)
    return Motion(names, ours.frames[:, left]), Motion(names, home.frames[:, right])
