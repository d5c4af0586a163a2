"""`/sim/names`: names of modules, where they are served, and what programs offer."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface

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
