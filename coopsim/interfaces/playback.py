"""Interface of `/sim/playback`, which is there while a recording is shown."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface

SLOWEST, FASTEST = -8.0, 64.0  # times real time; at 64 a second passes between two images of a screen
# 0 would be a second way to pause, with another state
LEAST = 0.001
"""The least speed either way; slower than this nothing would be seen to move."""
"""Simulated seconds per real second; below 0 it goes backward."""

_TIME = Field("time", "s", "where the recording stands now")

PLAYBACK = Interface(
    kind="playback",
    summary="What is shown of a recording. Seeking never starts or stops it, pausing never changes its speed.",
    commands=(
        Command(
            10,
            "status",
            "What is shown, and how.",
            gives=(
                Field("file", summary="path of the recording"),
                Field("playing", choices=(0, 1)),
                Field("looping", choices=(0, 1)),
                Field("complete", summary="0 = the file was cut off or still grows", choices=(0, 1)),
                Field("problem", summary="why it stopped by itself, else empty"),
                _TIME,
                Field("begin", "s", "time of the first record"),
                Field("end", "s", "time of the last record"),
                Field("speed", "1", "simulated seconds per real second"),
                Field("loop_begin", "s", "0 while not looping"),
                Field("loop_end", "s", "0 while not looping"),
                Field("record", "1", "number of the record that is shown, from 0"),
                Field("records", "1", "how many there are"),
                Field("gaps", "1", "how many are missing"),
                Field("simulated", "s", "simulated time of the record that is shown; less than `time` after a reset"),
            ),
            effect=Effect.SERVE,
        ),
        Command(
            11,
            "load",
            "Show another recording from its beginning; playing or paused, and as fast, as before.",
            (Field("file", summary="in the folder of the first recording, or in `recordings`"),),
            (Field("begin", "s", "time of its first record"), Field("end", "s", "time of its last record")),
            Effect.EDIT,
        ),
        Command(12, "play", "Go on; at the end that it runs to, begin anew at the other.", (), (_TIME,), Effect.EDIT),
        Command(13, "pause", "Stand still.", (), (_TIME,), Effect.EDIT),
        Command(
            14,
            "seek",
            "Go to the last record at or before a time.",
            (Field("time", "s", "what lies outside the recording means its nearest end"),),
            (_TIME,),
            Effect.EDIT,
        ),
        Command(
            15,
            "speed",
            "Change the speed.",
            (
                Field(
                    "speed",
                    "1",
                    f"0 or at least {LEAST:g} either way; below 0 = backward",
                    low=SLOWEST,
                    high=FASTEST,
                ),
            ),
            (_TIME,),
            Effect.EDIT,
        ),
        Command(
            16,
            "loop",
            "Repeat a part; it begins anew when its end is reached.",
            (
                Field("begin", "s", "0 = the beginning", default=0.0),
                Field("end", "s", "0 = the end", default=0.0),
            ),
            (Field("begin", "s", "as far as the recording goes"), Field("end", "s", "as far as the recording goes")),
            Effect.EDIT,
        ),
        Command(17, "unloop", "Repeat nothing.", (), (_TIME,), Effect.EDIT),
        Command(
            18,
            "step",
            "Go some records on, or back.",
            (Field("count", summary="how many; below 0 = back", default=1),),
            (_TIME,),
            Effect.EDIT,
        ),
        Command(
            19,
            "marks",
            "What happened when: edits, timed events, collisions, and when each robot was commanded; by page.",
            (Field("first", summary="number of the record to begin with", default=0, low=0),),
            (
                Field(
                    "marks",
                    summary="JSON: {marks: [[s, edit, event or collision, text]], commands: {robot: [[from, to]]}}",
                ),
                Field("next", summary="first record of the next page, -1 = this is the last one"),
            ),
            Effect.SERVE,
        ),
    ),
)
