"""Images of a simulation in this process."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from coopsim.errors import CannotDraw, CoopsimError, NoImage
from coopsim.features.desktop.cameras.service import ImageService, open_painter
from coopsim.features.desktop.cameras.states import TickState
from coopsim.interfaces import CAMERA
from coopsim.state import Layout, Record
from coopsim.transport.control import CameraImage, CameraOrder, CameraRefusal, RendererOrder


class LocalImages:
    """Draws what the cameras of a simulation in this process see; clients wait meanwhile.

    ```python
    with LocalImages() as images:
        sim = LocalServer(simulation, images=images).connect()
    ```

    OpenGL is loaded with the first image, in a thread of its own, to which it is bound.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "images")
        self._kept: dict[int, TickState] = {}
        self._layout: Layout | None = None
        self._columns: list[int] = []
        self._service: ImageService | None = None

    def keep(self, layout: Layout, record: Record) -> None:
        """Keep a record as long as it is the newest, or the newest image of a camera belongs to it."""
        if layout is not self._layout:
            self._layout, self._columns = layout, _columns(layout)
        wanted = {int(record.readings[column]) for column in self._columns}
        self._kept = {tick: state for tick, state in self._kept.items() if tick in wanted}
        self._kept[record.tick] = TickState(layout, record)

    def at(self, tick: int) -> TickState:
        """Return the state of a tick; where that is not kept, the newest one."""
        if not self._kept:
            raise NoImage("the run has made no record yet")
        return self._kept.get(tick) or self._kept[next(reversed(self._kept))]

    def order(
        self, order: CameraOrder, drawn: Callable[[CameraImage], None], failed: Callable[[CoopsimError], None]
    ) -> None:
        """Draw an image at once."""
        answer = self._thread.submit(self._draw, order).result()
        if isinstance(answer, CameraRefusal):
            failed(answer.exception)
        else:
            drawn(answer)

    def exchange(
        self, order: RendererOrder, changed: Callable[[], None], failed: Callable[[CoopsimError], None]
    ) -> None:
        """Have another renderer draw from now on."""
        answer = self._thread.submit(lambda: self._opened().exchange(order)).result()
        if isinstance(answer, CameraRefusal):
            failed(answer.exception)
        else:
            changed()

    def close(self) -> None:
        """Give everything back."""
        if self._service is not None:
            self._thread.submit(self._service.close).result()
        self._thread.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _draw(self, order: CameraOrder) -> CameraImage | CameraRefusal:
        answer = self._opened().answer(order)
        assert isinstance(answer, CameraImage | CameraRefusal)  # noqa: S101 - of an image
        return answer

    def _opened(self) -> ImageService:
        """Return what draws, or says why it cannot; to be called in the thread."""
        if self._service is None:
            try:
                self._service = ImageService(self, open_painter())
            except CannotDraw as problem:
                self._service = ImageService(self, problem)
        return self._service


def _columns(layout: Layout) -> list[int]:
    """Return where the readings of cameras begin: the ticks of their images."""
    return [
        place.reading_offset + module.reading_offset
        for place in layout.robots
        for module in place.type.modules
        if module.interface.kind == CAMERA.kind
    ]
