"""Requests that come again and again and are answered at once: what they look like, and what they do."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from coopsim.geometry import Floats
from coopsim.interfaces import Field
from coopsim.message import Message, MessageTemplate
from coopsim.server.lockstep.groups import GroupPlaces

_MOST_FORMS = 512  # a client that steps another group each time must not fill memory
NOWHERE = GroupPlaces(
    np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64)
)
_Key = tuple[str, int]
_Shape = tuple[bool, int, int]


class ExchangeKind(IntEnum):
    """Kind of such a request."""

    STEP = 0
    SET = 1
    READ = 2
    PING = 3
    PART = 4


@dataclass(frozen=True, slots=True, eq=False)
class ExchangeForm:
    """Common part of a connection's requests for one command of one module.

    Attributes:
        kind: What they ask for.
        generation: Of the layout.
        request: What they look like.
        reply: What their answers look like.
        sizes: How many values a request brings, and its answer.
        places: Where the values go, and where those of the answer come from.
        limits: Least and largest value of each, shape (values, 2); None = there are no limits.
        owned: The robot that the sender must own; "" = none.
        paces: Whether it is the command of that robot that lockstep waits for.
    """

    kind: ExchangeKind
    generation: int
    request: MessageTemplate
    reply: MessageTemplate
    sizes: tuple[int, int]
    places: GroupPlaces = NOWHERE
    limits: Floats | None = None
    owned: str = ""
    paces: bool = False

    @property
    def target(self) -> str:
        """The module."""
        return self.request.sample.target


@dataclass(slots=True)
class LearnedForms:
    """The forms of one connection.

    Attributes:
        lessons: How often a request looked otherwise than the one before.
        shapes: What the last request for a command of a module looked like.
        generation: Of the layout that the forms follow.
        forms: By module and command; None = such requests are none of these.
    """

    lessons: int = 0
    shapes: dict[_Key, _Shape] = field(default_factory=dict)
    generation: int = -1
    forms: dict[_Key, ExchangeForm | None] = field(default_factory=dict)
    _known: tuple[ExchangeForm, ...] = ()

    def is_again(self, request: Message, generation: int) -> bool:
        """Return whether a request looks like the last one for its command, and no form is known yet."""
        key, shape = (request.target, request.command), (request.binary, len(request.data), request.run)
        if generation != self.generation:
            self.generation, self.forms, self._known = generation, {}, ()
        if self.shapes.get(key) != shape:
            if self.lessons < _MOST_FORMS:
                self.lessons += 1
                self.shapes[key] = shape
                if self.forms.pop(key, None) is not None:
                    self._find_known()
            return False
        return key not in self.forms

    def learn(self, request: Message, form: ExchangeForm | None) -> None:
        """Keep the form of a request."""
        self.forms[request.target, request.command] = form
        self._find_known()

    def known(self, generation: int) -> tuple[ExchangeForm, ...]:
        """Return the forms for a layout; the same tuple as long as there are no others."""
        return self._known if generation == self.generation else ()

    def _find_known(self) -> None:
        self._known = tuple(form for form in self.forms.values() if form is not None)


def limits_of(fields: Sequence[Field], widths: Sequence[int]) -> Floats | None:
    """Return the limits of the values of some fields, shape (values, 2); None where there are none."""
    if not any(field.is_limited for field in fields):
        return None
    rows = [(field.low, field.high) for field, width in zip(fields, widths, strict=True) for _ in range(width)]
    return np.array(rows)
