"""Source text of a typed client: the model of its interfaces, put into the templates of a language."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coopsim.features.amsa.generation import GENERATED, GeneratedFile
from coopsim.features.amsa.generation.templates import environment
from coopsim.features.client_generation.dialects import Dialect, SourceTemplate, filters
from coopsim.features.client_generation.model import ClientModel, client_model
from coopsim.features.client_generation.naming import pascal
from coopsim.interfaces import Interface

if TYPE_CHECKING:
    from jinja2 import Environment


def client_files(
    dialect: Dialect, interfaces: Iterable[Interface], source: str = "built-in", *, is_beside: bool = True
) -> list[GeneratedFile]:
    """Return the files of a client.

    Args:
        dialect: The language.
        interfaces: What it knows.
        source: Where these come from, for the first line of each file.
        is_beside: Whether they go beside the library of the language; others name it as a package.

    Raises:
        BadArgument: A name in them can be no name in a program.
        NoSuchPlugin: Jinja2 is not installed.
    """
    model = client_model(interfaces)
    shared = {"model": model, "is_beside": is_beside}
    mark = f"{GENERATED} from the {source} interfaces: coopsim generate client {dialect.name}"
    templates = _environment(dialect)
    return [
        file
        for part in dialect.sources
        for file in _files(templates, part, shared | {"mark": f"{dialect.comment} {mark}"})
    ]


def _files(templates: "Environment", part: SourceTemplate, shared: Mapping[str, Any]) -> list[GeneratedFile]:
    template = templates.get_template(f"{part.template}.jinja")
    values = {**shared, **(part.values or {})}
    if "{Kind}" not in part.path:
        return [GeneratedFile(Path(part.path), template.render(values))]
    model: ClientModel = shared["model"]
    return [
        GeneratedFile(Path(part.path.format(Kind=pascal(interface.kind))), template.render(values, interface=interface))
        for interface in (*((model.base,) if shared["is_beside"] else ()), *model.interfaces)
    ]


def _environment(dialect: Dialect) -> "Environment":
    of_language = environment(f"templates/{dialect.name}", __package__)
    of_language.filters.update(filters(dialect))
    return of_language
