package coopsim;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** What a server with keys ({@code coopsim run --bind}) wants to see, and what it shows. */
public final class Keys {
  private static final String OF_ALL = "coopsim"; // the name in every certificate

  private final SSLContext context;

  private Keys(SSLContext context) {
    this.context = context;
  }

  /** Reads our NAME.key and the server's NAME.pub: {@code new Client(address, timeout, Keys.of(own, server))}. */
  public static Keys of(Path own, Path server) throws IOException {
    try {
      KeyStore secret = KeyStore.getInstance("PKCS12");
      secret.load(null, null);
      secret.setKeyEntry(OF_ALL, secretOf(own), new char[0], new Certificate[] {certificateOf(own)});
      KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(secret, new char[0]);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), new TrustManager[] {new Pinned(certificateOf(server))}, null);
      return new Keys(context);
    } catch (GeneralSecurityException problem) {
      throw new IOException("no keys in " + own + " and " + server + ": " + problem.getMessage(), problem);
    }
  }

  /** Makes TLS of a connection. */
  Socket over(Socket plain) throws IOException {
    SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, OF_ALL, plain.getPort(), true);
    socket.startHandshake();
    return socket;
  }

  private static PrivateKey secretOf(Path file) throws IOException, GeneralSecurityException {
    PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(block(file, "PRIVATE KEY")));
    return KeyFactory.getInstance("EC").generatePrivate(encoded);
  }

  private static X509Certificate certificateOf(Path file) throws IOException, GeneralSecurityException {
    byte[] raw = Base64.getMimeDecoder().decode(block(file, "CERTIFICATE"));
    return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new java.io.ByteArrayInputStream(raw));
  }

  private static String block(Path file, String name) throws IOException {
    Matcher matcher = Pattern.compile("-----BEGIN " + name + "-----(.*?)-----END " + name, Pattern.DOTALL).matcher(Files.readString(file));
    if (!matcher.find()) {
      throw new IOException(file + " holds no " + name + " (coopsim keys new NAME makes such a file)");
    }
    return matcher.group(1);
  }

  /** Trusts one certificate, byte for byte; dates in it mean nothing. */
  private record Pinned(X509Certificate certificate) implements X509TrustManager {
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
      if (chain.length == 0 || !chain[0].equals(certificate)) {
        throw new CertificateException("the server shows another certificate than the one in its NAME.pub");
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
      throw new CertificateException("this is a client");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[] {certificate};
    }
  }
}
