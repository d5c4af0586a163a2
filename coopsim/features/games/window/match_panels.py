"""The presentations of what is said in a match, and of its set-up."""

from collections.abc import Callable

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.ui.style import BAD, GOOD, WARN, written
from coopsim.features.desktop.ui.widgets import button, choice, remember
from coopsim.features.games.sections.game_spec import FORMATIONS
from coopsim.features.games.window.battle_control import BattleControl
from coopsim.features.games.window.setting_up import MIXED, SetupControl, SquadChoice
from coopsim.features.games.window.sound import SoundControl
from coopsim.features.games.window.talk import ChatControl, Talk

_WATCHER = "only watch"
"""Stands for nobody in the list of players."""
_KINDS = ("game_scout", "game_infantry", "game_amphibian", "game_tank")


class ChatPanel:
    """The chat.

    Args:
        control: Its control.
    """

    def __init__(self, control: ChatControl) -> None:
        self._control, self._typed = control, ""

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        imgui.set_next_item_width(-1)
        flags = imgui.InputTextFlags_.enter_returns_true
        is_sent, self._typed = imgui.input_text_with_hint("##say", "say something", self._typed, flags)
        remember("game.say")
        if is_sent:
            self._control.say(self._typed)
            self._typed = ""
        _lines(self._control.talk)


class MonitorPanel:
    """Panel of the events of a match, and of what was refused.

    Args:
        talk: The abstraction.
    """

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        _lines(self._talk)


class SetupPanel:
    """Panel of players, sounds, and the budget of the next match's squads.

    Args:
        control: Of the set-up.
        battle: Of the battlefield.
        sound: Of the sounds.
        begin: Begins the next match.
    """

    def __init__(
        self, control: SetupControl, battle: BattleControl, sound: SoundControl, begin: Callable[[], None]
    ) -> None:
        self._control, self._battle, self._sound, self._begin = control, battle, sound, begin

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        battle, setup = self._battle.battle, self._control.setup
        imgui.set_next_item_width(-70)
        chosen = choice("game.player", "player", battle.player or _WATCHER, (*battle.players, _WATCHER))
        player = "" if chosen == _WATCHER else chosen
        if player != battle.player:
            self._control.play(player)
        sounds = self._sound.sounds
        _, sounds.effects = imgui.checkbox("effects", sounds.effects)
        imgui.same_line()
        changed, music = imgui.checkbox("music", sounds.music)
        if changed:
            self._sound.want_music(wanted=music)
        if setup.is_lobby:
            if button("game.ready", f"{icons.ICON_FA_CHECK}  Ready", strong=True, enabled=bool(player)):
                self._control.ready()
            imgui.push_text_wrap_pos(0.0)
            imgui.text_colored(written(WARN), battle.lobby)
            imgui.pop_text_wrap_pos()
        imgui.separator_text("the next match")
        for squad in setup.squads.values():
            if squad.player == player:
                self._squad(squad)
        color = GOOD if setup.is_within(player) else BAD
        imgui.text_colored(imgui.ImVec4(*color, 1.0), f"{setup.spent(player):g} of {setup.budget:g} spent")
        if button("game.begin", f"{icons.ICON_FA_PLAY}  Begin", strong=True, enabled=setup.is_within(player)):
            self._begin()

    @staticmethod
    def _squad(squad: SquadChoice) -> None:
        imgui.push_id(squad.name)
        imgui.text(f"squad {squad.name}: {len(squad.robots)} robots, {squad.cost:g}")
        imgui.set_next_item_width(-70)
        squad.kind = choice(f"game.kind.{squad.name}", "type", squad.kind, (*_KINDS, MIXED))
        imgui.set_next_item_width(-70)
        squad.formation = choice(f"game.shape.{squad.name}", "form", squad.formation, FORMATIONS)
        imgui.set_next_item_width(-70)
        _, squad.health = imgui.slider_float("health", squad.health, 1.0, 300.0, "%.0f")
        imgui.set_next_item_width(-70)
        _, squad.power = imgui.slider_float("power", squad.power, 0.0, 200.0, "%.0f")
        squad.health, squad.power = float(round(squad.health)), float(round(squad.power))
        imgui.pop_id()


def _lines(talk: Talk) -> None:
    """Draw lines, the newest above."""
    imgui.begin_child("lines")
    for line in reversed(talk.lines):
        text = f"{line.time:6.1f}  {line.text}"
        if line.is_refusal:
            imgui.text_colored(written(BAD), text)
        else:
            imgui.text_wrapped(text)
    imgui.end_child()
