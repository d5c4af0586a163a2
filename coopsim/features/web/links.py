"""Links of the page: the words behind `#` that say what who follows them may do.

A browser keeps what stands behind `#` to itself: it is in no request, and so in no log.
"""

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from coopsim.errors import BadFile
from coopsim.interfaces import Command, Interface
from coopsim.interfaces.rights import Right, right_of

WATCH, DRIVE, EDIT = "watch", "drive", "edit"
_RIGHTS: Final = {WATCH: Right.WATCH, DRIVE: Right.DRIVE, EDIT: Right.ALL}
_RANKS: Final = (Right.WATCH, Right.DRIVE, Right.ALL)
_TOKEN_BYTES = 12
"""Of chance in a link: 96 bits cannot be tried out."""
_LONGEST = 64


@dataclass(frozen=True, slots=True)
class Permission:
    """Permission of whoever follows a link.

    Attributes:
        role: `watch`, `drive` or `edit`.
        robots: That he may drive, none = all.
    """

    role: str = WATCH
    robots: tuple[str, ...] = ()

    def refusal(self, target: str, interface: Interface, command: Command) -> str:
        """Return why a command is refused, "" = it is permitted.

        Args:
            target: Module that it is for.
            interface: Of that module.
            command: Of this interface, or one that all modules answer.
        """
        robot = "" if target.startswith("/sim/") else target.strip("/").rpartition("/")[0]
        needed = right_of(interface, command, of_robot=bool(robot))
        if _RANKS.index(needed) > _RANKS.index(_RIGHTS[self.role]):
            return f"this link may {self.role} alone; {command.name} of {target} takes the link to {_role_of(needed)}"
        return self.driving_refusal(robot or target) if needed is Right.DRIVE else ""

    def driving_refusal(self, robot: str) -> str:
        """Return why a robot may not be driven, "" = it may."""
        if self.role == WATCH:
            return f"this link may watch alone; to drive {robot} takes the link to drive"
        if self.robots and robot not in self.robots:
            return f"this link drives {', '.join(self.robots)} alone, not {robot}"
        return ""


def _role_of(right: Right) -> str:
    return next(role for role, its_right in _RIGHTS.items() if its_right is right)


class Links:
    """The links of one page.

    Args:
        permissions: By token.
    """

    def __init__(self, permissions: dict[str, Permission]) -> None:
        self._permissions = permissions

    @classmethod
    def new(cls, robots: Sequence[str] = ()) -> "Links":
        """Return links to edit, to drive all robots, and to drive each of these."""
        return cls({_token(): permission for permission in _all(robots)})

    @classmethod
    def kept_in(cls, file: Path, robots: Sequence[str] = ()) -> "Links":
        """Return the links in a file; those that it lacks are added to it, so that they hold in the next run, too.

        Raises:
            BadFile: It is no file of links, or cannot be read or written.
        """
        links = cls(_read(file))
        if links._add(robots):
            _write(file, links._permissions)
        return links

    def _add(self, robots: Sequence[str]) -> bool:
        """Add the links that are missing; return whether there were any."""
        kept = set(self._permissions.values())
        missing = [permission for permission in _all(robots) if permission not in kept]
        self._permissions |= {_token(): permission for permission in missing}
        return bool(missing)

    def permission(self, token: str) -> Permission | None:
        """Return what a token permits, None = it is unknown."""
        if not token:
            return Permission()
        wanted = token[:_LONGEST].encode()
        # compared in the same time whatever is alike, so that nobody learns a token letter by letter
        matches = [
            permission for key, permission in self._permissions.items() if secrets.compare_digest(key.encode(), wanted)
        ]
        return matches[0] if matches else None

    def lines(self, address: str) -> list[str]:
        """Return a line for each link: what it permits, and where it leads."""
        named = [("watch", address)]
        for token, permission in self._permissions.items():
            what = " ".join((permission.role, *permission.robots))
            named.append((what, f"{address}#{token}"))
        width = max(len(what) for what, _ in named)
        return [f"{what:<{width}}  {where}" for what, where in named]

    def address(self, address: str, role: str = EDIT) -> str:
        """Return the address with the link to a role in which all robots may be driven."""
        token = next((token for token, permission in self._permissions.items() if permission == Permission(role)), "")
        return f"{address}#{token}" if token else address


def _all(robots: Sequence[str]) -> list[Permission]:
    return [Permission(EDIT), Permission(DRIVE), *(Permission(DRIVE, (robot,)) for robot in robots)]


def _token() -> str:
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    # a dash first would be taken for an option where somebody types it
    return token if token[0] not in "-_" else _token()


def _read(file: Path) -> dict[str, Permission]:
    try:
        plain: Any = json.loads(file.read_text(encoding="utf-8"))
        return {str(token): _permission(words) for token, words in plain.items()}
    except FileNotFoundError:
        return {}
    except OSError as problem:
        raise BadFile(f"{file}: the links cannot be read: {problem.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BadFile(
            f'{file}: expected links as JSON, {{"TOKEN": {{"role": "drive", "robots": ["robot1"]}}}}; '
            "remove the file, and new ones are made"
        ) from None


def _permission(words: Any) -> Permission:
    role = words["role"]
    if role not in _RIGHTS:
        raise ValueError(role)
    return Permission(role, tuple(str(robot) for robot in words.get("robots", ())))


def _write(file: Path, permissions: dict[str, Permission]) -> None:
    plain = {
        token: {"role": permission.role, "robots": list(permission.robots)} for token, permission in permissions.items()
    }
    try:
        # whole or not at all, and nobody else on this machine reads what permits to drive
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as opened:
            json.dump(plain, opened, indent=1)
        draft.replace(file)
    except OSError as problem:
        raise BadFile(f"{file}: the links cannot be written: {problem.strerror}") from None
