"""`[WIND]` sections, of worlds and scenarios: the air that all robots with rotors fly in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from coopsim.features.space.wind_interface import PRESETS, WIND
from coopsim.interfaces import Parameter, Value
from coopsim.robots.blueprint import DeviceBlueprint, RobotBlueprint
from coopsim.robots.catalogue import Placed
from coopsim.robots.section_family import Equipment, SectionFamily
from coopsim.scene import Event, Problems, Section, Span, values
from coopsim.scene.keys import Keys, SectionKey, read_keys

MODULE, CARRIER = "wind", "rotors"
_MEAN = ("x", "y", "z")
_DEFAULTS = {parameter.name: parameter.default for parameter in WIND.parameters}


def _key(parameter: Parameter) -> SectionKey:
    """Return the key of a parameter, with its own limits."""
    if parameter.kind is str:
        return SectionKey(values.one_of(*(str(choice) for choice in parameter.choices if choice)))
    low, high = float(parameter.low or 0.0), float(parameter.high or 0.0)
    return SectionKey(values.number(low, high, parameter.unit, whole=parameter.kind is int))


_FASTEST_AIR = max(float(parameter.high or 0.0) for parameter in WIND.parameters if parameter.name in _MEAN)
WIND_KEYS: Keys = {
    "mean": SectionKey(values.vector("x y z", (-_FASTEST_AIR,) * 3, _FASTEST_AIR, "m/s")),
    **{parameter.name: _key(parameter) for parameter in WIND.parameters if parameter.name not in _MEAN},
}


@dataclass(frozen=True, slots=True)
class WindContent:
    """Air of a `[WIND]` section.

    Attributes:
        settings: Of the device `wind`, defaults filled in.
        drag: Force per speed of the air past a robot [N s/m]; None = what its rotors say.
    """

    settings: dict[str, Value]
    drag: float | None
    span: Span


class WindSections(SectionFamily[WindContent]):
    """`[WIND]`: each robot with rotors gets the device `wind`, unless it has one of its own."""

    name, heads, world_heads = "wind", ("WIND",), ("WIND",)

    def read(self, sections: Sequence[Section], problems: Problems) -> WindContent:
        """Return the air that the last section says: a repeated one is a mistake that is noted elsewhere."""
        settings: dict[str, Value] = dict(_DEFAULTS)
        said = read_keys(sections[-1], WIND_KEYS, problems) if sections else {}
        preset = next((preset for preset in PRESETS if preset.name == said.get("preset")), None)
        settings |= dict(preset.values) if preset else {}
        settings |= dict(zip(_MEAN, said.pop("mean", ()), strict=False))
        drag = said.get("drag")
        return WindContent({**settings, **said}, drag, sections[-1].span if sections else Span())

    def equip(
        self, content: WindContent, equipment: Equipment, problems: Problems, /
    ) -> tuple[Placed, tuple[Event, ...]]:
        """Return the robots with their wind; that none has rotors is warned of."""
        placed = equipment.placed
        types = {name: _blown(kind, content) for name, kind in placed.types.items()}
        if not any(kind.flies for kind in types.values()):
            problems.warn(content.span, f"no robot has the device {CARRIER!r}: this wind blows at none")
        return replace(placed, types=types), ()

    def check(self, _content: WindContent, _scene: object, _problems: Problems, /) -> None:
        """Return nothing: the wind is on board."""
        return


WIND_SECTIONS = WindSections()


def _blown(kind: RobotBlueprint, content: WindContent) -> RobotBlueprint:
    """Return a type of robot with the wind behind all that drives it.

    The drag of rotors is that of air at rest: it moves to the wind, which knows the speed through the air.
    """
    if not kind.flies or any(MODULE in (device.kind, device.name) for device in kind.devices):
        return kind
    settings = dict(content.settings)
    devices = list(kind.devices)
    for number, device in enumerate(devices):
        if device.kind == CARRIER and content.drag is None:
            settings["drag"] = device.settings["drag"]
            devices[number] = replace(device, settings={**device.settings, "drag": 0.0})
    return replace(kind, devices=(*devices, DeviceBlueprint(MODULE, MODULE, settings)))
