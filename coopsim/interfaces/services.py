"""Interfaces of services of the simulation: names, events, recorder, renderer, control laws."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface
from coopsim.interfaces.simulation import EDIT, SERVE, YES_NO

NAMES = Interface(
    kind="names",
    summary="Names of modules and where they are served.",
    commands=(
        Command(
            10,
            "list",
            "Names that begin with a prefix, sorted.",
            (Field("prefix", default=""), Field("after", summary="only names after this one, to page", default="")),
            (Field("names", summary="at most 4096", count=0),),
            Effect.SERVE,
        ),
        Command(
            11,
            "lookup",
            "Where a name is served.",
            (Field("name"),),
            (Field("zmq", summary="tcp://host:port"), Field("tcp", summary="tcp://host:port of the plain TCP gateway")),
            Effect.SERVE,
        ),
        Command(
            12,
            "register",
            "Take in a module that is served elsewhere, or renew its lease.",
            (
                Field("name", summary="`/arm/gripper`"),
                Field("zmq", summary='tcp://host:port, "" = it speaks plain TCP alone'),
                Field("tcp", summary='tcp://host:port, "" = it speaks ZeroMQ alone', default=""),
            ),
            (Field("lease", "s", "renew it within this time, or the name is given up"),),
            Effect.SERVE,
        ),
        Command(
            13, "unregister", "Give up a name that this connection registered.", (Field("name"),), (), Effect.SERVE
        ),
        Command(
            14,
            "offer",
            "Serve a module here through which this connection tells others something, until it ends.",
            (
                Field("name", summary="`/team1/leader/intent`"),
                Field("content", summary="JSON: {kind, summary, values: [{name, unit, summary}], parameters: [...]}"),
            ),
            (),
            Effect.SERVE,
        ),
        Command(15, "withdraw", "Offer a module no longer.", (Field("name"),), (), Effect.SERVE),
    ),
)


EVENTS = Interface(
    kind="events",
    summary="What programs, and the simulation, tell everybody who listens to a topic.",
    commands=(
        Command(
            10,
            "publish",
            "Tell an event to all who listen to its topic; the recording keeps it.",
            (
                Field("topic", summary="`/game/score`"),
                Field("text", summary="at most 4096 bytes", default=""),
                Field("data", "1", summary="at most 64", count=0),
            ),
            (),
            Effect.SERVE,
        ),
        Command(
            11,
            "publish_all",
            "Tell several events, all or none.",
            (
                Field("events", summary="by turns: topic, text, how many of the data are its own", count=0),
                Field("data", "1", summary="of all events, back to back", count=0),
            ),
            (),
            Effect.SERVE,
        ),
        Command(
            12,
            "subscribe",
            "From now on send events of these topics to this connection too, as messages with id 0.",
            (Field("patterns", summary="`/game/*/score`, `/sim/**`", count=0),),
            (Field("next", summary="number of the next event for this connection"),),
            Effect.SERVE,
        ),
        Command(
            13,
            "unsubscribe",
            "Send no more events of these patterns; none = of all.",
            (Field("patterns", count=0),),
            (),
            Effect.SERVE,
        ),
    ),
)


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


RENDERER = Interface(
    kind="renderer",
    summary="The renderer of windows on this run, and of what its cameras see.",
    commands=(
        Command(
            10,
            "status",
            "Which renderer is asked for; what none asks for is drawn as each process was started.",
            gives=(
                Field("asked", summary='by `set`; "" = none'),
                Field("scene", summary='by the file of the scene; "" = none'),
                Field("names", summary="that `set` takes", count=0),
            ),
            effect=SERVE,
        ),
        Command(
            11,
            "set",
            "Draw with another renderer from the next picture on; answered when cameras do. What draws them is started"
            " once more if it has ended too often.",
            (Field("renderer", summary='name of a registered renderer; "" = ask for none'),),
            (Field("renderer", summary="that is asked for now"),),
            SERVE,
        ),
    ),
)


CONTROLLERS = Interface(
    kind="controllers",
    summary="Control laws that the run started, its goals, and how it ended.",
    commands=(
        Command(
            10,
            "status",
            "What drives robots, which goals are reached, and how the run ended, as JSON.",
            gives=(
                Field(
                    "status",
                    summary="JSON: begins: how often a scene has begun;"
                    " controllers: [{name, law, arguments, robots, state, reason, began, ended, by_hand, said}],"
                    " by_hand: whether a client started it and none stopped it, said: the last lines that it printed,"
                    " [number, time, line];"
                    " goals: [{name, text, met, at}]; end: null, or {text, time, tick, failures};"
                    " laws: names that `start` takes",
                ),
            ),
            effect=SERVE,
        ),
        Command(
            11,
            "restart",
            "Put everything back, set the time to 0, and start all control laws of the scene again.",
            effect=EDIT,
        ),
        Command(
            12,
            "start",
            "Start a control law; answered when its process runs.",
            (
                Field("law", summary="one that is registered"),
                Field("arguments", summary="JSON: {name: value}, as in a [CONTROLLER_n] section", default="{}"),
                Field("robots", summary="that it drives", count=0),
            ),
            (Field("name", summary="of what runs"),),
            EDIT,
        ),
        Command(
            13,
            "stop",
            "End a control law; its robots are free.",
            (Field("name", summary="as `status` tells it"),),
            (),
            EDIT,
        ),
    ),
)
