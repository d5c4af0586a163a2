"""Which errors a command is refused with besides those of every request: column `errors` of the protocol's tables."""

from coopsim.interfaces import Command, Effect

_PLUGINS = "701 702 703 704"
_SERVED = {
    ("renderer", "set"): "203 509 510",
    ("names", "register"): "204",
    ("names", "unregister"): "204",
    ("names", "offer"): "204 303",
    ("names", "withdraw"): "204",
    ("step", "step"): "204 205 206 301 303 304",
    ("step", "skip"): "204 205 301 303 304",
    ("step", "claim"): "204 303",
    ("step", "claim_with"): "303",
    ("step", "set_period"): "204 205 303",
    ("step", "owners"): "303",
    ("events", "publish"): "303",
    ("events", "publish_all"): "303",
    ("events", "subscribe"): "511",
    ("camera", "image"): "509 510",
    ("camera", "depth"): "509 510",
    ("camera", "png"): "509 510",
    ("camera", "labels"): "509 510",
}
_EDITS = {
    ("world", "insert"): f"303 402 502 {_PLUGINS}",
    ("world", "update"): f"303 402 502 {_PLUGINS}",
    ("world", "load"): f"303 401 402 403 404 502 {_PLUGINS}",
    ("world", "save"): "303 403 404",
    ("world", "set_engine"): "303 502 701 702 703",
    ("world", "join"): "303 402 502",
    ("world", "push"): "303 502",
    ("recorder", "start"): "303 403 603",
    ("recorder", "stop"): "303 603",
    ("controllers", "start"): "204 303 701",
    ("controllers", "stop"): "203 303",
    ("playback", "load"): "403 601 602",
}
_BY_EFFECT = {Effect.SET: "204 205 301 303", Effect.EDIT: "204 303"}
_OF_THE_SIMULATION = {"clock": "303", "world": "303", "recorder": "303", "controllers": "303", "playback": "602"}


def errors_of(kind: str, command: Command) -> str:
    """Return the numbers, "-" for none."""
    errors = (_SERVED | _EDITS).get((kind, command.name))
    if errors is None and command.effect is Effect.EDIT:
        errors = _OF_THE_SIMULATION.get(kind)
    return errors or _BY_EFFECT.get(command.effect, "-")
