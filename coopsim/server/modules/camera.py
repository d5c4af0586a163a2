"""A robot's camera as clients see it: its readings say of which tick an image is, another process draws it.

Source: CoopDynSim, section VI (a virtual image of the robot's field of vision).
"""

from collections.abc import Callable
from typing import Protocol

from coopsim.errors import CoopsimError, NoImage
from coopsim.interfaces import Command, Effect
from coopsim.message import Message, Param
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.coordinator import LockstepCoordinator
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.requests import params_of
from coopsim.server.modules.robot import RobotModule
from coopsim.state import ModuleLayout, RobotPlace
from coopsim.transport.control import CameraImage, CameraOrder, RendererOrder


class ImageSource(Protocol):
    """Source of camera images; called under the lock of `Modules`."""

    def order(
        self, order: CameraOrder, drawn: Callable[[CameraImage], None], failed: Callable[[CoopsimError], None]
    ) -> None:
        """Order an image; one of the two functions is called, now or later, with it or with what went wrong."""
        ...

    def exchange(
        self, order: RendererOrder, changed: Callable[[], None], failed: Callable[[CoopsimError], None]
    ) -> None:
        """Have another renderer draw; one of the two functions is called, now or later."""
        ...


class NoCameras:
    """Stands where nothing draws images."""

    def order(
        self, order: CameraOrder, _drawn: Callable[[CameraImage], None], failed: Callable[[CoopsimError], None]
    ) -> None:
        """Refuse."""
        text = f"nothing draws the images of /{order.robot}/{order.module} here"
        failed(
            NoImage(text).advise(
                "Give the server what draws:"
                " LocalServer(simulation, images=coopsim.features.desktop.cameras.LocalImages())."
            )
        )

    def exchange(self, _: RendererOrder, changed: Callable[[], None], __: Callable[[CoopsimError], None]) -> None:
        """Do nothing: windows alone draw."""
        changed()


class CameraModule(RobotModule):
    """A camera of one robot, for one generation.

    Args:
        place: The robot.
        module: The camera.
        coordinator: Ownership and barrier.
        edits: Notes requests that wait.
        images: Draws them.
    """

    def __init__(
        self,
        place: RobotPlace,
        module: ModuleLayout,
        coordinator: LockstepCoordinator,
        edits: EditForwarder,
        images: ImageSource,
    ) -> None:
        super().__init__(place, module, coordinator, edits)
        self._images = images
        self._image = place.reading_offset + module.reading_offset

    def answer(self, command: Command, request: Message, session: Session) -> Message | None:
        """Answer with an image, or as every module of a robot."""
        if command.effect is not Effect.SERVE:
            return super().answer(command, request, session)
        params_of(command, request)
        if self._coordinator.must_hold_readings(session):
            self._coordinator.pending.hold(request, session)
            return None
        encoding = next(field.encoding for field in command.gives if field.encoding)
        record = self._coordinator.link.record
        record.complete()  # the process that draws knows whole records alone
        tick = int(record.readings[self._image])
        later = self._edits.later(request, session)

        def drawn(image: CameraImage) -> None:
            params: tuple[Param, ...] = (image.width, image.height, *image.texts)
            later.reply(request.reply(params, (image.time,), tick=image.tick))

        self._images.order(CameraOrder(0, self._place.name, self._module.name, tick, encoding), drawn, later.refuse)
        return None
