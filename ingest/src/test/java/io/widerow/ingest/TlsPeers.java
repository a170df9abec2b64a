package io.widerow.ingest;

import io.widerow.faults.Certificates;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/// Files of certificates, and the TLS of the JDK as a client that trusts them.
final class TlsPeers {
  private static final char[] PASSWORD = "x".toCharArray();

  private final Path directory;

  /// @param directory where the files are made: `cert.pem` and `key.pem` of the daemon, `other.pem`
  ///   and `other.key` of another one, `client.pem` and `client.key` of the sender `web-7`, which
  ///   `ca.pem` has signed
  TlsPeers(Path directory) {
    this.directory = directory;
  }

  /// Makes the files.
  void make() throws IOException, GeneralSecurityException {
    Certificates authority = Certificates.selfSigned("CN=authority");
    Certificates client = authority.sign("CN=web-7, O=shop");
    write(authority, "ca");
    Certificates.ofThisMachine().write(path("cert.pem"), path("key.pem"));
    write(Certificates.ofThisMachine(), "other");
    write(client, "client");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    Certificate[] chain = {client.certificate()};
    keys.setKeyEntry("client", client.key(), PASSWORD, chain);
    try (OutputStream out = Files.newOutputStream(path("client.p12"))) {
      keys.store(out, PASSWORD);
    }
    String both = Files.readString(path("cert.pem")) + Files.readString(path("other.pem"));
    Files.writeString(path("both.pem"), both);
  }

  private void write(Certificates made, String name) throws IOException {
    made.write(path(name + ".pem"), path(name + ".key"));
  }

  private Path path(String name) {
    return directory.resolve(name);
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
