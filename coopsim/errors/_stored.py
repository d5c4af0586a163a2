"""Errors of recordings and of plugins: what people bring in files."""

from coopsim.errors._base import CoopsimError


class RecordingError(CoopsimError):
    """A recording cannot be written or read."""

    code = 600


class NotARecording(RecordingError):
    """The file is not there, cannot be read, or is no recording of coopsim."""

    code = 601
    brings = "the file that was named"
    cure = "Give a file that `coopsim run --record FILE` wrote; `coopsim info FILE` says what is in it."


class DamagedRecording(RecordingError):
    """The part of the recording that is asked for is damaged or missing."""

    code = 602
    brings = "the file that was named"
    cure = "`coopsim recover FILE` keeps everything that can be read and says what was lost."


class CannotRecord(RecordingError):
    """The recording cannot be written; what was written before stays readable."""

    code = 603
    brings = "the file that was named"
    cure = "Give a name in a folder that exists, has room and may be written to."


class PluginError(CoopsimError):
    """A device, engine, robot or controller that is not part of coopsim failed."""

    code = 700


class NoSuchPlugin(PluginError):
    """No engine, device, robot type or controller of this name is registered."""

    code = 701
    cure = "`coopsim describe` lists what is installed; --plugin FILE adds a file of your own."


class PluginFailed(PluginError):
    """A plugin raised an error; the text names its file and line."""

    code = 702
    cure = "The text names the place in the plugin that is to be corrected."


class PluginClash(PluginError):
    """Two plugins register the same name; the text names both places."""

    code = 703
    cure = "Rename one of the two, or leave one out."


class PluginMissing(PluginError):
    """The recording was made with plugins that are not here."""

    code = 704
    cure = "Give each file that the text names with --plugin FILE, or install the package that brings it."
