"""The simulation as `simulation_interfaces` has it: features, state, reset, steps, worlds."""

import math
from typing import TYPE_CHECKING, Any, Final

from coopsim.errors import BadFile, ForbiddenFile, NoSuchFile
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.ros2.entities import ENTITY_SERVICES
from coopsim.features.gateways.ros2.results import FAILED, UNSUPPORTED, RefusedRequest, SimulationService
from coopsim.robots import built_in_names

if TYPE_CHECKING:
    from coopsim.client.aio import Client

_STOPPED, _PLAYING, _PAUSED, _QUITTING = range(4)
_ALREADY: Final = 101
_FEATURES: Final = (0, 1, 4, 5, 6, 8, 9, 10, 11, 12, 14, 20, 21, 22, 23, 24, 25, 26, 31, 32, 33, 40, 44, 45)
_TIME, _STATE, _SPAWNED, _ALL = 1, 2, 4, 255
_NO_RESOURCE, _PARSE_ERROR, _MISSING_ASSETS = 102, 103, 104
_NO_WORLD: Final = 101
MOST_STEPS: Final = 1_000_000


async def features(sim: "Client", _: Words) -> Words:
    """Return what this simulator can."""
    info = await sim.info()
    about = f"coopsim {info.get('version', '')}, engine {info.get('engine', '')}"
    return {"features": {"features": list(_FEATURES), "spawn_formats": [], "custom_info": about}}


async def simulation_state(sim: "Client", _: Words) -> Words:
    """Return whether time goes on."""
    return {"state": {"state": await _current_state(sim)}}


async def set_simulation_state(sim: "Client", words: Words) -> Words:
    """Let time go on or stand still."""
    wanted, current = int(words["state"]["state"]), await _current_state(sim)
    if wanted == current:
        raise RefusedRequest(_ALREADY, "the simulation is in that state already")
    match wanted:
        case 0:
            await sim.clock.call("pause")
            await sim.clock.call("reset")
        case 1:
            await sim.clock.call("continue")
        case 2:
            if current == _PLAYING:
                await sim.clock.call("pause")
        case _:
            raise RefusedRequest(UNSUPPORTED, "a gateway does not end the run: whoever began it does")
    return {}


async def reset(sim: "Client", words: Words) -> Words:
    """Put things back as the file says."""
    scope = int(words["scope"]) or _ALL
    if scope & _TIME and scope & _STATE:
        await sim.clock.call("reset")
    elif scope & _TIME:
        raise RefusedRequest(UNSUPPORTED, "time is reset with the state alone")
    elif scope & _SPAWNED:
        await sim.world.call("reset", "all")
    else:
        await sim.world.call("reset", "poses")
    return {}


async def step(sim: "Client", words: Words) -> Words:
    """Do some ticks while paused."""
    await check_steps(sim, int(words["steps"]))
    await sim.clock.call("step", int(words["steps"]), timeout=math.inf)
    return {}


async def check_steps(sim: "Client", steps: int) -> None:
    """Check that steps can be done now.

    Raises:
        RefusedRequest: Time goes on, or there are too many.
    """
    if not 1 <= steps <= MOST_STEPS:
        raise RefusedRequest(FAILED, f"steps: expected 1 to {MOST_STEPS}, got {steps}")
    if not (await sim.clock.call("status")).paused:
        raise RefusedRequest(FAILED, "steps are done while the simulation is paused: set STATE_PAUSED first")


async def load_world(sim: "Client", words: Words) -> Words:
    """Put a scenario in the place of everything, paused at its beginning."""
    resource = words["world_resource"]
    if resource["resource_string"] and not resource["uri"]:
        raise RefusedRequest(UNSUPPORTED, "resource_string: worlds are loaded from files; give their uri")
    if not resource["uri"]:
        raise RefusedRequest(_NO_RESOURCE, "neither uri nor resource_string is given")
    try:
        await sim.clock.call("pause")
        await sim.world.call("load", str(resource["uri"]).removeprefix("file://"))
    except (NoSuchFile, ForbiddenFile) as problem:
        raise RefusedRequest(_MISSING_ASSETS, str(problem)) from None
    except BadFile as problem:
        raise RefusedRequest(_PARSE_ERROR, str(problem)) from None
    return await current_world(sim, {})


async def available_worlds(sim: "Client", _: Words) -> Words:  # noqa: ARG001 - built-in ones are known without asking
    """Return the built-in scenarios."""
    return {"worlds": [_world(name) for name in built_in_names(".scenario")]}


async def current_world(sim: "Client", _: Words) -> Words:
    """Return what runs."""
    info = await sim.info()
    name = str(info.get("scenario", ""))
    if not name:
        raise RefusedRequest(_NO_WORLD, "the run has no file")
    return {"world": _world(name, str(info.get("caption", "")))}


def _world(name: str, about: str = "") -> dict[str, Any]:
    return {"name": name, "world_resource": {"uri": name}, "description": about}


async def _current_state(sim: "Client") -> int:
    status = await sim.clock.call("status")
    if not status.paused:
        return _PLAYING
    return _PAUSED if status.tick > 0 else _STOPPED


_P: Final = "simulation_interfaces/srv"
SIMULATION_SERVICES: Final = (
    SimulationService("/get_simulator_features", f"{_P}/GetSimulatorFeatures", "", features),
    *ENTITY_SERVICES,
    SimulationService(
        "/get_simulation_state", f"{_P}/GetSimulationState", "stopped = paused at tick 0", simulation_state
    ),
    SimulationService("/set_simulation_state", f"{_P}/SetSimulationState", "all but quitting", set_simulation_state),
    SimulationService("/reset_simulation", f"{_P}/ResetSimulation", "time goes with the state", reset),
    SimulationService("/step_simulation", f"{_P}/StepSimulation", f"while paused, at most {MOST_STEPS} ticks", step),
    SimulationService("/load_world", f"{_P}/LoadWorld", "uri: a scenario; paused then", load_world),
    SimulationService("/get_available_worlds", f"{_P}/GetAvailableWorlds", "the built-in scenarios", available_worlds),
    SimulationService("/get_current_world", f"{_P}/GetCurrentWorld", "", current_world),
)
"""Services of the standard."""
