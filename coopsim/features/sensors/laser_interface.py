"""Interface of the laser scanner."""

from typing import Final

from coopsim.interfaces import Command, Field, Interface, Parameter, Preset
from coopsim.interfaces.sampling import sampling_parameters

MOST_RAYS: Final = 2048
"""All layers together; a reading of more would fill records with one device."""
_COUNTED = f"in each layer; all layers together have {MOST_RAYS} at most"
_ELEVATION = "how far the rays of each layer point up, from the lowest; one number for all, or one per layer"
_PRESET = "datasheet whose values hold where this section gives none"

PRESETS = (
    Preset(
        "ust_10lx",
        "Hokuyo UST-10LX: 270 degrees in steps of a quarter, 10 m, 40 Hz",
        (
            ("count", 1081),
            ("sector", 270.0),
            ("reach", 10.0),
            ("nearest", 0.06),
            ("noise", 0.03),
            ("rate", 40.0),
            ("buffer", 1),
        ),
    ),
    Preset(
        "rplidar_a1",
        "Slamtec RPLIDAR A1: all around, 1450 points a turn, 12 m, 5.5 Hz",
        (
            ("count", 1450),
            # the last ray is a step before the first one again
            ("sector", 360.0 - 360.0 / 1450),
            ("reach", 12.0),
            ("nearest", 0.15),
            ("noise_share", 0.01),
            ("rate", 5.5),
            ("buffer", 1),
        ),
    ),
    Preset(
        "vlp_16",
        "Velodyne VLP-16: 16 layers over 30 degrees, 100 m, 10 Hz; 128 of its 1800 rays in each layer",
        (
            ("count", MOST_RAYS // 16),
            ("layers", 16),
            ("sector", 360.0 - 360.0 / (MOST_RAYS // 16)),
            ("elevation", " ".join(str(angle) for angle in range(-15, 16, 2))),
            ("reach", 100.0),
            ("nearest", 0.5),
            ("noise", 0.03),
            ("rate", 10.0),
            ("buffer", 1),
        ),
    ),
)

LASER = Interface(
    kind="laser",
    summary="Laser scanner: distances along many rays, in one layer or several, with noise and lost echoes.",
    commands=(
        Command(
            10,
            "ranges",
            "Distances of the last scan, measured from the scanner.",
            gives=(
                Field("ranges", "m", "by layer, each from right to left; 0 = no echo, `reach` = nothing there", "all"),
            ),
        ),
        Command(
            11,
            "intensities",
            "Strengths of the echoes of the last scan.",
            gives=(Field("intensities", "1", "1 = straight from nearby, 0 = no echo; as the ranges", "strengths"),),
        ),
    ),
    parameters=(
        Parameter("preset", str, "", summary=_PRESET, fixed=True, choices=tuple(preset.name for preset in PRESETS)),
        Parameter("count", int, 181, "1", 1, MOST_RAYS, f"number of rays {_COUNTED}", fixed=True),
        Parameter("layers", int, 1, "1", 1, 128, "number of layers", fixed=True),
        Parameter(
            "sector", float, 180.0, "deg", 0.0, 360.0, "angle between the first and the last ray of a layer", fixed=True
        ),
        Parameter("elevation", str, "0", "deg", -90.0, 90.0, _ELEVATION, fixed=True, each="layers"),
        Parameter("x", float, 0.0, "m", -100.0, 100.0, "where it is, forward of the middle of its body", fixed=True),
        Parameter(
            "y", float, 0.0, "m", -100.0, 100.0, "where it is, to the left of the middle of its body", fixed=True
        ),
        Parameter("yaw", float, 0.0, "deg", -360.0, 360.0, "direction of the middle ray", fixed=True),
        Parameter("echoes", int, 0, "1", 0, 1, "1 = it measures intensities, too", fixed=True),
        Parameter("height", float, 0.0, "m", 0.0, 100.0, "of the scanner above the base; 0 = half way up"),
        Parameter("reach", float, 10.0, "m", 0.1, 1000.0, "largest distance reported"),
        Parameter("nearest", float, 0.0, "m", 0.0, 100.0, "smallest distance measured; what is nearer has no echo"),
        Parameter("noise", float, 0.0, "m", 0.0, 10.0, "standard deviation of a distance"),
        Parameter("noise_share", float, 0.0, "1", 0.0, 1.0, "standard deviation by distance, added to `noise`"),
        Parameter("dropout", float, 0.0, "1", 0.0, 1.0, "share of the echoes that are lost"),
        Parameter("bright", float, 5.0, "m", 0.01, 1000.0, "distance from which on intensities fall by its square"),
        *sampling_parameters(),
    ),
    presets=PRESETS,
    largest=((("count", "layers"), MOST_RAYS),),
)
