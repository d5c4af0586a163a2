"""Scene as a value: an edit makes another scene of it, and nothing changes a scene."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Self, TypeAlias

from coopsim.engines import BodySpec, JointSpec
from coopsim.engines.joint_checks import check_joints
from coopsim.errors import BadArgument, NoSuchName
from coopsim.robots import RobotBlueprint, RunSpec
from coopsim.robots.bodies import joint_spec, object_body, robot_bodies, robot_joints
from coopsim.scene import Area, Floor, Joint, Object, RobotPlacement, TargetSpec, clash_text, clashes, rows_in_order
from coopsim.simulation.joined import Joined

Entity: TypeAlias = Floor | Object | TargetSpec | RobotPlacement | Area
AnyJoint: TypeAlias = Joint | JointSpec


@dataclass(frozen=True)
class Scene:
    """Floor, objects, targets, robots, joints and areas by name, in the order in which they came.

    Attributes:
        types: Blueprints of the robot types in use, by name.
        joints: Between entities: as files and messages say them, or as a program made them; those within robots are
            in the blueprints.
    """

    floor: Floor
    objects: Mapping[str, Object] = field(default_factory=dict)
    targets: Mapping[str, TargetSpec] = field(default_factory=dict)
    robots: Mapping[str, RobotPlacement] = field(default_factory=dict)
    types: Mapping[str, RobotBlueprint] = field(default_factory=dict)
    joints: Mapping[str, AnyJoint] = field(default_factory=dict)
    areas: Mapping[str, Area] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: RunSpec) -> Self:
        """Return the scene that a scenario begins with."""
        scenario = spec.scenario
        return cls(
            scenario.world.floor,
            {entity.name: entity for entity in scenario.world.objects},
            {target.name: target for target in scenario.targets},
            {robot.name: robot for robot in scenario.robots},
            dict(spec.types),
            {joint.name: joint for joint in (*scenario.world.joints, *scenario.joints)},
            {area.name: area for area in (*scenario.world.areas, *scenario.areas)},
        )

    # who is there

    def entities(self) -> list[Entity]:
        """Return all entities: the floor, objects, targets, robots, areas."""
        things = (self.objects, self.targets, self.robots, self.areas)
        return [self.floor, *(entity for group in things for entity in group.values())]

    @property
    def names(self) -> list[str]:
        """Names of the entities."""
        return [self.floor.name, *self.objects, *self.targets, *self.robots, *self.areas]

    def find(self, name: str) -> Entity:
        """Return the entity of this name.

        Raises:
            NoSuchName: There is none.
        """
        entity = self.objects.get(name) or self.targets.get(name) or self.robots.get(name) or self.areas.get(name)
        if entity is not None:
            return entity
        if name == self.floor.name:
            return self.floor
        raise NoSuchName(f"no entity is called {name!r}; `/sim/world list` gives all names").bring(name)

    def __contains__(self, name: str) -> bool:
        groups = (self.objects, self.targets, self.robots, self.areas)
        return name == self.floor.name or any(name in group for group in groups)

    # other scenes

    def with_entity(self, entity: Entity) -> Self:
        """Return the scene with an entity added, or in the place of the one of its name."""
        return replace(self, floor=entity) if isinstance(entity, Floor) else self._with([entity])

    def with_entities(self, entities: Iterable[Entity]) -> Self:
        """Return the scene with more entities.

        Raises:
            BadArgument: A name is taken.
        """
        entities = list(entities)
        counts = Counter(entity.name for entity in entities)  # two of one name may come in one message
        taken = [name for name, count in counts.items() if count > 1 or name in self]
        if taken:
            raise BadArgument(f"{', '.join(taken)}: this name is taken; every entity needs its own")
        return self._with(entities)

    def _with(self, entities: Sequence[Entity]) -> Self:
        return replace(
            self,
            objects={**self.objects, **{entity.name: entity for entity in entities if isinstance(entity, Object)}},
            targets={**self.targets, **{entity.name: entity for entity in entities if isinstance(entity, TargetSpec)}},
            robots={**self.robots, **{new.name: new for new in entities if isinstance(new, RobotPlacement)}},
            areas=_apart({**self.areas, **{entity.name: entity for entity in entities if isinstance(entity, Area)}}),
        )

    def without_entity(self, name: str) -> Self:
        """Return the scene without an entity and the joints of its bodies.

        Raises:
            NoSuchName: It is not there.
            BadArgument: It is the floor.
        """
        entity = self.find(name)
        if isinstance(entity, Floor):
            raise BadArgument("the floor cannot be removed")
        removed_bodies = {body.name for body in self.bodies_of(entity)}
        return replace(
            self,
            objects={key: entity for key, entity in self.objects.items() if key != name},
            targets={key: target for key, target in self.targets.items() if key != name},
            robots={key: robot for key, robot in self.robots.items() if key != name},
            areas={key: area for key, area in self.areas.items() if key != name},
            joints={key: joint for key, joint in self.joints.items() if not removed_bodies & {joint.a, joint.b}},
        )

    def with_joints(self, joints: Iterable[AnyJoint]) -> Self:
        """Return the scene with more joints.

        Raises:
            BadArgument: A name is taken.
        """
        found = dict(self.joints)
        for joint in joints:
            if joint.name in found:
                raise BadArgument(f"there is already a joint named {joint.name!r}")
            found[joint.name] = joint
        return replace(self, joints=found)

    def without_joint(self, name: str) -> Self:
        """Return the scene without a joint.

        Raises:
            NoSuchName: It is not there.
            BadArgument: It is a part of a robot.
        """
        robot, dot, _ = name.partition(".")
        if dot and name in self.joint_names:
            raise BadArgument(f"the joint {name!r} is a part of {robot!r}; remove the robot")
        if name not in self.joints:
            raise NoSuchName(f"there is no joint named {name!r}").bring(name)
        return replace(self, joints={key: joint for key, joint in self.joints.items() if key != name})

    def of_files(self) -> Self:
        """Return the scene without the joints that programs made."""
        # what a reset makes again is what files say
        return replace(self, joints={name: joint for name, joint in self.joints.items() if isinstance(joint, Joint)})

    # bodies and joints, as an engine wants them

    @property
    def joint_names(self) -> list[str]:
        """Names of all joints, those within robots among them."""
        inner = [
            f"{robot.name}.{joint.name}" for robot in self.robots.values() for joint in self.types[robot.type].joints
        ]
        return [*self.joints, *inner]

    def bodies_of(self, entity: Entity) -> tuple[BodySpec, ...]:
        """Return the bodies of an entity as they stand in files, that of a robot which carries the others first."""
        if isinstance(entity, RobotPlacement):
            return robot_bodies(self.types[entity.type], entity, self.floor.friction)
        return (object_body(entity, self.floor.friction),) if isinstance(entity, Object) else ()

    def joints_of(self, entity: Entity) -> tuple[JointSpec, ...]:
        """Return the joints within an entity whose bodies stand as files say."""
        if not isinstance(entity, RobotPlacement) or not self.types[entity.type].joints:
            return ()
        return robot_joints(self.types[entity.type], self._groups.get(entity.name) or self.bodies_of(entity))

    @cached_property
    def _groups(self) -> dict[str, tuple[BodySpec, ...]]:
        # made once: engine, sensors and joints ask for all of them
        entities: list[Entity] = [*self.objects.values(), *self.robots.values()]
        return {entity.name: self.bodies_of(entity) for entity in entities}

    @cached_property
    def bodies(self) -> tuple[BodySpec, ...]:
        """Bodies of all entities, as they stand in files, by name."""
        bodies = tuple(chain.from_iterable(self._groups.values()))
        return tuple(bodies[row] for row in rows_in_order(tuple(body.name for body in bodies)))

    def first_joints(self) -> dict[str, Joined]:
        """Return the joints within robots and those of files, as they are made where files place the bodies.

        Raises:
            CoopsimError: A joint that cannot be; the text begins with its span.
        """
        specs = [joint for robot in self.robots.values() for joint in self.joints_of(robot)]
        of_files = [joint for joint in self.joints.values() if isinstance(joint, Joint)]
        if not specs and not of_files:  # most scenes have none: no bodies are made for nothing
            return {}
        bodies = {body.name: body for body in self.bodies}
        poses = {name: body.pose for name, body in bodies.items()}
        specs += [joint_spec(of_file, poses) for of_file in of_files]
        ordered = [specs[row] for row in rows_in_order(tuple(joint.name for joint in specs))]
        check_joints(ordered, bodies)
        return {joint.name: Joined(joint, poses[joint.a], poses[joint.b]) for joint in ordered}


def _apart(areas: dict[str, Area]) -> dict[str, Area]:
    """Return areas.

    Raises:
        BadArgument: Two overlap that must not.
    """
    for first, second in clashes(areas.values()):
        raise BadArgument(clash_text(first, second))
    return areas
