"""Bytes between our own processes, and sockets: the ring of records, the command rows, the control channel."""

from coopsim.transport.channel import Channel
from coopsim.transport.contract import Source
from coopsim.transport.ring import Ring, remove_abandoned_rings
from coopsim.transport.source import Answer, SourceLink
from coopsim.transport.wake import Wake

__all__ = ["Answer", "Channel", "Ring", "Source", "SourceLink", "Wake", "remove_abandoned_rings"]
