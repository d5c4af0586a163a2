"""`[GATEWAY_n]`: checked like every section, started and ended with the run."""

import contextlib
from pathlib import Path

import click
import pytest
from bridged import Bridge

from coopsim.app import companions
from coopsim.errors import BadFile
from coopsim.features.gateways.foxglove.guard import app_link
from coopsim.features.gateways.sections import GATEWAYS, with_gateways
from coopsim.robots import load, programs_of
from coopsim.testkit import Run
from coopsim.testkit.conformance.restart import lasting_port

ROBOTS = "[ROBOT_1]\ntype single\nname ann\nposition 0 0 0\n\n[ROBOT_2]\ntype single\nname bob\nposition 2 0 0\n\n"


def scenario(folder: Path, section: str) -> Path:
    file = folder / "bridged.scenario"
    file.write_text(ROBOTS + section)
    return file


def test_a_section_is_a_program_beside_the_run(tmp_path: Path) -> None:
    spec = load(scenario(tmp_path, "[GATEWAY_1]\nkind rosbridge\nrobots ann\nrate 20\nport 9191\nbind 127.0.0.1\n"))
    (program,) = programs_of(spec)
    assert program.name == "gateway rosbridge"
    assert program.arguments[:2] == ("rosbridge", "--once")
    assert dict(zip(program.arguments[2::2], program.arguments[3::2], strict=True)) == {
        "--rate": "20.0",
        "--bind": "127.0.0.1",
        "--port": "9191",
        "--robots": "ann",
    }
    assert GATEWAYS.facts(spec.scenario.extras["gateways"]) == {"gateways": ["rosbridge"]}


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ("[GATEWAY_1]\nkind rosbrige\n", r"bridged.scenario:12:6: no gateway 'rosbrige' .rosbrige → rosbridge"),
        (
            "[GATEWAY_1]\nkind rosbridge\nrobots ann bobb\n",
            r"bridged.scenario:13:12: no robot 'bobb' .bobb → bob",
        ),
        ("[GATEWAY_1]\nkind rosbridge\nport 70000\n", r"bridged.scenario:13:6: .*65535"),
        ("[GATEWAY_1]\nrate 3\n", r"bridged.scenario:11:1: .*kind"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path: Path, section: str, says: str) -> None:
    with pytest.raises(BadFile, match=says):
        load(scenario(tmp_path, section))


def test_the_command_line_adds_gateways_to_those_of_the_file(tmp_path: Path) -> None:
    spec = load(scenario(tmp_path, "[GATEWAY_1]\nkind ros1\n"))
    given = {"gateways": ("yarp:19100", "rosbridge"), "foxglove": True, "record": None}
    programs = programs_of(companions.with_gateways(spec, given))
    assert [program.arguments for program in programs] == [
        ("ros1", "--once"),
        ("yarp", "--once", "--port", "19100"),
        ("rosbridge", "--once"),
        ("foxglove", "--once"),
    ]
    assert given == {"foxglove": False, "record": None}
    beside = {"gateways": (), "foxglove": True, "record": Path("a.mcap")}
    assert companions.with_gateways(spec, beside) is spec
    assert beside["foxglove"] is True


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["rosbrige"], "no gateway 'rosbrige' .rosbrige → rosbridge"),
        (["yarp:x"], "yarp:x: expected a port of 0 to 65535, such as yarp:19090"),
        (["yarp:70000"], "expected a port"),
        (["yarp", "yarp:19100"], "yarp is named twice"),
    ],
)
def test_mistakes_of_the_command_line_are_told(tmp_path: Path, words: list[str], says: str) -> None:
    with pytest.raises(click.UsageError, match=says):
        with_gateways(load(scenario(tmp_path, "")), words)


def test_the_app_of_foxglove_is_opened_by_a_link() -> None:
    link = "https://app.foxglove.dev?ds=foxglove-websocket&ds.url=ws%3A%2F%2F"
    assert app_link("127.0.0.1", 8765) == f"{link}127.0.0.1%3A8765"
    assert app_link("0.0.0.0", 8765) == f"{link}localhost%3A8765"


@pytest.mark.parametrize("is_named", [False, True], ids=["of the file", "of the command line"])
def test_a_gateway_of_a_scenario_lives_as_long_as_its_run(tmp_path: Path, is_named: bool) -> None:
    port = lasting_port()
    section = f"[GATEWAY_1]\nkind rosbridge\nport {port}\nrobots ann\n"
    file = scenario(tmp_path, "" if is_named else section)
    words = ("--gateway", f"rosbridge:{port}") if is_named else ()
    with Run(str(file), *words) as live:
        with contextlib.ExitStack() as stack:
            program = Bridge(f"ws://127.0.0.1:{port}")
            while not hasattr(program, "socket"):
                assert live.is_alive
                with contextlib.suppress(OSError):
                    stack.enter_context(program)
            topics: list[str] = []
            while not topics:
                topics = [name for name in program.call("/rosapi/topics")["values"]["topics"] if "scan" in name]
            assert topics == ["/ann/scan", "/bob/scan"][: 1 + is_named]
        assert live.stop() == 130
    with pytest.raises(OSError, match="refused"), Bridge(f"ws://127.0.0.1:{port}"):
        pass
