"""Edits of what is simulated; `coopsim.simulation.edits` carries them out."""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from coopsim.geometry import Vector3
from coopsim.interfaces import Value
from coopsim.state.edits.base import CommandName, Edit, unnamed
from coopsim.state.vocabulary import Declared


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SceneEdit(Edit):
    """An edit of entities, devices or parameters. There may be more of them than are declared here."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Insert(SceneEdit):
    """Add the entities of some sections of a scenario.

    Attributes:
        pictures: Files that its textures may name.
    """

    text: str
    pictures: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return it in one line, for people."""
        lines = [line.split() for line in self.text.splitlines() if line.strip()]
        names = [words[1] for words in lines if words[0].lower() == "name" and len(words) > 1]
        sections = [words[0].strip("[]").lower() for words in lines if words[0].startswith("[")]
        return f"inserted {', '.join(names or sections)}"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Update(SceneEdit):
    """Change the entries of an entity.

    Attributes:
        pictures: Files that its texture may name.
        places: Whether bodies go where the entries say, also where the scene had them begin there. Recordings of
            earlier programs lack it: bodies went on where they were.
    """

    name: str
    text: str
    pictures: tuple[str, ...] = ()
    places: bool = False

    def as_text(self) -> str:
        """Return it in one line, for people."""
        lines = (" ".join(line.split()) for line in self.text.splitlines() if line.strip())
        return f"changed {self.name}: {'; '.join(lines)}"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Remove(SceneEdit):
    """Remove an entity."""

    says: ClassVar[str] = "removed {0.name}"

    name: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Join(SceneEdit):
    """Join two bodies where they are.

    Attributes:
        type: Kind of the joint.
        a: Body that carries it.
        b: The other body.
        text: Further keys of its section.
    """

    says: ClassVar[str] = "joined {0.a} and {0.b} by {0.name}"

    name: str
    type: str
    a: str
    b: str
    text: str = ""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Part(SceneEdit):
    """Remove a joint."""

    says: ClassVar[str] = "parted {0.name}"

    name: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Push(SceneEdit):
    """Push or pull a body for a while; it replaces the push of this body that goes on.

    Attributes:
        name: Of the body.
        force: In the world frame [N].
        seconds: Simulated time that it lasts; 0 ends the one of before.
        point: Where it acts: from the middle of the body, in the frame of the body [m].
    """

    name: str
    force: Vector3
    seconds: float
    point: Vector3 = (0.0, 0.0, 0.0)

    def as_text(self) -> str:
        """Return it in one line, for people."""
        strength = math.hypot(*self.force)
        return (
            f"pushed {self.name} with {strength:.3g} N for {self.seconds:g} s"
            if self.seconds
            else f"let {self.name} go"
        )


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Load(SceneEdit):
    """Replace the scene by that of a file.

    Attributes:
        spec: What the file says (`coopsim.robots.plain`).
        files: Texts of the files that were read, by path.
    """

    says: ClassVar[str] = "loaded {0.file}"
    ends_steps: ClassVar[bool] = True
    restarts_commands: ClassVar[bool] = True

    file: str
    spec: dict[str, Any]
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SetEngine(SceneEdit):
    """Go on with another physics engine."""

    says: ClassVar[str] = "goes on with the engine {0.engine}"
    replaces: ClassVar[str] = "engine"

    engine: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SetStep(SceneEdit):
    """Change the simulated seconds per tick."""

    replaces: ClassVar[str] = "step"

    step: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Reset(SceneEdit):
    """Reset everything, or poses alone, to the file.

    Attributes:
        what: "all" or "poses".
        seed: Of the noise from then on; None = it goes on as it was.
    """

    restarts_commands: ClassVar[bool] = True

    what: str = "all"
    seed: int | None = None

    def as_text(self) -> str:
        """Return it in one line, for people."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        return f"{'poses' if self.what == 'poses' else 'everything'} put back{seed}"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ClockReset(SceneEdit):
    """Reset everything to the file, and the time to 0."""

    says: ClassVar[str] = "everything put back, clock at 0"
    ends_steps: ClassVar[bool] = True
    restarts_commands: ClassVar[bool] = True

    seed: int | None = None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SetParameter(SceneEdit):
    """Change a parameter of a module."""

    says: ClassVar[str] = "{0.robot}.{0.module}.{0.name} = {0.value}"
    replaces: ClassVar[str] = "value"

    robot: str
    module: str
    name: str
    value: Value


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class GetParameter(SceneEdit):
    """Answer with the value of a parameter."""

    is_recorded: ClassVar[bool] = False

    robot: str
    module: str
    name: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DeviceCommand(SceneEdit):
    """Carry out a command of a device.

    Attributes:
        command: Number of the command.
    """

    word: ClassVar[str] = "device"

    robot: str
    module: str
    command: int
    data: tuple[float, ...]

    def as_text(self, command_name: CommandName = unnamed) -> str:
        """Return it in one line, for people."""
        values = " ".join(f"{value:g}" for value in self.data)
        name = command_name(self.robot, self.module, self.command) or f"command {self.command}"
        return f"/{self.robot}/{self.module} {name} {values}".rstrip()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Describe(SceneEdit):
    """Answer with everything that is there, as a file would say it."""

    is_recorded: ClassVar[bool] = False


PATIENCE_OVER = "patience is over: "
"""How the note about a robot begins whose command did not come in time; the policy follows."""
RELEASED = "released: "
"""How the note about a robot begins that was taken from its owner; the reason follows."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Note(SceneEdit):
    """Write something about a robot, or about the run, into the record."""

    says: ClassVar[str] = "{0.what} {0.robot}"
    changes_state: ClassVar[bool] = False

    what: str
    robot: str = ""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PaceState(Declared):
    """Mode, speed and pause of a run.

    Attributes:
        steps: How many single steps of a paused run are still to be done.
    """

    mode: str
    speed: float
    paused: bool
    steps: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Checkpoint(SceneEdit):
    """Bring the state to what a key frame holds of it: a recording begins."""

    says: ClassVar[str] = "the recording begins"
    changes_state: ClassVar[bool] = False

    pace: PaceState | None = None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TakeSnapshot(SceneEdit):
    """Keep the state under a name."""

    word: ClassVar[str] = "snapshot"
    says: ClassVar[str] = "snapshot {0.name} taken"
    changes_state: ClassVar[bool] = False

    name: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Restore(SceneEdit):
    """Go back to a snapshot."""

    says: ClassVar[str] = "back to snapshot {0.name}"
    restarts_commands: ClassVar[bool] = True

    name: str
