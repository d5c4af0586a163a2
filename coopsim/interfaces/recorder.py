"""Interface of the module that records a run."""

from coopsim.interfaces._interface import Command, Field, Interface
from coopsim.interfaces.simulation import EDIT, SERVE, YES_NO

IMAGES = ("", "color", "depth", "both")
"""Images of cameras that a recording may carry."""
_RECORDED = (
    Field("duration", "s", "simulated time recorded"),
    Field("ticks", "1", "ticks recorded"),
    Field("size_bytes", "1", "bytes of the file"),
    Field("gaps", "1", "records that are missing because the recorder did not keep up"),
)

RECORDER = Interface(
    kind="recorder",
    summary="Record the run to a file, from now on.",
    commands=(
        Command(
            10,
            "start",
            "Begin a recording; answered when it has begun.",
            (
                Field("file", summary='name inside the folder `recordings`; "" = a new one', default=""),
                Field("foxglove", summary="1 = in the end make a file for Foxglove from it", default=0, choices=YES_NO),
                Field("images", summary="what of cameras it carries: color, depth, both", default="", choices=IMAGES),
            ),
            (Field("file", summary="where it is written"),),
            EDIT,
        ),
        Command(
            11,
            "stop",
            "End the recording; answered when the file is closed, and the one for Foxglove written.",
            (),
            (Field("file", summary="where it was written"), *_RECORDED),
            EDIT,
        ),
        Command(
            12,
            "status",
            "How the recording goes, or how the last one went.",
            (),
            (
                Field("recording", choices=YES_NO),
                Field("file", summary="where it is written"),
                Field("problem", summary='why it ended unasked, or ""'),
                *_RECORDED,
            ),
            SERVE,
        ),
    ),
)
