"""`[GATEWAY_n]`: checked like every section, started and ended with the run."""

import contextlib
from pathlib import Path

import pytest
from bridged import Bridge

from coopsim.errors import BadFile
from coopsim.features.gateways.sections import GATEWAYS
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


def test_a_gateway_of_a_scenario_lives_as_long_as_its_run(tmp_path: Path) -> None:
    port = lasting_port()
    file = scenario(tmp_path, f"[GATEWAY_1]\nkind rosbridge\nport {port}\nrobots ann\n")
    with Run(str(file)) as live:
        with contextlib.ExitStack() as stack:
            program = Bridge(f"ws://127.0.0.1:{port}")
            while not hasattr(program, "socket"):
                assert live.is_alive
                with contextlib.suppress(OSError):
                    stack.enter_context(program)
            topics: list[str] = []
            while not topics:
                topics = [name for name in program.call("/rosapi/topics")["values"]["topics"] if "scan" in name]
            assert topics == ["/ann/scan"]
        assert live.stop() == 130
    with pytest.raises(OSError, match="refused"), Bridge(f"ws://127.0.0.1:{port}"):
        pass
