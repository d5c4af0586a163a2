"""IR-SIM: loops over `env.step()` written for it drive robots of coopsim, unchanged.

`coopsim irsim SCRIPT` lets `import irsim` mean it; `from coopsim.features.others import irsim` does without.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coopsim.features.others.irsim.session import make

__all__ = ["make"]


# `coopsim --help` reads what a command says, and needs no simulator for it
def __getattr__(name: str) -> Any:
    """Import `make` when it is first asked for.

    Raises:
        AttributeError: There is no such name.
    """
    if name != "make":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    from coopsim.features.others.irsim import session

    return session.make
