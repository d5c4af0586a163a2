"""A client of coopsim: plain TCP, or TLS, and msgpack; no simulator.

    with Client() as sim, Stepper(sim, "robot1") as stepper:
        stepper.set_differential_drive("robot1", v=0.3, w=0.1)
        print(stepper.step().sonars("robot1").ranges)

`Client.ask` sends any request; the classes of `modules`, one for each kind of module, know names, types and units.
"""

from coopsim_client.client import Client as Client
from coopsim_client.error_codes import ErrorCode as ErrorCode
from coopsim_client.errors import CoopsimError as CoopsimError
from coopsim_client.errors import Lost as Lost
from coopsim_client.errors import Malformed as Malformed
from coopsim_client.errors import Refused as Refused
from coopsim_client.errors import Silent as Silent
from coopsim_client.errors import Value as Value
from coopsim_client.events import Event as Event
from coopsim_client.events import State as State
from coopsim_client.events import events_of as events_of
from coopsim_client.events import state_of as state_of
from coopsim_client.message import Message as Message
from coopsim_client.message import decode as decode
from coopsim_client.message import encode as encode
from coopsim_client.modules import Stepper as Stepper
from coopsim_client.tls import keys as keys
