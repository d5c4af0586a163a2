"""Several logics of one match: each commands the squads of some players, and one of them is the referee.

For each of its players a logic offers a module `/game/logics/PLAYER`, by which others see that it is there, and tells
by events of that topic what it read of its robots. The referee is the logic of the first player; where it vanishes,
that of the next one goes on with everything.

Source: swarm gaming, section 3 (several game logics are connected to each other).
"""

import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coopsim.client import Client, EventStream, Module
from coopsim.errors import BadArgument, NoReply, NoSuchName
from coopsim.features.games.logic.model import DataModel
from coopsim.features.games.logic.rows import WIDTH
from coopsim.features.matches.events import END_TOPIC, STATUS_TOPIC, MatchStatus, match_result, match_status
from coopsim.geometry import Floats
from coopsim.message import ChannelEvent

MODULES = "/game/logics/"
"""What modules of logics begin with; the name of the player follows."""
_VALUES = {"source": "", "time": "s"}
# a process with all of coopsim takes some seconds to begin on a busy machine
_ARRIVAL = 10.0
"""A logic that was not seen so long after this one began does not come [s], of real time."""
_SILENCE = 5.0
"""A logic that wrote nothing for so long is silent [s]."""
_PATIENCE = 5.0
"""So long is waited in lockstep for what other logics read in the same tick [s], of real time."""
_AT_ONCE = 7
"""Rows of robots in an event, which holds 64 numbers at most."""
_FAREWELL = 1.0
"""So long is waited for the end of the match where the logic of the referee is gone [s], of real time."""


@dataclass(slots=True)
class PeerLogic:
    """The logic of a player, as others see it.

    Attributes:
        source: What the event channel calls it, "" = not known yet.
        state: "awaited" until it comes, "there", "silent" while it tells nothing, "gone".
        tick: Of what it told last of its robots, -1 = nothing yet.
        count: How often it wrote that it is there.
        until: Where it was silent, it is there again when it has written so often.
    """

    source: str = ""
    state: str = "awaited"
    tick: int = -1
    count: int = 0
    until: int = 0


