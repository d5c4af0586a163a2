"""Sounds of a match: effects and a tune, synthesised here; silent where the machine has no audio."""

import io
import wave
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from coopsim.features.games.window.pac import Happening, PacControl
from coopsim.geometry import Floats

RATE = 22_050
"""Samples in a second."""
_LOUD = 0.35  # of full scale; several sounds at once must not clip
_TUNE = (0, 3, 7, 12, 10, 7, 3, 5, 0, -5, 0, 3, 5, 3, 0, -2)
"""Half tones above the key note, one after the other."""
_WORDS = {
    ": order: ": "order",
    ": out: ": "out",
    ": picked up: ": "flag",
    ": dropped: ": "drop",
    ": illegal": "refused",
}
"""Words of a line of the log, and the effect that goes with it."""

Player: TypeAlias = Callable[[bytes, bool], object]
"""Plays the bytes of a WAV file, again and again where asked; returns what can be paused."""


def tone(frequency: float, seconds: float, *, to: float | None = None, noise: float = 0.0) -> Floats:
    """Return a tone that fades away, shape (n,).

    Args:
        frequency: At its begin [Hz].
        seconds: How long it is.
        to: Frequency at its end [Hz]; None = the same.
        noise: Share of noise in it.
    """
    times = np.arange(round(RATE * seconds)) / RATE
    pitch = np.linspace(frequency, frequency if to is None else to, len(times))
    clear = np.sin(2.0 * np.pi * np.cumsum(pitch) / RATE)
    rough = np.random.default_rng(7).uniform(-1.0, 1.0, len(times))
    fading = np.minimum(1.0, 400.0 * times) * np.exp(-4.0 * times / seconds)
    samples: Floats = ((1.0 - noise) * clear + noise * rough) * fading
    return samples


def tune() -> Floats:
    """Return the music, shape (n,)."""
    notes = [0.4 * tone(220.0 * 2.0 ** (step / 12.0), 0.3) for step in _TUNE]
    return np.concatenate(notes)


EFFECTS: dict[str, Floats] = {
    "order": np.concatenate((tone(520.0, 0.08), tone(780.0, 0.12))),
    "out": tone(160.0, 0.5, to=50.0, noise=0.6),
    "flag": np.concatenate([tone(pitch, 0.12) for pitch in (523.0, 659.0, 784.0)]),
    "drop": tone(500.0, 0.25, to=250.0),
    "refused": tone(140.0, 0.2),
    "hit": tone(300.0, 0.12, to=120.0, noise=0.8),
    "chat": tone(880.0, 0.08),
    "end": np.concatenate([tone(pitch, 0.2) for pitch in (392.0, 523.0, 659.0, 784.0)]),
}


def wave_file(samples: Floats) -> bytes:
    """Return samples as the bytes of a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(np.clip(_LOUD * 32_767 * samples, -32_767, 32_767).astype("<i2").tobytes())
    return file.getvalue()


def play(sound: bytes, again: bool) -> object:
    """Play the bytes of a WAV file by pyglet; nothing where there is no audio."""
    from pyglet import media
    from pyglet.media.exceptions import MediaException

    try:
        player: Any = media.Player()
        player.queue(media.load("sound.wav", file=io.BytesIO(sound), streaming=False))
        player.loop = again
        player.play()
    except (MediaException, ImportError, OSError, RuntimeError, ValueError):  # without audio a match goes on
        return None
    return player


@dataclass
class Sounds:
    """The abstraction: what is to be heard.

    Attributes:
        effects: Whether effects are wanted.
        music: Whether the tune is wanted.
    """

    effects: bool = True
    music: bool = False

    @staticmethod
    def effect_of(happening: Happening) -> str:
        """Return the effect that goes with what happens, "" = none."""
        if happening.topic == "log":
            return next((name for words, name in _WORDS.items() if words in happening.text), "")
        return {"chat": "chat", "end": "end"}.get(happening.topic, "")


class Speaker:
    """The presentation: lets effects and the tune sound.

    Args:
        player: Plays the bytes of a WAV file.
    """

    def __init__(self, player: Player = play) -> None:
        self._player, self._kept = player, dict[str, bytes]()
        self._tune: Any = None

    def sound(self, name: str) -> None:
        """Let an effect sound."""
        if name not in self._kept:
            self._kept[name] = wave_file(EFFECTS[name])
        self._player(self._kept[name], False)

    def music(self, *, wanted: bool) -> None:
        """Begin the tune, or end it."""
        if wanted and self._tune is None:
            self._tune = self._player(wave_file(tune()), True)
        elif not wanted and self._tune is not None:
            self._tune.pause()
            self._tune = None


class SoundControl(PacControl):
    """The control: what happens becomes what is heard."""

    def __init__(self, sounds: Sounds, speaker: Speaker) -> None:
        super().__init__(self._hear)
        self.sounds, self._speaker = sounds, speaker
        self._health: dict[str, float] = {}

    def want_music(self, *, wanted: bool) -> None:
        """Switch the tune."""
        self.sounds.music = wanted
        self._speaker.music(wanted=wanted)

    def _hear(self, happening: Happening) -> None:
        name = self.sounds.effect_of(happening)
        if happening.topic == "status":
            name = "hit" if self._has_hit(happening) else ""
        if name and self.sounds.effects:
            self._speaker.sound(name)

    def _has_hit(self, happening: Happening) -> bool:
        """Return whether some robot lost health since the last time."""
        now = {str(row[0]): float(row[1]) for row in (happening.facts or {}).get("robots", ())}
        is_hit = any(health < self._health.get(name, 0.0) for name, health in now.items())
        self._health |= now
        return is_hit
