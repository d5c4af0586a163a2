"""The `[VIEW]` section: what a scene is called, and from where it is looked at to begin with."""

from collections.abc import Sequence

from coopsim.features.presentation.spec import Presentation
from coopsim.scene import values
from coopsim.scene.keys import Keys, SectionKey, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.problems import Problems
from coopsim.scene.values import Flaw
from coopsim.suggest import hint, quoted

VIEWS = ("iso", "top", "front", "side")
"""Directions from which all of a scene is seen."""
FOLLOW = "follow"
_LONGEST = 200  # letters of a title
_FORMS = "iso, top, front, side, `follow NAME`, or six numbers: x y z of the eye, and of what it looks at [m]"


def _caption(words: Sequence[str]) -> str | Flaw:
    text = " ".join(words)
    return text if len(text) <= _LONGEST else Flaw(f"takes at most {_LONGEST} letters, got {len(text)}")


def _camera(words: Sequence[str]) -> str | Flaw:
    """Read a camera, in the words that `coopsim screenshot --camera` takes."""
    if len(words) == 6:
        read = [values.to_number(word) for word in words]
        flaw = next((numbered for numbered in enumerate(read) if isinstance(numbered[1], Flaw)), None)
        if flaw is not None and isinstance(flaw[1], Flaw):
            return Flaw(flaw[1].text, flaw[0])
        if read[:3] == read[3:]:
            return Flaw("is where it looks at; the eye must be somewhere else")
        return ",".join(words)
    if len(words) == 2 and words[0].lower() == FOLLOW:
        return words[1]
    if len(words) == 1 and words[0].lower() in VIEWS:
        return words[0].lower()
    near = hint(words[0].lower(), [*VIEWS, FOLLOW]) if len(words) <= 2 else ""
    return Flaw(f"takes {_FORMS}; got {quoted(' '.join(words))}{near}")


def _renderer(words: Sequence[str]) -> str | Flaw:
    """Read the name of a renderer; whether there is such a one is checked with the scene."""
    return words[0] if len(words) == 1 else Flaw(f"takes one name, got {quoted(' '.join(words))}")


VIEW_KEYS: Keys = {
    "caption": SectionKey(_caption),
    "camera": SectionKey(_camera),
    "renderer": SectionKey(_renderer),
}


def read_presentation(sections: Sequence[Section], problems: Problems) -> Presentation:
    """Return how a scenario is shown; of several sections the first counts."""
    presentations = [
        Presentation(**read_keys(section, VIEW_KEYS, problems), entries=section.entries()) for section in sections
    ]
    return presentations[0] if presentations else Presentation()
