"""`coopsim components`."""

import json
import time
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import completing, talk
from coopsim.app.groups import Suggesting
from coopsim.app.options import DURATION, Seconds, plugin_option
from coopsim.app.saving import check_place, check_suffix, save
from coopsim.app.table import fitted
from coopsim.features.amsa.commands.component_figures import chosen_measures, picture, report

if TYPE_CHECKING:
    from collections.abc import Callable

    from coopsim.features.amsa.components import LeafKind, System
    from coopsim.features.amsa.components.parsing import ModelText

_OUT = click.Path(dir_okay=False, path_type=Path)


@click.group(cls=Suggesting, short_help="Run, check, draw and format systems of components.")
def components() -> None:
    """Run, check, draw and format control loops that are written as systems of components.

    SYSTEM is a file .amsa, or the name of a built-in one: challenge.

    \b
    coopsim components run challenge --scenario scenario2 --plot distance.svg
    coopsim components draw challenge -o challenge.svg
    """  # noqa: D301 - click's mark for lines it must not wrap


@components.command(short_help="Run a system, through a scenario.")
@plugin_option
@click.argument("system", shell_complete=completing.files)
@click.option("--scenario", metavar="NAME", help="A file .amsascenario, or the name of a built-in one.")
@click.option("--duration", type=DURATION, help="When it ends [the last phase is as long as the one before].")
@click.option("--set", "settings", multiple=True, metavar="LEAF.NAME=VALUE", help="Set a parameter at the start.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Of the random numbers of all leaves.")
@click.option(
    "--settle", type=Seconds(0.0, 1e9), default=20.0, help="What of each phase's beginning does not count [20]."
)
@click.option("--cost", is_flag=True, help="Measure what the steps of each leaf cost; that costs speed itself.")
@click.option("--realtime", is_flag=True, help="Keep real time, and measure how late each leaf steps.")
@click.option("--plot", type=_OUT, metavar="OUT", help="Draw the evaluated data over time into an SVG file.")
@click.option(
    "--series", type=_OUT, metavar="OUT", help="Write all data over time into a .csv, .jsonl or .parquet file."
)
@click.option("--best", multiple=True, metavar="FIGURE", help="Tell the phase that is best by it [the system's].")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON in the end.")
def run(system: str, scenario: str | None, plot: Path | None, as_json: bool, **choices: Any) -> int:
    """Run the system SYSTEM as fast as it goes, and say what became of each phase of the scenario.

    For the data that the system evaluates, each phase has the largest and the last value, the largest error, and the
    root of the mean squared error over time. It also has the overshoot and the settling time. Exit code 1 when a leaf
    was switched off.

    \b
    coopsim components run challenge --scenario scenario1
    coopsim components run challenge --set MyFollowerController.Kv=0.1 \\
        --duration 60
    coopsim components run challenge --scenario scenario2 --series scenario2.csv
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.features.amsa.commands.data_series import DataSeries
    from coopsim.features.amsa.components import System, load_scenario, load_system
    from coopsim.features.amsa.components.scenario import steps_of
    from coopsim.features.amsa.components.trial import play, usual_duration

    if plot is not None:
        check_suffix(plot, "--plot", ".svg")
        check_place(plot, "--plot")
    series = DataSeries(choices["series"])
    model = load_system(system)
    steps = steps_of(load_scenario(scenario), model) if scenario else ()
    measures = chosen_measures(model, choices["best"])
    instance = System(model, seed=choices["seed"], clock=_clock(choices))
    for setting in choices["settings"]:
        instance.set_parameter(*_setting(setting))
    instance.initialize()
    duration = Fraction(choices["duration"]) if choices["duration"] else usual_duration(steps)
    begun = time.perf_counter()
    results = play(instance, steps, duration, _Pace(instance) if choices["realtime"] else None, series.of(instance))
    factor = float(duration) / max(1e-9, time.perf_counter() - begun)
    words, whole = report(instance, results, factor, choices["settle"], measures)
    talk.answer(words, whole if as_json else None)
    series.save()
    if plot is not None:
        save(plot, picture(instance, results, scenario or "no scenario"))
        talk.note(f"drawn: {plot}")
    return 1 if instance.faults else 0


def _setting(text: str) -> tuple[str, str, Any]:
    name, equals, value = text.partition("=")
    leaf, dot, parameter = name.partition(".")
    if not equals or not dot:
        raise click.UsageError(f"--set {text}: expected LEAF.NAME=VALUE, as MyFollowerController.Kv=0.1")
    try:
        return leaf, parameter, json.loads(value)
    except ValueError:
        return leaf, parameter, value


def _clock(choices: dict[str, Any]) -> "Callable[[], int] | None":
    return time.perf_counter_ns if choices["realtime"] or choices["cost"] else None


class _Pace:
    """Waits until steps are due in real time."""

    def __init__(self, system: "System") -> None:
        self._system, self._begun = system, time.perf_counter_ns()

    def __call__(self, due: Fraction) -> None:
        moment = self._begun + int(due * 1_000_000_000)
        self._system.was_due(moment)
        # real time is a promise of --realtime alone: systems themselves know no clock
        time.sleep(max(0.0, (moment - time.perf_counter_ns()) / 1e9))


@components.command(short_help="Print the mistakes in model files.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=completing.files)
def check(files: tuple[str, ...]) -> int:
    """Print every mistake in files of templates, systems and scenarios; exit code 1 if there is one.

    Of a system the order of execution is printed, too. Scenarios are checked against the systems that are given with
    them: their names, values and times.

    \b
    coopsim components check challenge scenario2.amsascenario
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.features.amsa.components import execution_order
    from coopsim.features.amsa.components.files import check_content, mistakes

    mistake_count, documents = 0, {}
    for file in files:
        path = _file(file)
        documents[file], problems = mistakes(path)
        check_content(documents[file], path, problems)
        mistake_count += problems.total
        for line in problems:
            talk.data(str(line))
        if not problems.total:
            talk.note(f"{file}: ok")
            for system in documents[file].systems.values():
                talk.note(fitted(f"order of {system.name}: {' '.join(leaf.name for leaf in execution_order(system))}"))
    if not mistake_count:
        mistake_count = _check_together(documents.values())
    return 1 if mistake_count else 0


