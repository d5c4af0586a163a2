"""Physics behind one contract."""

from coopsim.engines.contract import (
    BodySpec,
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
    "Contacts",
    "JointSpec",
    "KnowsOlderSnapshots",
    "PhysicsEngine",
    "ShapeSpec",
    "SpatialEngine",
    "WorldSpec",
    "is_spatial",
]
