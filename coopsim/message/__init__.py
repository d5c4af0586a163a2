"""The protocol message and its bytes. No sockets, threads or clocks in this room.

Specification: docs/protocol.md.  Source: CoopDynSim, section III and Fig. 2.
"""

from coopsim.message._bytes import decode, encode
from coopsim.message._events import (
    ChannelEvent,
    PackedEvent,
    TopicPattern,
    check_event,
    events_of,
    pack_events,
    params_of_events,
)
from coopsim.message._message import (
    MAX_BYTES,
    MAX_DATA,
    MAX_PARAM_BYTES,
    MAX_PARAMS,
    MAX_TEXT_BYTES,
    VERSION,
    Message,
    Param,
    failure,
)
from coopsim.message._state import (
    EVERYTHING,
    StateMessage,
    pack_names,
    pack_state,
    split_topic,
    state_message,
    state_names,
    state_of,
    topic,
    unpack_state,
)
from coopsim.message._template import MessagePattern, MessageTemplate, TemplateParts, id_in

__all__ = [
    "EVERYTHING",
    "MAX_BYTES",
    "MAX_DATA",
    "MAX_PARAMS",
    "MAX_PARAM_BYTES",
    "MAX_TEXT_BYTES",
    "VERSION",
    "ChannelEvent",
    "Message",
    "MessagePattern",
    "MessageTemplate",
    "PackedEvent",
    "Param",
    "StateMessage",
    "TemplateParts",
    "TopicPattern",
    "check_event",
    "decode",
    "encode",
    "events_of",
    "failure",
    "id_in",
    "pack_events",
    "pack_names",
    "pack_state",
    "params_of_events",
    "split_topic",
    "state_message",
    "state_names",
    "state_of",
    "topic",
    "unpack_state",
]
