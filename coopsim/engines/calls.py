"""Answers of an engine as calls of kernels, so that a tick can be one compiled call."""

from typing import TYPE_CHECKING, NamedTuple

from coopsim.engines.contract import Contacts
from coopsim.geometry import Ints

if TYPE_CHECKING:  # engines are described without numba
    from coopsim.kernels.sequence import KernelCall


class ContactCalls(NamedTuple):
    """Contacts as calls of kernels, for engines that have them; `contact_calls` gives it, `PymunkEngine` for one.

    Attributes:
        calls: The last one expects that there is room for all contacts.
        number: How many there are then, shape (1,).
        contacts: Room for them; the first `number` rows are written.
    """

    calls: "tuple[KernelCall, ...]"
    number: Ints
    contacts: Contacts
