"""Springs between bodies in space: one of MuJoCo's tendons each, between two points; and what a step must bear."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from coopsim.engines.contract import JointSpec
from coopsim.engines.springs import SpringEnd, spring_parts
from coopsim.features.space.dynamics import JointSprings
from coopsim.features.space.grips import SpatialJoint
from coopsim.features.space.joints import shares
from coopsim.features.space.model import Model
from coopsim.features.space.soft import SoftSteps
from coopsim.features.space.solids import Solid
from coopsim.geometry import Vector3

_DIRECTIONS = 3.0  # MuJoCo tells the mean of them


class SpatialSprings:
    """The springs of a world that stays who it is, and what is soft in it.

    Args:
        joints: All of them, and all bodies by name.
        solids: The bodies.
        names: Those that move, by row.
        world: Returns the compiled world.
    """

    def __init__(
        self,
        joints: Sequence[SpatialJoint],
        solids: Mapping[str, Solid],
        names: Sequence[str],
        world: Callable[[], Model],
    ) -> None:
        self._joints, self._solids, self._names, self._world = joints, solids, names, world
        self._springs = [joint for joint in joints if joint.spec.kind == "spring"]
        self._soft = SoftSteps(solids)
        self._parts: dict[float, int] = {}

    def parts(self, dt: float) -> int:
        """Return into how many parts a step of `dt` [s] must be cut.

        Raises:
            EngineCannot: Too many; the text begins with the span of the spring, or of what is soft.
        """
        if dt not in self._parts:
            parts = spring_parts(self._ends(), dt, "mujoco") if self._springs else 1
            # a step that is cut for one is cut for all: springs in joints know its parts
            parts = max(parts, self._soft.parts(dt))
            in_joints = self._in_joints()
            self._parts = {dt: parts if in_joints is None else parts * in_joints.parts(dt / parts)}
        return self._parts[dt]

    def _in_joints(self) -> JointSprings | None:
        movable = [row for row, joint in enumerate(self._joints) if joint.spec.is_movable]
        if not any(self._joints[row].spec.dynamics for row in movable):
            return None
        starts = np.cumsum([0, *(joint.ways for joint in self._joints)])
        world = self._world()
        dofs = world.ways[starts[movable], 1]
        return JointSprings(self._joints, (np.array(movable), dofs), world.model)

    def _ends(self) -> list[tuple[JointSpec, SpringEnd, SpringEnd]]:
        own, links = shares(self._joints, self._solids), self._links()

        def end(body: str, anchor: Vector3) -> SpringEnd:
            solid = self._solids[body]
            # fixed ends yield to nothing
            if not solid.moves or solid.spec.is_bolted:
                return SpringEnd(body, 0.0)
            arm = float(np.linalg.norm(np.subtract(anchor, solid.centre)))
            # about the axis about which it turns most easily
            lightness = 1.0 / solid.spec.mass, 1.0 / float(np.linalg.eigvalsh(solid.inertia)[0])
            straight, turning = links.get(body, lightness)
            return SpringEnd(body, (straight + arm * arm * turning) / own.get(body, 1.0))

        return [
            (spring.spec, end(spring.spec.a, spring.grip.on_a), end(spring.spec.b, spring.grip.on_b))
            for spring in self._springs
        ]

    def _links(self) -> dict[str, tuple[float, float]]:
        """Return how much links of chains yield to a push and to a turn, with all that they hang on, by name."""
        links = {joint.spec.b for joint in self._joints if joint.spec.is_chained}
        world = self._world() if links else None
        if world is None or world.mirror is None:
            return {}
        inverse_masses = _DIRECTIONS * world.model.body_invweight0[world.mirror.ids]
        return {
            name: (float(straight), float(turning))
            for name, (straight, turning) in zip(self._names, inverse_masses, strict=True)
            if name in links
        }