class Logics:
    """Logics of a match: this one and the others.

    Args:
        sim: The run.
        players: All of the match.
        own: Those whose squads this logic commands.
        model: Takes the log.
        clock: Real time [s].

    Attributes:
        own: Those whose squads this logic commands now.
        rows: What other logics told of their robots last: tick and row, by name.
        result: What the referee said of the end, None = the match goes on.

    Raises:
        OwnedByAnother: Another logic commands the squads of one of them.
    """

    def __init__(
        self,
        sim: Client,
        players: Sequence[str],
        own: Collection[str],
        model: DataModel,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sim, self._players, self._model, self._clock = sim, players, model, clock
        self.own, self._peers = set(own), {name: PeerLogic() for name in players if name not in own}
        self._began, self._offered = clock(), dict[str, Module]()
        self.result: Mapping[str, Any] | None = None
        self.rows: dict[str, tuple[int, Floats]] = {}
        self._told: list[tuple[float, MatchStatus]] = []
        self._forgers: set[str] = set()
        self._heard: EventStream | None = None
        # a logic that has all players tells nobody anything: the usual match costs no events
        if self._peers:
            self._heard = sim.listen(f"{MODULES}*", STATUS_TOPIC, END_TOPIC)
            self._offer(own)
            self._source = self._own_source()

    @property
    def is_alone(self) -> bool:
        """Whether this logic began with all players."""
        return self._heard is None

    @property
    def referee(self) -> str:
        """Player whose logic is the referee: the first one whose logic is, or comes."""
        place = (
            player
            for player in self._players
            if player in self.own or self._peers[player].state in {"awaited", "there"}
        )
        return next(place)

    @property
    def presides(self) -> bool:
        """Whether this logic is the referee."""
        return self.referee in self.own

    def answers_for(self, player: str) -> bool:
        """Return whether this logic answers what is said for a player; the referee does for those that do not play."""
        return player in self.own or (player not in self._players and self.presides)

    def meet(self, tick: int, own: Mapping[str, Floats], *, waits: bool) -> list[str]:
        """Tell what this logic read, hear what others did; return the players whose logics are gone.

        Args:
            tick: When it read it.
            own: Rows of its robots, by name.
            waits: Whether others read theirs in the same tick, and tell it at once.
        """
        self._publish(tick, own)
        before = self.referee
        for player, peer in self._peers.items():
            self._check_peer(player, peer)
        source = self._peers[before].source if before in self._peers else ""
        self._hear(source, tick if waits else -1)
        # before roles change: the referee of before may be among those that are gone
        peers = [name for name, peer in self._peers.items() if peer.state == "gone"]
        if before in peers:
            self._await_end(source)
        return peers if self.presides and self.result is None else []

    def assume_command(self, player: str) -> None:
        """Command the squads of a player whose logic is gone."""
        del self._peers[player]
        self.own.add(player)
        self._offer([player])

    def close(self) -> None:
        """Stop listening to others."""
        if self._heard is not None:
            self._heard.close()

    def referee_reports(self) -> list[tuple[float, MatchStatus]]:
        """Return when and what the referee told of robots since the last time."""
        events, self._told = self._told, []
        return events

    def _offer(self, players: Collection[str]) -> None:
        for name in players:
            self._offered[name] = self._sim.offer(f"{MODULES}{name}", _VALUES, summary="logic of a player's squads")

    def _own_source(self) -> str:
        """Return what the event channel calls this logic: the source of what nobody else can have said."""
        # a secret, since anybody may publish: only the event with our own token names our source
        token, deadline = secrets.token_hex(8), self._clock() + _ARRIVAL
        self._sim.publish(f"{MODULES}{min(self.own)}", token)
        while (event := self._next(max(deadline - self._clock(), 0.0))) is not None:
            if event.text == token:
                return event.source
        raise NoReply(f"the event channel did not bring what was told it within {_ARRIVAL:g} s")

    def _check_peer(self, player: str, peer: PeerLogic) -> None:
        """See whether the logic of a player is there, and note where that has changed."""
        try:
            said = self._sim.module(f"{MODULES}{player}").read()
        except NoSuchName:
            late = peer.state != "awaited" or self._clock() - self._began > _ARRIVAL
            state = "gone" if late else "awaited"
        else:
            peer.source, peer.count = said.source, int(said.count)
            is_back = peer.count >= peer.until
            state = "there" if said.age <= _SILENCE and is_back else "silent"
        self._turn(player, peer, state)

    def _turn(self, player: str, peer: PeerLogic, state: str) -> None:
        """Note how it is with the logic of a player; the referee logs what has changed."""
        before, peer.state = peer.state, state
        if state == "silent" != before:
            peer.until = peer.count + 2  # one may have been on its way
        if self.presides and state == "silent" != before:
            self._note(player, "silent", "tells nothing any more; its robots go on with what they were told")
        elif self.presides and (before, state) == ("silent", "there"):
            self._note(player, "back", "is heard again")

    def _publish(self, tick: int, own: Mapping[str, Floats]) -> None:
        for module in self._offered.values():
            module.write(self._source, self._model.time)
        topic, names = f"{MODULES}{min(self.own)}", list(own)
        groups = (names[first : first + _AT_ONCE] for first in range(0, len(names), _AT_ONCE))
        self._sim.publish_all(
            (topic, " ".join(group), (float(tick), *np.concatenate([own[name] for name in group]).tolist()))
            for group in groups
        )

    def _hear(self, source: str, tick: int) -> None:
        """Take in what came; wait for what logics that are there tell of a tick, -1 = of none."""
        # nobody's events can be told from a forger's before all sources are known
        if any(not peer.source and peer.state != "gone" for peer in self._peers.values()):
            return  # what came waits until it is known who tells it
        deadline = self._clock() + _PATIENCE
        while True:
            awaited = [peer for peer in self._peers.values() if peer.state == "there" and peer.tick < tick]
            event = self._next(max(deadline - self._clock(), 0.0) if awaited else 0.0)
            if event is not None:
                self._receive(event, source)
                continue
            for player, peer in self._peers.items():
                if peer in awaited:
                    self._turn(player, peer, "silent")
            return

    def _next(self, timeout: float) -> ChannelEvent | None:
        return None if self._heard is None else self._heard.hear(timeout)

    def _await_end(self, source: str) -> None:
        """Wait for the end of the match: the referee, which is gone, may have told it just before."""
        deadline = self._clock() + _FAREWELL
        while self.result is None and (event := self._next(max(deadline - self._clock(), 0.0))) is not None:
            self._receive(event, source)

    def _receive(self, event: ChannelEvent, source: str) -> None:
        """Take in an event, if it comes from the referee."""
        # what we published comes back to us as to all others
        if event.source == self._source:
            return
        if event.topic.startswith(MODULES):
            speaker = next((peer for peer in self._peers.values() if peer.source == event.source), None)
            if speaker is not None:
                self._receive_rows(event, speaker)
            return
        if event.source != source:
            peers = {peer.source for peer in self._peers.values()}
            # noted once for each source: a forger must not fill the log
            if self.presides and event.source not in peers | self._forgers:
                self._forgers.add(event.source)
                text = f"{event.source} is not the referee: what it tells on {event.topic} does not count"
                self._model.note(event.source, "illegal status", text)
        elif event.topic == END_TOPIC:
            self.result = match_result(event.text) or self.result
        elif (status := match_status(event.text)) is not None and event.data:
            self._told.append((event.data[0], status))

    def _receive_rows(self, event: ChannelEvent, speaker: PeerLogic) -> None:
        names = event.text.split()
        # any program may publish: rows of another width are no rows
        if len(event.data) == 1 + WIDTH * len(names) > 1:
            speaker.tick = int(event.data[0])
            rows = np.array(event.data[1:]).reshape(-1, WIDTH)
            self.rows |= {name: (speaker.tick, row) for name, row in zip(names, rows, strict=True)}

    def _note(self, player: str, rule: str, text: str) -> None:
        self._model.note(f"logic of {player}", rule, f"the logic of {player} {text}")


def own_players(game: Mapping[str, Any], robots: Collection[str]) -> list[str]:
    """Return the players whose squads a logic commands that drives these robots.

    Raises:
        BadArgument: Some robots of a player are of another logic, or none of them is of any squad.
    """
    events = []
    for player in game["players"]:
        name = player["name"]
        all_robots = {robot for squad in game["squads"] if squad["player"] == name for robot in squad["robots"]}
        present = all_robots & {*robots}
        # two logics would plan ways for one squad, each without the other's robots
        if present and present != all_robots:
            lacking = min(all_robots - present)
            raise BadArgument(f"a player's robots are driven by one logic: {name}'s {lacking} is missing")
        if present:
            events.append(name)
    return events
