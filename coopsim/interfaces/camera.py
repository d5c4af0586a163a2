"""Interface of the camera of a robot."""

import math

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter, Preset

RGB, DEPTH, PNG, LABELS = "rgb8", "depth16", "png", "label16"
"""Encodings of the texts of an image: red, green and blue as bytes; millimetres as little-endian words; a file; labels
as little-endian words, then a JSON object with the name of each label."""
DEPTH_PNG = "depth-png"
"""Depths as a file, for recordings."""
# 256 000 pixels of 3 bytes in base64 are 1 024 000 bytes: beside the head they fill one message
MOST_WIDTH, MOST_HEIGHT = 640, 400
"""Largest image: as texts it fits one message [pixels]."""
_IMAGE_FIELDS = (
    Field("width", summary="of the image [pixels]"),
    Field("height", summary="of the image [pixels]"),
    Field("time", "s", "simulated time at which it was taken; its tick is the tick of the reply"),
)
_LENS = "of the lens, in the frame of its body"
_PRESET = "datasheet whose values hold where this section gives none"


def _image(number: int, name: str, summary: str, content: str, encoding: str) -> Command:
    """Return a command that gives an image."""
    field = Field("file" if encoding == PNG else "pixels", summary=content, count=0, encoding=encoding)
    return Command(number, name, summary, gives=(*_IMAGE_FIELDS, field), effect=Effect.SERVE)


def _preset(name: str, summary: str, size: tuple[int, int], fov: float, reach: float, noise: float) -> Preset:
    """Return a depth camera of 30 Hz; angle of view in degrees."""
    values = ("width", size[0]), ("height", size[1]), ("fov", math.radians(fov)), ("range", reach)
    return Preset(name, summary, (*values, ("rate", 30.0), ("noise_depth", noise)))


PRESETS = (
    _preset("d435", "Intel RealSense D435 at half of its size: 10 m, 1 % at 2 m", (640, 360), 87.0, 10.0, 0.02),
    _preset("astra", "Orbbec Astra: 8 m, 3 mm at 1 m", (320, 240), 60.0, 8.0, 0.003),
)

CAMERA = Interface(
    kind="camera",
    summary="Colours, depths and labels of what is before the lens.",
    commands=(
        Command(
            10,
            "info",
            "The newest image: when it was taken, and how.",
            gives=(
                Field("image", "1", "tick of the newest image"),
                Field("width", "1", "of an image [pixels]"),
                Field("height", "1", "of an image [pixels]"),
                Field("fov", "rad", "angle of view, from the left to the right edge"),
                Field("range", "m", "greatest depth"),
                Field("noise", "1", "standard deviation of a colour"),
                Field("noise_depth", "m", "standard deviation of a depth"),
                *(Field(axis, "m", _LENS) for axis in "xyz"),
                Field("azimuth", "rad", "of the optical axis, counter-clockwise from the x axis of the body"),
                Field("elevation", "rad", "of the optical axis, above the horizon of the body"),
                Field("seed", "1", "number that the noise follows from, together with the tick"),
            ),
        ),
        _image(11, "image", "The newest image, row by row from the upper left corner.", "red, green, blue", RGB),
        _image(
            12,
            "depth",
            "How far away along the optical axis the pixels of the newest image are; 0 = nothing within range.",
            "depth [mm]",
            DEPTH,
        ),
        _image(13, "png", "The newest image as a PNG file.", "the file", PNG),
        _image(14, "labels", "What pixels of the newest image show; 0 = nothing.", "labels and their names", LABELS),
    ),
    parameters=(
        Parameter("width", int, 320, "1", 16, MOST_WIDTH, "of an image [pixels]", fixed=True),
        Parameter("height", int, 240, "1", 16, MOST_HEIGHT, "of an image [pixels]", fixed=True),
        Parameter("fov", float, math.radians(60.0), "rad", 0.02, 2.8, "angle of view, from the left to the right edge"),
        Parameter("range", float, 20.0, "m", 0.1, 65.0, "greatest depth; what is farther away is seen all the same"),
        Parameter("rate", float, 30.0, "Hz", 0.0, 10_000.0, "images per second, 0 = one each tick"),
        Parameter("noise", float, 0.0, "1", 0.0, 1.0, "standard deviation of a colour, 1 = from black to white"),
        Parameter("noise_depth", float, 0.0, "m", 0.0, 10.0, "standard deviation of a depth"),
        *(
            Parameter(axis, float, default, "m", -10.0, 10.0, _LENS)
            for axis, default in (("x", 0.2), ("y", 0.0), ("z", 0.25))
        ),
        Parameter("azimuth", float, 0.0, "rad", -3.2, 3.2, "of the optical axis, counter-clockwise from the x axis"),
        Parameter("elevation", float, 0.0, "rad", -1.6, 1.6, "of the optical axis, above the horizon of the body"),
        Parameter("preset", str, "", summary=_PRESET, fixed=True, choices=tuple(preset.name for preset in PRESETS)),
    ),
    presets=PRESETS,
)
