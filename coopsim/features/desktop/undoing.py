"""Edits made here, in order: undo and redo."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from coopsim.errors import CoopsimError, EngineCannot, NoReply
from coopsim.features.desktop.changes import Change, Driven, Inserted, KnownScene, ParameterSet, Several
from coopsim.features.desktop.law_orders import LawOrders
from coopsim.features.desktop.link import ViewerLink


@dataclass
class _Sending:
    """Edits that are not all answered yet."""

    waiting: int
    failed: set[int]
    keep: Callable[[Several], object]


class EditHistory:
    """Carries out edits by messages, and takes them back.

    Args:
        link: To the run.
        look: What is known of the run.
        tell: Takes what went wrong, for people.

    Attributes:
        laws: Starts and stops control laws.
        refused: Edits that the engine could not hold last, and why; None = it held all.
        lost: The last edits, where nobody answered them; None = all were answered.
    """

    def __init__(self, link: ViewerLink, look: KnownScene, tell: Callable[[str], None]) -> None:
        self._link, self._look, self._tell = link, look, tell
        self._done: list[Several] = []
        self._undone: list[Several] = []
        self._unsaved: list[Several] = []
        self._unanswered = 0
        self.laws = LawOrders(link, tell)
        self.refused: tuple[Several, EngineCannot] | None = None
        self.lost: Several | None = None

    @property
    def refused_names(self) -> tuple[str, ...]:
        """Names of insertions that the engine could not hold last."""
        changes = self.refused[0].changes if self.refused is not None else ()
        return tuple(change.name for change in changes if isinstance(change, Inserted))

    @property
    def has_unsaved(self) -> bool:
        """Whether something was edited here, or taken back, since the scene was opened or saved."""
        return bool(self._unsaved)

    @property
    def unsaved(self) -> Sequence[Several]:
        """Edits that lead from the scene that was opened or saved to this one, in their order."""
        return self._unsaved

    @property
    def is_waiting(self) -> bool:
        """Whether an edit is not answered yet."""
        return self._unanswered > 0

    def saved(self) -> None:
        """Note that the scene is saved, or that another one is shown."""
        self._unsaved.clear()

    @property
    def all(self) -> tuple[list[Several], list[Several], list[Several]]:
        """Edits that were made, that were taken back, and that are unsaved, for `resume`."""
        return self._done, self._undone, self._unsaved

    def resume(self, edits: tuple[list[Several], list[Several], list[Several]]) -> None:
        """Go on with the edits of another history: its run died, and this one goes on from there."""
        self._done, self._undone, self._unsaved = edits

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to take back."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to make again."""
        return bool(self._undone)

    @property
    def next_undo(self) -> str:
        """Title of the next undo, for people."""
        return self._done[-1].title if self._done else ""

    @property
    def next_redo(self) -> str:
        """Title of the next redo, for people."""
        return self._undone[-1].opposite().title if self._undone else ""

    def do(self, *changes: Change) -> bool:
        """Carry out edits that belong together; return whether that was begun."""
        if self._is_refused():
            return False
        self.lost = None
        self._send(Several(changes), self._keep)
        return True

    def refuse(self, change: Change, problem: EngineCannot) -> None:
        """Note an edit that is not sent, since the engine would hold it, but not as what it is."""
        if not self._is_refused():
            self.refused = Several((change,)), problem

    def keep(self, change: Change) -> None:
        """Keep an edit that was carried out already."""
        self._keep(Several((change,)))

    def undo(self) -> None:
        """Take the last edit back, unless somebody else changed the same since."""
        if self._done and not self._is_refused():
            self._revert(self._done.pop(), self._undone)

    def redo(self) -> None:
        """Make the edit again that was taken back last, unless somebody else changed the same since."""
        if self._undone and not self._is_refused():
            self._revert(self._undone.pop(), self._done)

    def _is_refused(self) -> bool:
        """Refuse edits of what is not there any more, and of a run that does not answer."""
        if self._look.obstacle:
            self._tell(self._look.obstacle)
        return bool(self._look.obstacle)

    def _revert(self, edit: Several, kept: list[Several]) -> None:
        """Carry out the opposite of an edit, and keep that."""
        change = edit.opposite()

        def keep(done: Several) -> None:
            kept.append(done)
            is_whole = len(done.changes) == len(edit.changes)
            # edit and opposite together leave nothing to save
            if is_whole and self._unsaved and self._unsaved[-1] is edit:
                self._unsaved.pop()
            else:
                self._unsaved.append(done)

        problem = change.obstacle(self._look)
        if problem:
            self._tell(problem)
        else:
            self._send(change, keep)

    def _keep(self, change: Several) -> None:
        self._done.append(change)
        self._unsaved.append(change)
        self._undone.clear()

    def _send(self, change: Several, keep: Callable[[Several], object]) -> None:
        """Send all edits; keep those that were carried out."""
        requests = [(change, request) for change in change.changes for request in change.requests(self._look)]
        exchanges = [change for change in change.changes if isinstance(change, Driven)]
        sending = _Sending(len(requests) + len(exchanges), set(), keep)
        self._unanswered += sending.waiting
        for exchange in exchanges:
            done = partial(self._answered, sending, change, exchange)
            self.laws.replace(exchange.robots.split(), exchange.orders, done)
        for number, (target, command, values) in requests:
            self._link.call(target, command, *values, then=partial(self._answered, sending, change, number))

    def _answered(self, sending: _Sending, whole: Several, change: Change, problem: CoopsimError | None) -> None:
        sending.waiting -= 1
        self._unanswered -= 1
        if problem is not None:
            sending.failed.add(id(change))
            if isinstance(problem, EngineCannot):
                self.refused = whole, problem
            if isinstance(problem, NoReply):
                self.lost = whole
            self._tell(str(problem))
        if isinstance(change, ParameterSet):
            self._look.forget(change.target, change.name)
        if not sending.waiting:
            done = tuple(change for change in whole.changes if id(change) not in sending.failed)
            if done:
                sending.keep(Several(done))
