"""`coopsim scenes`."""

import json
from pathlib import Path

import click

from coopsim.app import talk


@click.command(short_help="List the built-in scenarios and worlds.")
@click.option("--json", "as_json", is_flag=True, help="Print names, files and texts as JSON.")
def scenes(as_json: bool) -> None:
    """List the built-in scenarios and worlds, each with what it shows.

    A scenario can be run by its name; `file NAME.world` in a scenario of your own takes a world.

    \b
    coopsim scenes
    coopsim run formation
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.app.table import listing
    from coopsim.robots.finding import SCENARIOS, WORLDS

    listed = {
        title: [(path, about(path)) for path in sorted(folder.glob(f"*{suffix}"))]
        for title, folder, suffix in (("scenarios", SCENARIOS, ".scenario"), ("worlds", WORLDS, ".world"))
    }
    if as_json:
        plain = {
            title: [{"name": path.stem, "file": str(path), "about": text} for path, text in files]
            for title, files in listed.items()
        }
        talk.data(json.dumps(plain))
        return
    parts = [f"{title}\n{listing((path.stem, text) for path, text in files)}" for title, files in listed.items()]
    talk.data("\n\n".join(parts))


def about(path: Path) -> str:
    """Return the caption of a scenario, or what the comment at the top of a file says."""
    from coopsim.robots.finding import WORLDS
    from coopsim.scene import read_scenario
    from coopsim.scene.told import scenario_facts

    if path.suffix == ".scenario" and (caption := scenario_facts(read_scenario(path, (WORLDS,))[0]).get("caption")):
        return str(caption)
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""
