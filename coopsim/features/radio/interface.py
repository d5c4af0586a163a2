"""Interface of the radio between a robot and those who command it."""

from coopsim.interfaces import Command, Field, Interface, Parameter

RADIO = Interface(
    kind="radio",
    summary="The link between a robot and those who command it: commands and readings get lost, or come late.",
    commands=(
        Command(
            10,
            "state",
            "What the link did.",
            gives=(
                Field("commands_sent", "1", "packets of commands to the robot so far"),
                Field("commands_lost", "1", "how many of them never arrived"),
                Field("readings_sent", "1", "packets of readings from the robot so far"),
                Field("readings_lost", "1", "how many of them never arrived"),
                Field("age", "s", "how old the readings are that arrived last"),
                Field("distance", "m", "of the robot from the station"),
            ),
        ),
    ),
    parameters=(
        Parameter("loss", float, 0.0, "1", 0.0, 1.0, "probability that a packet does not arrive, in each direction"),
        Parameter("delay", float, 0.0, "s", 0.0, 10.0, "time that a packet is under way, besides what sending takes"),
        Parameter("range", float, 0.0, "m", 0.0, 1e6, "from the station; nothing arrives beyond it; 0 = no limit"),
        Parameter("bandwidth", float, 0.0, "1/s", 0.0, 1e12, "bytes per second in each direction; 0 = no limit"),
        Parameter("interval", float, 0.1, "s", 0.0, 60.0, "between two packets of readings; 0 = one each tick"),
        Parameter("retries", int, 3, "1", 0, 100, "how often a packet that did not arrive is sent once more"),
        Parameter("station_x", float, 0.0, "m", -1e6, 1e6, "where the other end of the link stands"),
        Parameter("station_y", float, 0.0, "m", -1e6, 1e6, "where the other end of the link stands"),
    ),
    is_stepped=False,
)
