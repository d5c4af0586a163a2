"""Interface of `/sim/world`: what is in the simulation."""

from coopsim.interfaces._interface import Command, Field, Interface
from coopsim.interfaces.simulation import EDIT, RESETS, SERVE, YES_NO

# a push ends by itself, so that a client that dies while it pulls leaves no force behind
LARGEST_FORCE, LONGEST_PUSH = 10_000.0, 60.0
"""Of a push [N], [s]."""

_ENTITY = (
    Field("name", summary="name of the entity"),
    Field("kind", choices=("robot", "object", "target", "floor", "joint", "area")),
    Field("type", summary="robot type, shape, colour, or kind of joint or area"),
)

WORLD = Interface(
    kind="world",
    summary="What is in the simulation; insert, update and remove at any time.",
    commands=(
        Command(
            10,
            "list",
            "Entities, then joints, by page: name, kind and type of each in params; x y z phi psi theta in data.",
            (
                Field("first", summary="index of the first", default=0, low=0),
                Field("count", summary="at most 500 in one reply", default=100, low=0),
            ),
            (
                Field("total", summary="how many there are"),
                Field("entities", summary="name, kind, type of each", count=0),
                Field("poses", "1", "x y z [m] phi psi theta [rad] of each", count=0),
            ),
            SERVE,
        ),
        Command(
            11,
            "insert",
            "Insert what a text in the form of a .world or .scenario section says.",
            (
                Field(
                    "text", summary="[OBJECT_1], [ROPE_1], [CLOTH_1], [SOFT_1], [ROBOT_1], [TARGET] or [AREA_1] section"
                ),
            ),
            (Field("names", summary="names of what was inserted", count=0),),
            EDIT,
        ),
        Command(
            12,
            "update",
            "Change keys of an entity: lines `key value` as in its section.",
            (Field("name"), Field("text", summary="for example `position 1 2 0`")),
            (),
            EDIT,
        ),
        Command(13, "remove", "Remove an entity.", (Field("name"),), (), EDIT),
        Command(
            14,
            "reset",
            "Put everything back as the file says, or poses alone; time goes on.",
            (
                Field(
                    "what",
                    summary="poses = bodies and what devices remember, no parameters",
                    default="all",
                    choices=RESETS,
                ),
                Field("seed", summary="of all noise from now on, -1 = as it was", default=-1, low=-1),
            ),
            (),
            EDIT,
        ),
        Command(
            15,
            "get",
            "One entity.",
            (Field("name"),),
            (
                *_ENTITY,
                Field("bodies", summary="of a joint: the one that carries it, and the other one", count=0),
                Field("pose", "1", "x y z [m], quaternion w x y z; of a joint that of its second body", 7),
                Field("size", "m", "length, width, height", 3),
                Field("mass", "kg", "0 = fixed"),
                Field("color", "1", "red, green, blue, 0 to 1", 3),
            ),
            SERVE,
        ),
        Command(
            16,
            "snapshot",
            "Keep the state of everything under a name, for `restore`; at most 16 names.",
            (Field("name", default="snapshot"),),
            (),
            EDIT,
        ),
        Command(
            17,
            "restore",
            "Put everything back as it was at a snapshot; time goes on.",
            (Field("name", default="snapshot"),),
            (),
            EDIT,
        ),
        Command(
            18,
            "load",
            "Put what a .scenario or .world file says in the place of everything; its events begin at time 0.",
            (Field("file", summary="a file in an allowed folder, or a built-in one by its bare name"),),
            (Field("file", summary="where it was read"),),
            EDIT,
        ),
        Command(
            19,
            "save",
            "Write what there is; lines that did not change stay as they were, comments included.",
            (
                Field("file", summary='.scenario or .world; "" = where it came from, or was saved to last', default=""),
                Field("poses", summary="1 = where things stand now, 0 = where they began", default=0, choices=YES_NO),
                Field(
                    "overwrite",
                    summary="1 = also a file that others wrote, or changed meanwhile",
                    default=0,
                    choices=YES_NO,
                ),
            ),
            (Field("files", summary="what was written; nothing when nothing changed", count=0),),
            SERVE,
        ),
        Command(
            20,
            "set_engine",
            "Go on with another physics engine; everything stays where, and as fast, as it is.",
            (Field("engine", summary="name of a registered engine, as pymunk or mujoco"),),
            (Field("engine", summary="that is in force now"),),
            EDIT,
        ),
        Command(
            21,
            "scene",
            "What entities look like, by page: shapes with sizes, poses, colours, textures; then the joints.",
            (
                Field("first", summary="index of the first entity or joint", default=0, low=0),
                Field(
                    "count", summary="at most 500 in one reply, fewer if a message holds no more", default=500, low=0
                ),
            ),
            (
                Field("scene", summary="JSON text"),
                Field("generation", summary="of the layout; another one means that the scene changed", default=0),
                Field("total", summary="how many entities and joints there are", default=0),
            ),
            SERVE,
        ),
        Command(
            22,
            "join",
            "Join two bodies where they are now.",
            (
                Field("name", summary="of the joint"),
                Field("type", summary="pivot, hinge, weld, slide, support or spring"),
                Field("a", summary="the body that carries it"),
                Field("b", summary="the other body"),
                Field("text", summary="more keys of its section, as `anchor 0 0 0.3`", default=""),
            ),
            (),
            EDIT,
        ),
        Command(23, "part", "Remove a joint; its bodies stay.", (Field("name", summary="of the joint"),), (), EDIT),
        Command(
            24,
            "section",
            "One entity or joint as the section of a file that says it; `insert` takes it.",
            (
                Field("name"),
                Field("poses", summary="1 = where it stands now, 0 = where it began", default=0, choices=YES_NO),
            ),
            (Field("text", summary="with the sections of the joints that hold it"),),
            SERVE,
        ),
        Command(
            25,
            "push",
            "Push or pull a body for a while; a newer push of it replaces this one. For engines with forces.",
            (
                Field("name", summary="of a body that moves"),
                Field("force", "N", "x y z, world frame", 3, low=-LARGEST_FORCE, high=LARGEST_FORCE),
                Field("seconds", "s", "simulated time that it lasts, 0 = end it", low=0.0, high=LONGEST_PUSH),
                Field(
                    "point",
                    "m",
                    "where it acts: x y z from the middle of the body, in its frame",
                    3,
                    default=0.0,
                    low=-100.0,
                    high=100.0,
                ),
            ),
            (),
            EDIT,
        ),
        Command(
            26,
            "meshes",
            "The meshes that `scene` names, by page, for who has not their files.",
            (
                Field("first", summary="index of the first", default=0, low=0),
                Field("count", summary="at most 100 in one reply", default=100, low=0),
            ),
            (
                Field("total", summary="how many there are"),
                Field("meshes", summary='by turns: file, SHA-256 of its triangles, "" = not handed out', count=0),
                Field("sizes", "1", "bytes of the triangles of each", count=0),
            ),
            SERVE,
        ),
        Command(
            27,
            "mesh",
            "Triangles of a mesh of the running world, by parts, as a binary STL file.",
            (
                Field("hash", summary="as `meshes` tells it"),
                Field("first", summary="byte that the part begins with", default=0, low=0),
            ),
            (
                Field("size", summary="bytes in all"),
                Field("content", summary="base64 of at most 180 000 bytes"),
            ),
            SERVE,
        ),
    ),
)
