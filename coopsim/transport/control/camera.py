"""To and from the process that draws what cameras see, and about it."""

from dataclasses import dataclass

from coopsim.state.vocabulary import Declared
from coopsim.transport.control.common import Refusal

OWN_STARTS = 3
"""How often a process is started because it is needed; later ones begin when somebody asks for a renderer."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StartCameras(Declared):
    """The host needs the process that draws, for the first time or once more."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CameraOrder(Declared):
    """An image that a client waits for.

    Attributes:
        id: The answer has the same.
        tick: That the image belongs to.
        encoding: "rgb8", "depth16" or "png".
    """

    id: int
    robot: str
    module: str
    tick: int
    encoding: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RendererOrder(Declared):
    """Renderer that draws from now on: what was asked for, else what the environment names, else what the scene says.

    Attributes:
        id: The answer has the same; 0 = nobody waits for it.
        asked: Name that a client asked for, "" = none did.
        scene: Name that the file of the scene says, "" = none.
    """

    id: int
    asked: str
    scene: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RendererChanged(Declared):
    """The renderer that was ordered draws now."""

    id: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CameraImage(Declared):
    """An image.

    Attributes:
        tick: That it belongs to.
        time: Simulated time at that tick [s].
        width: Of the image [pixels].
        height: Of the image [pixels].
        texts: What it holds in base64, cut into pieces that fit a message.
    """

    id: int
    tick: int
    time: float
    width: int
    height: int
    # messages of this channel are JSON lines of a bounded length
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CameraRefusal(Refusal):
    """Refusal of an image, or of a renderer.

    Attributes:
        id: That of the order.
    """

    id: int = 0
