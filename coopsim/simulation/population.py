"""Who is in the simulation: floor, objects, targets and robots by name."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from coopsim.engines import BodySpec, JointSpec
from coopsim.engines.joint_checks import check_joints
from coopsim.errors import BadArgument, NoSuchName
from coopsim.robots import RobotBlueprint, RunSpec
from coopsim.robots.bodies import joint_spec, object_body, robot_bodies, robot_joints
from coopsim.scene import Floor, Joint, Object, RobotPlacement, TargetSpec, by_name
from coopsim.simulation.joined import Joined

Entity = Floor | Object | TargetSpec | RobotPlacement


@dataclass
class Population:
    """Entities in the order in which they came.

    Attributes:
        types: Blueprints of the robot types in use, by name.
        joints: Between their bodies, in the order in which they came: those within robots, those of sections, and
            those that a program made.
        sections: Joints between entities as files and messages say them, by name.
    """

    floor: Floor
    objects: dict[str, Object] = field(default_factory=dict)
    targets: dict[str, TargetSpec] = field(default_factory=dict)
    robots: dict[str, RobotPlacement] = field(default_factory=dict)
    types: dict[str, RobotBlueprint] = field(default_factory=dict)
    joints: dict[str, Joined] = field(default_factory=dict)
    sections: dict[str, Joint] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: RunSpec) -> "Population":
        """Return the population that a scenario begins with."""
        scenario = spec.scenario
        return cls(
            scenario.world.floor,
            {each.name: each for each in scenario.world.objects},
            {each.name: each for each in scenario.targets},
            {each.name: each for each in scenario.robots},
            dict(spec.types),
            sections={each.name: each for each in (*scenario.world.joints, *scenario.joints)},
        )

    def entities(self) -> list[Entity]:
        """Return all entities: the floor, objects, targets, robots."""
        return [self.floor, *self.objects.values(), *self.targets.values(), *self.robots.values()]

    @property
    def names(self) -> list[str]:
        """Names in use."""
        return [self.floor.name, *self.objects, *self.targets, *self.robots]

    def find(self, name: str) -> Entity:
        """Return the entity of this name.

        Raises:
            NoSuchName: There is none.
        """
        for group in (self.objects, self.targets, self.robots):
            if name in group:
                return group[name]
        if name == self.floor.name:
            return self.floor
        raise NoSuchName(f"no entity is called {name!r}; `/sim/world list` gives all names").bring(name)

    def __contains__(self, name: str) -> bool:
        return name in self.objects or name in self.targets or name in self.robots or name == self.floor.name

    def put(self, entity: Entity) -> None:
        """Insert an entity, or replace the one of the same name in its place."""
        match entity:
            case Floor():
                self.floor = entity
            case Object():
                self.objects[entity.name] = entity
            case TargetSpec():
                self.targets[entity.name] = entity
            case RobotPlacement():
                self.robots[entity.name] = entity

    def take(self, name: str) -> Entity:
        """Remove and return an entity.

        Raises:
            NoSuchName: There is none.
            BadArgument: It is the floor.
        """
        entity = self.find(name)
        if isinstance(entity, Floor):
            raise BadArgument("the floor cannot be removed")
        for group in (self.objects, self.targets, self.robots):
            group.pop(name, None)
        return entity

    def insert(self, entities: Iterable[Entity]) -> None:
        """Insert entities, all or none.

        Raises:
            BadArgument: A name is taken.
        """
        entities = list(entities)
        counts = Counter(entity.name for entity in entities)
        taken = [name for name, count in counts.items() if count > 1 or name in self]
        if taken:
            raise BadArgument(f"{', '.join(taken)}: this name is taken; every entity needs its own")
        for entity in entities:
            self.put(entity)

    def forget(self, entity: Entity) -> None:
        """Undo the insertion of this very entity; one of the same name that was there before stays."""
        for group in (self.objects, self.targets, self.robots):
            if group.get(entity.name) is entity:
                del group[entity.name]

    def body(self, entity: Entity) -> BodySpec | None:
        """Return the first body of an entity, None if it has none."""
        return next(iter(self.bodies_of(entity)), None)

    def bodies_of(self, entity: Entity) -> tuple[BodySpec, ...]:
        """Return the bodies of an entity as they stand in files, that of a robot which carries the others first."""
        match entity:
            case Object():
                return (object_body(entity, self.floor.friction),)
            case RobotPlacement():
                return robot_bodies(self.types[entity.type], entity, self.floor.friction)
            case _:
                return ()

    def joints_of(self, entity: Entity) -> tuple[JointSpec, ...]:
        """Return the joints within an entity whose bodies stand as files say."""
        if not isinstance(entity, RobotPlacement):
            return ()
        return robot_joints(self.types[entity.type], self.bodies_of(entity))

    def bodies(self) -> list[BodySpec]:
        """Return the bodies of all entities, as they stand in files, by name."""
        entities: list[Entity] = [*self.objects.values(), *self.robots.values()]
        specs = [body for entity in entities for body in self.bodies_of(entity)]
        return sorted(specs, key=lambda body: by_name(body.name))

    def first_joints(self) -> dict[str, Joined]:
        """Return the joints within robots and those of sections, as they are made where files place the bodies.

        Raises:
            CoopsimError: A joint that cannot be; the text begins with its span.
        """
        specs = [joint for robot in self.robots.values() for joint in self.joints_of(robot)]
        if not specs and not self.sections:
            return {}
        poses = {body.name: body.pose for body in self.bodies()}
        specs += [joint_spec(each, poses) for each in self.sections.values()]
        ordered = sorted(specs, key=lambda joint: by_name(joint.name))
        check_joints(ordered, {body.name: body for body in self.bodies()})
        return {each.name: Joined(each, poses[each.a], poses[each.b]) for each in ordered}
