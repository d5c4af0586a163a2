"""Keys: what a server with keys (`coopsim run --bind`) wants to see, and what it shows."""

from __future__ import annotations

import ssl


def keys(own: str, server: str) -> ssl.SSLContext:
    """Return what TLS needs from our NAME.key and the server's NAME.pub: `Client(address, tls=keys(...))`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_cert_chain(own)
    context.load_verify_locations(server)
    return context
