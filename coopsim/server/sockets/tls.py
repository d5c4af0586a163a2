"""The server's side of TLS, without any socket: bytes in, bytes out, never waiting.

Both sides show a certificate that the other one has in its folder of keys; there is no other authority.
Specification: docs/protocol.md, "TLS".
"""

import logging
import ssl

from coopsim.server.access.trusted import TrustedKeys

_log = logging.getLogger(__name__)
_CHUNK = 1 << 16  # bytes; four records of TLS
_NO_TLS = b"\x15\x03\x03\x00\x02\x02\x28"
"""A fatal alert, for those who speak something else: TLS itself tells them nothing."""


class TlsEnd:
    """A connection.

    Args:
        context: With our certificate and those we trust.

    Attributes:
        is_open: Whether the handshake is over.
    """

    def __init__(self, context: ssl.SSLContext) -> None:
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_side=True)
        self.is_open = False

    def unwrap(self, raw: bytes) -> bytes:
        """Decrypt bytes from the network; return the plain bytes, b"" if no record is complete yet.

        Raises:
            ssl.SSLError: It speaks no TLS, or another certificate; `alert` has what to tell it.
        """
        self._in.write(raw)
        plain = bytearray()
        try:
            if not self.is_open:
                self._tls.do_handshake()
                self.is_open = True
            while part := self._tls.read(_CHUNK):
                plain += part
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            self._in.write_eof()  # the client closes; its connection ends soon
        return bytes(plain)

    def seal(self, message: bytes) -> bytes:
        """Return what to send, with what the handshake left over, so that the client reads `message`."""
        self._tls.write(message)
        return self._out.read()

    def pending(self) -> bytes:
        """Return, and forget, what TLS itself has to send."""
        return self._out.read()

    def alert(self) -> bytes:
        """Return what to send to a refused client."""
        return self._out.read() or _NO_TLS

    def certificate(self) -> bytes:
        """Return the client's certificate (DER)."""
        return self._tls.getpeercert(binary_form=True) or b""


class TlsServer:
    """Makes connections for clients that are trusted at that time.

    Args:
        trusted: Our key, which has a certificate, and those of clients.

    Attributes:
        carrier: What carries messages by it, for people.
    """

    carrier = "TLS"

    def __init__(self, trusted: TrustedKeys) -> None:
        self._trusted = trusted
        self._version = trusted.version
        self._context = self._fresh()

    def new(self) -> TlsEnd:
        """Return the end of a new connection."""
        if self._trusted.refresh() != self._version:
            self._renew()
        return TlsEnd(self._context)

    def _renew(self) -> None:
        """Load changed keys; without our own key file no new client is trusted."""
        self._version = self._trusted.version
        try:
            self._context = self._fresh()
        except OSError as problem:
            _log.warning("TLS goes on with the keys of before: %s: %s", self._trusted.own_file, problem)

    def _fresh(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.options |= ssl.OP_NO_TICKET | ssl.OP_NO_RENEGOTIATION
        context.num_tickets = 0
        context.verify_mode = ssl.CERT_REQUIRED
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        context.load_cert_chain(self._trusted.own_file)
        for key in self._trusted.with_certificate:
            try:
                context.load_verify_locations(cadata=key.certificate)
            except ssl.SSLError as problem:
                _log.warning("the certificate of %s cannot be read: %s", key.name, problem.reason)
        return context


def refusal_reason(problem: OSError) -> str:
    """Return in words why a connection was not let in."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        return "its certificate is not trusted"
    if isinstance(problem, ssl.SSLError):
        return f"no TLS handshake: {getattr(problem, 'reason', None) or 'it ended'}"
    return str(problem)
