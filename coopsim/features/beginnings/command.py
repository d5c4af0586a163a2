"""`coopsim new`."""

import importlib.util
import keyword
import re
import sys
from pathlib import Path
from string import Template

import click

from coopsim.app import talk
from coopsim.app.saving import cannot_write
from coopsim.features.presentation.packaged import packaged_text
from coopsim.interpreter import install_command

TEMPLATES = Path(__file__).parents[2] / "templates"
KINDS = {
    "robot": ("robot.robot", "robot.scenario"),
    "controller": ("controller.py", "controller.scenario"),
    "sensor": ("sensor.py", "sensor.robot", "sensor.scenario"),
    "program": ("program.py", "program.robot", "program.scenario"),
    "metric": ("metric.py", "metric.scenario"),
    "behaviour": ("behaviour.py", "behaviour.scenario"),
    "component": ("component.py", "component.amsatemplate", "component.amsa"),
}
DRIVERS: dict[str, tuple[dict[str, str], str]] = {
    "python": ({"python/device.py": ".py", "python/coopsim_driver.py": ""}, "python $name.py"),
    "c": (
        {"c/device.c": ".c", "c/coopsim_driver.c": "", "c/coopsim_driver.h": ""},
        "cc -std=c11 -O2 -Wall -Wextra -Werror -pthread -o $name $name.c coopsim_driver.c && ./$name",
    ),
    "cpp": (
        {"cpp/device.cpp": ".cpp", "cpp/coopsim_driver.hpp": "", "c/coopsim_driver.c": "", "c/coopsim_driver.h": ""},
        "cc -std=c11 -O2 -Wall -Wextra -Werror -c coopsim_driver.c"
        " && c++ -std=c++17 -O2 -Wall -Wextra -Werror -pthread -o $name $name.cpp coopsim_driver.o && ./$name",
    ),
    "go": (
        {"go/device.go": ".go", "go/coopsim_driver.go": ""},
        "go build -o $name $name.go coopsim_driver.go && ./$name",
    ),
    "rust": (
        {"rust/device.rs": ".rs", "rust/coopsim_driver.rs": ""},
        "rustc -D warnings -O --edition 2021 -o $name $name.rs && ./$name",
    ),
}
"""Of each language: the templates of a driver, with the end of the file that has its name; what builds and runs it."""
PACKAGES = {
    "renderer": {
        "pyproject.toml": "pyproject.toml",
        "renderer.py": "$name.py",
        "test_renderer.py": "test_$name.py",
    }
}
"""Of each kind that is a package in a folder of its own: the templates, and what their files are called."""
_CARRIED = ("devices", "robots")
_GROUPS: dict[str, tuple[str, ...]] = {
    "robot": ("robots",),
    "controller": ("controllers",),
    "sensor": _CARRIED,
    "program": _CARRIED,
    "metric": ("metrics",),
    "behaviour": ("behaviours",),
    "renderer": ("renderers",),
    "component": ("components",),
}
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@click.command(
    short_help="Write a robot, controller, sensor, program, metric, behaviour, component, renderer or driver."
)
@click.argument("kind", type=click.Choice([*KINDS, *PACKAGES, "driver"]))
@click.argument("words", nargs=-1, required=True, metavar="[LANGUAGE] NAME")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default=".",
    metavar="DIR",
    help="Where it is written; a missing folder is made.",
)
@click.option("--arrays", is_flag=True, help="A sensor on arrays, for many robots at once.")
def new(kind: str, words: tuple[str, ...], into: Path, arrays: bool) -> int:
    """Write files of something called NAME, that run at once.

    A driver is the server of a real device, in LANGUAGE: python, c, cpp, go or rust. A renderer is a package in a
    folder NAME, with an entry point and a test. Files that are there are never
    overwritten.
    """
    if arrays and kind != "sensor":
        raise click.UsageError("--arrays belongs to a sensor")
    language, name = _language_and_name(kind, words)
    _check_name(kind, name)
    files = _driver_files(language, name, into) if language else _files(kind, name, into)
    files = {file: template for file, template in files.items() if not _is_shared(file, template)}
    # all before the first is written: half a robot is worse than none
    existing = [str(file) for file in files if file.exists()]
    if existing:
        talk.complain(f"{', '.join(existing)}: there already, and not overwritten; nothing was written")
        return 1
    _write({file: _text(template, name, arrays=arrays) for file, template in files.items()}, into)
    for file in files:
        talk.data(f"wrote {file}")
    talk.data(f"run it: {_begin_driver(language, name, into) if language else _begin(kind, into / name)}")
    return 0


