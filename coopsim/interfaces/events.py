"""`/sim/events`: publish and subscribe by topic."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface

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
