"""Limits of a client with the role `watch` or `drive`; clients without limits never come here.

Specification: docs/protocol.md, "Security".
"""

from collections.abc import Iterable

from coopsim.client.roles import ALL, WATCH, Role
from coopsim.errors import NotAllowed
from coopsim.interfaces.rights import ChangingCommand, Right

_MOST_SHOWN = 5  # names in an error; a client may ask for thousands


class Limits:
    """The limits of one key; what was allowed once is remembered.

    Args:
        name: Whose key it is.
        role: What it may do.
    """

    def __init__(self, name: str, role: Role) -> None:
        self._name, self._role = name, role
        self._allowed: set[tuple[str, str]] = set()

    def is_known(self, change: ChangingCommand, target: str) -> bool:
        """Return whether a command was allowed before."""
        return (target, change.name) in self._allowed

    def may_drive(self, robot: str) -> bool:
        """Return whether the role may command a robot."""
        return self._role.may_drive(robot)

    def check(self, change: ChangingCommand, target: str, robot: str) -> None:
        """Refuse a command that the role does not allow.

        Args:
            change: The command.
            target: Name of the module.
            robot: Whose module it is; "" = the simulation's.

        Raises:
            NotAllowed: The params say what would be needed.
        """
        if self.is_known(change, target):
            return
        what = f"{change.name} of {target}"
        if change.right is Right.ALL:
            raise self._refusal(what, (Right.ALL.value,))
        if robot:
            self.check_robots((robot,), what)
        elif self._role.name == WATCH:
            raise self._refusal(what, (Right.DRIVE.value,))
        self._allowed.add((target, change.name))

    def check_robots(self, robots: Iterable[str], what: str) -> None:
        """Refuse to command robots that the role does not name.

        Raises:
            NotAllowed: The params say what would be needed.
        """
        foreign = [robot for robot in robots if not self._role.may_drive(robot)]
        if foreign:
            raise self._refusal(what, (Right.DRIVE.value, *foreign))

    def _refusal(self, what: str, needed: tuple[str, ...]) -> NotAllowed:
        role, *robots = needed
        shown = ",".join(robots[:_MOST_SHOWN]) + "…" * (len(robots) > _MOST_SHOWN)
        wanted = " ".join(filter(None, (role, shown)))
        cure = f"coopsim keys role {self._name} {role}" + f" --robots {shown}" * bool(shown)
        problem = NotAllowed(
            f"{what} takes the role `{wanted}`, and the key {self._name!r} has `{self._role}`; "
            f"where the simulation runs, `{cure}` gives it"
        )
        problem.params = needed
        return problem


def limits_of(name: str, role: Role) -> Limits | None:
    """Return the limits of a key, None if it may do everything."""
    return None if role.name == ALL else Limits(name, role)
