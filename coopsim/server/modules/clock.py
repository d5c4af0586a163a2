"""`/sim/clock`: mode, speed, pause, and how the run keeps up."""

import json
from collections.abc import Callable

from coopsim.errors import NoSuchName
from coopsim.interfaces import CLOCK, Command, Parameter
from coopsim.message import Message, Param
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.coordinator import LockstepCoordinator
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.requests import data_of, params_of, text, whole
from coopsim.server.speed_meter import SpeedMeter
from coopsim.state.edits import AnyEdit, ClockReset, Continue, Pause, SetMode, SetSpeed, SetStep, Step


class ClockModule(SimModule):
    """Status of the clock, patience and policies; everything else is an edit.

    Args:
        coordinator: Ownership and barrier.
        edits: Way to the source.
        pace: How fast simulated time goes.
        clients: Returns how many connections there are.
    """

    interface = CLOCK

    def __init__(
        self, coordinator: LockstepCoordinator, edits: EditForwarder, pace: SpeedMeter, clients: Callable[[], int]
    ) -> None:
        super().__init__()
        self._coordinator, self._edits, self._pace, self._clients = coordinator, edits, pace, clients
        self._is_halted = False  # whether the ticks that clients ask for one by one are those of a paused run

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {
            "status": self._status,
            "set_mode": self._set_mode,
            "set_speed": self._number(SetSpeed),
            "set_step": self._number(SetStep),
            "pause": self._plain(Pause()),
            "continue": self._plain(Continue()),
            "step": self._step,
            "reset": self._plain(ClockReset()),
            "robot_policy": self._robot_policy,
        }

    def parameter(
        self, parameter: Parameter, value: Param | None, request: Message, _session: Session, /
    ) -> Message | None:
        """Answer with patience or policy, after changing it if `value` is given; the record says so."""
        coordinator, is_policy = self._coordinator, parameter.name == "policy"
        if value is not None and is_policy:
            coordinator.set_policy(str(parameter.check(value)))
        elif value is not None:
            coordinator.set_patience(float(parameter.check(value)))
        now = coordinator.barrier.policy if is_policy else coordinator.barrier.patience
        return request.reply((now,), tick=coordinator.link.record.tick)

    def _status(self, command: Command, request: Message, _session: Session) -> Message:
        params_of(command, request)
        coordinator, record = self._coordinator, self._coordinator.link.record
        header = record.header
        awaited = {robot: round(waited, 3) for robot, waited in coordinator.awaited(coordinator.clock()).items()}
        data = (
            header.tick,
            record.time,
            header.step_ns * 1e-9,
            header.speed,
            self._pace.factor,
            header.overruns,
            header.max_lateness_ns * 1e-9,
            header.slipped_ns * 1e-9,
            coordinator.barrier.fired,
            self._clients(),
            coordinator.barrier.patience,
        )
        # records of single steps say that time goes on, and after the last one it stands still again
        is_paused = header.paused or (self._is_halted and coordinator.manual > 0)
        params = (record.mode, int(is_paused), json.dumps(awaited), coordinator.barrier.policy)
        return request.reply(params, data, tick=record.tick)

    def _set_mode(self, command: Command, request: Message, session: Session) -> None:
        mode = text(params_of(command, request)[0], "mode")
        self._edits.ask(SetMode(mode), request, session)

    def _robot_policy(self, command: Command, request: Message, _session: Session) -> Message:
        robot, policy = (text(value, "robot and policy") for value in params_of(command, request))
        coordinator, name = self._coordinator, robot.removeprefix("/")
        layout, record = coordinator.link.now
        if name not in layout.robot:
            raise NoSuchName(f"there is no robot {name[:80]!r}").bring(name)
        if policy:
            coordinator.set_policy("" if policy == "default" else policy, name)
        return request.reply((coordinator.barrier.policy_of(name),), tick=record.tick)

    def _step(self, command: Command, request: Message, session: Session) -> None:
        count = whole(params_of(command, request)[0], "count", 1)
        self._is_halted |= self._coordinator.link.record.header.paused
        over = self._coordinator.begin_manual(session)
        try:
            self._edits.ask(Step(count), request, session, over)
        except BaseException:
            over()
            raise

    def _number(self, kind: type[SetSpeed] | type[SetStep]) -> Handler:
        def handler(command: Command, request: Message, session: Session) -> None:
            params_of(command, request)
            self._edits.ask(kind(data_of(command, request)[0]), request, session)

        return handler

    def _plain(self, edit: AnyEdit) -> Handler:
        def handler(command: Command, request: Message, session: Session) -> None:
            params_of(command, request)
            if isinstance(edit, Pause | Continue):
                self._is_halted = isinstance(edit, Pause)
            self._edits.ask(edit, request, session)

        return handler
