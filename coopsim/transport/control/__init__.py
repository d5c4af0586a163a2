"""Control messages between our own processes: one frozen dataclass for each message.

A message that is in none of the unions here is none. Receivers match every case of their union.
"""

from typing import Any, TypeAlias, get_args

from coopsim.state.vocabulary import Vocabulary
from coopsim.transport.control.camera import (
    OWN_STARTS,
    CameraImage,
    CameraOrder,
    CameraRefusal,
    RendererChanged,
    RendererOrder,
    StartCameras,
)
from coopsim.transport.control.common import Configure, ProcessFailed, Ready, Stop
from coopsim.transport.control.controllers import (
    BeginControllers,
    ControllersAnswer,
    ControllersNews,
    DismissControllers,
    Halt,
    StartController,
    StopController,
)
from coopsim.transport.control.host import (
    AuditLines,
    ExpectControllers,
    HostStatus,
    HostSummary,
    LastEventsSent,
    SendLastEvents,
)
from coopsim.transport.control.recorder import (
    FoxgloveClosed,
    FoxgloveFailed,
    FoxgloveProgress,
    ImageChoice,
    ImagesFailed,
    OpenRecording,
    RecorderStatus,
    RecordingAnswer,
    RecordingClosed,
    RecordingNews,
    RecordingOpened,
    RecordingStatus,
    StartRecording,
    StopRecording,
)
from coopsim.transport.control.source import (
    Answer,
    CompilingKernels,
    DeviceFailed,
    DeviceNoticed,
    DurationOver,
    EditRequest,
    PlanarPose,
    PluginReturned,
    PluginStuck,
    RecorderAwaited,
    RecordFrom,
    RecordingBegins,
    RecordingRefused,
    RecordNoMore,
    SourceFacts,
    SourceSummary,
    Start,
    ThreadsLeft,
    TickFailed,
    TicksLate,
)

ControllersOrder: TypeAlias = DismissControllers | BeginControllers | StartController | StopController

LauncherToSource: TypeAlias = Configure | Start | Stop | Halt | RecordFrom | RecordNoMore
LauncherToHost: TypeAlias = (
    Configure
    | Stop
    | SendLastEvents
    | ExpectControllers
    | RecordingNews
    | RecordingAnswer
    | ControllersNews
    | ControllersAnswer
)
LauncherToRecorder: TypeAlias = OpenRecording | RecordingBegins | Stop
SourceToLauncher: TypeAlias = (
    Ready
    | ProcessFailed
    | SourceSummary
    | CompilingKernels
    | TicksLate
    | DurationOver
    | DeviceFailed
    | DeviceNoticed
    | TickFailed
    | PluginStuck
    | PluginReturned
    | ThreadsLeft
    | RecordingBegins
    | RecordingRefused
    | RecorderAwaited
)
HostToLauncher: TypeAlias = (
    Ready
    | ProcessFailed
    | HostStatus
    | AuditLines
    | HostSummary
    | LastEventsSent
    | StartRecording
    | StopRecording
    | StartCameras
    | ControllersOrder
)
RecorderToLauncher: TypeAlias = (
    RecordingOpened
    | RecorderStatus
    | RecordingClosed
    | ProcessFailed
    | FoxgloveProgress
    | FoxgloveClosed
    | FoxgloveFailed
    | ImagesFailed
)
HostToSource: TypeAlias = EditRequest
SourceToHost: TypeAlias = Answer | SourceFacts | CompilingKernels
HostToCameras: TypeAlias = CameraOrder | RendererOrder
CamerasToHost: TypeAlias = CameraImage | RendererChanged | CameraRefusal
CamerasToLauncher: TypeAlias = ProcessFailed

ControlMessage: TypeAlias = (
    LauncherToSource
    | LauncherToHost
    | LauncherToRecorder
    | SourceToLauncher
    | HostToLauncher
    | RecorderToLauncher
    | HostToSource
    | SourceToHost
    | HostToCameras
    | CamerasToHost
    | CamerasToLauncher
)
CONTROL: Vocabulary[Any] = Vocabulary("message", get_args(ControlMessage))

__all__ = [
    "CONTROL",
    "OWN_STARTS",
    "Answer",
    "AuditLines",
    "BeginControllers",
    "CameraImage",
    "CameraOrder",
    "CameraRefusal",
    "CamerasToHost",
    "CamerasToLauncher",
    "CompilingKernels",
    "Configure",
    "ControllersAnswer",
    "ControllersNews",
    "ControllersOrder",
    "DeviceFailed",
    "DeviceNoticed",
    "DismissControllers",
    "DurationOver",
    "EditRequest",
    "ExpectControllers",
    "FoxgloveClosed",
    "FoxgloveFailed",
    "FoxgloveProgress",
    "Halt",
    "HostStatus",
    "HostSummary",
    "HostToCameras",
    "HostToLauncher",
    "HostToSource",
    "ImageChoice",
    "ImagesFailed",
    "LastEventsSent",
    "LauncherToHost",
    "LauncherToRecorder",
    "LauncherToSource",
    "OpenRecording",
    "PlanarPose",
    "PluginReturned",
    "PluginStuck",
    "ProcessFailed",
    "Ready",
    "RecordFrom",
    "RecordNoMore",
    "RecorderAwaited",
    "RecorderStatus",
    "RecorderToLauncher",
    "RecordingAnswer",
    "RecordingBegins",
    "RecordingClosed",
    "RecordingNews",
    "RecordingOpened",
    "RecordingRefused",
    "RecordingStatus",
    "RendererChanged",
    "RendererOrder",
    "SendLastEvents",
    "SourceFacts",
    "SourceSummary",
    "SourceToHost",
    "SourceToLauncher",
    "Start",
    "StartCameras",
    "StartController",
    "StartRecording",
    "Stop",
    "StopController",
    "StopRecording",
    "ThreadsLeft",
    "TickFailed",
    "TicksLate",
]
