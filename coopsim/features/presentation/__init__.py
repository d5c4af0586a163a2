"""Presentation of a scene: the section `[VIEW]`, which says what it is called, and how it is shown."""

from coopsim.features.presentation.family import PRESENTATION, PresentationSection, presentation_of
from coopsim.features.presentation.spec import Presentation

__all__ = ["PRESENTATION", "Presentation", "PresentationSection", "presentation_of"]
