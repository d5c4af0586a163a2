"""Interfaces of the modules under `/sim`."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter

SERVE, EDIT = Effect.SERVE, Effect.EDIT
MODES = ("real-time", "lockstep", "free")
YES_NO = (0, 1)  # booleans are numbers on the wire
RESETS = ("all", "poses")
MOST_STEPS = 1_000_000  # hours of simulated time; `pause` ends them sooner
MOST_PERIOD = 10_000  # ticks; a client that waits for longer cannot tell a server that died
SPEEDS = 0.1, 100.0  # times real time; slower a person sees no motion, faster a free run is meant
# s; ten thousand ticks a second are more than a machine makes; in a second a robot passes a wall
SMALLEST_STEP, LARGEST_STEP = 1e-4, 1.0
POLICIES = ("stop", "hold", "wait", "evict")

CLOCK = Interface(
    kind="clock",
    summary="Time of the simulation: mode, speed, pause.",
    commands=(
        Command(
            10,
            "status",
            "Everything about the clock.",
            gives=(
                Field("mode", choices=MODES),
                Field("paused", choices=YES_NO),
                Field(
                    "awaited", summary='JSON: {robot: seconds waited for}, lockstep; {"": s} while robots are unclaimed'
                ),
                Field("policy", summary="what happens when patience is over", choices=POLICIES),
                Field("tick", "1"),
                Field("time", "s", "simulated time"),
                Field("step", "s", "simulated time of one tick"),
                Field("speed", "1", "simulated seconds per real second asked for"),
                Field("real_time_factor", "1", "simulated seconds per real second, over the last second"),
                Field("overruns", "1", "ticks that began late, real time"),
                Field("max_lateness", "s", "largest lateness"),
                Field("slipped", "s", "real time given up for good"),
                Field("patience_fired", "1", "how often lockstep went on without a robot"),
                Field("clients", "1", "how many connections there are"),
                Field("patience", "s", "how long lockstep waits for a robot; 0 = for ever"),
            ),
            effect=SERVE,
        ),
        Command(11, "set_mode", "Change the mode between two ticks.", (Field("mode", choices=MODES),), (), EDIT),
        Command(12, "set_speed", "Change the speed.", (Field("speed", "1", low=SPEEDS[0], high=SPEEDS[1]),), (), EDIT),
        Command(
            13,
            "set_step",
            "Change the step.",
            (Field("step", "s", "at least 0.01, unless small ones are allowed", low=SMALLEST_STEP, high=LARGEST_STEP),),
            (),
            EDIT,
        ),
        Command(14, "pause", "Stop ticking.", effect=EDIT),
        Command(15, "continue", "Tick again.", effect=EDIT),
        Command(
            16,
            "step",
            "While paused: do some ticks, then pause again; answered after the last.",
            (Field("count", summary="how many; `pause` ends them", default=1, low=1, high=MOST_STEPS),),
            (),
            EDIT,
        ),
        Command(17, "reset", "Set time to 0, put everything back and re-arm the events.", effect=EDIT),
        Command(
            18,
            "robot_policy",
            "What happens when patience with one robot is over; without a policy: say it.",
            (
                Field("robot"),
                Field("policy", summary='"" = do not change it', default="", choices=(*POLICIES, "default")),
            ),
            (Field("policy", summary="in force for this robot"),),
            SERVE,
        ),
    ),
    parameters=(
        Parameter("patience", float, 0.0, "s", 0.0, 3600.0, "how long lockstep waits for a robot; 0 = for ever"),
        Parameter("policy", str, "stop", summary="what happens then", choices=POLICIES),
    ),
)

_STEP_ROWS = (
    (
        Field("generation", summary="of the layout, 0 = any"),
        Field("robots", summary="names; none = all that this client owns", count=0),
        Field("commands", "1", "rows of commands", count=0),
    ),
    (
        Field("generation"),
        Field("stopped", summary="robots that had been stopped for want of commands", count=0),
        Field("readings", "1", "rows of readings", count=0),
    ),
)
"""Fields that a STEP takes and gives."""

STEP = Interface(
    kind="step",
    summary="Commands for many robots and their readings in one message; ownership.",
    commands=(
        Command(
            10,
            "layout",
            "How the rows of commands and readings are made, as JSON; robots by page.",
            (
                Field("first", summary="index of the first robot", default=0, low=0),
                Field("count", summary="at most 1000 in one reply", default=1000, low=0),
            ),
            (
                Field("layout", summary="JSON text"),
                Field("generation", summary="the same as a number", default=0),
                Field("run", summary="number of the run", default=0),
                Field("total", summary="how many robots there are", default=0),
                Field("robots", summary="names of this page", count=0),
                Field("lengths", "1", "by turns, per robot of this page: values that STEP takes and gives", 0),
            ),
            SERVE,
        ),
        Command(
            11,
            "step",
            "Commands of robots back to back; answered after the step with their readings back to back.",
            *_STEP_ROWS,
            SERVE,
        ),
        Command(
            12,
            "skip",
            "Take part in the step with the last command.",
            (Field("robots", summary="names; none = all that this client owns", count=0),),
            (Field("stopped", summary="robots that had been stopped for want of commands", count=0),),
            SERVE,
        ),
        Command(
            13,
            "claim",
            "Become the owner of robots, all or none.",
            (Field("robots", count=0),),
            (Field("token", summary="lets another connection join"),),
            SERVE,
        ),
        Command(
            14,
            "claim_with",
            "Join the owner that has this token.",
            (Field("token"),),
            (Field("robots", count=0),),
            SERVE,
        ),
        Command(
            15,
            "release",
            "Give robots back.",
            (Field("robots", summary="names; none = all that this client owns", count=0),),
            (),
            SERVE,
        ),
        Command(
            16,
            "set_period",
            "Let each command of robots count for several ticks; claims them.",
            (
                Field("ticks", summary="a STEP is answered after the last of them", low=1, high=MOST_PERIOD),
                Field("robots", summary="names; none = all that this client owns", count=0),
            ),
            (),
            SERVE,
        ),
        Command(
            17,
            "owners",
            "Who owns robots, called as events name their source.",
            (Field("robots", summary="names; none = all", count=0),),
            (Field("owners", summary="by turns, per owned robot, at most 1000: its name, its owner", count=0),),
            SERVE,
        ),
        Command(
            18,
            "part",
            "A part of the STEP that follows on this connection: carried out, and answered, with it.",
            *_STEP_ROWS,
            SERVE,
        ),
        Command(
            19,
            "read",
            "Readings of robots now, back to back as a STEP gives them.",
            (Field("generation", summary="of the layout, 0 = any"), Field("robots", summary="names", count=0)),
            (Field("generation"), Field("readings", "1", "rows of readings", count=0)),
            SERVE,
        ),
    ),
)

INFO = Interface(
    kind="info",
    summary="What is running here.",
    commands=(
        Command(
            10,
            "info",
            "Version, ports, scenario, seed, engine as JSON.",
            gives=(
                Field(
                    "info",
                    summary="JSON: version, protocol, ports, scenario, seed, engine, generation, step, robots;"
                    " failures, once a device was switched off; faults: exceptions that nobody foresaw, by their kind,"
                    " once there was one; costs of devices, as a tick in 64 was measured;"
                    " teams: what drives several robots, their names, its settings;"
                    " compiling: kernels done and total, while a scene waits for them",
                ),
            ),
            effect=SERVE,
        ),
        Command(
            11,
            "subscribe",
            "From now on send states to this TCP connection, as messages with id 0; see the state stream.",
            (Field("topic", summary="`/sim/state`, or `/robot1`; `@10` behind it: one of ten records"),),
            (),
            SERVE,
        ),
        Command(
            12,
            "unsubscribe",
            "Send no more states of a topic.",
            (Field("topic", summary='"" = of all', default=""),),
            (),
            SERVE,
        ),
    ),
)
