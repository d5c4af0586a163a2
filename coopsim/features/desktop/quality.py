"""Quality of a picture: the work that goes into it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Shadows: TypeAlias = Literal["off", "flat", "mapped"]
"""None, on the floor alone, or on everything."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Amount of work that goes into a picture.

    Attributes:
        samples: Of each pixel, 1 = edges are not smoothed.
        detail: Factor on the size of shapes where detail is chosen.
        map_size: Side of the picture that the light sees, of mapped shadows [pixels].
    """

    shadows: Shadows = "mapped"
    samples: int = 4
    detail: float = 1.0
    map_size: int = 2048


STILL = Quality(detail=2.0, map_size=4096)
FILM = Quality(detail=1.5)
HARDWARE = Quality()
SOFTWARE = Quality("flat", 1, 0.5)
CROWD = Quality("off", 1, 0.3)
"""On software, for more shapes than `MANY`."""
MANY = 5000  # shapes; on software more are drawn without shadows and edges are not smoothed
QualityChoice: TypeAlias = Literal["auto", "low", "medium", "high"]
QUALITIES: tuple[QualityChoice, ...] = get_args(QualityChoice)
"""What a person may choose; auto = what this machine draws fast."""
_CHOSEN = {"low": CROWD, "medium": SOFTWARE, "high": HARDWARE}
_SOFTWARE_NAMES = ("llvmpipe", "softpipe", "swrast", "software")


def is_software(renderer: str) -> bool:
    """Return whether a processor does the work of a graphics card.

    Args:
        renderer: As OpenGL calls it.
    """
    return any(name in renderer.lower() for name in _SOFTWARE_NAMES)


def suggested(renderer: str, shapes: int) -> Quality:
    """Return what a machine can draw fast.

    Args:
        renderer: As OpenGL calls it.
        shapes: How many there are to draw.
    """
    if not is_software(renderer):
        return HARDWARE
    return CROWD if shapes > MANY else SOFTWARE


def chosen(choice: QualityChoice, renderer: str, shapes: int) -> Quality:
    """Return the quality of a choice.

    Args:
        choice: What a person wants.
        renderer: As OpenGL calls it.
        shapes: How many there are to draw.
    """
    return suggested(renderer, shapes) if choice == "auto" else _CHOSEN[choice]
