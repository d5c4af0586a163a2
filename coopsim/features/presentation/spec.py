"""Contents of a `[VIEW]` section, as data."""

from dataclasses import dataclass, field

from coopsim.scene.spans import Entry


@dataclass(frozen=True, slots=True)
class Presentation:
    """The `[VIEW]` section: how a scene is shown. It does not change the run.

    Attributes:
        caption: What happens in it, "" = nothing is said.
        camera: A view, what is followed, or x,y,z,x,y,z: the eye and what it looks at [m]; "" = nothing is said.
        renderer: Name of what draws, "" = nothing is said.
        entries: All of its lines as written.
    """

    caption: str = ""
    camera: str = ""
    renderer: str = ""
    entries: tuple[Entry, ...] = field(default=(), compare=False)

    @property
    def facts(self) -> dict[str, str]:
        """Facts that the section states, by name."""
        said = {"caption": self.caption, "camera": self.camera, "renderer": self.renderer}
        return {name: words for name, words in said.items() if words}
