"""State of a tick as arrays: which row and column is whose (layout), and the record of a tick."""

from coopsim.state.layout import EntityRow, JointRow, Layout, ModuleLayout, RobotPlace, TypeLayout
from coopsim.state.record import HEADER_BYTES, MODES, Record, RecordHeader
from coopsim.state.visuals import PlacedVisual, Visual, default_visuals

__all__ = [
    "HEADER_BYTES",
    "MODES",
    "EntityRow",
    "JointRow",
    "Layout",
    "ModuleLayout",
    "PlacedVisual",
    "Record",
    "RecordHeader",
    "RobotPlace",
    "TypeLayout",
    "Visual",
    "default_visuals",
]
