"""Self-signed certificates for TLS: a peer trusts exactly the certificates it holds."""

from datetime import UTC, datetime
from importlib.util import find_spec

SERVER_NAME = "coopsim"
"""The host name in every certificate, for clients that insist on checking one."""
# for machines without a clock; a certificate is no longer good when its file is removed
_BEGIN, _END = datetime(2000, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
_LONGEST_NAME = 64  # letters; the upper bound of a common name in X.509


def can_make() -> bool:
    """Return whether the library that makes certificates is installed."""
    return find_spec("cryptography") is not None


def make_certificate(name: str) -> tuple[str, str]:
    """Return a new secret key and a certificate for it, both in PEM: ECDSA with P-256, which every TLS library knows.

    Args:
        name: Whose it is.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    secret = ec.generate_private_key(ec.SECP256R1())
    public = secret.public_key()
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:_LONGEST_NAME])])
    identifier = x509.SubjectKeyIdentifier.from_public_key(public)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(_BEGIN)
        .not_valid_after(_END)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(SERVER_NAME)]), critical=False)
        .add_extension(identifier, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
        .sign(secret, hashes.SHA256())
    )
    pem = secret.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return pem.decode(), certificate.public_bytes(serialization.Encoding.PEM).decode()