def _language_and_name(kind: str, words: tuple[str, ...]) -> tuple[str, str]:
    if kind != "driver":
        if len(words) > 1:
            raise click.UsageError(f"a {kind} takes a name alone, got {' '.join(words)}")
        return "", words[0]
    if len(words) != 2 or words[0] not in DRIVERS:
        raise click.UsageError(f"a driver takes a language and a name: coopsim new driver {'|'.join(DRIVERS)} NAME")
    if words[1] in {"sim", "coopsim_driver"}:
        raise click.UsageError(
            f"{words[1]!r} is taken: /sim is the simulation, coopsim_driver the other file of a driver"
        )
    return words[0], words[1]


def _files(kind: str, name: str, into: Path) -> dict[Path, str]:
    if kind in PACKAGES:
        named = {Template(file).substitute(name=name): f"{kind}/{text}" for text, file in PACKAGES[kind].items()}
        return {into / name / file: template for file, template in named.items()}
    return {into / f"{name}.{template.partition('.')[2]}": template for template in KINDS[kind]}


def _driver_files(language: str, name: str, into: Path) -> dict[Path, str]:
    templates, _ = DRIVERS[language]
    names = {template: f"{name}{end}" if end else Path(template).name for template, end in templates.items()}
    return {into / file: f"driver/{template}" for template, file in names.items()}


def _is_shared(file: Path, template: str) -> bool:
    """Return whether the file is there already, as another driver in this folder has it."""
    # drivers in one folder share it, and must not be refused for that
    if file.stem != "coopsim_driver" or not file.exists():
        return False
    return file.read_text(encoding="utf-8", errors="replace") == _text(template, "", arrays=False)


def _begin_driver(language: str, name: str, into: Path) -> str:
    command = Template(DRIVERS[language][1]).substitute(name=name)
    return command if into == Path() else f"cd {into} && {command}"


def _check_name(kind: str, name: str) -> None:
    from coopsim import plugins
    from coopsim.robots import built_in_names

    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise click.UsageError(f"{name!r} cannot be a name: small letters, digits and _, beginning with a letter")
    if _is_module(name):
        raise click.UsageError(
            f"{name!r} is a module of Python or of an installed package, and programs beside {name}.py would read that"
            f" file in its place; take another name, such as my_{name}"
        )
    taken = {group: [*plugins.registered(group)] for group in _GROUPS.get(kind, ())}
    if "robots" in taken:
        taken["robots"] += built_in_names(".robot")
    for group, names in taken.items():
        if name in names:
            raise click.UsageError(f"{group} has {name!r} already; known: {', '.join(sorted(names))}")


def _is_module(name: str) -> bool:
    """Return whether programs may import something of this name, that is not a file of the current folder."""
    # find_spec, not an import, which would run the module
    return name in sys.stdlib_module_names or importlib.util.find_spec(name) is not None


def _text(template: str, name: str, *, arrays: bool) -> str:
    if arrays and template == "sensor.py":
        template = "sensor_arrays.py"
    text = Template(packaged_text(TEMPLATES, f"{template}.template"))
    return text.substitute(name=name, Name="".join(word.capitalize() for word in name.split("_")))


def _write(texts: dict[Path, str], into: Path) -> None:
    try:
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            # "x": a file that came since it was looked for is not overwritten either
            with file.open("x", encoding="utf-8") as opened:
                opened.write(text)
    except OSError as problem:
        raise cannot_write(problem.filename or into, problem) from None


def _begin(kind: str, stem: Path) -> str:
    if kind in PACKAGES:
        return f"{install_command(str(stem))} && coopsim renderers {stem.name} --check"
    judged = ["--until-goal"] if kind == "metric" else []
    plugin = [] if kind == "robot" else ["--plugin", f"{stem}.py"]
    file = ["components", "run", f"{stem}.amsa"] if kind == "component" else ["run", f"{stem}.scenario"]
    return " ".join(["coopsim", *file, *plugin, *judged])
