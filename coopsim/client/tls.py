"""TLS with the certificates of a key folder: both sides know each other's, and trust no other authority."""

import ssl

from coopsim.client.endpoints import Endpoint
from coopsim.client.keys import ConnectionKeys
from coopsim.errors import KeyRefused, NoKey

_DOES_NOT_TRUST = (
    "CERTIFICATE_REQUIRED",
    "UNKNOWN_CA",
    "CERTIFICATE_UNKNOWN",
    "BAD_CERTIFICATE",
    "CERTIFICATE_EXPIRED",
)


def context_of(keys: ConnectionKeys | None, endpoint: Endpoint) -> ssl.SSLContext:
    """Return what wraps a connection to a server.

    Raises:
        NoKey: There are no keys, or one has no certificate.
    """
    if keys is None:
        raise NoKey(f"{endpoint} needs keys: COOPSIM_KEYS, or `keys` of `connect`, names their folder")
    if not keys.own.has_tls_secret:
        raise NoKey(f"the key {keys.own.name!r} has no certificate for TLS; `coopsim keys certify` makes one")
    if not keys.server.certificate:
        raise NoKey(
            f"the key {keys.server.name!r} of the server is known without certificate: trust its .pub file again"
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False  # the certificate itself is compared
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_cert_chain(keys.own_file)
    context.load_verify_locations(cadata=keys.server.certificate)
    return context


def checked(certificate: bytes | None, endpoint: Endpoint, keys: ConnectionKeys | None) -> None:
    """Refuse a server that has shown another certificate than the one expected.

    Raises:
        KeyRefused: It has.
    """
    if keys is None or certificate != keys.server.certificate_bytes:
        raise _stranger(endpoint, keys)


def refusal(problem: OSError, endpoint: Endpoint, keys: ConnectionKeys | None) -> KeyRefused | None:
    """Return what a failure of TLS means, None if it says nothing about keys."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        return _stranger(endpoint, keys)
    reason = str(getattr(problem, "reason", "") or "")
    if reason.endswith(_DOES_NOT_TRUST) and keys is not None:
        return KeyRefused(f"{endpoint} does not trust the key {keys.own.name!r} of this client")
    if reason in {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE"}:
        return KeyRefused(f"{endpoint} speaks no TLS, and this client insists on it")
    return None


def _stranger(endpoint: Endpoint, keys: ConnectionKeys | None) -> KeyRefused:
    name = keys.server.name if keys is not None else ""
    return KeyRefused(f"{endpoint} has not the certificate of the key {name!r} that this client expects")
