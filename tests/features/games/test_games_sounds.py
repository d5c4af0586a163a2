"""Sounds of a match: what is played when, and how it sounds."""

import numpy as np
import pytest

from coopsim.features.games.window.sound import EFFECTS, RATE, tone, tune

NOTE = round(0.3 * RATE)
KEY = 220.0


def pitch(samples: np.ndarray) -> float:
    """Return the frequency that is loudest [Hz]."""
    spectrum = np.abs(np.fft.rfft(samples, 8 * len(samples)))
    return float(np.fft.rfftfreq(8 * len(samples), 1.0 / RATE)[np.argmax(spectrum)])


@pytest.mark.parametrize("frequency", [220.0, 440.0, 880.0])
def test_a_tone_has_its_frequency_and_fades_away(frequency: float) -> None:
    samples = tone(frequency, 0.5)
    assert len(samples) == round(0.5 * RATE)
    assert pitch(samples) == pytest.approx(frequency, rel=0.02)
    assert np.abs(samples[-100:]).max() < 0.05 < np.abs(samples[:2000]).max() <= 1.0


def test_the_music_begins_with_a_chord_of_a_minor_key_and_its_octave() -> None:
    notes = tune().reshape(-1, NOTE)
    heights = [12.0 * np.log2(pitch(note) / KEY) for note in notes[:4]]
    assert np.round(heights).tolist() == [0.0, 3.0, 7.0, 12.0]


def test_no_sound_is_louder_than_a_speaker_plays() -> None:
    for samples in (tune(), *EFFECTS.values()):
        assert 0.1 < np.abs(samples).max() <= 1.0
