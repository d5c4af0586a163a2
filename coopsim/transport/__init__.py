"""Bytes between our own processes, and sockets: the ring of records, the command rows, the control channel."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coopsim.transport.channel import Channel
    from coopsim.transport.contract import Source
    from coopsim.transport.control import Answer
    from coopsim.transport.layouts import RecordReader, packed_layout, unpacked_layout
    from coopsim.transport.notifier import Notifier
    from coopsim.transport.ring import Ring
    from coopsim.transport.shared_memory import remove_abandoned_rings
    from coopsim.transport.source import SourceLink

__all__ = [
    "Answer",
    "Channel",
    "Notifier",
    "RecordReader",
    "Ring",
    "Source",
    "SourceLink",
    "packed_layout",
    "remove_abandoned_rings",
    "unpacked_layout",
]
# imported when first asked for: a simulation without processes of its own needs no messages between them
_FILES = {"RecordReader": "layouts", "packed_layout": "layouts", "unpacked_layout": "layouts", "Answer": "control"}
_FILES |= {"remove_abandoned_rings": "shared_memory", "Source": "contract", "SourceLink": "source"}


def __getattr__(name: str) -> Any:
    """Import a public name from its file, by default the one that is called as it is."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FILES.get(name, name.lower())}"), name)
