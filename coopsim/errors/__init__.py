"""Every exception coopsim raises, and the error number each one carries on the wire.

* CoopsimError
  + MessageError          1xx   the message itself
    - MalformedMessage    101
    - WrongVersion        102
    - MessageTooLarge     103
  + NamingError           2xx   names, commands, arguments and ownership
    - NoSuchName          201
    - NoSuchCommand       202
    - BadArgument         203
    - OwnedByAnother      204
    - Evicted             205
    - StaleLayout         206
    - LivesElsewhere      207
    - WrongRun            208
    - NotAllowed          209
  + SteppingError         3xx   ticks, modes and lockstep
    - Late                301
    - Stopped             302
    - NotInThisMode       303
    - Released            304
  + SceneError            4xx   files people write
    - NoSuchFile          401
    - BadFile             402
    - ForbiddenFile       403
    - CannotSave          404
  + RunError              5xx   engine and processes
    - SimulationEnded     501
    - EngineCannot        502
    - InternalError       503
    - NoReply             504
    - PortTaken           505
    - KeyRefused          506
    - NoKey               507
    - NotPermitted        508
    - CannotDraw          509
    - NoImage             510
    - TooSlow             511
  + RecordingError        6xx
    - NotARecording       601
    - DamagedRecording    602
    - CannotRecord        603
  + PluginError           7xx
    - NoSuchPlugin        701
    - PluginFailed        702
    - PluginClash         703
    - PluginMissing       704

Numbers are contract and never reused; texts are for people. The first line of a docstring
is the meaning, `cure` says what to do: `coopsim explain 204` prints both.
"""

from typing import Any

from coopsim.errors._base import CoopsimError as CoopsimError
from coopsim.errors._base import all_errors as all_errors
from coopsim.errors._base import cure_line as cure_line
from coopsim.errors._base import error_for as error_for
from coopsim.errors._stored import CannotRecord as CannotRecord
from coopsim.errors._stored import DamagedRecording as DamagedRecording
from coopsim.errors._stored import NoSuchPlugin as NoSuchPlugin
from coopsim.errors._stored import NotARecording as NotARecording
from coopsim.errors._stored import PluginClash as PluginClash
from coopsim.errors._stored import PluginError as PluginError
from coopsim.errors._stored import PluginFailed as PluginFailed
from coopsim.errors._stored import PluginMissing as PluginMissing
from coopsim.errors._stored import RecordingError as RecordingError


class MessageError(CoopsimError):
    """The peer sent something the protocol does not allow."""

    code = 100


class MalformedMessage(MessageError):
    """The bytes do not decode to a message."""

    code = 101
    cure = "Send one msgpack array of nine fields, see docs/protocol.md; `coopsim.message.encode` makes one."


class WrongVersion(MessageError):
    """The message speaks a version of the protocol that the receiver does not know."""

    code = 102
    brings = "version that the server speaks"
    cure = "Update the older side; the text names the version that the server speaks."


class MessageTooLarge(MessageError):
    """The message, or a field of it, is larger than the protocol allows."""

    code = 103
    cure = "Split the request: at most 1 MiB, 4096 params and 65 536 data values in one message."


class NamingError(CoopsimError):
    """A name, a command or an argument is wrong, or the robot belongs to someone else."""

    code = 200


class NoSuchName(NamingError):
    """Nothing of this name is in the simulation."""

    code = 201
    brings = "the name that is not there"
    cure = "In a running simulation `coopsim ls` lists every name; names are case-sensitive and begin with a slash."


class NoSuchCommand(NamingError):
    """The module has no command, and no parameter, of this number or name."""

    code = 202
    brings = "number or name that is not there"
    cure = "`coopsim describe NAME` lists the commands of a module."


class BadArgument(NamingError):
    """A parameter or datum has the wrong count, type or range."""

    code = 203
    brings = (
        "name of the value, where it is one, then its least and largest value or its choices; `tick` and the next stamp"
    )
    cure = "`coopsim describe NAME` lists what each command takes, with units and ranges."


class OwnedByAnother(NamingError):
    """Another client controls this robot."""

    code = 204
    brings = "robot or name, and who has it, for people"
    cure = "Wait until it releases the robot, join it with its token (CLAIM_WITH), or command another robot."


class Evicted(NamingError):
    """You lost this robot because you did not command it in time."""

    code = 205
    brings = "the robots that are lost, of those named"
    cure = "Claim it again, and answer each step within the patience (`/sim/clock`, parameter `patience`)."


class StaleLayout(NamingError):
    """The layout you use is older than the simulation's: robots or devices came or went."""

    code = 206
    brings = "generation now"
    cure = "Ask `/sim/step` for the LAYOUT again and repeat the request with its generation."


class LivesElsewhere(NamingError):
    """This module is served at another endpoint."""

    code = 207
    brings = "addresses, ZeroMQ and plain TCP; an empty text where there is none"
    cure = "Send the request to the endpoint in params; client libraries do so by themselves."


class WrongRun(NamingError):
    """The request is for another run: the simulation was restarted since."""

    code = 208
    brings = "the run that is here"
    cure = "Nothing was done. Connect anew, or `sim.reconnect()`, to go on with the run that is here now."


