"""Offers by their names: by programs that are connected, or in the recording that is shown."""

from collections.abc import Iterable
from typing import Any

from coopsim.errors import BadArgument
from coopsim.interfaces import Interface
from coopsim.interfaces.offered import offered
from coopsim.message import Message
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.coordinator import LockstepCoordinator
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.offered import OfferedModule, RecordedModule
from coopsim.server.offers import Offers
from coopsim.state.edits import OfferModule, WithdrawModule

RECORDED = "offered"
"""Fact of a source that is a recording: what was offered in it, by name."""


class OfferedNames:
    """Offered modules of a run that is live.

    Args:
        coordinator: Ownership and barrier.
        edits: Way to the source.
    """

    def __init__(self, coordinator: LockstepCoordinator, edits: EditForwarder) -> None:
        self._coordinator, self._edits = coordinator, edits
        self._offers = Offers(lambda name: coordinator.link.edit(WithdrawModule(name), lambda _: None))
        self._modules: dict[str, OfferedModule] = {}

    @property
    def version(self) -> int:
        """Grows whenever a name comes or goes."""
        return self._offers.version

    def offer(self, name: str, plain: dict[str, Any], interface: Interface, request: Message, session: Session) -> None:
        """Take in a module, and answer when the next record is sure to say so.

        Raises:
            OwnedByAnother: Another connection offers it.
            BadArgument: There are too many.
            NotInThisMode: A recording is shown.
        """
        self._coordinator.refuse_in_recording()
        offer = self._offers.offer(name, session, interface)
        self._modules[name] = OfferedModule(name, offer, self._coordinator, self._edits)
        self._edits.ask(OfferModule(name, plain), request, session)

    def withdraw(self, name: str, session: Session) -> None:
        """Forget a module.

        Raises:
            NoSuchName: It is not offered.
            OwnedByAnother: Another connection offers it.
        """
        self._offers.withdraw(name, session)

    def lost(self, session: Session) -> None:
        """Forget what a connection that is over offered."""
        self._offers.lost(session)

    def has(self, name: str) -> bool:
        """Return whether a module is offered under a name."""
        return self._offers.find(name) is not None

    def find(self, name: str) -> OfferedModule | RecordedModule | None:
        """Return what answers under a name, None if it is not offered."""
        return self._modules[name] if self.has(name) else None

    def names(self) -> Iterable[str]:
        """Return all names."""
        return self._offers.names()


class RecordedNames(OfferedNames):
    """Offered modules of a run that is played back: all that were offered in it."""

    @property
    def version(self) -> int:
        """Another one for another recording."""
        return hash(tuple(self._recorded))

    @property
    def _recorded(self) -> dict[str, Any]:
        fact: dict[str, Any] = self._coordinator.link.facts.get(RECORDED, {})
        return fact

    def has(self, name: str) -> bool:
        """Return whether a module was offered under a name."""
        return name in self._recorded

    def find(self, name: str) -> OfferedModule | RecordedModule | None:
        """Return what answers under a name, None if it was not offered."""
        try:
            return RecordedModule(name, offered(self._recorded[name]), self._edits) if self.has(name) else None
        except BadArgument:  # of another version
            return None

    def names(self) -> Iterable[str]:
        """Return all names."""
        return list(self._recorded)
