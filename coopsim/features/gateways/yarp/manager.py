"""Applications of yarpmanager: an XML file of modules to start and of ports to connect.

Source: yarpmanager's page "yarpmanager_xml" and the templates that come with it.
"""

from pathlib import Path
from xml.etree import ElementTree as ET

from coopsim import plugins
from coopsim.robots import RunSpec

_PATIENCE = 30
"""Time in which the ports of a run are to be there, before others are connected to them [s]."""


def application(
    spec: RunSpec, scenario: str, *, node: str = "localhost", names: int = 10_000, dumped: str | None = None
) -> tuple[str, int]:
    """Return the text of an application that runs a scenario, and how many streams its robots have.

    Args:
        spec: The scenario.
        scenario: As it is named on the command line.
        node: Computer of YARP on which all of it runs.
        names: Port of the name server.
        dumped: Folder that a `yarpdatadumper` for each stream writes into, None = there are none.
    """
    root = ET.Element("application")
    _add(root, "name", f"coopsim {Path(scenario).stem}")
    _add(root, "description", f"Robots of {scenario}, simulated by coopsim.")
    _module(root, "coopsim", f"run {_quoted(scenario)} --no-gui", node)
    _module(root, "coopsim", f"gateway yarp --port {names} --once", node)
    streams = streams_of(spec)
    if dumped is not None:
        for stream in streams:
            place = _folder_name(stream)
            parameters = f"--name /dump/{place} --dir {_quoted(f'{dumped}/{place}')} --txTime"
            dumper = _module(root, "yarpdatadumper", parameters, node)
            _add(_child(dumper, "dependencies"), "port", stream, timeout=f"{_PATIENCE}")
        for stream in streams:
            connection = _child(root, "connection")
            _add(connection, "from", stream)
            _add(connection, "to", f"/dump/{_folder_name(stream)}")
            _add(connection, "protocol", "fast_tcp")
    ET.indent(root)
    head = '<?xml version="1.0" encoding="UTF-8" ?>\n'
    return f"{head}{ET.tostring(root, encoding='unicode')}\n", len(streams)


def streams_of(spec: RunSpec) -> list[str]:
    """Return the names of the ports that stream readings of the robots of a scenario."""
    return [
        f"/{robot.name}/{device.name}/data:o"
        for robot in spec.scenario.robots
        for device in spec.types[robot.type].devices
        if plugins.load("interfaces", device.kind).readings
    ]


def _module(root: ET.Element, name: str, parameters: str, node: str) -> ET.Element:
    module = _child(root, "module")
    _add(module, "name", name)
    _add(module, "parameters", parameters)
    _add(module, "node", node)
    return module


def _child(parent: ET.Element, tag: str) -> ET.Element:
    return ET.SubElement(parent, tag)


def _add(parent: ET.Element, tag: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, tag, attributes).text = text


def _folder_name(stream: str) -> str:
    return stream.removesuffix("/data:o").strip("/").replace("/", "_")


def _quoted(word: str) -> str:
    """Return a word as one parameter: yarpmanager parts them at blanks outside quotation marks."""
    return f'"{word}"' if " " in word else word
