"""Names of the columns of a record: what each number of a pose or a readings row is."""

from coopsim.interfaces import Field, count
from coopsim.state import ModuleLayout, TypeLayout

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
PLANAR = ("x", "y", "yaw", "vx", "vy", "w")


def reading_names(kind: TypeLayout) -> list[str]:
    """Return the names of a robot's readings, `motors.v` or `sonars.ranges[3]`, in the order of its row."""
    return [f"{module.name}.{name}" for module in kind.modules for name in module_names(module)]


def module_names(module: ModuleLayout) -> list[str]:
    """Return the names of a module's readings, `v` or `ranges[3]`, in the order of its row."""
    return [name for field in module.interface.readings for name in field_names(field, module)]


def field_names(field: Field, module: ModuleLayout) -> list[str]:
    """Return the names of the values of one reading: its own name when there is one value, else with an index."""
    length = count(field, module.counts)
    return [field.name] if field.count == 1 else [f"{field.name}[{index}]" for index in range(length)]
