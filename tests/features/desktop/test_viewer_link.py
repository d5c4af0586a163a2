"""What follows a run for a window: the scene that is shown is that of the newest layout, asked for once."""

from types import SimpleNamespace

from viewer_live import live

from coopsim.client.scene import SceneView


def test_the_scene_is_asked_for_once_as_long_as_its_generation_stays_the_same() -> None:
    with live("single") as (_, link):
        link.close()
    asked: list[int] = []

    def show(generation: int) -> None:
        """Let a state of a generation come in."""

        def scene() -> SceneView:
            asked.append(generation)
            return SceneView(generation, 0, ())

        link._described = generation  # sensors and types are known
        simulation, state = SimpleNamespace(scene=scene), SimpleNamespace(raw=SimpleNamespace(generation=generation))
        link._receive_state(simulation, state)  # type: ignore[arg-type]

    link.scene = None
    for generation in (7, 7, 8, 8, 8, 9):
        show(generation)
    assert asked == [7, 8, 9]
