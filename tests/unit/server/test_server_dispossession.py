"""Robots of a key whose role is narrowed, or that is trusted no longer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coopsim.client.keyring import Key, KeyRing, read_key
from coopsim.client.roles import Role
from coopsim.errors import NotAllowed, Released
from coopsim.interfaces import CLOCK, NAMES, STEP
from coopsim.message import Message
from coopsim.server import registry
from coopsim.server.sockets.listening import ListenOptions

CLAIM, CLAIM_WITH = STEP.command("claim").number, STEP.command("claim_with").number


class Classroom:
    """A host with keys of anna and ben, and what they do."""

    def __init__(self, bench: Callable, folder: Path, mode: str) -> None:
        self.lab = KeyRing(folder / "lab")
        self.lab.new("lab")
        keys: dict[str, Key] = {}
        for name in ("anna", "ben"):
            ring = KeyRing(folder / name)
            ring.new(name)
            keys[name] = read_key(self.lab.trust(read_key(folder / name / f"{name}.pub")))
        self.run = bench(mode, listen=ListenOptions("127.0.0.1", self.lab))
        for name, key in keys.items():
            self.run.modules.keyed_connections.add(self.run.session(name), key, -1)
        self.audit()

    def ask(self, who: str, target: str, command: int, *params: Any, data: tuple[float, ...] = ()) -> Message:
        return self.run.ask(Message(target, command=command, params=params, data=data), who)

    def send_step(self, who: str, robot: str) -> Message | None:
        step = Message("/sim/step", command=STEP.command("step").number, params=(0, robot), data=(0.5, 0.0))
        return self.run.send(step, who)

    def claim(self, who: str, *robots: str) -> str:
        reply = self.ask(who, "/sim/step", CLAIM, *robots)
        assert reply.error == 0, reply.text
        return str(reply.params[0])

    def set_role(self, name: str, role: Role | None) -> None:
        """Give a key another role, None = trust it no longer, and let the host see it."""
        if role is None:
            self.lab.revoke(name)
        else:
            self.lab.set_role(name, role)
        keyed: Any = self.run.modules.keyed_connections
        keyed._trusted.refresh()
        self.run.modules.review()
        self.run.pump()

    def owner(self, robot: str) -> str | None:
        labels: dict[str, str | None] = self.run.coordinator.ownership.labels([robot])
        return labels[robot]

    def notes(self) -> list[str]:
        return [f"{edit['what']} {edit['robot']}" for edit in self.run.source.edits if edit["edit"] == "note"]

    def audit(self) -> list[str]:
        return [text for _, text in self.run.modules.audit.drain()]


@pytest.fixture
def classroom(bench: Callable, tmp_path: Path) -> Callable[[str], Classroom]:
    """Return a maker of classrooms: `classroom("lockstep")`."""
    return lambda mode: Classroom(bench, tmp_path, mode)


@pytest.mark.parametrize("mode", ["lockstep", "real-time"])
@pytest.mark.parametrize("role", [Role("watch"), Role("drive", ("robot2",)), None], ids=str)
def test_who_may_drive_a_robot_no_longer_loses_it_and_everybody_is_told(
    classroom: Callable, mode: str, role: Role | None
) -> None:
    room = classroom(mode)
    room.claim("anna", "robot1")
    room.set_role("anna", role)
    assert room.owner("robot1") is None
    why = "the key 'anna' is no longer trusted" if role is None else f"the role of the key 'anna' is `{role}` now"
    assert room.notes() == [f"released: {why} robot1"]
    assert f"anna: robot1 released and stopped: {why}" in room.audit()
    room.claim("ben", "robot1")


def test_lockstep_goes_on_without_who_was_demoted(classroom: Callable) -> None:
    room = classroom("lockstep")
    room.claim("anna", "robot1")
    room.claim("ben", "robot2")
    assert room.send_step("ben", "robot2") is None
    room.run.pump()
    assert room.run.got("ben") == []  # it waits for anna
    room.set_role("anna", Role("watch"))
    (stepped,) = room.run.got("ben")
    assert (stepped.error, stepped.tick) == (0, 1)


def test_a_step_that_waits_is_refused_with_the_reason_and_its_robot_stands(classroom: Callable) -> None:
    room = classroom("lockstep")
    room.claim("anna", "robot1")
    room.claim("ben", "robot2")
    room.send_step("anna", "robot1")
    room.set_role("anna", Role("watch"))
    (refused,) = room.run.got("anna")
    assert (refused.error, refused.params) == (Released.code, ("robot1",))
    assert "the role of the key 'anna' is `watch` now" in refused.text
    again = room.send_step("anna", "robot1")
    assert again is not None
    assert again.error == NotAllowed.code
    assert room.run.source.commands("robot1")[2:4] == [0.0, 0.0]


def test_a_narrower_role_leaves_the_robots_that_it_still_names(classroom: Callable) -> None:
    room = classroom("lockstep")
    room.claim("anna", "robot1", "robot2")
    room.set_role("anna", Role("drive", ("robot2",)))
    assert (room.owner("robot1"), room.owner("robot2")) == (None, "anna")


def test_robots_that_are_shared_stay_with_those_who_may_drive_them(classroom: Callable) -> None:
    room = classroom("lockstep")
    token = room.claim("ben", "robot1", "robot2")
    assert room.ask("anna", "/sim/step", CLAIM_WITH, token).error == 0
    room.send_step("anna", "robot1")
    room.send_step("ben", "robot2")
    room.run.got("anna")
    room.set_role("anna", Role("watch"))
    assert room.owner("robot1") == "ben"
    assert room.notes() == []
    assert room.ask("anna", "/sim/step", CLAIM_WITH, token).error == NotAllowed.code


def test_a_wider_role_takes_nothing(classroom: Callable) -> None:
    room = classroom("lockstep")
    room.set_role("anna", Role("drive", ("robot1",)))
    room.claim("anna", "robot1")
    room.set_role("anna", Role("all"))
    assert room.owner("robot1") == "anna"


def test_ticks_that_a_demoted_key_asked_for_end(classroom: Callable) -> None:
    room = classroom("lockstep")
    room.run.source.silent_edits = True
    room.run.send(Message("/sim/clock", command=CLOCK.command("step").number, params=(5,)), "anna")
    room.set_role("anna", Role("drive", ("robot1",)))
    assert [edit["edit"] for edit in room.run.source.edits][-1] == "pause"


def test_who_may_only_watch_offers_no_module_any_more(classroom: Callable) -> None:
    room = classroom("real-time")
    interface = '{"kind": "lamp", "commands": [{"number": 10, "name": "state"}]}'
    offered = room.ask("anna", "/sim/names", NAMES.command("offer").number, "/lamp", interface)
    assert offered.error == 0, offered.text
    room.set_role("anna", Role("watch"))
    assert "withdraw_module" in [edit["edit"] for edit in room.run.source.edits]


def test_keys_that_come_go_and_change_are_told(classroom: Callable, tmp_path: Path) -> None:
    room = classroom("real-time")
    ring = KeyRing(tmp_path / "eve")
    ring.new("eve")
    room.lab.trust(read_key(tmp_path / "eve" / "eve.pub"), Role("watch"))
    room.set_role("anna", Role("drive", ("robot1",)))
    room.set_role("ben", None)
    assert room.audit() == [
        "anna: role changed from `all` to `drive robot1`",
        "eve: key trusted, with the role `watch`",
        "ben: key revoked: it is no longer trusted",
        "ben: disconnected: its key is no longer trusted",
    ]


def test_all_connections_of_a_key_share_its_foreign_names(
    classroom: Callable[[str], Classroom], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "MOST_OF_ONE", 2)
    room, register = classroom("real-time"), NAMES.command("register").number
    second = room.run.session("anna's second connection")
    room.run.modules.keyed_connections.add(second, room.run.session("anna").keyed.key, -1)
    who = ["anna", "anna's second connection", "anna", "anna's second connection", "ben"]
    errors = [room.ask(client, "/sim/names", register, f"/x{n}", "tcp://h:1").error for n, client in enumerate(who)]
    assert errors == [0, 0, 203, 203, 0]
