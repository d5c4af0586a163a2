"""How things move: physics behind one contract."""

from coopsim.engines.contract import BodySpec, Contacts, JointSpec, PhysicsEngine, ShapeSpec, WorldSpec

__all__ = ["BodySpec", "Contacts", "JointSpec", "PhysicsEngine", "ShapeSpec", "WorldSpec"]
