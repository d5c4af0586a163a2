"""Facts for a page as JSON holds them: answers of commands, parameters, how a run stands, scenes to choose from."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.features.matches.events import MATCH_LOGIC
from coopsim.features.presentation.run_end import end_lines, end_mark
from coopsim.features.presentation.scene_listing import scene_groups
from coopsim.interfaces import Parameter, Value


def words_of(answer: Any) -> Any:
    """Return the answer of a command as JSON holds it: its fields by name."""
    if hasattr(answer, "_asdict"):
        return {name: plain(value) for name, value in answer._asdict().items()}
    return plain(answer)


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: no infinity, no array."""
    if isinstance(value, np.ndarray | np.generic):
        return np.nan_to_num(value, nan=0.0, posinf=1e9, neginf=-1e9).tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | list | dict | None) else str(value)


def parameter_facts(parameter: Parameter, value: Value | None) -> dict[str, Any]:
    """Return what a page must know to offer a parameter.

    Args:
        parameter: Of a module or of a control law.
        value: That is in force, None = it is not known.
    """
    return {
        "name": parameter.name,
        "kind": parameter.kind.__name__,
        "unit": parameter.unit,
        "low": plain(parameter.low),
        "high": plain(parameter.high),
        "choices": list(parameter.choices),
        "fixed": parameter.fixed,
        "summary": parameter.summary,
        "value": plain(value),
    }


def standing_facts(standing: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a page shows of control laws and the end of a run.

    Args:
        standing: Status of `/sim/controllers`; {} = the run has no such module.
    """
    ending = standing.get("end")
    end = None
    if ending is not None:
        end = {"mark": end_mark(ending), "lines": [asdict(line) for line in end_lines(ending, standing)]}
    laws = standing.get("controllers", ())
    # `begins` grows with each scene that is loaded, and with each run of the same one
    return {"begins": standing.get("begins", 0), "laws": bool(laws), "end": end, "result": _match_result(laws)}


def _match_result(laws: Sequence[Mapping[str, Any]]) -> str:
    """Return what came of a match whose logic has ended, for pages that were opened later; "" = there is none."""
    logics = [law for law in laws if law.get("law") == MATCH_LOGIC]
    is_over = bool(logics) and all(law["state"] == "ended" for law in logics)
    return str(logics[-1]["reason"]).partition(f"{MATCH_LOGIC}: ")[2] if is_over else ""


def scene_choices(folder: Path) -> list[dict[str, Any]]:
    """Return the scenes that a page offers, in groups; what a person opened before stays with his window.

    Args:
        folder: Whose files are offered, besides those that are built in.
    """
    return [
        {
            "title": group.title,
            "entries": [
                {"file": entry.file, "title": entry.title, "caption": entry.caption, "tags": entry.tags}
                for entry in group.entries
            ],
        }
        for group in scene_groups((), folder)
    ]
