"""`[JOINT_n]` sections, of worlds, scenarios and robots alike."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from coopsim.geometry import Vector3
from coopsim.scene import values
from coopsim.scene.entities import EntityNames
from coopsim.scene.joint_spec import Joint, JointDynamics
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.measures import POSITION
from coopsim.scene.problems import Problems
from coopsim.scene.spans import Span
from coopsim.scene.values import FARTHEST, Flaw

SHORTEST_AXIS = 1e-6
"""Of a joint; what is much shorter has a square of 0."""
KINDS = ("hinge", "slide", "weld", "pivot", "support", "spring")
_SPRUNG = "stiffness", "damping"
DYNAMICS = (*_SPRUNG, "friction", "rest", "follows")
"""Keys of what resists a hinge or slide."""
_MOVING = ("axis", "limits", "armature", *DYNAMICS)
_OWN = {
    "hinge": _MOVING,
    "slide": _MOVING,
    "support": ("travel", *_SPRUNG, "carriage"),
    "spring": ("far_anchor", "length", "limits", *_SPRUNG),
}
"""Keys that not every kind knows."""


def _bodies(words: Sequence[str]) -> tuple[str, str] | Flaw:
    if len(words) != 2:
        return Flaw(f"takes the names of two bodies, got {len(words)}")
    return (words[0], words[1]) if words[0] != words[1] else Flaw("joins a body with itself; name two", 1)


def _limits(words: Sequence[str]) -> tuple[float, float] | Flaw:
    if len(words) != 2:
        return Flaw(f"takes the lowest and the highest position, got {len(words)} values")
    low, high = (values.to_number(word) for word in words)
    for place, end in enumerate((low, high)):
        if isinstance(end, Flaw):
            return Flaw(end.text, place)
    assert isinstance(low, float | int) and isinstance(high, float | int)  # noqa: S101, PT018 - seen above
    if not low <= 0.0 <= high:
        return Flaw(f"takes a number up to 0 and one from 0 on: a joint is at 0 where it is made; got {low:g} {high:g}")
    return float(low), float(high)


def _axis(words: Sequence[str]) -> Vector3 | Flaw:
    direction = _DIRECTION(words)
    if not isinstance(direction, Flaw) and not math.hypot(*direction) >= SHORTEST_AXIS:
        return Flaw(f"must be {SHORTEST_AXIS:g} to {FARTHEST:g} long, 1 by custom; got {' '.join(words)}")
    return direction


def _follows(words: Sequence[str]) -> tuple[str, float, float] | Flaw:
    if not 1 <= len(words) <= 3:
        return Flaw(f"takes the name of a joint, a ratio and an offset, got {len(words)} values")
    ratio, offset = (values.to_number(word) for word in (*words[1:], *("1", "0")[len(words) - 1 :]))
    for at, number in enumerate((ratio, offset), 1):
        if isinstance(number, Flaw):
            return Flaw(number.text, at)
    assert isinstance(ratio, float | int) and isinstance(offset, float | int)  # noqa: S101, PT018 - seen above
    return words[0], float(ratio), float(offset)


_DIRECTION = values.vector("x y z", (-FARTHEST, -FARTHEST, -FARTHEST), FARTHEST, "")

JOINT_KEYS: Keys = {
    "type": SectionKey(values.one_of(*KINDS), is_needed=True),
    "bodies": SectionKey(_bodies, is_needed=True),
    "name": SectionKey(values.member_name),
    "anchor": SectionKey(POSITION),
    "axis": SectionKey(_axis),
    "limits": SectionKey(_limits),
    "travel": SectionKey(values.number(1e-6, FARTHEST, "m")),
    "stiffness": SectionKey(values.number(0.0, 1e9, "N/m")),
    "damping": SectionKey(values.number(0.0, 1e9, "N s/m")),
    "carriage": SectionKey(values.number(1e-6, 1e9, "kg")),
    "far_anchor": SectionKey(POSITION),
    "length": SectionKey(values.number(0.0, FARTHEST, "m")),
    "armature": SectionKey(values.number(0.0, 1e6, "kg m2")),
    "friction": SectionKey(values.number(0.0, 1e9, "N m")),
    "rest": SectionKey(values.number(-1e6, 1e6)),
    "follows": SectionKey(_follows),
}


def joint(section: Section, names: EntityNames, problems: Problems) -> Joint | None:
    """Return what a `[JOINT_n]` section says, None if too little of it can be read."""
    keys = read_keys(section, JOINT_KEYS, problems)
    name = keys.pop("name", None) or section.name.lower()
    if not section.repeated:
        names.claim(name, section.value_span("name"))
    if lacks(keys, JOINT_KEYS):
        return None
    kind, (a, b) = keys.pop("type"), keys.pop("bodies")
    _check_kind(section, kind, keys, problems)
    if kind == "spring":
        keys.setdefault("damping", 0.0)
    if kind in ("hinge", "slide"):
        keys["dynamics"] = _dynamics(kind, keys)
    for key in ("friction", "rest", "follows"):  # of other kinds they have been noted
        keys.pop(key, None)
    new_joint = Joint(name, kind, a, b, **keys, span=section.span, a_span=_span(section, 0), b_span=_span(section, 1))
    return replace(new_joint, limits=tuple(map(math.radians, new_joint.limits))) if kind == "hinge" else new_joint


def _dynamics(kind: str, keys: dict[str, Any]) -> JointDynamics | None:
    """Return what resists a joint, and remove it from its keys; angles become radians."""
    angle = math.radians(1.0) if kind == "hinge" else 1.0
    numbers = {key: float(keys.pop(key, 0.0)) for key in ("damping", "friction", "stiffness")}
    follows, ratio, offset = keys.pop("follows", ("", 1.0, 0.0))
    dynamics = JointDynamics(
        **numbers, rest=angle * float(keys.pop("rest", 0.0)), follows=follows, ratio=ratio, offset=angle * offset
    )
    return None if dynamics == JointDynamics() else dynamics


def _check_kind(section: Section, kind: str, values: dict[str, Any], problems: Problems) -> None:
    """Note keys that a joint of this kind does not know."""
    own_keys = _OWN.get(kind, ())
    for key in dict.fromkeys(key for keys in _OWN.values() for key in keys):
        line = section.line(key)
        if line is not None and key in values and key not in own_keys:
            problems.add(line.span, f"a {kind} has no {key}")


def _span(section: Section, place: int) -> Span:
    line = section.line("bodies")
    return line.value_spans()[place] if line else section.span
