"""Interface of a battery."""

from coopsim.interfaces import Command, Effect, Field, Input, Interface, Output, Parameter, Preset
from coopsim.interfaces.drives import ROTOR_NAMES


def _lithium(cells: int, capacity: float, resistance: float) -> Preset:
    """Return cells in a row, of 4.2 V when full and 3.3 V when empty."""
    values = (("capacity", capacity), ("full", 4.2 * cells), ("empty", 3.3 * cells), ("resistance", resistance))
    return Preset(f"lithium_{cells}s", f"{cells} lithium polymer cells of {capacity:g} A h", values)


PRESETS = (_lithium(1, 0.35, 0.1), _lithium(3, 2.2, 0.05), _lithium(4, 5.0, 0.02), _lithium(6, 10.0, 0.015))

_WHEELED = "differential_drive hinged_wheels"


def _reading(name: str, field: str, summary: str, kinds: str) -> Input:
    """Return a reading of a drive, for drives of these kinds alone."""
    return Input(name, "motors", field, summary, is_needed=False, kinds=kinds)


def _drive(name: str, commands: tuple[str, ...], kinds: str) -> Output:
    return Output(name, "motors", commands, "speeds that the voltage allows", is_needed=False, kinds=kinds)


BATTERY = Interface(
    kind="battery",
    summary="Battery of a robot: what moves it takes its power from there, and grows weaker with its voltage.",
    commands=(
        Command(10, "swap", "Put a full battery in; once for each such message.", effect=Effect.SET),
        Command(
            11,
            "charge",
            "Charge it until it is full, or another command comes.",
            takes=(Field("current", "A", "at most", default=2.0, low=0.0, high=1e3),),
            effect=Effect.SET,
        ),
        Command(12, "unplug", "Charge it no longer.", effect=Effect.SET),
        Command(
            13,
            "state",
            "Its state after the last tick.",
            gives=(
                Field("voltage", "V", "under load"),
                Field("current", "A", "that is taken from it, negative while it is charged"),
                Field("charge", "1", "part of the capacity that is left"),
                Field("power", "W", "that is taken from it"),
            ),
        ),
    ),
    parameters=(
        Parameter(
            "preset",
            str,
            "",
            summary="cells whose values hold where this section gives none",
            fixed=True,
            choices=tuple(preset.name for preset in PRESETS),
        ),
        Parameter("capacity", float, 2.2, "A h", 1e-3, 1e4, "charge of the full battery", fixed=True),
        Parameter("full", float, 12.6, "V", 0.1, 1e3, "voltage without load when it is full"),
        Parameter("empty", float, 9.9, "V", 0.1, 1e3, "voltage without load when it is empty; at most `full` counts"),
        Parameter("resistance", float, 0.05, "Ohm", 0.0, 100.0, "inside: voltage that is lost per current"),
        Parameter("start", float, 1.0, "1", 0.0, 1.0, "part of the capacity that is there to begin with", fixed=True),
        Parameter("idle", float, 5.0, "W", 0.0, 1e5, "power that is taken at rest"),
        Parameter("hover_power", float, 8.0, "W/N^1.5", 0.0, 1e4, "power of a rotor, per thrust to the power 1.5"),
        Parameter("drive_power", float, 20.0, "N", 0.0, 1e6, "power of a wheel, per speed"),
        Parameter("top_speed", float, 0.5, "m/s", 0.0, 100.0, "of wheels while the voltage is that of `full`"),
        Parameter("rotors", str, "rotors", summary="module of the rotors that it feeds", fixed=True),
        Parameter(
            "motors",
            str,
            "motors",
            summary="module of the wheels that it feeds: of a differential, omnidirectional or car-like drive",
            fixed=True,
        ),
    ),
    inputs=(
        Input("max_thrust", "rotors", summary="largest thrust of a rotor", is_needed=False),
        *(Input(name, "rotors", summary=f"thrust of the {name} rotor", is_needed=False) for name in ROTOR_NAMES),
        _reading("half_track", "half_track", "half the distance of the wheels", _WHEELED),
        _reading("left_wheel", "left", "speed of the left wheel", _WHEELED),
        _reading("right_wheel", "right", "speed of the right wheel", _WHEELED),
        _reading("arm", "arm", "distance of the omnidirectional wheels from the middle", "omni_drive"),
        _reading("forward", "v", "forward speed", "omni_drive"),
        _reading("sideways", "u", "speed to the left", "omni_drive"),
        _reading("turn", "w", "rate of turn", "omni_drive"),
        _reading("rear_axle", "v", "speed of the driven axle", "car_drive"),
    ),
    outputs=(
        Output("rotors", "rotors", ("set_thrusts",), summary="thrusts that the voltage allows", is_needed=False),
        _drive("motors", ("set_velocity", "set_wheel_speeds"), _WHEELED),
        _drive("omni", ("set_velocity",), "omni_drive"),
        _drive("car", ("set_velocity", "set_steering"), "car_drive"),
    ),
    is_stepped=False,  # a STEP would put a full battery in
    presets=PRESETS,
)
