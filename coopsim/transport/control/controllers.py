"""Orders about control laws, from the host to the launcher that starts them, and what the launcher tells about them."""

from dataclasses import dataclass

from coopsim.state.vocabulary import Declared
from coopsim.transport.control.common import Refusal


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DismissControllers(Declared):
    """End all control laws; the scene is about to change.

    Attributes:
        id: The answer has the same.
    """

    id: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class BeginControllers(Declared):
    """Start the control laws of the scene from its beginning.

    Attributes:
        id: The answer has the same.
        file: Scene that was loaded, "" = the one that was there.
    """

    id: int
    file: str = ""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StartController(Declared):
    """Start one more control law.

    Attributes:
        id: The answer has the same.
        law: Its registered name.
        robots: That it drives.
        arguments: By name, as in a section of a scenario.
    """

    id: int
    law: str
    robots: tuple[str, ...]
    arguments: dict[str, str]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StopController(Declared):
    """End one control law.

    Attributes:
        id: The answer has the same.
        name: As the status calls it.
    """

    id: int
    name: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ControllersAnswer(Refusal):
    """Outcome of an order.

    Attributes:
        error: Number of the error, 0 = it was carried out.
        text: What is wrong, or the name of what was started.
        id: That of the order.
    """

    id: int = 0


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ControllersNews(Declared):
    """State of control laws and goals, and the end of the run.

    Attributes:
        status: JSON, as `/sim/controllers` tells it.
    """

    status: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Halt(Declared):
    """The run is over, and stays: time stands still until somebody lets it go on."""
