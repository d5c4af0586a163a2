"""The templates of generated files."""

from importlib import resources
from typing import TYPE_CHECKING

from coopsim.errors import NoSuchPlugin
from coopsim.features.amsa.generation.files import GENERATED
from coopsim.features.presentation.packaged import packaged_text
from coopsim.interpreter import extra_command

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(folder: str, package: str = "coopsim.features.amsa.generation") -> "Environment":
    """Return what makes texts of the templates in a folder of a package.

    Raises:
        NoSuchPlugin: Jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError:
        raise NoSuchPlugin("generating needs the package jinja2").advise(extra_command("generate")) from None
    texts = resources.files(package).joinpath(folder)
    return Environment(
        loader=FunctionLoader(lambda name: packaged_text(texts, name)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - what is written is source text, and its texts are quoted as its language has it
    )


def mark_of(system: str, target: str) -> str:
    """Return the line that says that a file is generated."""
    return f"{GENERATED} for {target} from the system {system}; written anew each time, unless this line is gone."
