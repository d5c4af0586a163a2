"""Swarm gaming (Hristoskova et al. 2012), section 3: the event channel. G-5, G-9."""

from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation


def test_a_robot_announces_and_listens_on_a_topic_g5() -> None:
    server = LocalServer(Simulation(load("single")))
    with server.connect() as robot, robot.listen("/squad/red/**") as heard:
        robot.publish("/squad/red/robot1", "ready")
        event = heard.hear(0.0)
    assert event is not None
    assert (event.topic, event.text) == ("/squad/red/robot1", "ready")


def test_one_hub_serves_game_client_robots_game_logic_and_swarm_intelligence_g9() -> None:
    parts = ("client", "robot", "logic", "swarm")
    server = LocalServer(Simulation(load("single")))
    programs = [server.connect() for _ in parts]
    streams = [program.listen("/game/**") for program in programs]
    for part, program in zip(parts, programs, strict=True):
        program.publish(f"/game/{part}", "hello")
    for stream in streams:
        events = [event for _ in parts if (event := stream.hear(0.0)) is not None]
        assert [event.topic for event in events] == [f"/game/{part}" for part in parts]
        assert len({event.source for event in events}) == len(parts)
        stream.close()
    for program in programs:
        program.close()
