package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/// Certificates made by openssl, and the TLS of the JDK as a client that trusts them.
final class TlsPeers {
  private static final char[] PASSWORD = "x".toCharArray();
  private static final String CERTIFICATES =
      """
      set -e
      new="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
      daemon="-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost"
      openssl req -x509 -days 2 $new -keyout ca.key -out ca.pem -subj /CN=authority
      openssl req -x509 -days 2 $new -keyout key.pem -out cert.pem $daemon
      openssl req -x509 -days 2 $new -keyout other.key -out other.pem $daemon
      openssl req $new -keyout client.key -out client.csr -subj /O=shop/CN=web-7
      openssl x509 -req -in client.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out client.pem
      openssl pkcs12 -export -inkey client.key -in client.pem -out client.p12 -passout pass:x
      cat cert.pem other.pem > both.pem
      """;

  private final Path directory;

  /// @param directory where the files are made: `cert.pem` and `key.pem` of the daemon, `other.pem`
  ///   and `other.key` of another one, `client.pem` and `client.key` of the sender `web-7`, which
  ///   `ca.pem` has signed
  TlsPeers(Path directory) {
    this.directory = directory;
  }

  /// Makes the files.
  void make() throws IOException, InterruptedException {
    Path log = directory.resolve("openssl.log");
    Process made =
        new ProcessBuilder("sh", "-c", CERTIFICATES)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertEquals(0, made.waitFor(), Files.readString(log));
  }

  String file(String name) {
    return directory.resolve(name).toString();
  }

  /// Trusts both daemons.
  ///
  /// @param certificate whether it shows that of the sender `web-7` when it is asked
  private SSLContext context(boolean certificate) throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    for (String name : new String[] {"cert.pem", "other.pem"}) {
      try (InputStream in = Files.newInputStream(directory.resolve(name))) {
        trusted.setCertificateEntry(name, factory.generateCertificate(in));
      }
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    KeyStore keys =
        certificate
            ? KeyStore.getInstance(directory.resolve("client.p12").toFile(), PASSWORD)
            : null;
    own.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  /// Connects; the handshake has not begun.
  SSLSocket connect(InetSocketAddress address, boolean certificate)
      throws IOException, GeneralSecurityException {
    return (SSLSocket)
        context(certificate)
            .getSocketFactory()
            .createSocket(address.getAddress(), address.getPort());
  }

  /// What a daemon with TLS answers.
  String get(Daemon daemon, String path)
      throws IOException, InterruptedException, GeneralSecurityException {
    URI url = URI.create("https://localhost:" + daemon.httpAddress().getPort() + path);
    try (HttpClient client = HttpClient.newBuilder().sslContext(context(false)).build()) {
      return client
          .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }
}