def _file(name: str) -> Path:
    """Return the path of a file, or of a built-in system, scenario or templates by their bare names."""
    from coopsim.features.amsa.components.files import BUILT_IN, SCENARIO, SYSTEM, TEMPLATES, find

    suffixes = [suffix for suffix in (SYSTEM, SCENARIO, TEMPLATES) if (BUILT_IN / f"{name}{suffix}").is_file()]
    return find(name, suffixes[0] if suffixes else SYSTEM)


def _check_together(documents: "Iterable[ModelText]") -> int:
    """Print the mistakes of scenarios in the systems that were given with them; return their number."""
    from coopsim.features.amsa.components.scenario import fitted_steps
    from coopsim.scene import Problems

    models = list(documents)
    problems = Problems()
    for system in (parsed for document in models for parsed in document.systems.values()):
        for scenario in (plan for document in models for plan in document.scenarios.values()):
            before = problems.total
            fitted_steps(scenario, system, problems)
            if problems.total == before:
                talk.note(f"scenario {scenario.name} fits system {system.name}")
    for line in problems:
        talk.data(str(line))
    return problems.total


@components.command(short_help="Draw a system as a graph.")
@click.argument("system", shell_complete=completing.files)
@click.option("-o", "--out", type=_OUT, required=True, metavar="OUT", help="The SVG file to draw into.")
def draw(system: str, out: Path) -> None:
    """Draw the system SYSTEM into the SVG file OUT.

    Kinds are told by colour; numbers are the order of execution; data that go against it are dashed.
    """
    from coopsim.features.amsa.component_graph import component_graph
    from coopsim.features.amsa.components import load_system

    check_suffix(out, "OUT", ".svg")
    save(out, component_graph(load_system(system)))
    talk.note(f"drawn: {out}")


@components.command(name="format", short_help="Write model files in the usual layout.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, path_type=Path))
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit code 1 if a file would change.")
def format_(files: tuple[Path, ...], only_check: bool) -> int:
    """Write files of templates, systems and scenarios in the usual layout; what they say stays."""
    from coopsim.features.amsa.components.files import mistakes
    from coopsim.features.amsa.components.formatting import formatted

    changed = 0
    for file in files:
        _, problems = mistakes(file)
        problems.raise_any()
        text = file.read_text(encoding="utf-8")
        if formatted(text) != text:
            changed += 1
            talk.data(f"{'would change' if only_check else 'changed'}: {file}")
            if not only_check:
                save(file, formatted(text))
    return 1 if changed and only_check else 0


@components.command(name="import", short_help="Read a model of AMSA's own editor.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=_OUT, required=True, metavar="OUT", help="The file .amsa to write.")
@click.option("--kind", "kinds", multiple=True, metavar="NAME=KIND", help="Kind of a leaf, or of a template's.")
def import_(file: Path, out: Path, kinds: tuple[str, ...]) -> int:
    """Write the model FILE, an `.amsacore` of AMSA's editor, as a file .amsa.

    Such files do not say what kind a leaf is: --kind says it for each, by its name or by that of its template. What
    else is missing is named. The templates are read from the files that the model names. Where the data run in a
    circle, an order is written: sense, decide, act. Exit code 1 while mistakes are left.

    \b
    coopsim components import rovers.amsacore -o rovers.amsa \\
        --kind GPS=sensor --kind Rover=controlled
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.features.amsa.components.files import mistakes
    from coopsim.features.amsa.components.xmi import import_xmi, with_order

    check_suffix(out, "OUT", ".amsa")
    model = import_xmi(file, dict(map(_kind, kinds)), out.parent)
    ordered = with_order(model.text, out)
    if ordered is not None:
        talk.note(f"{file}: the data run in a circle; an order is written: sense, decide, act")
    save(out, ordered or model.text)
    for note in model.notes:
        talk.note(f"{file}: {note}")
    _, problems = mistakes(out)
    for problem in problems:
        talk.note(str(problem))
    left = f", in which {problems.total} mistake{'s are' if problems.total > 1 else ' is'} left"
    talk.data(f"wrote {out}{left if problems.total else ''}")
    return 1 if problems.total else 0


def _kind(text: str) -> "tuple[str, LeafKind]":
    from coopsim.features.amsa.components import LeafKind
    from coopsim.suggest import did_you_mean

    name, _, kind = text.partition("=")
    kinds = {kind_of_leaf.value: kind_of_leaf for kind_of_leaf in LeafKind}
    if kind not in kinds:
        near = did_you_mean(kind, kinds)
        raise click.UsageError(f"--kind {text}: expected NAME=KIND, one of {', '.join(kinds)}{near}")
    return name, kinds[kind]
