"""Messages that several of our processes send or receive."""

from dataclasses import dataclass, field
from typing import Self

from coopsim.errors import CoopsimError, error_for
from coopsim.state.vocabulary import Declared


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Configure(Declared):
    """The first message of the launcher.

    Attributes:
        config: What is to be run, pickled (`coopsim.launch.config`).
    """

    config: bytes


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Stop(Declared):
    """The run, or the recording, ends."""

    reason: str = ""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Refusal(Declared):
    """An error in a message.

    Attributes:
        error: Number of the error.
    """

    error: int
    text: str

    @classmethod
    def of(cls, problem: CoopsimError) -> Self:
        """Return the message for an exception."""
        return cls(problem.code, str(problem))

    @property
    def exception(self) -> CoopsimError:
        """The exception to raise."""
        return error_for(self.error)(self.text)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ProcessFailed(Refusal):
    """A process cannot go on.

    Attributes:
        cure: What to do; None = what is known of the error.
    """

    cure: str | None = None

    @classmethod
    def of(cls, problem: CoopsimError) -> Self:
        """Return the message for an exception."""
        return cls(problem.code, str(problem), problem.cure)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Ready(Declared):
    """The process listens.

    Attributes:
        ports: Of the host: "zmq", "tcp" and "stream".
    """

    ports: dict[str, int] = field(default_factory=dict)
