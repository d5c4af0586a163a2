"""Commands on the wire: number, effect, fields, units and places of each, as clients of other languages have them.

A line of this table changes only together with docs/protocol.md: whoever reads messages by these places reads others
after a change. `name` travels in params, `name:unit` in data, `*3` is three values, `*any` any number, `?` may be left
out, `[x,y]` are the columns of a table.
"""

import pytest

import coopsim.interfaces as room
from coopsim.features.artifacts.interfaces import (
    AUTOMATIC_DOOR,
    BELT,
    GLOBAL_STATE,
    LAMP,
    LIGHT,
    PRESENCE,
    SIMULATION_TIME,
)
from coopsim.features.radio.interface import RADIO
from coopsim.features.sensors.gnss_interface import GNSS
from coopsim.features.sensors.imu_interface import IMU
from coopsim.features.sensors.interfaces import COMPASS, GPS, NEIGHBOURS, RANGE
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.features.space.potentials_interface import POTENTIALS
from coopsim.interfaces import Command, Field, Interface

PUBLISHED = {
    "automatic_door": """
        10 read state() -> open:1
    """,
    "autopilot": """
        10 set go_to(x:m, y:m, z:m, yaw:rad?)
        11 set follow(x:m, y:m, z:m, vx:m/s?, vy:m/s?, vz:m/s?, ax:m/s2?, ay:m/s2?, az:m/s2?, yaw:rad?, yaw_rate:rad/s?)
        12 set set_velocity(vx:m/s?, vy:m/s?, vz:m/s?, yaw_rate:rad/s?)
        13 set take_off(height:m)
        14 set eight(length:m, width:m, period:s, vertical:1?, yaw_rate:rad/s?)
        15 set land()
        16 set stop()
        17 read state() -> wanted*3:m, wanted_yaw:rad, flying:1, fault:1
    """,
    "belt": """
        10 set set_speed(speed:m/s?)
        11 set stop()
        12 read state() -> speed:m/s, goods:1
    """,
    "bumpers": """
        10 read touched() -> front:1, rear:1
    """,
    "camera": """
        10 read info() ->
            image:1, width:1, height:1, fov:rad, range:m, noise:1, noise_depth:m, x:m, y:m, z:m, azimuth:rad,
            elevation:rad, seed:1
        11 serve image() -> width, height, time:s, pixels*any
        12 serve depth() -> width, height, time:s, pixels*any
        13 serve png() -> width, height, time:s, file*any
        14 serve labels() -> width, height, time:s, pixels*any
    """,
    "clock": """
        10 serve status() ->
            mode, paused, awaited, policy, tick:1, time:s, step:s, speed:1, real_time_factor:1, overruns:1,
            max_lateness:s, slipped:s, patience_fired:1, clients:1, patience:s
        11 edit set_mode(mode)
        12 edit set_speed(speed:1)
        13 edit set_step(step:s)
        14 edit pause()
        15 edit continue()
        16 edit step(count?)
        17 edit reset()
        18 serve robot_policy(robot, policy?) -> policy
    """,
    "compass": """
        10 read heading() -> heading:rad, valid:1, age:s
    """,
    "controllers": """
        10 serve status() -> status
        11 edit restart()
        12 edit start(law, arguments?, robots*any) -> name
        13 edit stop(name)
    """,
    "differential_drive": """
        10 set set_velocity(v:m/s?, w:rad/s?)
        11 set set_wheel_speeds(left:m/s?, right:m/s?)
        12 set stop()
        13 read state() -> v:m/s, w:rad/s, left:m/s, right:m/s
    """,
    "events": """
        10 serve publish(topic, text?, data*any:1)
        11 serve publish_all(events*any, data*any:1)
        12 serve subscribe(patterns*any) -> next
        13 serve unsubscribe(patterns*any)
    """,
    "global_state": """
        10 read state() -> bodies:1, mass:kg, x:m, y:m, fastest:m/s, energy:N m
    """,
    "gnss": """
        10 read fix() ->
            latitude:rad, longitude:rad, altitude:m, east:m/s, north:m/s, up:m/s, deviation:m, deviation_height:m,
            valid:1, age:s
    """,
    "gps": """
        10 read fix() -> x:m, y:m, z:m, valid:1, age:s
    """,
    "gripper": """
        10 set set_opening(opening:m)
        11 set grasp()
        12 set release()
        13 read state() -> opening:m, force:N, holds:1
    """,
    "hinge": """
        10 set set_position(position:rad)
        11 set set_velocity(velocity:rad/s)
        12 set set_effort(effort:N m)
        13 set release()
        14 read state() -> position:rad, velocity:rad/s, effort:N m
    """,
    "imu": """
        10 read motion() -> acceleration*3:m/s2, rate*3:rad/s
    """,
    "info": """
        10 serve info() -> info
        11 serve subscribe(topic)
        12 serve unsubscribe(topic?)
    """,
    "joints": """
        10 set set_positions(q1:rad?, q2:rad?, q3:rad?, q4:rad?, q5:rad?, q6:rad?, q7:rad?, q8:rad?)
        11 set set_velocities(q1:rad/s?, q2:rad/s?, q3:rad/s?, q4:rad/s?, q5:rad/s?, q6:rad/s?, q7:rad/s?, q8:rad/s?)
        12 set set_efforts(q1:N m?, q2:N m?, q3:N m?, q4:N m?, q5:N m?, q6:N m?, q7:N m?, q8:N m?)
        13 set release()
        14 read state() -> positions*count:rad, velocities*count:rad/s, efforts*count:N m
    """,
    "lamp": """
        10 set switch_on()
        11 set switch_off()
        12 set dim(brightness:1?)
        13 set shine(brightness:1?, red:1?, green:1?, blue:1?)
        14 read light() -> brightness:1, red:1, green:1, blue:1
    """,
    "light": """
        10 read illuminance() -> illuminance:lx, red:lx, green:lx, blue:lx
    """,
    "names": """
        10 serve list(prefix?, after?) -> names*any
        11 serve lookup(name) -> zmq, tcp
        12 serve register(name, zmq, tcp?) -> lease:s
        13 serve unregister(name)
        14 serve offer(name, content)
        15 serve withdraw(name)
    """,
    "neighbours": """
        10 read nearest() -> places*values:m[x,y,z,distance]
    """,
    "odometry": """
        10 read pose() -> x:m, y:m, heading:rad
        11 read encoders() -> left:m, right:m
        12 edit reset(x:m?, y:m?, heading:rad?)
    """,
    "playback": """
        10 serve status() ->
            file, playing, looping, complete, problem, time:s, begin:s, end:s, speed:1, loop_begin:s, loop_end:s,
            record:1, records:1, gaps:1, simulated:s
        11 edit load(file) -> begin:s, end:s
        12 edit play() -> time:s
        13 edit pause() -> time:s
        14 edit seek(time:s) -> time:s
        15 edit speed(speed:1) -> time:s
        16 edit loop(begin:s?, end:s?) -> begin:s, end:s
        17 edit unloop() -> time:s
        18 edit step(count?) -> time:s
        19 serve marks(first?) -> marks, next
    """,
    "pose": """
        10 read pose() -> position*3:m, orientation*4:1
        11 read motion() -> velocity*3:m/s, rate*3:rad/s
    """,
    "potentials": """
        10 set keep(x:m, y:m, z:m)
        11 set rest()
        12 read state() -> velocity*3:m/s
    """,
    "presence": """
        10 read nearest() -> distance:m
    """,
    "radio": """
        10 read state() -> commands_sent:1, commands_lost:1, readings_sent:1, readings_lost:1, age:s, distance:m
    """,
    "range": """
        10 read ranges() -> ranges*count:m
    """,
    "recorder": """
        10 edit start(file?, foxglove?, images?) -> file
        11 edit stop() -> file, duration:s, ticks:1, size_bytes:1, gaps:1
        12 serve status() -> recording, file, problem, duration:s, ticks:1, size_bytes:1, gaps:1
    """,
    "renderer": """
        10 serve status() -> asked, scene, names*any
        11 serve set(renderer) -> renderer
    """,
    "rotors": """
        10 set set_thrusts(front:N?, left:N?, rear:N?, right:N?)
        11 set stop()
        12 read state() -> front:N, left:N, rear:N, right:N
    """,
    "simulation_time": """
        10 read time() -> time:s
    """,
    "slide": """
        10 set set_position(position:m)
        11 set set_velocity(velocity:m/s)
        12 set set_effort(effort:N)
        13 set release()
        14 read state() -> position:m, velocity:m/s, effort:N
    """,
    "sonars": """
        10 read ranges() -> ranges*count:m
    """,
    "step": """
        10 serve layout(first?, count?) -> layout, generation?, run?, total?, robots*any, lengths*any:1
        11 serve step(generation, robots*any, commands*any:1) -> generation, stopped*any, readings*any:1
        12 serve skip(robots*any) -> stopped*any
        13 serve claim(robots*any) -> token
        14 serve claim_with(token) -> robots*any
        15 serve release(robots*any)
        16 serve set_period(ticks, robots*any)
        17 serve owners(robots*any) -> owners*any
        18 serve part(generation, robots*any, commands*any:1) -> generation, stopped*any, readings*any:1
        19 serve read(generation, robots*any) -> generation, readings*any:1
    """,
    "support": """
        10 read state() -> angle:rad, x:m, y:m, force_x:N, force_y:N, loaded:1
    """,
    "target": """
        10 read targets() -> targets*targets:1[distance,angle,seen], robots*24:1[distance,angle,seen]
        11 read names() -> names*any, occupants*8:robot
    """,
    "tool": """
        10 read pose() -> position*3:m, orientation*4:1
    """,
    "world": """
        10 serve list(first?, count?) -> total, entities*any, poses*any:1
        11 edit insert(text) -> names*any
        12 edit update(name, text)
        13 edit remove(name)
        14 edit reset(what?, seed?)
        15 serve get(name) -> name, kind, type, bodies*any, pose*7:1, size*3:m, mass:kg, color*3:1
        16 edit snapshot(name?)
        17 edit restore(name?)
        18 edit load(file) -> file
        19 serve save(file?, poses?, overwrite?) -> files*any
        20 edit set_engine(engine) -> engine
        21 serve scene(first?, count?) -> scene, generation?, total?
        22 edit join(name, type, a, b, text?)
        23 edit part(name)
        24 serve section(name, poses?) -> text
        25 edit push(name, force*3:N, seconds:s, point*3:m?)
        26 serve meshes(first?, count?) -> total, meshes*any, sizes*any:1
        27 serve mesh(hash, first?) -> size, content
    """,
}
IN_FEATURES = (
    AUTOPILOT,
    POTENTIALS,
    RADIO,
    AUTOMATIC_DOOR,
    BELT,
    GLOBAL_STATE,
    LAMP,
    LIGHT,
    PRESENCE,
    SIMULATION_TIME,
    RANGE,
    NEIGHBOURS,
    IMU,
    GNSS,
    COMPASS,
    GPS,
)
BY_KIND = {
    interface.kind: interface for interface in (*vars(room).values(), *IN_FEATURES) if isinstance(interface, Interface)
}


def _field(field: Field) -> str:
    values = "" if field.count == 1 else f"*{field.count or 'any'}"
    unit = f":{field.wire_unit}" if field.place == "data" else ""
    table = f"[{','.join(field.columns)}]" if field.columns else ""
    return f"{field.name}{values}{unit}{'' if field.default is None else '?'}{table}"


def _line(command: Command) -> str:
    taken, given = (", ".join(map(_field, fields)) for fields in (command.takes, command.gives))
    arrow = f" -> {given}" if given else ""
    return f"{command.number} {command.effect.value} {command.name}({taken}){arrow}"


@pytest.mark.parametrize("kind", PUBLISHED)
def test_commands_travel_as_they_are_published(kind: str) -> None:
    now = " ".join(map(_line, BY_KIND[kind].commands))
    assert now == " ".join(PUBLISHED[kind].split())


def test_every_interface_of_the_core_is_published() -> None:
    assert sorted(BY_KIND) == sorted(PUBLISHED)