class NotAllowed(NamingError):
    """The role of your key does not allow this."""

    code = 209
    brings = "role that it takes, then robots that it must name"
    cure = "Ask who runs the simulation for another role: `coopsim keys role NAME drive --robots ROBOTS`, or `all`."


class SteppingError(CoopsimError):
    """Simulated time could not advance as asked."""

    code = 300


class Late(SteppingError):
    """The command is stamped for a step that is already over."""

    code = 301
    brings = "the next stamp"
    cure = "Stamp commands with the tick of your last reply plus one, or with 0 for the next step."


class Stopped(SteppingError):
    """Retired: no server sends it; a reply of 0 names robots that had been stopped, see section 9.2."""

    code = 302
    cure = "Nothing: the robot takes part again with its next command."


class NotInThisMode(SteppingError):
    """The request has no meaning in the present mode."""

    code = 303
    brings = "the mode now, or `recording`"
    cure = (
        "`coopsim call /sim/clock status` shows the mode; `set_mode` changes it. A recording only shows what was; "
        "`coopsim run --from FILE@SECONDS` goes on from it."
    )


class Released(SteppingError):
    """The robot was released before the step that was asked for it."""

    code = 304
    cure = "A client with the same token released it; claim it again to go on."
    brings = "the robots that were released"


class SceneError(CoopsimError):
    """A world, scenario or robot file cannot be used."""

    code = 400


class NoSuchFile(SceneError):
    """There is no such file, or it cannot be read."""

    code = 401
    brings = "the file that was named"
    cure = "Give the path of a file, or the name of a built-in scene: `coopsim scenes` lists them."


class BadFile(SceneError):
    """A file, or a text of that form, has mistakes; the text names file, line and column of each."""

    code = 402
    brings = "by turns file, line, column and text of each mistake, at most 100"
    cure = "`coopsim check FILE` prints all mistakes with the nearest known key."

    def __init__(self, text: str = "", problems: tuple[Any, ...] = ()) -> None:
        """Keep `problems` (`scene.Problem`), each printable by itself, beside the text that holds them all."""
        super().__init__(text)
        self.problems = problems
        spans = [(problem.span, problem.text) for problem in problems]
        self.params = tuple(part for at, what in spans for part in (at.file, at.line, at.column, what))


class ForbiddenFile(SceneError):
    """A file named over the network lies outside the allowed folders."""

    code = 403
    brings = "the file that was named"
    cure = "Name a file inside the folder of the scenario, or the folder that the run was started in."


class CannotSave(SceneError):
    """The scene cannot be written: a file was changed meanwhile, cannot be written, or cannot say what there is."""

    code = 404
    brings = "the file that was named"
    cure = "Give another name, or `overwrite=1` to replace what somebody else wrote; the text says what is in the way."


class RunError(CoopsimError):
    """The engine or a process of the run failed."""

    code = 500


class SimulationEnded(RunError):
    """The simulation has ended."""

    code = 501
    cure = "Start it again with `coopsim run`."


class EngineCannot(RunError):
    """The physics engine cannot represent what it was asked for."""

    code = 502
    cure = "Choose another engine, or change what the text names."


class InternalError(RunError):
    """coopsim itself failed; this is a bug."""

    code = 503
    cure = "Please report it with the text of the error and the log."


class NoReply(RunError):
    """No reply came in time."""

    code = 504
    cure = "If a simulation runs there: is it paused, or waiting for another robot (`coopsim status`)?"


class PortTaken(RunError):
    """The network port is in use."""

    code = 505
    cure = "Choose another with --port, or --port 0 for any free one."


class KeyRefused(RunError):
    """No secure connection: one side does not trust, or does not have, the key of the other."""

    code = 506
    cure = "There, `coopsim keys trust` this client's .pub file; here, COOPSIM_KEYS and COOPSIM_SERVER name the keys."


class NoKey(RunError):
    """A key is missing, or cannot be read or written."""

    code = 507
    cure = "`coopsim keys new` makes a key pair, `coopsim keys list` shows what there is."


class NotPermitted(RunError):
    """The operating system does not permit what was asked for."""

    code = 508
    cure = "Run it with the right that the text names, or leave the option out."


class CannotDraw(RunError):
    """Pictures in space cannot be drawn here: OpenGL is missing, or too old."""

    code = 509
    cure = "On Debian and Ubuntu: `apt-get install libegl1 libgl1`; no display and no graphics card are needed."


class NoImage(RunError):
    """The camera of a robot gives no image: the process that draws has died, or is too slow."""

    code = 510
    brings = "how often the process has ended, if it is not started again by itself"
    cure = (
        "Ask again: the process is started three times by itself, and once more whenever a renderer is asked for: in a"
        " window, or by `coopsim call /sim/renderer set NAME`. What ended it stands in the run's output."
    )


class TooSlow(RunError):
    """A subscriber did not take the events that were sent to it; its subscription has ended."""

    code = 511
    cure = "Take events in a thread or task of their own, or listen to fewer topics; then subscribe again."
