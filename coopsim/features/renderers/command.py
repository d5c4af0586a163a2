"""`coopsim renderers`."""

from dataclasses import asdict, dataclass

import click

from coopsim.app import talk
from coopsim.app.options import plugin_option
from coopsim.errors import CannotDraw, PluginError


@dataclass(frozen=True, slots=True)
class RendererFacts:
    """Facts of a renderer.

    Attributes:
        draws: Its abilities.
        problem: Why it cannot be used here, "" = it can.
    """

    name: str
    is_chosen: bool
    draws: tuple[str, ...]
    problem: str = ""


@click.command(short_help="List what can draw, or check that it draws as it should.")
@plugin_option
@click.argument("name", required=False, default="")
@click.option("--check", "is_checked", is_flag=True, help="Draw scenes whose pixels are known, and say what is wrong.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def renderers(name: str, *, is_checked: bool, as_json: bool) -> int:
    """List the renderers that are installed, or the one called NAME, with what each draws and why it may not work here.

    With --check each is held to the contract by the pixels of known scenes; exit code 1 says that one breaks it.

    \b
    coopsim renderers
    coopsim renderers mujoco --check
    coopsim renderers mine --plugin mine.py --check
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.features.desktop.rendering import check_name, renderer_names

    names = [check_name(name)] if name else renderer_names()
    if is_checked:
        return _check(names, as_json=as_json)
    facts = [_facts(renderer) for renderer in names]
    talk.answer(_table(facts), {"renderers": [asdict(fact) for fact in facts]} if as_json else None)
    return 0


def _facts(name: str) -> RendererFacts:
    from coopsim.features.desktop.rendering import chosen_name, open_renderer
    from coopsim.features.desktop.rendering.choosing import renderer_class

    problem, abilities = "", frozenset[str]()
    try:
        abilities = renderer_class(name).abilities
        open_renderer(name, talk.note).close()
    except (CannotDraw, PluginError) as trouble:
        problem = str(trouble)
    return RendererFacts(name, name == chosen_name(), ("colors", *sorted(abilities)), problem)


def _table(facts: list[RendererFacts]) -> str:
    from coopsim.app.table import table

    rows = [("*" if fact.is_chosen else "", fact.name, fact.problem or ", ".join(fact.draws)) for fact in facts]
    return table(("", "renderer", "draws"), rows)


def _check(names: list[str], *, as_json: bool) -> int:
    from coopsim.features.renderers.checks import check_renderer

    results: dict[str, list[dict[str, str]]] = {}
    lines, has_failed = [], False
    for name in names:
        try:
            report = check_renderer(name)
            lines.append(str(report))
            results[name] = [finding._asdict() for finding in report.findings]
        except (CannotDraw, PluginError) as problem:
            lines.append(str(problem))
            results[name] = [{"result": "failed", "numbers": str(problem), "name": ""}]
            has_failed = True
    talk.answer("\n".join(lines), {"checks": results} if as_json else None)
    return int(has_failed)
