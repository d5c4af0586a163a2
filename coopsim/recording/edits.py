"""What edits hold: everybody who reads a recording may count on it."""

from collections.abc import Mapping, Sequence
from typing import Any

from coopsim.interfaces import Value
from coopsim.state.plain import Misfit, check

_PLACE = {"robot": str, "module": str}
_NEEDED: Mapping[str, Mapping[str, Any]] = {
    "insert": {"text": str},
    "update": {"name": str, "text": str},
    "remove": {"name": str},
    "load": {"file": str, "spec": dict[str, Any]},
    "set_engine": {"engine": str},
    "set_parameter": {**_PLACE, "name": str, "value": Value},
    "device": {**_PLACE, "command": int, "data": list[float]},
    "note": {"what": str},
    "snapshot": {"name": str},
    "restore": {"name": str},
    "set_mode": {"mode": str},
    "set_speed": {"speed": float},
    "set_step": {"step": float},
    "step": {"count": int},
}
"""What an edit of this name holds at least; others hold whatever JSON can."""


def check_edits(edits: Sequence[Mapping[str, Any]]) -> None:
    """See to it that edits hold what their names promise.

    Raises:
        Misfit: One does not.
    """
    for index, edit in enumerate(edits):
        place = f"edits[{index}]"
        if "edit" not in edit:
            raise Misfit("a name", None, f"{place}.edit")
        check(edit["edit"], str, f"{place}.edit")
        for name, kind in _NEEDED.get(edit["edit"], {}).items():
            if name not in edit:
                raise Misfit("a value", None, f"{place}.{name}")
            check(edit[name], kind, f"{place}.{name}")
