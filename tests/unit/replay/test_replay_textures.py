"""What is on things stands in recordings, as it was at each instant."""

from pathlib import Path

from offline_scenes import make_spec, started

from coopsim.features.proof.verify import verify
from coopsim.recording import Recording
from coopsim.replay.run_json import spec_of
from coopsim.state.edits import Insert, Update

BOX = "[OBJECT_1]\ntype box\nname box\nsize 1 1 1\nposition 0 -3 0\ntexture bricks\n"


def test_textures_stand_in_recordings_as_they_were_put_on(tmp_path: Path) -> None:
    """C-84: textures."""
    path = tmp_path / "a.mcap"
    with started(path, make_spec()) as run:
        run.tick(3)
        run.edit(Insert(BOX))
        run.tick(3)
        run.edit(Update("box", "texture dots"))
        run.edit(Update("crate", "texture wood"))
        run.tick(3)
        run.edit(Update("box", "texture none"))
        run.tick(3)
    with Recording.open(path) as recording:
        textures = [
            {row.name: row.visuals[0].texture for row in recording.layout(generation).entities if row.kind == "object"}
            for generation in recording.generations
        ]
        assert verify(recording, spec_of(recording)).identical
    assert {"crate": "", "box": "bricks"} in [
        {name: names[name] for name in ("crate", "box") if name in names} for names in textures
    ]
    assert textures[-1]["box"] == ""
    assert textures[-1]["crate"] == "wood"
    assert "dots" in [names.get("box") for names in textures]
