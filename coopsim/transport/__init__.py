"""Bytes between our own processes, and sockets: the ring of records, the command rows, the control channel."""

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
