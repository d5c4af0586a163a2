"""Layouts from foreign files: validated before use."""

import json
from collections.abc import Sequence
from typing import Any, TypedDict

from coopsim.errors import DamagedRecording
from coopsim.recording.channels import LAYOUTS
from coopsim.recording.chunks import ChannelMessage
from coopsim.recording.layout_checks import PlainLayout, check_layout
from coopsim.recording.limits import MOST_TEXT_BYTES
from coopsim.state import Layout
from coopsim.state.layout_json import layout_of
from coopsim.state.plain import Count, check


def layout_from_json(text: str | bytes) -> Layout:
    """Return the layout that `layout_to_json` wrote.

    Raises:
        DamagedRecording: The text is no layout.
    """
    try:
        plain = _plain(text)
        check(plain, PlainLayout)
        layout = layout_of(plain)
        check_layout(layout)
    except ValueError as problem:
        raise DamagedRecording(f"a layout of the recording cannot be read: {problem}") from None
    return layout


def generation_of(text: str | bytes) -> int:
    """Return the generation of a layout without reading the rest of it.

    Raises:
        DamagedRecording: The text is no layout.
    """
    try:
        plain = _plain(text)
        check(plain, _Numbered)
    except ValueError as problem:
        raise DamagedRecording(f"a layout of the recording cannot be read: {problem}") from None
    number: int = plain["generation"]
    return number


def layout_message(messages: Sequence[ChannelMessage], generation: int) -> ChannelMessage:
    """Return the message that holds the layout of a generation.

    Raises:
        DamagedRecording: There is none.
    """
    for message in messages:
        if message.channel == LAYOUTS and generation_of(message.data) == generation:
            return message
    raise DamagedRecording(f"layout {generation} is not where it should be")


class _Numbered(TypedDict):
    generation: Count


def _plain(text: str | bytes) -> Any:
    if len(text) > MOST_TEXT_BYTES:
        raise ValueError(f"expected at most {MOST_TEXT_BYTES} bytes, found {len(text)}")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("its parts lie within each other too deep") from None
