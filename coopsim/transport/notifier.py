"""Waking another process by a byte on a pipe; the end of the pipe says that the other process died."""

import os


class Notifier:
    """A direction of wake-ups. Several bytes mean no more than one.

    Args:
        reader: File descriptor to read from, or -1 at the writing end.
        writer: File descriptor to write to, or -1 at the reading end.
    """

    def __init__(self, reader: int = -1, writer: int = -1) -> None:
        self.reader, self.writer = reader, writer
        for descriptor in (reader, writer):
            if descriptor >= 0:
                os.set_blocking(descriptor, False)

    @classmethod
    def pair(cls) -> tuple["Notifier", "Notifier"]:
        """Return a reading and a writing end."""
        reader, writer = os.pipe()
        return cls(reader=reader), cls(writer=writer)

    def notify(self) -> bool:
        """Wake the reader; False when it is gone."""
        try:
            os.write(self.writer, b"!")
        except BlockingIOError:
            pass  # the pipe is full of unread wake-ups: one more adds nothing
        except OSError:
            return False
        return True

    def drain(self) -> tuple[bool, bool]:
        """Return (was woken, the writer is gone) without blocking."""
        try:
            received = os.read(self.reader, 65536)
        except BlockingIOError:
            return False, False
        except OSError:
            return False, True
        return bool(received), not received

    def close(self) -> None:
        """Close the descriptors of this end."""
        for descriptor in (self.reader, self.writer):
            if descriptor >= 0:
                os.close(descriptor)
        self.reader = self.writer = -1
