"""Edits in words."""

from collections.abc import Callable
from typing import Any

_PLAIN = {
    "pause": "paused",
    "continue": "continued",
    "clock_reset": "everything put back, clock at 0",
    "checkpoint": "the recording begins",
}


def tell(edit: dict[str, Any], command_name: Callable[[str, str, int], str] = lambda *_: "") -> str:
    """Return an edit in one line.

    Args:
        edit: As a recording has it.
        command_name: Returns the name of a command by robot, module and number, "" if it does not know.
    """
    name = str(edit.get("edit", "?"))
    event = "event: " if "event" in edit else ""
    content = {key: value for key, value in edit.items() if key not in ("edit", "event", "id")}
    if name in _PLAIN:
        return event + _PLAIN[name]
    try:
        return event + _told(name, content, command_name)
    except KeyError:
        return event + _listed(name, content)


def _told(name: str, content: dict[str, Any], command_name: Callable[[str, str, int], str]) -> str:
    match name:
        case "set_parameter":
            return f"{content['robot']}.{content['module']}.{content['name']} = {content['value']}"
        case "insert":
            return f"inserted {_names(content['text'])}"
        case "update":
            return f"changed {content['name']}: {_one_line(content['text'])}"
        case "load":
            return f"loaded {content['file']}"
        case "remove":
            return f"removed {content['name']}"
        case "device":
            values = " ".join(f"{value:g}" for value in content["data"])
            robot, module, number = content["robot"], content["module"], content["command"]
            return f"/{robot}/{module} {command_name(robot, module, number) or f'command {number}'} {values}".rstrip()
        case "note":
            return f"{content['what']} {content.get('robot', '')}".strip()
        case "snapshot":
            return f"snapshot {content['name']} taken"
        case "reset":
            seed = f", seed {content['seed']}" if "seed" in content else ""
            return ("poses" if content.get("what") == "poses" else "everything") + " put back" + seed
        case "set_engine":
            return f"goes on with the engine {content['engine']}"
        case "restore":
            return f"back to snapshot {content['name']}"
        case _:
            return _listed(name, content)


def _listed(name: str, content: dict[str, Any]) -> str:
    return " ".join([name.replace("_", " "), *(f"{key} {value}" for key, value in content.items())])


def _names(text: str) -> str:
    """Return the names in the text of an insertion, its sections where there are none."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    names = [words[1] for words in lines if words[0].lower() == "name" and len(words) > 1]
    return ", ".join(names or [words[0].strip("[]").lower() for words in lines if words[0].startswith("[")])


def _one_line(text: str) -> str:
    return "; ".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
