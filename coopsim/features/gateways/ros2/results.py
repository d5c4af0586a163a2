"""Result codes of `simulation_interfaces`, and the errors that become them."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from coopsim.errors import CoopsimError, EngineCannot, NoSuchName, NotPermitted
from coopsim.features.gateways.codec import FollowedRun
from coopsim.features.gateways.messages import Words

if TYPE_CHECKING:
    from coopsim.client.aio import Client

UNSUPPORTED, OK, NOT_FOUND, INCORRECT_STATE, FAILED = range(5)
Answer: TypeAlias = Callable[["Client", Words], Awaitable[Words]]
PACKAGE: Final = "simulation_interfaces"


class RefusedRequest(Exception):
    """A request that is answered by a code other than that of success.

    Attributes:
        code: Of the result.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class SimulationService(NamedTuple):
    """A service of the standard.

    Attributes:
        name: `/get_entities`.
        type: Of request and response.
        about: What there is to know beside the standard.
        answer: Returns the fields of the response but for its result.
    """

    name: str
    type: str
    about: str
    answer: Answer


def result(code: int = OK, text: str = "") -> Words:
    """Return a `Result`."""
    return {"result": code, "error_message": text}


async def answered(service: SimulationService, run: FollowedRun, words: Words) -> Words:
    """Return the response to a request; what is refused is said in its result."""
    try:
        return {**await service.answer(run.sim, words), "result": result()}
    except RefusedRequest as refusal:
        return {"result": result(refusal.code, str(refusal))}
    except NoSuchName as problem:
        return {"result": result(NOT_FOUND, str(problem))}
    except EngineCannot as problem:
        return {"result": result(UNSUPPORTED, str(problem))}
    except NotPermitted as problem:
        return {"result": result(FAILED, f"the run's keys do not allow it: {problem}")}
    except CoopsimError as problem:
        return {"result": result(FAILED, str(problem))}
