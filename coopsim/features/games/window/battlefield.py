"""The presentation of the battlefield: squads, health, paths and flags over the picture; buttons for commands."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.overlay import Rectangle, banner
from coopsim.features.desktop.ui.style import ACCENT, BAD, GOOD, WARN, shade, written
from coopsim.features.desktop.ui.widgets import button, choice, remember
from coopsim.features.games.sections.game_spec import FORMATIONS
from coopsim.features.games.window.battle import Battle, SquadFacts
from coopsim.features.games.window.battle_control import BattleControl
from coopsim.features.games.window.by_hand import ManualDriving
from coopsim.features.pictures.palette import SERIES

_BAR, _HIGH, _UP = 34.0, 5.0, 38.0  # pixels, at any distance: a bar is read, not looked at
_LIGHT = 0.35
"""Share of white in the colour of a player."""
_BANNER, _LOWER_BANNER = 34.0, 112.0
"""Below the upper edge of the picture; where that of a run that is gone, or of the past, stands above it."""
_POLE, _CARRIED = 0.5, 0.7
"""Height at which a flag is drawn that lies, and one that a robot carries [m]."""
_MUZZLE = 0.25
"""Height at which shots are drawn [m]."""
_MOST_NAMED = 40
"""Robots whose names are written above their bars; of more, bars alone."""


class BattlefieldView:
    """Drawing over the picture while a match is played.

    Args:
        session: What is shown.
        battle: The abstraction.
    """

    def __init__(self, session: ViewerSession, battle: Battle) -> None:
        self._session, self._battle = session, battle

    def draw(self, view: Rectangle, scale: float) -> None:
        """Draw it.

        Args:
            view: Where the picture is.
            scale: Pixels for each unit of the window.
        """
        battle, (left, top, width, height) = self._battle, view
        draw = imgui.get_background_draw_list()
        draw.push_clip_rect(imgui.ImVec2(left, top), imgui.ImVec2(left + width, top + height))
        for squad in battle.mine:
            self._path(draw, squad.name, view, scale)
        self._shots(draw, view, scale)
        self._flags(draw, view, scale)
        names = [name for name in battle.fighters if name in battle.places and not battle.is_hidden(name)]
        if names:
            tops = np.array([(*battle.places[name], 0.35) for name in names])
            pixels, away = self._session.camera.project(tops)
            rows = zip(names, pixels.tolist(), away.tolist(), strict=True)
            ahead = {name: (left + x / scale, top + height - y / scale) for name, (x, y), gap in rows if gap > 0.0}
            for name, (x, y) in ahead.items():
                self._fighter(draw, name, x, y)
            self._names(draw, ahead)
        if battle.result:
            winner = battle.result.get("winner") or "nobody"
            color = GOOD if winner == battle.player else WARN
            text = f"{icons.ICON_FA_TROPHY}  {winner} wins"
            is_free = self._session.link.facts.connection == "live" and not self._session.is_past
            below = _BANNER if is_free else _LOWER_BANNER
            banner(draw, text, str(battle.result.get("reason", "")), left + width / 2, top + below, color)
        draw.pop_clip_rect()

    def _fighter(self, draw: imgui.ImDrawList, name: str, x: float, y: float) -> None:
        battle, fighter = self._battle, self._battle.fighters[name]
        color = side_color(battle, battle.squads[fighter.squad].player)
        if fighter.health <= 0.0:
            draw.add_text(imgui.ImVec2(x - 6, y - 8), shade(*BAD), icons.ICON_FA_XMARK)
            return
        if fighter.squad in battle.selected:
            draw.add_circle(imgui.ImVec2(x, y + 4), 15, shade(*ACCENT), 24, 2.5)
        share = min(1.0, fighter.health / fighter.full) if fighter.full else 0.0
        low = imgui.ImVec2(x - _BAR / 2, y - _UP)
        high = imgui.ImVec2(x + _BAR / 2, y - _UP + _HIGH)
        draw.add_rect_filled(low, high, shade(0.05, 0.05, 0.06, 0.8), 2)
        left = GOOD if share > 0.6 else WARN if share > 0.3 else BAD
        draw.add_rect_filled(low, imgui.ImVec2(x - _BAR / 2 + _BAR * share, high.y), shade(*left), 2)
        draw.add_circle_filled(imgui.ImVec2(x - _BAR / 2 - 6, y - _UP + 2), 4, shade(*color))
        if fighter.holding:
            draw.add_text(imgui.ImVec2(x + _BAR / 2 + 3, y - _UP - 6), shade(*WARN), icons.ICON_FA_FLAG)

    @property
    def named(self) -> list[str]:
        """Robots whose names are written here, beside their bars, and not over them."""
        return [] if len(self._battle.fighters) > _MOST_NAMED else list(self._battle.fighters)

    def _names(self, draw: imgui.ImDrawList, places: Mapping[str, tuple[float, float]]) -> None:
        """Write names above the bars where neither a bar nor another name is, those of selected squads first."""
        battle = self._battle
        if not self._session.layers.labels:
            return
        bars = [(x - _BAR / 2 - 10, y - _UP - 2, x + _BAR / 2 + 16, y - _UP + _HIGH + 2) for x, y in places.values()]
        for name in sorted(self.named, key=lambda name: battle.fighters[name].squad not in battle.selected):
            if name not in places or battle.fighters[name].health <= 0.0:
                continue
            squad = battle.fighters[name].squad
            text = name if name.startswith(squad) else f"{name} {squad}"
            size, (x, y) = imgui.calc_text_size(text), places[name]
            low, high = (x - size.x / 2 - 4, y - _UP - size.y - 6), (x + size.x / 2 + 4, y - _UP - 3)
            if any(_is_over((*low, *high), box) for box in bars):
                continue
            bars.append((*low, *high))
            paper = shade(*ACCENT, 0.95) if squad in battle.selected else shade(0.09, 0.10, 0.12, 0.72)
            draw.add_rect_filled(imgui.ImVec2(*low), imgui.ImVec2(*high), paper, 4)
            draw.add_text(imgui.ImVec2(low[0] + 4, low[1] + 1), shade(1, 1, 1, 0.95), text)

    def _pixels(
        self, points: Sequence[tuple[float, float, float]], view: Rectangle, scale: float
    ) -> list[imgui.ImVec2]:
        """Return where points of the world are in the window."""
        left, top, _, height = view
        pixels, _ = self._session.camera.project(np.array(points))
        return [imgui.ImVec2(left + x / scale, top + height - y / scale) for x, y in pixels.tolist()]

    def _shots(self, draw: imgui.ImDrawList, view: Rectangle, scale: float) -> None:
        """Draw a line from who has just shot to whom it hit; a ring around who hit nobody."""
        battle = self._battle
        for shot in battle.recent_shots(self._session.time):
            color = side_color(battle, battle.squads[battle.fighters[shot.shooter].squad].player)
            ends = [battle.places[name] for name in (shot.shooter, shot.target) if name in battle.places]
            muzzle, *hit = self._pixels([(float(x), float(y), _MUZZLE) for x, y in ends], view, scale)
            draw.add_circle(muzzle, 11, shade(*color), 20, 3.0)
            for place in hit:
                draw.add_line(muzzle, place, shade(*color), 3.5)
                draw.add_line(muzzle, place, shade(1.0, 1.0, 1.0), 1.2)
                draw.add_circle_filled(place, 6, shade(*BAD))

    def _flags(self, draw: imgui.ImDrawList, view: Rectangle, scale: float) -> None:
        """Draw flags that are not at home where they are, in the colours of their players."""
        battle = self._battle
        owners = {row["flag"]: player for player, row in battle.players.items() if row["flag"]}
        for name, (*place, carrier) in battle.flags.items():
            if not battle.is_away(name) or (carrier and battle.is_hidden(carrier)):
                continue
            x, y = map(float, battle.places.get(carrier, place))
            foot, top = self._pixels([(x, y, 0.0), (x, y, _CARRIED if carrier else _POLE)], view, scale)
            draw.add_line(foot, top, shade(0.1, 0.1, 0.12), 2.5)
            tip = imgui.ImVec2(top.x + 20, top.y + 7)
            color = shade(*side_color(battle, owners.get(name, "")))
            draw.add_triangle_filled(top, tip, imgui.ImVec2(top.x, top.y + 14), color)
            draw.add_triangle(top, tip, imgui.ImVec2(top.x, top.y + 14), shade(0.1, 0.1, 0.12), 1.2)

    def _path(self, draw: imgui.ImDrawList, squad: str, view: Rectangle, scale: float) -> None:
        path, middle = self._battle.paths.get(squad), self._battle.middle(squad)
        if not path or middle is None:
            return
        places = self._pixels([(x, y, 0.02) for x, y in (tuple(middle.tolist()), *path)], view, scale)
        for begin, end in itertools.pairwise(places):
            draw.add_line(begin, end, shade(*ACCENT), 3.0)
        for place in places[1:]:
            draw.add_circle_filled(place, 4, shade(*ACCENT))


class SquadPanel:
    """Squads of this player with what they have left, and the buttons of commands.

    Args:
        control: Of the battlefield.
        hand: Drives robots by hand.
    """

    def __init__(self, control: BattleControl, hand: ManualDriving) -> None:
        self._control, self._hand = control, hand

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        battle = self._control.battle
        imgui.text_colored(imgui.ImVec4(*side_color(battle, battle.player), 1.0), battle.player or "only watching")
        imgui.same_line()
        imgui.text_disabled(battle.rules.replace("_", " "))
        for squad in battle.mine:
            self._squad(squad)
        imgui.separator()
        self._buttons()
        imgui.separator()
        squads = [squad for squad in battle.squads.values() if squad.player != battle.player]
        imgui.text_disabled("the others")
        for squad in squads:
            alive = sum(battle.fighters[name].health > 0.0 for name in squad.robots)
            color = imgui.ImVec4(*side_color(battle, squad.player), 1.0)
            imgui.text_colored(color, f"{squad.name}: {alive} of {len(squad.robots)} ({squad.player})")

    def _squad(self, squad: SquadFacts) -> None:
        battle = self._control.battle
        fighters = [battle.fighters[name] for name in squad.robots]
        alive = sum(fighter.health > 0.0 for fighter in fighters)
        label = f"{squad.name}   {alive} of {len(fighters)}"
        if imgui.selectable(f"{label}##squad.{squad.name}", squad.name in battle.selected)[0]:
            battle.choose(squad.robots[:1], add=imgui.get_io().key_ctrl)
        remember(f"squad.{squad.name}")
        full = sum(fighter.full for fighter in fighters)
        imgui.progress_bar(sum(fighter.health for fighter in fighters) / full if full else 0.0, imgui.ImVec2(-1, 8), "")
        flags = [fighter.holding for fighter in fighters if fighter.holding]
        power = f"{icons.ICON_FA_BOLT} {sum(fighter.power for fighter in fighters):.0f}"
        imgui.text_disabled(f"{power}   {icons.ICON_FA_FLAG} {', '.join(flags)}" if flags else power)

    def _buttons(self) -> None:
        control, battle = self._control, self._control.battle
        ready = bool(battle.selected) and not battle.held
        imgui.set_next_item_width(150)
        formation = choice("game.formation", "formation", battle.formation or "its own", ("its own", *FORMATIONS))
        battle.formation = "" if formation == "its own" else formation
        if button("game.attack", f"{icons.ICON_FA_CROSSHAIRS}  Attack!", strong=True, enabled=ready):
            control.attack()
        imgui.same_line()
        home = battle.home() if ready else []  # a death match has no bases
        if button("game.defend", f"{icons.ICON_FA_SHIELD}  Defend the base!", strong=True, enabled=bool(home)):
            control.order(home)
        named = battle.formation.replace("_", " ") or "formation"
        if button("game.gather", f"{icons.ICON_FA_PEOPLE_GROUP}  Gather in {named}", enabled=ready):
            control.order(battle.orders("gather"))
        imgui.same_line()
        if button("game.stop", f"{icons.ICON_FA_HAND}  Stop", enabled=ready):
            control.order(battle.orders("stop"))
        if button("game.split", f"{icons.ICON_FA_CODE_BRANCH}  Split", enabled=ready and bool(battle.halves())):
            control.order(battle.halves())
        imgui.same_line()
        if button("game.merge", f"{icons.ICON_FA_CODE_MERGE}  Merge", enabled=ready and bool(battle.joined())):
            control.order(battle.joined())
        self._single_robot(ready=ready)
        for player, row in battle.players.items():
            if player != battle.player and row["flag"]:
                if button(f"game.capture.{row['flag']}", f"{icons.ICON_FA_FLAG}  Capture {row['flag']}", enabled=ready):
                    control.order(battle.orders("capture", row["flag"]))
                imgui.same_line()
        imgui.new_line()
        imgui.push_text_wrap_pos(0.0)
        if battle.held:
            imgui.text_colored(written(WARN), battle.held)
        imgui.text_disabled(
            "A click or a band selects squads. The right button sends them: to the floor, a flag, an enemy. "
            "Dragging one of their robots draws their path."
        )
        imgui.pop_text_wrap_pos()

    def _single_robot(self, *, ready: bool) -> None:
        """Draw the buttons that are about one robot: others come to it, or its player drives it by hand."""
        control, robot = self._control, self._control.battle.chosen_robot
        if button("game.help", f"{icons.ICON_FA_LIFE_RING}  Help {robot}", enabled=ready and bool(robot)):
            control.order([f"{robot} help"])
        imgui.same_line()
        driven = self._hand.robot
        named = f"Give {driven} back" if driven else f"Drive {robot}"
        if button("game.hand", f"{icons.ICON_FA_GAMEPAD}  {named}", enabled=bool(driven) or (ready and bool(robot))):
            self._hand.switch(driven or robot)


def _is_over(box: Rectangle, other: Rectangle) -> bool:
    """Return whether two boxes, left, top, right, bottom, cover each other somewhere."""
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def side_color(battle: Battle, player: str) -> tuple[float, float, float]:
    """Return the colour of a player, the same in all presentations: that of its robots, light enough to be read."""
    own = battle.color_of(player)
    if own is not None:
        red, green, blue = (_LIGHT + (1.0 - _LIGHT) * shade for shade in own)
        return red, green, blue
    names = list(battle.players)
    return SERIES[names.index(player) % len(SERIES)] if player in names else (0.6, 0.6, 0.6)
