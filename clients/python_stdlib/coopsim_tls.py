"""A connection with keys for `Coopsim`, from two key files: TLS with nothing but Python's standard library.

The protocol is docs/protocol.md, section 15.2: each side shows a certificate that the other one has in its folder."""

import socket
import ssl


class _Whole(ssl.SSLSocket):
    """Receives as much as it is asked for, as MSG_WAITALL does without TLS."""

    def recv(self, size: int = 1024, _flags: int = 0) -> bytes:
        raw = b""
        while len(raw) < size and (part := super().recv(size - len(raw))):
            raw += part
        return raw


def connected(address: str, own: str, server: str, timeout: float = 5.0) -> ssl.SSLSocket:
    """Return a connection to host:port, from our NAME.key and the server's NAME.pub."""
    host, _, port = address.rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.sslsocket_class = _Whole
    context.load_cert_chain(own)
    context.load_verify_locations(server)
    return context.wrap_socket(socket.create_connection((host, int(port)), timeout), server_hostname="coopsim")
