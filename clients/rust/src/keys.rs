//! Keys: what a server with keys (`coopsim run --bind`) wants to see, and what it shows.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{ring, verify_tls12_signature, verify_tls13_signature, CryptoProvider};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use crate::Error;

const NAME: &str = "coopsim"; // in every certificate of a server

/// A connection by TLS.
pub(crate) type Secured = StreamOwned<ClientConnection, TcpStream>;

/// Our secret key and the server's certificate, for `Client::connect_with_keys`.
#[derive(Clone, Debug)]
pub struct Keys(Arc<ClientConfig>);

impl Keys {
    /// Read our NAME.key and the server's NAME.pub.
    pub fn read(own: impl AsRef<Path>, server: impl AsRef<Path>) -> Result<Self, Error> {
        let (own, server) = (own.as_ref(), server.as_ref());
        let unreadable = |file: &Path| {
            let file = file.display().to_string();
            move |problem| Error::Lost(format!("no keys in {file}: {problem}"))
        };
        let certificate = CertificateDer::from_pem_file(own).map_err(unreadable(own))?;
        let secret = PrivateKeyDer::from_pem_file(own).map_err(unreadable(own))?;
        let trusted = CertificateDer::from_pem_file(server).map_err(unreadable(server))?;
        let provider = Arc::new(ring::default_provider());
        let pinned = Arc::new(Pinned { certificate: trusted, provider: provider.clone() });
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map(|builder| builder.dangerous().with_custom_certificate_verifier(pinned))
            .and_then(|builder| builder.with_client_auth_cert(vec![certificate], secret));
        config.map(|config| Keys(Arc::new(config))).map_err(|problem| Error::Lost(problem.to_string()))
    }

    /// Make TLS of a connection; the first message makes the handshake.
    pub(crate) fn over(&self, socket: TcpStream) -> Result<Secured, Error> {
        let name = ServerName::try_from(NAME).map_err(|problem| Error::Lost(problem.to_string()))?;
        let session =
            ClientConnection::new(self.0.clone(), name).map_err(|problem| Error::Lost(problem.to_string()))?;
        Ok(StreamOwned::new(session, socket))
    }
}

/// Trusts one certificate, byte for byte; dates in it mean nothing.
#[derive(Debug)]
struct Pinned {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if *shown == self.certificate {
            return Ok(ServerCertVerified::assertion());
        }
        Err(rustls::Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
