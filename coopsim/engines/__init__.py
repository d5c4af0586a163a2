"""Physics behind one contract."""

from coopsim.engines.contract import (
    BodySpec,
    ContactCalls,
    Contacts,
    JointSpec,
    KnowsOlderSnapshots,
    PhysicsEngine,
    ShapeSpec,
    SpatialEngine,
    WorldSpec,
    is_spatial,
)

__all__ = [
    "BodySpec",
    "ContactCalls",
    "Contacts",
    "JointSpec",
    "KnowsOlderSnapshots",
    "PhysicsEngine",
    "ShapeSpec",
    "SpatialEngine",
    "WorldSpec",
    "is_spatial",
]
