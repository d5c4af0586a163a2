"""Drivers, sensors and an extension as a user writes them, for tests."""

SOURCE = '''"""Lamps that look at each other."""

from coopsim.devices.artifacts import Driver, Sensor, SimulationExtension
from coopsim.interfaces import Command, Field, Interface, Parameter

LOG = []


class Bus(SimulationExtension):
    """Counts what is said."""

    said = 0

    def init(self):
        LOG.append("bus init")

    def shutdown(self):
        LOG.append("bus shutdown")


class Radio(SimulationExtension):
    """A second one."""

    def init(self):
        LOG.append("radio init")

    def shutdown(self):
        LOG.append("radio shutdown")


class Meter(Sensor):
    """Gives its tick, or what the test wants."""

    interface = Interface(
        "meter", "Gives a number.", (Command(10, "value", gives=(Field("value", "1"),)),),
        (Parameter("mood", int, 0, "1", 0, 9),),
    )

    def configure(self, descriptor):
        self.descriptor = descriptor

    def run(self):
        if self.artifact.tick > 2 and self.descriptor["mood"] == 1:
            raise ValueError("in a bad mood")
        if self.artifact.tick > 2 and self.descriptor["mood"] == 2:
            return float("nan")
        return float(self.artifact.tick)


class Chief(Driver):
    """Notes what it is called for."""

    interface = Interface(
        "chief", "Notes what it is called for.", (Command(10, "seen", gives=(Field("seen", "1"),)),),
        (
            Parameter("listens", str, "", summary="artifacts it listens to", fixed=True),
            Parameter("mood", int, 0, "1", 0, 9),
        ),
    )
    remembers = {"seen": 0.0}

    def __init__(self):
        LOG.append("create")

    def configure(self, descriptor):
        LOG.append(f"configure {self.artifact.name}")
        self.descriptor = descriptor
        for name in descriptor["listens"].split():
            self.artifact.listen(name, "meter", lambda readings, name=name: self.hear(name, readings))

    def hear(self, name, readings):
        LOG.append((self.artifact.name, name, float(readings[0])))
        mood = self.descriptor["mood"]
        if mood == 3:
            readings[0] = 1.0
        if mood == 5:
            self.artifact.push((1.0, 0.0, 0.0))
        self.artifact.memory["seen"] += readings[0]

    def run(self):
        LOG.append(f"run {self.artifact.name}")
        mood = self.descriptor["mood"]
        if mood == 1:
            raise ValueError("no way")
        if mood == 2:
            self.artifact.push((float("nan"), 0.0, 0.0))
        if mood == 4:
            self.artifact.push((30.0, 0.0, 0.0))
        if mood == 6:
            self.artifact.command("nothing", "go")
        if mood == 7:
            self.environment.extension("bus").said += 1
        if mood == 8:
            for name in self.environment.artifacts:
                self.artifact.command("motors", "set_velocity", 0.2, 0.0, artifact=name)
        return self.artifact.memory["seen"]

    def destroy(self):
        LOG.append(f"destroy {self.artifact.name}")


PLUGINS = {"devices": {"meter": Meter, "chief": Chief}, "extensions": {"bus": Bus, "radio": Radio}}
'''
ROBOT = """[ROBOT]
[BODY]
type        cylinder
size        0.4 0.4 0.3
mass        10
[DEVICE_1]
type        differential_drive
name        motors
[DEVICE_2]
type        meter
name        meter
[DEVICE_3]
type        chief
name        chief
listens     robot3 robot1 nobody
"""
SCENARIO = """[WORLD]
file        empty.world
[ROBOT_1]
type        lamp
name        robot1
position    0 0 0
[ROBOT_2]
type        lamp
name        robot2
position    2 0 0
[ROBOT_3]
type        lamp
name        robot3
position    4 0 0
"""
